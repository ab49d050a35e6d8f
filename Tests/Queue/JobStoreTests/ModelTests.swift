import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

/// Runs random histories on the queue and on a model in memory: after every step both must agree.
@Suite("The queue and its model", .timeLimit(.minutes(5)))
struct ModelTests {
    /// The numbers of SplitMix64 (Steele, Lea, Flood 2014): the same for the same seed.
    struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var z = state
            z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
            z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
            return z ^ (z >> 31)
        }
    }

    struct ModelJob {
        var state = JobState.waiting
        var attempts: [String] = []
        var failures = 0
        var crashes = 0
        var deaths = 0
        var lease: Lease?
    }

    /// One history.
    struct History {
        let database: QueueDatabase
        var random: Generator
        var jobs: [JobID: ModelJob] = [:]
        var workers: [WorkerID] = []
        /// Lost leases: writes under them must change nothing.
        var stale: [Lease] = []
        let policy = RetryPolicy.standard
        let reason = Reason(code: "test", message: "A test.")

        mutating func pick(_ states: JobState...) -> JobID? {
            jobs.filter { states.contains($0.value.state) }.keys.sorted().randomElement(using: &random)
        }

        mutating func apply(_ event: JobEvent, to id: JobID, outcome: String? = nil) throws {
            let before = try #require(jobs[id])
            jobs[id]?.state = try #require(before.state.after(event), "\(before.state) \(event)")
            if let outcome {
                jobs[id]?.attempts.append(outcome)
                if let lease = before.lease { stale.append(lease) }
                jobs[id]?.lease = nil
            }
        }

        mutating func step() async throws {
            let store = database.store
            switch Int.random(in: 0..<17, using: &random) {
            case 0, 1:
                let key = "key \(Int.random(in: 0..<3, using: &random))"
                let id = try await database.enqueue(
                    uploader: key, priority: Int.random(in: -1...1, using: &random))
                jobs[id] = ModelJob()
            case 2:
                let id = try await database.enqueue(runAfterSeconds: 3600)
                jobs[id] = ModelJob(state: .scheduled)
            case 3 where workers.count < 4:
                workers.append(try await database.worker(concurrency: 5))
            case 4, 5, 6:
                guard let worker = workers.randomElement(using: &random) else { return }
                let limit = Int.random(in: 1...4, using: &random)
                let claimed = try await store.claim(limit: limit, worker: worker)
                let waiting = jobs.values.filter { $0.state == .waiting }
                let suspects = min(1, waiting.count { $0.deaths > 0 })
                #expect(claimed.count == min(limit, waiting.count { $0.deaths == 0 } + suspects))
                for job in claimed {
                    try apply(.claim, to: job.id)
                    jobs[job.id]?.lease = job.lease
                    let model = try #require(jobs[job.id])
                    #expect(job.attempt == model.attempts.count + 1)
                    #expect(job.failures == model.failures && job.crashes == model.crashes)
                }
            case 7:
                let running = jobs.filter { $0.value.state == .running }.keys.sorted().prefix(3)
                let leases = running.compactMap { jobs[$0]?.lease } + stale.suffix(1)
                guard !leases.isEmpty else { return }
                let missed = try await store.complete(leases)
                // The lease that finished a job is still accepted: a caller may repeat the call if it lost the reply.
                #expect(Set(missed).isSubset(of: stale.suffix(1)))
                for id in running { try apply(.succeed, to: id, outcome: "succeeded") }
            case 8, 9, 10:
                guard let id = pick(.running), let lease = jobs[id]?.lease else { return }
                let outcomes: [Outcome] = [
                    .succeeded, .rejected(reason), .retry(reason, delay: .seconds(3600)),
                    .snoozed(reason, delay: .seconds(3600)), .failed(reason), .cancelled(reason),
                    .crashed(reason),
                    .returned(reason),
                ]
                let outcome = outcomes.randomElement(using: &random)!
                try await store.end(lease, as: outcome)
                try apply(outcome.event, to: id, outcome: outcome.name)
                switch outcome {
                case .retry, .failed: jobs[id]?.failures += 1
                case .crashed: jobs[id]?.crashes += 1
                default: break
                }
            case 11:
                guard let id = pick(.waiting, .scheduled, .parked, .succeeded, .failed) else { return }
                let isOpen = jobs[id].map { !$0.state.isFinished } ?? false
                #expect(try await store.cancel(id) == isOpen)
                if isOpen { try apply(.cancel, to: id) }
            case 12:
                guard let id = pick(.rejected, .failed, .cancelled, .succeeded) else { return }
                let canReplay = jobs[id]?.state.after(.replay) != nil
                #expect(try await store.replay([id], by: "model") == (canReplay ? [id] : []))
                if canReplay {
                    try apply(.replay, to: id)
                    jobs[id]?.failures = 0
                    jobs[id]?.crashes = 0
                    jobs[id]?.deaths = 0
                }
            case 13:
                try await database.pool.query(
                    "update darkroom.jobs set run_at = now() - interval '1 second' where waits_for = 'time'")
                _ = try await store.promoteDue()
                for id in jobs.keys where jobs[id]?.state == .scheduled { try apply(.becomeDue, to: id) }
            case 14:
                guard let dead = workers.randomElement(using: &random) else { return }
                workers.removeAll { $0 == dead }
                try await rescued(from: dead)
            case 15:
                guard let lease = stale.randomElement(using: &random) else { return }
                await #expect(throws: QueueError.self) { try await store.end(lease, as: .succeeded) }
                let statement = LeaseStatement(
                    worker: lease.worker, upTo: ClaimToken(lease.worker, claim: 0), running: [(lease, "late")]
                )
                #expect(try await store.review(statement).lost == [lease])
            default:
                // Workers say truly what they run: nothing changes.
                for worker in workers {
                    try await database.heartbeat(of: worker)
                    let held = jobs.values.compactMap(\.lease).filter { $0.worker == worker }
                    let review = try await store.review(
                        LeaseStatement(
                            worker: worker, upTo: nextClaim(of: worker), running: held.map { ($0, nil) }))
                    #expect(review.returned.isEmpty && review.lost.isEmpty)
                }
            }
        }

        private mutating func rescued(from dead: WorkerID) async throws {
            let (rescued, quarantined) = try await database.bury(dead)
            let held = jobs.filter { $0.value.lease?.worker == dead }.keys
            #expect(Set(rescued + quarantined) == Set(held))
            for id in held {
                let isSuspect = jobs[id]!.deaths > 0
                let isLast = jobs[id]!.deaths + 1 >= 8
                #expect(quarantined.contains(id) == isLast)
                try apply(isLast ? .fail : .crash, to: id, outcome: isLast ? "failed" : "crashed")
                if isSuspect && !isLast { jobs[id]?.state = .scheduled }
                jobs[id]?.deaths += 1
            }
        }

        func check() async throws {
            let records = try await database.jobs()
            #expect(records.count == jobs.count, "a job is lost, or in two places")
            for record in records {
                let model = try #require(jobs[record.id])
                #expect(record.state == model.state, "job \(record.id)")
                #expect(
                    record.failures == model.failures && record.crashes == model.crashes
                        && record.deaths == model.deaths, "job \(record.id)")
            }
        }

        func checkAttempts() async throws {
            for (id, model) in jobs {
                let attempts = try await database.store.attempts(of: id)
                #expect(attempts.map(\.outcome) == model.attempts, "job \(id)")
                #expect(
                    attempts.map(\.attempt)
                        == Array(1...(max(1, attempts.count))).prefix(attempts.count).map(\.self))
            }
        }
    }

    @Test("agree after every step of a random history", arguments: [1, 2, 3, 20_261_121])
    func agree(seed: UInt64) async throws {
        try await QueueDatabase.with { database in
            var history = History(database: database, random: Generator(state: seed))
            for _ in 0..<250 {
                try await history.step()
                try await history.check()
            }
            try await history.checkAttempts()
            #expect(history.jobs.count > 20)
        }
    }
}
