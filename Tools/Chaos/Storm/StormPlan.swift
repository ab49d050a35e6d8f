/// One fault of a storm.
package struct Scenario: Sendable, Equatable {
    package let number: Int
    package let fault: StormFault
    /// When it begins, from the start of the storm, unless the one before lasts longer.
    package let start: Duration
    package let length: Duration
    /// Selects the victim among those that there are at that moment.
    let choice: UInt64

    /// One of `candidates`; nil if there are none.
    func victim<T>(among candidates: [T]) -> T? {
        candidates.isEmpty ? nil : candidates[Int(choice % UInt64(candidates.count))]
    }
}

/// The scenarios of a storm: the same for the same seed, length and faults.
package struct StormPlan: Sendable {
    package let scenarios: [Scenario]

    /// A storm of `length`, in which each fault comes once before any comes again.
    package static func mixed(_ faults: [StormFault], for length: Duration, seed: UInt64) -> StormPlan {
        var random = SeededGenerator(seed: seed)
        var scenarios: [Scenario] = []
        var deck: [StormFault] = []
        var start = random.duration(in: .seconds(1) ... .seconds(3))
        while !faults.isEmpty, start < length {
            if deck.isEmpty { deck = random.shuffled(faults) }
            let fault = deck.removeLast()
            // Short ones find other moments than long ones, so half of them are short.
            var range = fault.traits.length
            if random.below(2) == 0 {
                range = range.lowerBound...range.lowerBound + (range.upperBound - range.lowerBound) / 6
            }
            let scenario = Scenario(
                number: scenarios.count + 1, fault: fault, start: start,
                length: min(random.duration(in: range), max(range.lowerBound, length - start)),
                choice: random.next())
            scenarios.append(scenario)
            start += scenario.length + random.duration(in: .milliseconds(500) ... .seconds(4))
        }
        return StormPlan(scenarios: scenarios)
    }

    /// So many kills at `rate` a second on average.
    ///
    /// - Parameter faults: only these; empty for all kinds of kills.
    package static func kills(_ count: Int, rate: Double, seed: UInt64, among faults: [StormFault] = [])
        -> StormPlan
    {
        var random = SeededGenerator(seed: seed)
        let kills = StormFault.kills.filter { faults.isEmpty || faults.contains($0) }
        guard !kills.isEmpty else { return StormPlan(scenarios: []) }
        var deck: [StormFault] = []
        var start = Duration.seconds(2)
        let longest = Duration.seconds(2 / rate)
        return StormPlan(
            scenarios: (1...max(1, count)).map { number in
                if deck.isEmpty { deck = random.shuffled(kills) }
                start += random.duration(in: .zero...longest)
                return Scenario(
                    number: number, fault: deck.removeLast(), start: start, length: .zero,
                    choice: random.next())
            })
    }
}
