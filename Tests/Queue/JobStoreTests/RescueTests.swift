import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

@Suite("Rescue", .timeLimit(.minutes(15)))
struct RescueTests {
    @Test("gives a dead worker's jobs to others, and leaves live workers alone")
    func deadWorker() async throws {
        try await QueueDatabase.with { database in
            let lost = try await database.enqueue()
            let dead = try await database.claimOne()
            let kept = try await database.enqueue()
            _ = try await database.claimOne()

            let (rescued, quarantined) = try await database.bury(dead.lease.worker)
            #expect(rescued == [lost])
            #expect(quarantined.isEmpty)
            #expect(try await database.state(of: kept) == .running)
            let again = try await database.claimOne()
            #expect(again.id == lost && again.attempt == 2 && again.isSuspect)
            #expect(again.crashes == 0 && again.failures == 0, "a dead worker is no evidence against a photo")
            await #expect(throws: QueueError.self) {
                try await database.store.end(dead.lease, as: .succeeded)
            }
            let removed = await #expect(throws: QueueError.self) {
                _ = try await database.heartbeat(of: dead.lease.worker)
            }
            #expect(removed?.code == .workerRemoved(dead.lease.worker))
            try await database.enqueue()
            #expect(try await database.store.claim(limit: 1, worker: dead.lease.worker).isEmpty)
        }
    }

    @Test("does nothing to a worker whose heartbeats went on")
    func heartbeat() async throws {
        try await QueueDatabase.with { database in
            try await database.enqueue()
            let worker = try await database.claimOne().lease.worker
            let reply = try await database.heartbeat(of: worker)
            #expect(!reply.isToDrain, "nobody asked it to drain")
            let seen = try #require(reply.heartbeats[worker])
            try await database.heartbeat(of: worker)
            #expect(try await database.store.rescue(worker, heartbeats: seen).rescued.isEmpty)
            #expect(try await database.jobs(in: [.running]).count == 1)
        }
    }

    @Test("waits for a cancellation that commits meanwhile, and then ends the job as cancelled")
    func cancelCommits() async throws {
        try await QueueDatabase.with { database in
            let job = try await database.enqueue()
            let dead = try await database.claimOne()
            try await database.withRivals { api, _ in
                try await api.run("begin")
                try await api.run("select darkroom.cancel_job(\(job.rawValue))")
                #expect(try await database.bury(dead.lease.worker).rescued.isEmpty)
                try await api.run("commit")
            }
            #expect(try await database.state(of: job) == .running)
            #expect(try await database.bury(dead.lease.worker).rescued == [job])
            #expect(try await database.state(of: job) == .cancelled)
            #expect(try await database.store.workers().isEmpty)
        }
    }

    @Test("loses no job to a heartbeat, a claim or an end that commits meanwhile")
    func races() async throws {
        for rivalry in ["heartbeat", "claim", "end"] {
            try await QueueDatabase.with { database in
                let job = try await database.enqueue()
                let claimed = try await database.claimOne()
                let worker = claimed.lease.worker
                let second = try await database.enqueue()
                try await database.withRivals { rival, _ in
                    try await rival.run("begin")
                    switch rivalry {
                    case "heartbeat":
                        try await rival.run(
                            "update darkroom.workers set heartbeats = heartbeats + 1 where worker_id = \(worker.rawValue)"
                        )
                    case "claim":
                        try await rival.run(
                            "select from darkroom.claim_jobs(\(nextClaim(of: worker).rawValue), 'default', '{ingest}', 1)"
                        )
                    default:
                        try await JobStore.end(claimed.lease, as: .succeeded, in: rival.session)
                    }
                    // It may not wait for the rival.
                    try await database.bury(worker)
                    try await rival.run("commit")
                }
                try await database.bury(worker)
                for id in [job, second] where try await database.state(of: id) == .running {
                    Issue.record("\(rivalry): job \(id) is left with a dead worker")
                }
                if rivalry == "end" { #expect(try await database.state(of: job) == .succeeded) }
                #expect(try await database.store.workers().isEmpty, "\(rivalry)")
            }
        }
    }
}

@Suite("Suspects", .timeLimit(.minutes(15)))
struct SuspectTests {
    @Test("run one at a time, next to jobs that are not suspects")
    func oneAtATime() async throws {
        try await QueueDatabase.with { database in
            for _ in 0..<4 { try await database.enqueue() }
            let dead = try await database.worker()
            let suspects = try await database.store.claim(limit: 3, worker: dead).map(\.id)
            try await database.bury(dead)
            let worker = try await database.worker()
            let claimed = try await database.store.claim(limit: 10, worker: worker)
            #expect(claimed.count == 2 && claimed.count(where: \.isSuspect) == 1)
            #expect(
                try await database.store.claim(limit: 10, worker: worker, takesSuspect: false).isEmpty)
            let other = try await database.worker()
            #expect(try await database.store.claim(limit: 10, worker: other).count == 1)
            let last = try await database.store.claim(limit: 10, worker: worker)
            #expect(last.count == 1)
            #expect(suspects.count == 3)
        }
    }

    @Test("sixteen jobs of a worker that is killed three times: none is quarantined, and all finish")
    func killedThreeTimes() async throws {
        try await QueueDatabase.with { database in
            for _ in 0..<16 { try await database.enqueue() }
            for _ in 1...3 {
                let worker = try await database.worker()
                #expect(try await !database.store.claim(limit: 16, worker: worker).isEmpty)
                #expect(try await database.bury(worker).quarantined.isEmpty)
                try await database.promoteAll()
            }
            let worker = try await database.worker()
            var done = 0
            while done < 16 {
                let jobs = try await database.store.claim(limit: 16, worker: worker)
                try #require(!jobs.isEmpty)
                done += jobs.count
                #expect(try await database.store.complete(jobs.map(\.lease)).isEmpty)
            }
            #expect(try await database.jobs().allSatisfy { $0.state == .succeeded && $0.crashes == 0 })
        }
    }

    @Test("a job that kills every worker is quarantined in the end, later each time, and no job next to it")
    func poison() async throws {
        try await QueueDatabase.with { database in
            let poison = try await database.enqueue(uploader: "mallory")
            for _ in 0..<20 { try await database.enqueue() }
            var delays: [Double] = []
            var deaths = 0
            while try await database.state(of: poison) != .failed {
                try #require(deaths < 20)
                let worker = try await database.worker()
                let jobs = try await database.store.claim(limit: 3, worker: worker)
                // The poison kills the worker; without it, the worker ends its jobs.
                if jobs.contains(where: { $0.id == poison }) {
                    deaths += 1
                    let (_, quarantined) = try await database.bury(worker)
                    #expect(quarantined == (deaths == 8 ? [poison] : []))
                    let wait = try await database.pool.query(
                        """
                        select extract(epoch from run_at - clock_timestamp())::float8 as seconds from darkroom.jobs
                        where job_id = \(poison.rawValue) and waits_for = 'time'
                        """)
                    if let seconds = try wait.first?.decode("seconds", as: Double.self) {
                        delays.append(seconds)
                    }
                } else {
                    _ = try await database.store.complete(jobs.map(\.lease))
                    _ = try await database.store.signOff(worker)
                }
                try await database.promoteAll()
            }
            #expect(delays.map { ($0 / 2).rounded() } == [1, 2, 4, 8, 16, 32])
            let record = try #require(try await database.store.job(poison))
            #expect(record.reason?.code == "poison" && record.deaths == 8)
            #expect(record.crashes == 0 && record.failures == 0)
            #expect(
                try await database.store.attempts(of: poison).map(\.outcome)
                    == Array(repeating: "crashed", count: 7) + ["failed"])
            #expect(try await database.jobs(in: [.failed]).map(\.id) == [poison])
        }
    }
}

extension SuspectTests {
    @Test("wait no longer than the policy says, however often their workers died")
    func longestWait() async throws {
        try await QueueDatabase.with { database in
            try await database.pool.query(
                """
                insert into darkroom.kind_policies (kind, max_deaths, backoff_base, backoff_cap)
                values ('ingest', 100, '30 days', '30 days')
                """)
            for _ in 0..<3 { try await database.enqueue() }
            try await database.pool.query(
                "update darkroom.jobs set deaths = 98 where job_id = (select min(job_id) from darkroom.jobs)")
            let worker = try await database.worker()
            let jobs = try await database.store.claim(limit: 3, worker: worker).map(\.id)
            try #require(jobs.count == 3)
            #expect(try await Set(database.bury(worker).rescued) == Set(jobs))
            let waiting = try await database.pool.query(
                """
                select round(extract(epoch from run_at - clock_timestamp()) / 86400)::int as days from darkroom.jobs
                where waits_for = 'time'
                """)
            #expect(try waiting.map { try $0.decode("days", as: Int.self) } == [30])
        }
    }
}

extension QueueDatabase {
    /// Makes every scheduled job due, and ready.
    func promoteAll() async throws {
        try await pool.query(
            "update darkroom.jobs set run_at = now() - interval '1 second' where waits_for = 'time'")
        _ = try await store.promoteDue()
    }
}
