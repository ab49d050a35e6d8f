/// Visits every state that can be reached, the nearest first.
package struct Search {
    package struct Finding: Sendable {
        package let violation: Violation
        /// The shortest history that leads to it.
        package let history: [Step]
    }

    package let start: ModelState
    package let rules: Rules
    /// How many states were found.
    package private(set) var states = 0
    package private(set) var finding: Finding?
    /// Whether every state within the budget was visited.
    package private(set) var isComplete = false

    /// Where a state was first reached from, and by which of the steps possible there.
    private var origins: [(parent: UInt32, step: UInt16)] = []

    package init(_ budget: Budget, _ rules: Rules = Rules()) {
        start = ModelState(budget, rules)
        self.rules = rules
    }

    /// - Parameters:
    ///   - visit: is called with every step from every state, and returns whether it is of interest. It may ask for the
    ///     history.
    package mutating func run(
        upTo limit: Int = .max, visit: ((ModelState, Step, _ history: () -> [Step]) -> Void)? = nil
    ) {
        // States are known by hashes of 64 bits: two of ten million are confused with a chance of one in 300,000.
        var known: Set<UInt64> = [start.key(rules)]
        var level: [(state: ModelState, number: UInt32)] = [(start, 0)]
        origins = [(0, 0)]
        states = 1
        while !level.isEmpty {
            var next: [(state: ModelState, number: UInt32)] = []
            for (state, number) in level {
                for (index, step) in state.steps(rules).enumerated() {
                    var successor = state
                    successor.apply(step, rules)
                    for forced in successor.forced(after: step) { successor.apply(forced, rules) }
                    successor.normalize()
                    if let visit { visit(state, step) { history(to: number) + [step] } }
                    guard known.insert(successor.key(rules)).inserted else { continue }
                    origins.append((number, UInt16(index)))
                    states += 1
                    let violation = successor.violation(rules)
                    let isBroken = violation != .none || successor.isStuck(rules)
                    if isBroken {
                        finding = Finding(
                            violation: violation == .none ? .stuck : violation,
                            history: history(to: UInt32(states - 1)))
                        return
                    }
                    if states >= limit { return }
                    next.append((successor, UInt32(states - 1)))
                }
            }
            level = next
        }
        isComplete = true
    }

    private func history(to number: UInt32) -> [Step] {
        var indices: [Int] = []
        var number = number
        while number > 0 {
            indices.append(Int(origins[Int(number)].step))
            number = origins[Int(number)].parent
        }
        var state = start
        var steps: [Step] = []
        for index in indices.reversed() {
            let step = state.steps(rules)[index]
            state.apply(step, rules)
            let forced = state.forced(after: step)
            for step in forced { state.apply(step, rules) }
            state.normalize()
            steps += [step] + forced
        }
        return steps
    }
}

extension ModelState {
    /// The steps that follow at once when nothing can be lost any more: how late they are makes no difference then.
    fileprivate func forced(after step: Step) -> [Step] {
        guard budget.faults == 0 else { return [] }
        return switch step {
        case .endAttempt(let process, let slot, _):
            [.commitEnd(process: process, slot: slot, locked: -1), .replyToEnd(process: process, slot: slot)]
        case .commitEnd(let process, let slot, _): [.replyToEnd(process: process, slot: slot)]
        case .commitReview(let process, _, _): [.replyToReview(process: process)]
        default: []
        }
    }
}
