/// What a claim finds: the jobs that nobody has locked and that its limit lets it look at, as bits, and which of two jobs
/// that compete for one place has the lower slot.
package struct ClaimView: Hashable, Sendable {
    package var visible: UInt8
    package var foremost: Int8
}

/// The functions of the database, each as one step. `locked` is a job whose row somebody else has locked, or -1.
extension ModelState {
    func isCapped(_ job: Int, _ rules: Rules) -> Bool { rules.isCapped && job < 2 }

    private func runningOfKey(_ rules: Rules) -> Int {
        (0..<rules.jobs).count { isCapped($0, rules) && jobs[$0].hasRunningKey }
    }

    private mutating func breaks(_ violation: Violation) {
        if broken == .none { broken = violation }
    }

    // MARK: claim_jobs

    package mutating func claimJobs(
        _ token: Token, takesSuspect: Bool, _ view: ClaimView, _ rules: Rules
    ) -> (jobs: UInt8, suspects: UInt8) {
        let row = self[registration: token.worker]
        guard row.exists,
            rules.mutation == .claimIgnoresFirstLease || row.first <= token.claim
        else { return (0, 0) }
        var order = (0..<rules.jobs).filter { view.visible & (1 << $0) != 0 && jobs[$0].place == .waiting }
        if let index = order.firstIndex(of: Int(view.foremost)) {
            order.insert(order.remove(at: index), at: 0)
        }
        var taken: UInt8 = 0
        var suspects: UInt8 = 0
        let waitedBefore = (0..<2).filter { isCapped($0, rules) && jobs[$0].place == .turn }
        func isAllowed(_ job: Int, _ state: ModelState) -> Bool {
            guard state.isCapped(job, rules) else { return true }
            let before = (0..<2).count { taken & (1 << $0) != 0 }
            return (rules.mutation == .limitIgnoresWhatRuns ? 0 : state.runningOfKey(rules)) + before < 1
        }
        if takesSuspect || rules.mutation == .claimAlwaysTakesSuspects,
            let suspect = firstOfEachKey(order.filter { jobs[$0].deaths > 0 }, rules)
                .first(where: { isAllowed($0, self) })
        {
            taken |= 1 << suspect
            suspects |= 1 << suspect
        }
        for job in order where jobs[job].deaths == 0 {
            if !isAllowed(job, self) {
                jobs[job].place = .turn
            } else if let older = olderInTurn(than: job, rules) {
                jobs[job].place = .turn
                taken |= 1 << older
            } else {
                taken |= 1 << job
            }
        }
        for job in 0..<rules.jobs where taken & (1 << job) != 0 {
            if jobs[job].isPromisedToEnd { breaks(.ranAfterCancel) }
            let isOvertaking = waitedBefore.contains { $0 < job && jobs[$0].place == .turn }
            if isCapped(job, rules), suspects & (1 << job) == 0, isOvertaking { breaks(.overtaken) }
            jobs[job].place = .running
            jobs[job].lease = token
            jobs[job].hasRunningKey = isCapped(job, rules)
        }
        if taken != 0 { self[registration: token.worker].leases.insert(Int(token.claim)) }
        if runningOfKey(rules) > 1 { breaks(.capExceeded) }
        return (taken, suspects)
    }

    private func firstOfEachKey(_ jobs: [Int], _ rules: Rules) -> [Int] {
        guard let capped = jobs.first(where: { isCapped($0, rules) }) else { return jobs }
        return jobs.filter { $0 == capped || !isCapped($0, rules) }
    }

    /// The job that goes on in place of a newer one of its key.
    private func olderInTurn(than job: Int, _ rules: Rules) -> Int? {
        guard isCapped(job, rules), rules.mutation != .newerJobsComeFirst else { return nil }
        return (0..<job).first { isCapped($0, rules) && jobs[$0].place == .turn }
    }

    // MARK: The end of attempts

    /// - Returns: whether the lease was still the job's.
    package mutating func end(
        _ job: Int, _ token: Token, _ ending: Ending, locked: Int = -1, _ rules: Rules
    ) -> Bool {
        switch ending {
        case .success: finishJob(job, token, as: .succeeded, locked: locked, rules)
        case .cancelled: finishJob(job, token, as: .cancelled, locked: locked, rules)
        case .retry: returnJob(job, token, delays: true, locked: locked, rules)
        case .crash, .returned: returnJob(job, token, locked: locked, rules)
        }
    }

    mutating func finishJob(
        _ job: Int, _ token: Token, as place: Job.Place, deaths: Int8 = 0, locked: Int, _ rules: Rules
    ) -> Bool {
        guard jobs[job].place == .running, jobs[job].lease == token || rules.mutation == .finishIgnoresLease
        else { return false }
        if jobs[job].lease != token { breaks(.endedUnderAnotherLease) }
        leave(job, for: place, deaths: deaths)
        let hadKey = jobs[job].hasRunningKey
        jobs[job].hasRunningKey = false
        if hadKey { _ = unpark(locked: locked, rules) }
        return true
    }

    mutating func returnJob(
        _ job: Int, _ token: Token, delays: Bool = false, deaths: Int8 = 0, locked: Int, _ rules: Rules
    ) -> Bool {
        guard jobs[job].place == .running, jobs[job].lease == token else { return false }
        if jobs[job].isCancelRequested, rules.mutation != .returnForgetsCancel {
            return finishJob(job, token, as: .cancelled, deaths: deaths, locked: locked, rules)
        }
        let hadKey = jobs[job].hasRunningKey
        leave(job, for: delays ? .time : .waiting, deaths: deaths)
        if rules.mutation == .returnKeepsRunningKey { return true }
        jobs[job].hasRunningKey = false
        if hadKey { _ = unpark(locked: locked, rules) }
        return true
    }

    private mutating func leave(_ job: Int, for place: Job.Place, deaths: Int8) {
        jobs[job].place = place
        jobs[job].lease = .none
        jobs[job].deaths += deaths
        if place.isFinished { jobs[job].isPromisedToEnd = false }
    }

    /// - Returns: whether it released a job.
    package mutating func unpark(locked: Int = -1, _ rules: Rules) -> Bool {
        // A job that waits for a worker takes the place, unless few workers may take it.
        let ready = (0..<rules.jobs).count {
            isCapped($0, rules) && jobs[$0].place == .waiting && jobs[$0].deaths == 0
        }
        guard runningOfKey(rules) + ready < 1,
            let job = (0..<min(2, rules.jobs)).first(where: { jobs[$0].place == .turn && $0 != locked })
        else { return false }
        jobs[job].place = .waiting
        return true
    }

    // MARK: take_back_leases and its callers

    mutating func takeBack(
        _ worker: Int8, upTo: Int8, running: Three<ClaimSet>?, crashed: Bool, locked: Int, _ rules: Rules
    ) {
        let row = self[registration: worker]
        let first = row.exists ? row.first : 0
        for job in 0..<rules.jobs where job != locked && jobs[job].place == .running {
            let lease = jobs[job].lease
            guard lease.worker == worker, lease.claim >= first, lease.claim <= upTo,
                row.leases.contains(Int(lease.claim)),
                !(running?[job].contains(Int(lease.claim)) ?? false)
            else { continue }
            if crashed, row.hasSignedOff { breaks(.blamedInPeace) }
            let deaths: Int8 = crashed || rules.mutation == .returnCountsAsDeath ? 1 : 0
            if deaths > 0, !jobs[job].isCancelRequested, jobs[job].deaths + 1 >= rules.maximumDeaths {
                if !crashed { breaks(.quarantinedEarly) }
                _ = finishJob(job, lease, as: .failed, deaths: 1, locked: locked, rules)
            } else {
                _ = returnJob(
                    job, lease, delays: crashed && jobs[job].deaths > 0, deaths: deaths, locked: locked, rules
                )
            }
        }
        for claim in self[registration: worker].leases.all where claim >= first && claim <= upTo {
            let token = Token(worker: worker, claim: Int8(claim))
            if !(0..<rules.jobs).contains(where: { jobs[$0].place == .running && jobs[$0].lease == token }) {
                self[registration: worker].leases.remove(claim)
            }
        }
    }

    /// - Parameter moves: first_lease moves, unless nothing has changed; it does not while a claim holds the worker's row.
    /// - Returns: the claims under which the worker no longer holds each job, and those of cancelled jobs.
    package mutating func review(
        _ statement: Statement, moves: Bool, locked: Int = -1, _ rules: Rules
    ) -> (lost: Three<ClaimSet>, cancelled: Three<ClaimSet>) {
        let worker = statement.worker
        takeBack(
            worker, upTo: rules.mutation == .reviewIgnoresUpTo ? 31 : statement.upTo,
            running: rules.mutation == .reviewIgnoresWhatRuns ? nil : statement.running, crashed: false,
            locked: locked, rules)
        var (lost, cancelled) = (Three(ClaimSet()), Three(ClaimSet()))
        for job in 0..<rules.jobs {
            for claim in statement.running[job].all {
                let holds =
                    jobs[job].place == .running
                    && jobs[job].lease == Token(worker: worker, claim: Int8(claim))
                if !holds { lost[job].insert(claim) }
                if holds, jobs[job].isCancelRequested { cancelled[job].insert(claim) }
            }
        }
        let row = self[registration: worker]
        guard moves, row.exists else { return (lost, cancelled) }
        let held = row.leases.after(Int(row.first) - 1).first.map(Int8.init)
        let next = statement.upTo + 1
        let lowest = rules.mutation == .firstLeasePassesHeldRows ? next : min(held ?? next, next)
        self[registration: worker].first = max(row.first, lowest)
        return (lost, cancelled)
    }

    package mutating func rescue(_ worker: Int8, locked: Int = -1, _ rules: Rules) {
        let row = self[registration: worker]
        if row.exists, row.verdict != .dead, rules.mutation != .rescueIgnoresHeartbeats { return }
        takeBack(worker, upTo: 31, running: nil, crashed: true, locked: locked, rules)
        removeIfEmpty(worker)
    }

    package mutating func signOff(_ worker: Int8, locked: Int = -1, _ rules: Rules) {
        if rules.mutation != .signOffForgetsJobs {
            takeBack(worker, upTo: 31, running: nil, crashed: false, locked: locked, rules)
        }
        if locked < 0 { self[registration: worker].hasSignedOff = true }
        if rules.mutation == .signOffForgetsJobs { self[registration: worker].exists = false }
        removeIfEmpty(worker)
    }

    private mutating func removeIfEmpty(_ worker: Int8) {
        guard self[registration: worker].leases.isEmpty else { return }
        self[registration: worker].exists = false
        self[registration: worker].verdict = .none
    }

    // MARK: Orders

    package mutating func cancel(_ job: Int) {
        if jobs[job].place == .running {
            jobs[job].isCancelRequested = true
            jobs[job].isPromisedToEnd = true
        } else if !jobs[job].place.isFinished {
            jobs[job].place = .cancelled
        }
    }

    package mutating func release(_ job: Int, _ rules: Rules) {
        let token = jobs[job].lease
        if returnJob(job, token, locked: -1, rules) { jobs[job].released = token }
    }
}
