import Arguments
import GazetteerVerification

/// The least share of right answers.
struct ScoreFloor: Equatable {
    let questions: [TruthScore.Question]
    let percent: Double

    init(_ text: String) throws {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let question = parts.count == 2 ? TruthScore.Question(rawValue: String(parts[0])) : nil
        guard let number = parts.last.flatMap({ Double($0) }), (0...100).contains(number),
            parts.count == 1 || question != nil
        else {
            let known = TruthScore.Question.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError(
                "--at-least “\(text)” is neither a percentage nor one of \(known) with '=' and a percentage")
        }
        questions = question.map { [$0] } ?? TruthScore.Question.allCases
        percent = number
    }

    /// The questions below the floor. A question that the table does not ask fails if the floor names it, or if the
    /// table asks none at all.
    func failures(of score: TruthScore) -> [String] {
        let asked = questions.filter { score.totals[$0]?.percent != nil }
        guard !asked.isEmpty || questions.count == 1 else { return ["the table asks no questions"] }
        return questions.compactMap { question in
            guard let tally = score.totals[question], let reached = tally.percent else {
                return questions.count == 1 ? "\(question.rawValue): the table does not ask for it" : nil
            }
            guard reached < percent else { return nil }
            return "\(question.rawValue): \(tally.right) of \(tally.all) right, less than \(percent) %"
        }
    }
}
