/// One thing that happens: a statement is sent, commits, or its reply arrives; or somebody dies, stops or cancels.
///
/// `process` is 0 or 1, `slot` a place among its attempts. `locked` is a job whose row somebody else has locked, or -1.
package enum Step: Hashable, Sendable {
    case sendClaim(process: Int)
    case commitClaim(process: Int, ClaimView)
    case replyToClaim(process: Int)
    case giveUpClaim(process: Int)

    case endAttempt(process: Int, slot: Int, Ending)
    case commitEnd(process: Int, slot: Int, locked: Int)
    case replyToEnd(process: Int, slot: Int)
    case loseEnd(process: Int, slot: Int)
    case dropAttempt(process: Int, slot: Int)

    case sendReview(process: Int)
    case commitReview(process: Int, locked: Int, moves: Bool)
    case replyToReview(process: Int)
    case giveUpReview(process: Int)

    case heartbeat(process: Int)
    case replyToHeartbeat(process: Int)
    case cutOff(process: Int)
    case stopAttempts(process: Int)
    case die(process: Int)
    case stop(process: Int)
    case signOff(process: Int, locked: Int)

    case takeForDead(worker: Int8)
    case rescue(worker: Int8, locked: Int)
    case commitLate(index: Int, ClaimView)
    case cancel(job: Int)
    case release(job: Int)
    case becomeDue(job: Int)
    case unparkAll
}

extension ModelState {
    /// Everything that can happen now.
    package func steps(_ rules: Rules) -> [Step] {
        var steps: [Step] = []
        for process in 0..<2 where processes[process].lives {
            addClaims(of: process, to: &steps, rules)
            addEnds(of: process, to: &steps, rules)
            addReviews(of: process, to: &steps, rules)
            addLife(of: process, to: &steps, rules)
        }
        addUpkeep(to: &steps, rules)
        if budget.orders > 0 {
            for job in 0..<rules.jobs where !jobs[job].place.isFinished {
                if !jobs[job].isCancelRequested { steps.append(.cancel(job: job)) }
                if jobs[job].place == .running { steps.append(.release(job: job)) }
            }
        }
        return steps
    }

    private var mayFail: Bool { budget.faults > 0 }

    private var maySend: Bool {
        var sent = 0
        for index in 0..<2 {
            let process = processes[index]
            sent += (process.claim != .none ? 1 : 0) + (process.review != .none ? 1 : 0)
            sent += (0..<4).count { process.attempts[$0].phase.rawValue >= Attempt.Phase.writing.rawValue }
            sent += late[index].kind != .none ? 1 : 0
        }
        return sent < budget.underWay
    }

    /// The views that a claim may have: of all jobs or of one, with each of those that compete in front.
    package func views(_ rules: Rules) -> [ClaimView] {
        let waiting = (0..<rules.jobs).filter { jobs[$0].place == .waiting }
        guard waiting.count > 1 else { return [ClaimView(visible: 7, foremost: Int8(waiting.first ?? 0))] }
        var views = waiting.map { ClaimView(visible: 1 << $0, foremost: Int8($0)) }
        let suspects = waiting.filter { jobs[$0].deaths > 0 }
        let rivals = rules.isCapped ? waiting.filter { $0 < 2 && jobs[$0].deaths == 0 } : []
        let foremost = Set(suspects.count > 1 ? suspects : []).union(rivals.count > 1 ? rivals : [])
        for job in foremost.isEmpty ? [waiting[0]] : foremost.sorted() {
            views.append(ClaimView(visible: 7, foremost: Int8(job)))
        }
        return views
    }

    private func addClaims(of index: Int, to steps: inout [Step], _ rules: Rules) {
        let process = processes[index]
        switch process.claim {
        case .none:
            // There must be room, and something to claim: a claim that finds nothing changes nothing.
            if !process.isStopping, !process.isCutOff, maySend,
                process.attemptCount <= 1, (0..<rules.jobs).contains(where: { jobs[$0].place == .waiting })
            {
                steps.append(.sendClaim(process: index))
            }
        case .sent:
            steps += views(rules).map { .commitClaim(process: index, $0) }
            if mayFail, hasRoomForLate { steps.append(.giveUpClaim(process: index)) }
        case .replied:
            steps.append(.replyToClaim(process: index))
            if mayFail { steps.append(.giveUpClaim(process: index)) }
        }
    }

    private func addEnds(of index: Int, to steps: inout [Step], _ rules: Rules) {
        let process = processes[index]
        for slot in 0..<4 {
            let attempt = process.attempts[slot]
            switch attempt.phase {
            case .absent: break
            case .running:
                if attempt.stop == .leaseLost { steps.append(.dropAttempt(process: index, slot: slot)) }
                if attempt.stop == .none, process.isStopping {
                    steps.append(.dropAttempt(process: index, slot: slot))
                }
                guard maySend else { continue }
                if attempt.stop == .cancelled {
                    steps.append(.endAttempt(process: index, slot: slot, .cancelled))
                } else {
                    steps.append(.endAttempt(process: index, slot: slot, .success))
                }
                if attempt.stop == .none {
                    if budget.retries > 0 {
                        steps.append(.endAttempt(process: index, slot: slot, .retry))
                        steps.append(.endAttempt(process: index, slot: slot, .crash))
                    }
                    if process.isStopping {
                        steps.append(.endAttempt(process: index, slot: slot, .returned))
                    }
                }
            case .writing:
                steps.append(.commitEnd(process: index, slot: slot, locked: -1))
                if mayFail, rules.isCapped, let parked = (0..<2).first(where: { jobs[$0].place == .turn }) {
                    steps.append(.commitEnd(process: index, slot: slot, locked: parked))
                }
                if mayFail, attempt.stop == .leaseLost { steps.append(.loseEnd(process: index, slot: slot)) }
            case .written:
                steps.append(.replyToEnd(process: index, slot: slot))
                if mayFail { steps.append(.loseEnd(process: index, slot: slot)) }
            }
        }
    }

    /// Jobs that a worker holds: somebody may have locked one.
    private func held(by worker: Int8, _ rules: Rules) -> [Int] {
        guard mayFail else { return [] }
        return (0..<rules.jobs).filter { jobs[$0].place == .running && jobs[$0].lease.worker == worker }
    }

    private func addReviews(of index: Int, to steps: inout [Step], _ rules: Rules) {
        let process = processes[index]
        switch process.review {
        case .none:
            if !process.isCutOff, maySend,
                !self[registration: process.number].leases.isEmpty || process.attemptCount > 0
            {
                steps.append(.sendReview(process: index))
            }
        case .sent:
            for job in [-1] + held(by: process.statement.worker, rules) {
                for moves in [true, false] {
                    steps.append(.commitReview(process: index, locked: job, moves: moves))
                }
            }
            if mayFail, hasRoomForLate { steps.append(.giveUpReview(process: index)) }
        case .replied:
            steps.append(.replyToReview(process: index))
            if mayFail { steps.append(.giveUpReview(process: index)) }
        }
    }

    private func addLife(of index: Int, to steps: inout [Step], _ rules: Rules) {
        let process = processes[index]
        let row = self[registration: process.number]
        if process.heartbeat == .none {
            if process.isCutOff || !row.exists || row.verdict == .dead {
                steps.append(.heartbeat(process: index))
            }
        } else {
            steps.append(.replyToHeartbeat(process: index))
        }
        if process.isCutOff {
            if process.attempts.contains(where: { $0.phase == .running && $0.stop == .none }) {
                steps.append(.stopAttempts(process: index))
            }
        } else if mayFail {
            steps.append(.cutOff(process: index))
        }
        if mayFail { steps.append(.die(process: index)) }
        if process.isStopping {
            if process.attemptCount == 0, process.claim == .none {
                for job in [-1] + held(by: process.number, rules) {
                    steps.append(.signOff(process: index, locked: job))
                }
            }
        } else if budget.orders > 0 {
            steps.append(.stop(process: index))
        }
    }

    private func addUpkeep(to steps: inout [Step], _ rules: Rules) {
        for process in 0..<2 {
            for number in 0..<Self.registrations {
                let worker = Int8(process * Self.registrations + number)
                let row = self[registration: worker]
                guard row.exists || !row.leases.isEmpty else { continue }
                // Only a cut-off worker misses so many heartbeats; others that do are dead. The other process watches.
                let owner = processes[process]
                let looksDead =
                    !owner.lives || owner.number != worker || owner.isCutOff && owner.heartbeat == .none
                if row.exists, row.verdict == .none, looksDead, processes[1 - process].lives {
                    steps.append(.takeForDead(worker: worker))
                }
                if row.verdict != .none || !row.exists {
                    for job in [-1] + held(by: worker, rules) {
                        steps.append(.rescue(worker: worker, locked: job))
                    }
                }
            }
        }
        for index in 0..<2 where late[index].kind != .none {
            if late[index].kind == .claim {
                steps += views(rules).map { .commitLate(index: index, $0) }
            } else {
                steps.append(.commitLate(index: index, ClaimView(visible: 7, foremost: 0)))
            }
        }
        for job in 0..<rules.jobs where jobs[job].place == .time { steps.append(.becomeDue(job: job)) }
        if (0..<rules.jobs).contains(where: { jobs[$0].place == .turn }) { steps.append(.unparkAll) }
    }

    var hasRoomForLate: Bool { late[0].kind == .none || late[1].kind == .none }
}

extension Process {
    var attemptCount: Int { (0..<4).count { attempts[$0].phase != .absent } }
}

extension Four {
    package func contains(where condition: (Element) -> Bool) -> Bool {
        (0..<4).contains { condition(self[$0]) }
    }
}
