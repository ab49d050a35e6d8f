import Arguments
import CommandSupport
import Gazetteer
import GazetteerVerification
import Threads

extension GazetteerVerify {
    static func verifyForward(
        _ gazetteer: Gazetteer, _ path: String, _ floors: [ScoreFloor], _ arguments: ParsedArguments
    ) async throws {
        guard floors.allSatisfy({ $0.questions == TruthScore.Question.allCases }) else {
            throw UsageError("with --forward, --at-least takes only a percentage")
        }
        let score = try await onThread {
            ForwardScore(of: gazetteer, at: try ForwardQuestion.read(path: path))
        }
        if arguments.flag("json") {
            for line in score.json { Output.line(line.line) }
        } else {
            Output.table(score.table)
            for miss in score.misses { Output.line(miss.text) }
        }
        // A table without questions fails any floor.
        let reached = score.total.percent ?? -1
        let failures = floors.filter { reached < $0.percent }
        for floor in failures {
            Output.note(
                "\(score.total.right + score.total.unsure) of \(score.total.all) right, less than \(floor.percent) %"
            )
        }
        if !failures.isEmpty { throw ExitCode(1) }
    }
}
