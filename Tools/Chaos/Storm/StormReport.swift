/// How a storm went.
package struct StormReport: Sendable {
    /// One scenario as it happened.
    package struct Happening: Sendable {
        package let scenario: Scenario
        /// Microseconds since 1970.
        let end: Int64
        /// Whether it found a victim.
        package let hit: Bool
        /// From its end to the first job that ended afterwards.
        package internal(set) var first: Duration?
        /// From its end until every upload that was due then had ended.
        package internal(set) var all: Duration?
    }

    package internal(set) var happenings: [Happening]
    package let verdict: StormVerdict
    package let failures: Int
    package let crashes: Int
    package let deaths: Int
    /// How often a worker was started.
    package let starts: Int
    /// From the end of the last fault until no upload was unfinished.
    package let drained: Duration
    /// How many files that nothing refers to a sweep removed afterwards; nil without one.
    package let swept: Int?
    /// Faults that this machine or process does not allow, with the reason.
    package let leftOut: [(fault: StormFault, why: String)]

    init(
        _ happenings: [Happening], _ verdict: StormVerdict, _ facts: StormFacts, ledger: [StormLedger.Line],
        starts: Int, drained: Duration, swept: Int?, leftOut: [(fault: StormFault, why: String)]
    ) {
        self.happenings = happenings
        self.verdict = verdict
        failures = facts.failures
        crashes = facts.crashes
        deaths = facts.deaths
        self.starts = starts
        self.drained = drained
        self.swept = swept
        self.leftOut = leftOut
        let promises = StormPromises(ledger).byKey
        // When each upload was known to be committed, and when it ended.
        let lives: [(from: Int64, to: Int64)] = facts.uploads.compactMap { key, upload in
            guard let promise = promises[key], promise.time > 0, let end = upload.ends.first else {
                return nil
            }
            return (promise.time, end.time)
        }
        let ends = lives.map(\.to).sorted()
        for index in self.happenings.indices where self.happenings[index].hit {
            let end = self.happenings[index].end
            let due = lives.filter { $0.from <= end && $0.to > end }
            guard let last = due.map(\.to).max(), let first = ends.first(where: { $0 > end }) else {
                continue
            }
            self.happenings[index].first = .microseconds(first - end)
            self.happenings[index].all = .microseconds(last - end)
        }
    }

    /// The smallest value that is not exceeded by the share `share` of `values`; nil without values.
    package static func quantile(_ values: [Duration], _ share: Double) -> Duration? {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return nil }
        return sorted[min(sorted.count - 1, max(0, Int((Double(sorted.count) * share).rounded(.up)) - 1))]
    }
}
