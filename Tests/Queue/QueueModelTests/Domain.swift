import QueueModel
import TestKit
import Testing

/// What a search covers.
struct Domain: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let budget: Budget
    let rules: Rules
    /// How many states are searched at most.
    var states = Int.max

    /// Searched for a history that breaks a rule.
    static let searched =
        Extent.isCheck
        ? [
            Domain(
                testDescription: "two jobs of a key of which one may run, two faults",
                budget: Budget(faults: 2, orders: 0), rules: Rules(jobs: 2, isCapped: true)),
            Domain(
                testDescription: "two jobs of a key of which one may run, one fault, one order, one retry",
                budget: Budget(faults: 1, orders: 1, retries: 1), rules: Rules(jobs: 2, isCapped: true),
                states: 3_000_000),
            Domain(
                testDescription: "two jobs of a key of which one may run, two faults, one order, one retry",
                budget: Budget(faults: 2, orders: 1, retries: 1), rules: Rules(jobs: 2, isCapped: true),
                states: 3_000_000),
            Domain(
                testDescription: "three jobs, two of a key of which one may run, one fault",
                budget: Budget(faults: 1, orders: 0), rules: Rules(jobs: 3, isCapped: true)),
            Domain(
                testDescription: "one job, three faults, three statements under way",
                budget: Budget(faults: 3, orders: 0, underWay: 3), rules: Rules(jobs: 1, maximumDeaths: 3)),
        ]
        : [
            Domain(
                testDescription: "two jobs, one fault", budget: Budget(faults: 1, orders: 0),
                rules: Rules(jobs: 2)),
            Domain(
                testDescription: "two jobs of a key of which one may run, one fault",
                budget: Budget(faults: 1, orders: 0), rules: Rules(jobs: 2, isCapped: true)),
        ]

    /// Replayed on a database.
    static let replayed = [
        Domain(
            testDescription: "two jobs of a key of which one may run",
            budget: Budget(faults: 1, orders: 1, retries: 1), rules: Rules(jobs: 2, isCapped: true),
            states: Extent.of(4_000, check: 60_000)),
        Domain(
            testDescription: "a job whose workers die", budget: Budget(faults: 3, orders: 0),
            rules: Rules(jobs: 1, maximumDeaths: 3), states: Extent.of(4_000, check: 60_000)),
        Domain(
            testDescription: "two jobs, two faults", budget: Budget(faults: 2, orders: 1),
            rules: Rules(jobs: 2), states: Extent.of(2_000, check: 60_000)),
    ]
}
