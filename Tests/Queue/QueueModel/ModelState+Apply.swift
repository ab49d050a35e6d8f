extension ModelState {
    package mutating func apply(_ step: Step, _ rules: Rules) {
        switch step {
        case .sendClaim(let index): processes[index].beginClaim()
        case .commitClaim(let index, let view):
            let call = processes[index]
            let (jobs, suspects) = claimJobs(
                call.claimToken, takesSuspect: call.takesSuspect, view, rules)
            processes[index].claim = .replied
            processes[index].claimed = jobs
            processes[index].claimedSuspects = suspects
        case .replyToClaim(let index): processes[index].endClaim(rules)
        case .giveUpClaim(let index):
            budget.faults -= 1
            if processes[index].claim == .sent { addLateClaim(of: index) }
            processes[index].claimed = 0
            processes[index].endClaim(rules)

        case .endAttempt(let index, let slot, let ending):
            if ending == .retry || ending == .crash { budget.retries -= 1 }
            processes[index].attempts[slot].phase = .writing
            processes[index].attempts[slot].ending = ending
        case .commitEnd(let index, let slot, let locked):
            if locked >= 0 { budget.faults -= 1 }
            let attempt = processes[index].attempts[slot]
            _ = end(Int(attempt.job), attempt.token, attempt.ending, locked: locked, rules)
            processes[index].attempts[slot].phase = .written
        case .replyToEnd(let index, let slot): processes[index].remove(slot)
        case .loseEnd(let index, let slot):
            budget.faults -= 1
            // A worker that has lost its lease does not try again.
            if processes[index].attempts[slot].stop == .leaseLost {
                if processes[index].attempts[slot].phase == .writing { addLateEnd(of: index, slot) }
                processes[index].remove(slot)
            } else {
                processes[index].attempts[slot].phase = .writing
            }
        case .dropAttempt(let index, let slot): processes[index].remove(slot)

        case .sendReview(let index):
            processes[index].statement = processes[index].makeStatement(rules)
            processes[index].review = .sent
        case .commitReview(let index, let locked, let moves):
            if locked >= 0 { budget.faults -= 1 }
            let (lost, cancelled) = review(
                processes[index].statement, moves: moves, locked: locked, rules)
            processes[index].review = .replied
            processes[index].lostClaims = lost
            processes[index].cancelledClaims = cancelled
        case .replyToReview(let index): processes[index].endReview(isHeard: true)
        case .giveUpReview(let index):
            budget.faults -= 1
            if processes[index].review == .sent { addLateReview(of: index) }
            processes[index].endReview(isHeard: false)
        default: applyLife(step, rules)
        }
    }

    private mutating func applyLife(_ step: Step, _ rules: Rules) {
        switch step {
        case .heartbeat(let index):
            let number = processes[index].number
            if self[registration: number].verdict == .dead {
                self[registration: number].verdict =
                    rules.mutation == .rescueIgnoresHeartbeats ? .outdated : .none
            }
            processes[index].heartbeat = self[registration: number].exists ? .counted : .removed
        case .replyToHeartbeat(let index):
            if processes[index].heartbeat == .removed {
                processes[index].stopAttempts()
                processes[index].register()
                self[registration: processes[index].number].exists = true
            }
            processes[index].heartbeat = .none
            processes[index].isCutOff = false
        case .cutOff(let index):
            budget.faults -= 1
            processes[index].isCutOff = true
            processes[index].stopAttempts()
        case .stopAttempts(let index): processes[index].stopAttempts()
        case .die(let index):
            budget.faults -= 1
            leaveRequests(of: index)
            processes[index].end()
        case .stop(let index):
            budget.orders -= 1
            processes[index].isStopping = true
        case .signOff(let index, let locked):
            if locked >= 0 { budget.faults -= 1 }
            signOff(processes[index].number, locked: locked, rules)
            leaveRequests(of: index)
            processes[index].end()

        case .takeForDead(let worker): self[registration: worker].verdict = .dead
        case .rescue(let worker, let locked):
            if locked >= 0 { budget.faults -= 1 }
            rescue(worker, locked: locked, rules)
        case .commitLate(let index, let view):
            let request = late[index]
            late[index] = LateRequest()
            switch request.kind {
            case .none: break
            case .claim: _ = claimJobs(request.token, takesSuspect: request.takesSuspect, view, rules)
            case .review: _ = review(request.statement, moves: true, rules)
            case .end: _ = end(Int(request.job), request.token, request.ending, rules)
            }
        case .cancel(let job):
            budget.orders -= 1
            cancel(job)
        case .release(let job):
            budget.orders -= 1
            release(job, rules)
        case .becomeDue(let job): jobs[job].place = .waiting
        case .unparkAll: if rules.mutation != .upkeepForgetsParked { _ = unpark(rules) }
        default: break
        }
    }

    // MARK: Requests that nobody waits for

    /// What a process that is gone has sent may still reach the server.
    private mutating func leaveRequests(of index: Int) {
        if processes[index].claim == .sent { addLateClaim(of: index) }
        if processes[index].review == .sent { addLateReview(of: index) }
        for slot in 0..<4 where processes[index].attempts[slot].phase == .writing {
            addLateEnd(of: index, slot)
        }
    }

    private mutating func addLateClaim(of index: Int) {
        var request = LateRequest()
        request.kind = .claim
        request.token = processes[index].claimToken
        request.takesSuspect = processes[index].takesSuspect
        add(request)
    }

    private mutating func addLateReview(of index: Int) {
        var request = LateRequest()
        request.kind = .review
        request.statement = processes[index].statement
        add(request)
    }

    private mutating func addLateEnd(of index: Int, _ slot: Int) {
        let attempt = processes[index].attempts[slot]
        var request = LateRequest()
        request.kind = .end
        request.job = attempt.job
        request.token = attempt.token
        request.ending = attempt.ending
        add(request)
    }

    /// If there is no room, the request is lost, as any request may be.
    private mutating func add(_ request: LateRequest) {
        if late[0].kind == .none { late[0] = request } else if late[1].kind == .none { late[1] = request }
    }
}
