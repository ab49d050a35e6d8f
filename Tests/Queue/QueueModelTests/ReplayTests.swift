import Postgres
import QueueModel
import TestKit
import Testing

@Suite("The queue and its exhaustive model", .timeLimit(.minutes(8)))
struct ReplayTests {
    @Test("agree after every step, in every situation", arguments: Domain.replayed)
    func agree(_ domain: Domain) async throws {
        let coverage = Coverage(domain.budget, domain.rules, states: domain.states)
        print(
            "\(domain.testDescription): \(coverage.situations) situations in \(coverage.histories.count) histories"
        )
        try await QueueDatabase.with { database in
            try await database.withRivals { rival, _ in
                for history in coverage.histories {
                    var replay = try await Replay(coverage.start, domain.rules, on: database, rival: rival)
                    for (index, step) in history.enumerated() {
                        guard let difference = try await replay.take(step) else { continue }
                        let steps = history.prefix(index + 1).map { "    \($0)" }.joined(separator: "\n")
                        Issue.record("after\n\(steps)\n\(difference)")
                        return
                    }
                }
            }
        }
    }
}
