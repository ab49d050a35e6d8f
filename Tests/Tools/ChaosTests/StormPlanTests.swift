import Testing

@testable import Chaos

@Suite("The plan of a storm")
struct StormPlanTests {
    @Test("is the same for the same seed, and another for another")
    func seeded() {
        let faults = StormFault.allCases
        let plan = StormPlan.mixed(faults, for: .seconds(600), seed: 7)
        #expect(plan.scenarios == StormPlan.mixed(faults, for: .seconds(600), seed: 7).scenarios)
        #expect(plan.scenarios != StormPlan.mixed(faults, for: .seconds(600), seed: 8).scenarios)
        // A fixed one: a seed must mean the same storm in every build.
        var random = SeededGenerator(seed: 7)
        let first = (0..<3).map { _ in random.next() }
        #expect(
            first == [13_309_476_754_707_697_221, 11_984_929_618_412_882_174, 10_134_167_572_453_724_827])
    }

    @Test("has each fault once before any comes again, within its range and one after the other")
    func fair() {
        let plan = StormPlan.mixed(StormFault.allCases, for: .seconds(1200), seed: 3).scenarios
        let count = StormFault.allCases.count
        #expect(plan.count > 2 * count)
        #expect(Set(plan.prefix(count).map(\.fault)).count == count)
        #expect(Set(plan.dropFirst(count).prefix(count).map(\.fault)).count == count)
        for (scenario, next) in zip(plan, plan.dropFirst()) {
            #expect(scenario.fault.traits.length.contains(scenario.length))
            #expect(scenario.start + scenario.length < next.start)
        }
        #expect(StormPlan.mixed([], for: .seconds(60), seed: 1).scenarios.isEmpty)
    }

    @Test("leaves out what cannot come to the media store, and says why")
    func stores() {
        func leftOut(_ store: StormStoreKind) -> [StormFault] {
            Storm.possible(among: [.killWorker, .swappedStore, .cutStore], standby: true, store: store)
                .leftOut.map(\.fault)
        }
        #expect(leftOut(.directory) == [.cutStore])
        #expect(leftOut(.bucket) == [.swappedStore])
    }

    @Test("of kills has a third of each, at the rate that was asked for")
    func kills() {
        let plan = StormPlan.kills(3000, rate: 5, seed: 1).scenarios
        #expect(plan.count == 3000)
        #expect(plan.count { $0.fault == .killWorker } == 1000)
        #expect(plan.count { $0.fault == .killRenderer } == 1000)
        #expect(plan.count { $0.fault == .terminateBackend } == 980)
        #expect(plan.count { $0.fault == .killBackend } == 20)
        #expect((550.0...650).contains(plan.last!.start / .seconds(1)))
    }
}
