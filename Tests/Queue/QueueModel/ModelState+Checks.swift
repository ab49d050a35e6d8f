extension ModelState {
    /// The first rule that this state breaks. ``Violation/stuck`` is checked by ``isStuck(_:)``.
    package func violation(_ rules: Rules) -> Violation {
        if broken != .none { return broken }
        for job in 0..<rules.jobs where jobs[job].place == .running {
            let lease = jobs[job].lease
            guard self[registration: lease.worker].leases.contains(Int(lease.claim)) else {
                return .leaseWithoutRow
            }
        }
        for job in 0..<rules.jobs where runners(of: job) > 1 { return .ranTwice }
        for process in 0..<2 {
            let suspects = (0..<4).count {
                let attempt = processes[process].attempts[$0]
                return attempt.phase == .running && attempt.isSuspect && attempt.stop == .none
            }
            if suspects > 1 { return .twoSuspects }
        }
        return .none
    }

    /// How many workers run a job and believe that it is theirs. An operator's release does not reach them at once.
    private func runners(of job: Int) -> Int {
        var count = 0
        for process in 0..<2 {
            for slot in 0..<4 {
                let attempt = processes[process].attempts[slot]
                if attempt.phase == .running, attempt.stop == .none, Int(attempt.job) == job,
                    attempt.token != jobs[job].released
                {
                    count += 1
                }
            }
        }
        return count
    }

    var isDone: Bool {
        (0..<3).allSatisfy { jobs[$0].place.isFinished }
            && (0..<2).allSatisfy { process in
                (0..<4).allSatisfy { registrations[process][$0].leases.isEmpty }
            }
    }

    /// Whether some job is never finished or some lease never goes, although everything goes on without faults from here.
    ///
    /// What is late reaches the server first, or is lost.
    package func isStuck(_ rules: Rules) -> Bool {
        for arrives in [true, false] {
            var state = self
            for index in 0..<2 where state.late[index].kind != .none {
                if arrives {
                    state.apply(.commitLate(index: index, ClaimView(visible: 7, foremost: 0)), rules)
                }
                state.late[index] = LateRequest()
            }
            var rounds = 0
            while !state.isDone {
                rounds += 1
                // Each round brings every job of a live worker to its end, and every parked or late one closer to it.
                if rounds > 7 { return true }
                state.goOn(rules)
            }
        }
        return false
    }

    /// A round of everything that workers do, in a fixed order.
    private mutating func goOn(_ rules: Rules) {
        if !processes.contains(where: { $0.lives && !$0.isStopping }) {
            let index =
                processes[0].lives
                ? 1 : processes[1].lives || processes[0].number < processes[1].number % 4 ? 0 : 1
            if !processes[index].lives {
                processes[index] = Process(number: processes[index].number + 1)
                self[registration: processes[index].number].exists = true
            }
        }
        for index in 0..<2 where processes[index].lives { goOn(index, rules) }
        for process in 0..<2 {
            for number in 0..<Self.registrations {
                let worker = Int8(process * Self.registrations + number)
                let isAlive = processes[process].lives && processes[process].number == worker
                guard !isAlive else { continue }
                if self[registration: worker].exists { self[registration: worker].verdict = .dead }
                if self[registration: worker].exists || !self[registration: worker].leases.isEmpty {
                    apply(.rescue(worker: worker, locked: -1), rules)
                }
            }
        }
        for job in 0..<rules.jobs where jobs[job].place == .time { apply(.becomeDue(job: job), rules) }
        apply(.unparkAll, rules)
    }

    private mutating func goOn(_ index: Int, _ rules: Rules) {
        if processes[index].heartbeat == .none { apply(.heartbeat(process: index), rules) }
        apply(.replyToHeartbeat(process: index), rules)
        if processes[index].claim == .none, !processes[index].isStopping, processes[index].attemptCount <= 1 {
            apply(.sendClaim(process: index), rules)
        }
        if processes[index].claim == .sent {
            apply(.commitClaim(process: index, ClaimView(visible: 7, foremost: 0)), rules)
        }
        if processes[index].claim == .replied { apply(.replyToClaim(process: index), rules) }
        while processes[index].attempts[0].phase != .absent { endFirst(of: index, rules) }
        for _ in 0..<2 {
            if processes[index].review == .none { apply(.sendReview(process: index), rules) }
            if processes[index].review == .sent {
                apply(.commitReview(process: index, locked: -1, moves: true), rules)
            }
            apply(.replyToReview(process: index), rules)
        }
        if processes[index].isStopping { apply(.signOff(process: index, locked: -1), rules) }
    }

    private mutating func endFirst(of index: Int, _ rules: Rules) {
        let attempt = processes[index].attempts[0]
        if attempt.phase == .running {
            if attempt.stop == .leaseLost { return apply(.dropAttempt(process: index, slot: 0), rules) }
            apply(
                .endAttempt(
                    process: index, slot: 0, attempt.stop == .cancelled ? .cancelled : .success), rules)
        }
        if processes[index].attempts[0].phase == .writing {
            apply(.commitEnd(process: index, slot: 0, locked: -1), rules)
        }
        apply(.replyToEnd(process: index, slot: 0), rules)
    }
}

extension Pair {
    package func contains(where condition: (Element) -> Bool) -> Bool {
        condition(self[0]) || condition(self[1])
    }
}
