import QueueModel
import TestKit
import Testing

@Suite("The model of the queue", .timeLimit(.minutes(8)))
struct SearchTests {
    @Test("no history breaks a rule", arguments: Domain.searched)
    func holds(_ domain: Domain) {
        var search = Search(domain.budget, domain.rules)
        search.run(upTo: domain.states)
        #expect(search.finding == nil)
        #expect(search.isComplete || search.states == domain.states)
        #expect(search.states > 10_000)
        print(
            "\(domain.testDescription): \(search.states) states, \(search.isComplete ? "all" : "the nearest")"
        )
    }

    @Test("the search finds each fault that somebody could make", arguments: Mutation.allCases.every(3))
    func mutation(_ mutation: Mutation) throws {
        var search = Search(
            Budget(faults: 2, orders: 1), Rules(jobs: 2, isCapped: true, mutation: mutation))
        search.run(upTo: 1_000_000)
        let finding = try #require(search.finding)
        guard Extent.isCheck else { return }
        let history = finding.history.map { "\n    \($0)" }.joined()
        print("\(mutation), after \(search.states) states: \(finding.violation.rawValue)\(history)")
    }
}
