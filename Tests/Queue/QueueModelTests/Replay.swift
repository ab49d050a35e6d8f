import JobQueue
import JobStore
import Postgres
import QueueModel
import TestKit

/// One history of the model on a real database. Every statement of a worker goes through ``JobStore``.
struct Replay {
    let database: QueueDatabase
    /// Locks rows as somebody else.
    let rival: Rival
    let rules: Rules
    var model: ModelState
    let jobs: [JobID]
    var workers: [Int8: WorkerID] = [:]
    /// What the model does not keep: of each job, the ends of its attempts and its counts.
    var ends: [[String]]
    var counts: [(attempt: Int, failures: Int, crashes: Int)]
    var slots: [Int64]
    var heartbeatsSeen: [Int8: Int64] = [:]
    /// Passes as other jobs run, and with it the lane's virtual time.
    private var time: Int64 = 0

    private var store: JobStore { database.store }

    /// Begins with an empty queue.
    init(_ start: ModelState, _ rules: Rules, on database: QueueDatabase, rival: Rival) async throws {
        try await database.pool.query(
            """
            with jobs as (delete from darkroom.jobs), finished as (delete from darkroom.finished_jobs),
                 attempts as (delete from darkroom.job_attempts), leases as (delete from darkroom.leases)
            delete from darkroom.workers
            """)
        try await database.pool.query("delete from darkroom.fair_keys")
        if rules.isCapped {
            try await database.pool.query(
                "insert into darkroom.fair_keys (fair_key, max_running) values ('shared', 1)")
        }
        try await database.pool.query(
            """
            insert into darkroom.kind_policies (kind, max_deaths, backoff_base, backoff_cap)
            values ('noop', \(Int(rules.maximumDeaths)), '1 day', '2 days')
            on conflict (kind) do update set max_deaths = excluded.max_deaths
            """)
        let keys = ["shared", rules.isCapped ? "shared" : "second", "third"].prefix(rules.jobs)
        _ = try await database.store.enqueue(
            .noop, subjects: Array(0..<Int64(rules.jobs)), fairKeys: Array(keys))
        self.database = database
        self.rival = rival
        self.rules = rules
        model = start
        jobs = try await database.pool.query("select job_id from darkroom.jobs order by subject_id").map {
            JobID(rawValue: try $0.decode("job_id", as: Int64.self))
        }
        ends = Array(repeating: [], count: rules.jobs)
        counts = Array(repeating: (0, 0, 0), count: rules.jobs)
        slots = Array(repeating: 0, count: rules.jobs)
        for process in 0..<2 {
            workers[start.processes[process].number] = try await database.worker(concurrency: 4)
        }
    }

    /// Takes one step on both sides.
    ///
    /// - Returns: what differs afterwards, or nil.
    mutating func take(_ step: Step) async throws -> String? {
        let before = model
        model.apply(step, rules)
        guard before.situation(of: step, rules) != nil || before.registers(at: step) else {
            if case .takeForDead(let worker) = step {
                heartbeatsSeen[worker] = try await heartbeats(of: worker)
            }
            return nil
        }
        try await prepare(step, before)
        if let difference = try await run(step, before) { return difference }
        note(step, before)
        let expected = self.expected
        let found = try await database.queueText()
        let contradictory = try await database.contradictoryJobs()
        if !contradictory.isEmpty { return "columns of these jobs contradict each other: \(contradictory)" }
        return expected == found ? nil : "the model has\n\(expected)\nthe database has\n\(found)"
    }

    /// Puts the jobs in the order that the step needs, and lets the virtual time pass them: a job that waits again gets
    /// the slot of that time.
    private mutating func prepare(_ step: Step, _ before: ModelState) async throws {
        time += 1
        var order = Array(0..<rules.jobs)
        if let view = step.view, let index = order.firstIndex(of: Int(view.foremost)) {
            order.insert(order.remove(at: index), at: 0)
        }
        for (turn, job) in order.enumerated() {
            let hasNoSlot = before.jobs[job].place == .turn || before.jobs[job].place == .time
            slots[job] = hasNoSlot ? 0 : time * 1_000_000 + Int64(turn)
        }
        try await database.pool.query(
            """
            update darkroom.jobs j set slot = s.slot
            from unnest(\(jobs.map(\.rawValue))::bigint[], \(slots)::bigint[]) as s (job_id, slot) where s.job_id = j.job_id
            """)
        try await database.pool.query(
            "select setval(position, \(virtualTime)) from darkroom.lanes where kind = 'noop'")
        let visible = step.view?.visible ?? 7
        let hidden = (0..<rules.jobs).filter { visible >> $0 & 1 == 0 && before.jobs[$0].place == .waiting }
        let locked = (hidden + [step.locked].filter { $0 >= 0 }).map { jobs[$0].rawValue }
        try await rival.run("begin")
        if !locked.isEmpty {
            try await rival.run("select from darkroom.jobs where job_id = any (\(locked)) for update")
        }
        if case .commitReview(let process, _, moves: false) = step {
            let worker = workers[before.processes[process].statement.worker]!
            try await rival.run(
                "select from darkroom.workers where worker_id = \(worker.rawValue) for key share")
        }
    }

    var virtualTime: Int64 { time * 1_000_000 + 500_000 }

    private mutating func run(_ step: Step, _ before: ModelState) async throws -> String? {
        do {
            let difference = try await send(step, before)
            try await rival.run("rollback")
            return difference
        } catch {
            try? await rival.run("rollback")
            throw error
        }
    }

    // MARK: Statements

    private mutating func send(_ step: Step, _ before: ModelState) async throws -> String? {
        switch step {
        case .commitClaim(let index, let view):
            let process = before.processes[index]
            return try await claim(process.claimToken, takesSuspect: process.takesSuspect, view)
        case .commitEnd(let index, let slot, _):
            let attempt = before.processes[index].attempts[slot]
            return try await end(Int(attempt.job), attempt.token, attempt.ending, before)
        case .commitReview(let index, _, _):
            let found = try await review(before.processes[index].statement)
            let process = model.processes[index]
            // After a reply that arrives at once, the model has forgotten what it said.
            if process.review == .replied {
                let lost = leases(process.lostClaims, of: process.statement.worker)
                let cancelled = leases(process.cancelledClaims, of: process.statement.worker)
                if Set(found.lost) != lost || Set(found.cancelled) != cancelled {
                    return "the review said \(found), not lost \(lost), cancelled \(cancelled)"
                }
            }
        case .heartbeat(let index): return try await heartbeat(of: before.processes[index].number, before)
        case .replyToHeartbeat(let index):
            workers[model.processes[index].number] = try await database.worker(concurrency: 4)
        case .signOff(let index, _): _ = try await store.signOff(workers[before.processes[index].number]!)
        case .rescue(let worker, _):
            let seen = before[registration: worker].exists ? heartbeatsSeen[worker] : nil
            _ = try await store.rescue(workers[worker]!, heartbeats: seen)
        case .commitLate(let index, let view):
            let request = before.late[index]
            switch request.kind {
            case .claim:
                return try await claim(request.token, takesSuspect: request.takesSuspect, view)
            case .review: _ = try await review(request.statement)
            case .end: return try await end(Int(request.job), request.token, request.ending, before)
            case .none: break
            }
        case .cancel(let job):
            let isDone = try await store.cancel(jobs[job])
            if !isDone { return "cancel said that job \(job) is finished" }
        case .release(let job):
            let released = try await store.release([jobs[job]], by: "model")
            if released != [jobs[job]] { return "released \(released)" }
        case .becomeDue(let job):
            try await database.pool.query(
                "update darkroom.jobs set run_at = now() where job_id = \(jobs[job].rawValue)")
            _ = try await store.promoteDue()
        case .unparkAll: _ = try await store.unparkAll()
        default: break
        }
        return nil
    }

    private func claim(_ token: Token, takesSuspect: Bool, _ view: ClaimView) async throws -> String? {
        let found = try await store.claim(
            as: real(token), limit: 3, queue: "default", kinds: [.noop], takesSuspect: takesSuspect)
        let expected = (0..<rules.jobs).filter { model.jobs[$0].lease == token }.map { jobs[$0] }
        return Set(found.jobs.map(\.id)) == Set(expected)
            ? nil : "claimed \(found.jobs.map(\.id)), not \(expected)"
    }

    private func end(_ job: Int, _ token: Token, _ ending: Ending, _ before: ModelState) async throws
        -> String?
    {
        let isHeld = before.jobs[job].place == .running && before.jobs[job].lease == token
        do {
            try await store.end(Lease(job: jobs[job], token: real(token)), as: ending.outcome)
            return isHeld ? nil : "job \(job) ended under a lease that it did not have"
        } catch is QueueError {
            return isHeld ? "job \(job) did not end" : nil
        }
    }

    private func review(_ statement: Statement) async throws -> LeaseReview {
        let worker = statement.worker
        let running = leases(statement.running, of: worker)
        // The worker has passed every number below its next claim.
        let upTo = ClaimToken(workers[worker]!, claim: Int64(statement.upTo) * 1000 + 999)
        return try await store.review(
            LeaseStatement(
                worker: workers[worker]!, upTo: upTo,
                running: running.map { ($0, nil) }))
    }

    private func leases(_ claims: Three<ClaimSet>, of worker: Int8) -> Set<Lease> {
        Set(
            (0..<rules.jobs).flatMap { job in
                claims[job].all.map {
                    Lease(job: jobs[job], token: real(Token(worker: worker, claim: Int8($0))))
                }
            })
    }

    private func heartbeat(of worker: Int8, _ before: ModelState) async throws -> String? {
        do {
            try await database.heartbeat(of: workers[worker]!)
        } catch is QueueError {
            return before[registration: worker].exists ? "worker \(worker) was removed" : nil
        }
        // A rescue that saw it dead before this heartbeat changes nothing.
        if before[registration: worker].verdict == .dead, let seen = heartbeatsSeen[worker] {
            _ = try await store.rescue(workers[worker]!, heartbeats: seen)
        }
        return nil
    }

    private func heartbeats(of worker: Int8) async throws -> Int64? {
        try await database.pool.query(
            "select heartbeats from darkroom.workers where worker_id = \(workers[worker]!.rawValue)"
        ).first?.decode("heartbeats", as: Int64.self)
    }

    /// Claims are so far apart that a review which may move first_lease does.
    func real(_ token: Token) -> ClaimToken {
        ClaimToken(workers[token.worker]!, claim: Int64(token.claim) * 1000)
    }
}
