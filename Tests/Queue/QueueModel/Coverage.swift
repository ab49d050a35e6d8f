extension ModelState {
    /// The request that a step brings to the database; nil for a step that only changes a worker's memory.
    ///
    /// Steps in the same situation differ in nothing that the database's functions look at.
    package func situation(of step: Step, _ rules: Rules) -> [Int]? {
        var kind = 0
        var token = Token.none
        var worker: Int8 = -1
        var statement: Statement?
        var locked = -1
        var view: ClaimView?
        var detail = 0
        func attempt(_ process: Int, _ slot: Int) {
            token = processes[process].attempts[slot].token
            worker = token.worker
            detail = Int(processes[process].attempts[slot].ending.rawValue)
        }
        switch step {
        case .commitClaim(let process, let seen):
            (kind, token, view) = (1, processes[process].claimToken, seen)
            detail = processes[process].takesSuspect ? 1 : 0
        case .commitEnd(let process, let slot, let row):
            attempt(process, slot)
            (kind, locked) = (2, row)
        case .commitReview(let process, let row, let moves):
            (kind, statement, locked, detail) = (3, processes[process].statement, row, moves ? 1 : 0)
        case .heartbeat(let process): (kind, worker) = (4, processes[process].number)
        case .signOff(let process, let row): (kind, worker, locked) = (5, processes[process].number, row)
        case .rescue(let number, let row): (kind, worker, locked) = (6, number, row)
        case .commitLate(let index, let seen):
            let request = late[index]
            (kind, token, detail) = (
                10 + Int(request.kind.rawValue), request.token, Int(request.ending.rawValue)
            )
            if request.kind == .claim { view = seen }
            if request.kind == .review { statement = request.statement }
        case .cancel(let job): (kind, locked) = (7, job)
        case .release(let job): (kind, locked) = (8, job)
        case .becomeDue(let job): (kind, locked) = (9, job)
        case .unparkAll: kind = 10
        default: return nil
        }
        if let statement { worker = statement.worker }
        if token.worker >= 0 { worker = token.worker }
        let row = worker < 0 ? Registration() : self[registration: worker]
        let words = (0..<rules.jobs).map { index -> Int in
            let job = jobs[index]
            let claim = Int(job.lease.claim)
            let listed = statement.map { $0.running[index].contains(claim) && claim <= Int($0.upTo) } ?? false
            let isPassed: Bool = statement.map { claim > Int($0.upTo) } ?? false
            let isVisible: Bool = view.map { $0.visible >> index & 1 == 1 } ?? false
            let isForemost: Bool = view.map { Int($0.foremost) == index } ?? false
            let isShared: Bool = rules.isCapped && index < 2
            var word = Int(job.place.rawValue) * 4 + Int(min(job.deaths, 3))
            func add(_ fact: Bool) { word = word * 2 + (fact ? 1 : 0) }
            add(job.isCancelRequested)
            add(job.hasRunningKey)
            add(job.lease == token)
            add(job.lease.worker == worker)
            add(listed)
            add(isPassed)
            add(job.lease.claim >= row.first)
            add(index == locked)
            add(isVisible)
            add(isForemost)
            add(isShared)
            return word
        }
        let facts: [Bool] = [
            row.exists, row.verdict == .dead, row.leases.isEmpty,
            token.worker >= 0 && row.first <= token.claim,
        ]
        return [kind, detail, facts.reduce(1) { $0 * 2 + ($1 ? 1 : 0) }] + words.sorted()
    }
}

/// Histories that together bring every kind of request to the database in every situation that a search found.
package struct Coverage {
    package let rules: Rules
    package let start: ModelState
    package private(set) var histories: [[Step]] = []
    package private(set) var situations = 0

    /// - Parameter limit: how many states are searched.
    package init(_ budget: Budget, _ rules: Rules, states limit: Int) {
        var found: [[Int]: [Step]] = [:]
        var search = Search(budget, rules)
        search.run(upTo: limit) { state, step, history in
            guard let situation = state.situation(of: step, rules), found[situation] == nil else { return }
            found[situation] = history()
        }
        self.rules = rules
        start = search.start
        situations = found.count
        // A long history passes through the situations of many short ones.
        var left = Set(found.keys)
        for history in found.values.sorted(by: { $0.count > $1.count }) {
            var state = start
            let before = left.count
            for step in history {
                if let situation = state.situation(of: step, rules) { left.remove(situation) }
                state.apply(step, rules)
            }
            if left.count < before { histories.append(history) }
        }
    }
}
