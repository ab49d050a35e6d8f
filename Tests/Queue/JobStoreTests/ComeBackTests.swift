import FoundationEssentials
import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

@Suite("Fair shares of jobs that come back", .timeLimit(.minutes(15)))
struct ComeBackTests {
    @Test("a job that is tried again does not wait for its key's backlog, nor before the turn of another key")
    func triedAgain() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let worker = try await database.worker()
            _ = try await database.store.enqueue(.noop, subjects: Array(0..<300), fairKeys: ["bulk"])
            let first = try #require(try await database.store.claim(limit: 1, worker: worker).first)
            let stop = Outcome.returned(Reason(code: "shutdown", message: "stops"))
            try await database.store.end(first.lease, as: stop)
            try await database.pool.query(
                "update darkroom.jobs set waits_for = 'time', slot = 0, run_at = now() where job_id = \(first.id.rawValue)"
            )
            _ = try await database.store.claim(limit: 100, worker: worker)
            _ = try await database.store.promoteDue()
            _ = try await database.store.enqueue(.noop, subjects: [1], fairKeys: ["single"])
            let next = try await database.store.claim(limit: 12, worker: worker)
            #expect(next.contains { $0.id == first.id } && next.contains { $0.fairKey == "single" })
        }
    }

    @Test("retries of a key are one turn apart, although they become due one by one")
    func retries() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let worker = try await database.worker(concurrency: 500)
            _ = try await database.store.enqueue(.noop, subjects: Array(0..<300), fairKeys: ["bulk"])
            let retry = Outcome.retry(Reason(code: "busy", message: "later"), delay: .seconds(3600))
            for job in try await database.store.claim(limit: 300, worker: worker) {
                try await database.store.end(job.lease, as: retry)
            }
            try await database.passOthers(worker)
            for _ in 0..<300 {
                try await database.pool.query(
                    """
                    update darkroom.jobs set run_at = now()
                    where job_id = (select min(job_id) from darkroom.jobs where waits_for = 'time')
                    """)
                _ = try await database.store.promoteDue()
            }
            #expect(try await database.gaps(of: "bulk") == [1])
            try await database.expectFair(worker, jobs: 300)
        }
    }

    @Test("jobs that a worker gives back are one turn apart, and the first is the next to run")
    func givenBack() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let first = try await database.worker(concurrency: 100)
            let second = try await database.worker(concurrency: 500)
            _ = try await database.store.enqueue(.noop, subjects: Array(0..<64), fairKeys: ["bulk"])
            #expect(try await database.store.claim(limit: 64, worker: first).count == 64)
            try await database.passOthers(second)
            _ = try await database.store.enqueue(.noop, subjects: Array(0..<500), fairKeys: ["bulk"])
            _ = try await database.store.enqueue(.noop, subjects: Array(0..<500), fairKeys: ["other"])
            #expect(try await database.store.signOff(first).count == 64)
            let next = try await database.store.claim(limit: 40, worker: second)
            #expect(next.contains { $0.fairKey == "bulk" && $0.subject == 0 })
            // A key has two lines: jobs that came back, and others.
            #expect(next.count { $0.fairKey == "bulk" } < 30)
            try await database.pool.query("delete from darkroom.jobs where attempt = 0")
            #expect(try await database.gaps(of: "bulk") == [1])
        }
    }

    @Test("a key whose jobs come back at once again and again gets no more than its share")
    func comesBack() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let worker = try await database.worker()
            for key in 0..<4 {
                _ = try await database.store.enqueue(
                    .noop, subjects: Array(0..<200), fairKeys: ["key \(key)"])
            }
            var starts: [String: Int] = [:]
            for _ in 0..<200 {
                let job = try #require(try await database.store.claim(limit: 1, worker: worker).first)
                starts[job.fairKey, default: 0] += 1
                let back = Outcome.returned(Reason(code: "released", message: "again"))
                try await database.store.end(job.lease, as: job.fairKey == "key 0" ? back : .succeeded)
            }
            // It has jobs in both of its lines.
            #expect(starts["key 0"]! <= 85, "\(starts)")
        }
    }

    @Test("replayed jobs of a key are one turn apart, in one call or in several", arguments: [1, 7])
    func replayed(calls: Int) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let worker = try await database.worker(concurrency: 500)
            _ = try await database.store.enqueue(.noop, subjects: Array(0..<350), fairKeys: ["bulk"])
            let failed = Outcome.failed(Reason(code: "broken", message: "broken"))
            let jobs = try await database.store.claim(limit: 350, worker: worker)
            for job in jobs { try await database.store.end(job.lease, as: failed) }
            try await database.passOthers(worker)
            for call in 0..<calls {
                let some = jobs.map(\.id).filter { Int($0.rawValue) % calls == call }
                #expect(try await database.store.replay(some, by: "olga").count == some.count)
            }
            #expect(try await database.gaps(of: "bulk") == [1])
            try await database.expectFair(worker, jobs: 350)
        }
    }

    @Test(
        "a new key's job, and one that comes back, wait for few turns of many busy keys",
        arguments: [100, 300])
    func manyBusyKeys(keys: Int) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let worker = try await database.worker(concurrency: 500)
            let names = (0..<keys * 60).map { "key \($0 % keys)" }
            _ = try await database.store.enqueue(
                .noop, subjects: Array(0..<Int64(keys * 60)), fairKeys: names)
            for _ in 0..<keys * 20 / 100 {
                let some = try await database.store.claim(limit: 100, worker: worker)
                #expect(try await database.store.complete(some.map(\.lease)).isEmpty)
            }
            let back = try #require(try await database.store.claim(limit: 1, worker: worker).first)
            try await database.store.end(
                back.lease, as: .returned(Reason(code: "released", message: "again")))
            _ = try await database.store.enqueue(.noop, subjects: [1], fairKeys: ["single"])
            var started: [ClaimedJob] = []
            while started.count < keys * 5 {
                started += try await database.store.claim(limit: 100, worker: worker)
            }
            #expect(started.contains { $0.fairKey == "single" } && started.contains { $0.id == back.id })
        }
    }
}

// What both suites of fair shares need.
extension QueueDatabase {
    /// Lets the jobs of others pass, so that the lane's virtual time is far beyond the slots of jobs that wait.
    func passOthers(_ worker: WorkerID, count: Int = 400) async throws {
        _ = try await store.enqueue(.noop, subjects: Array(0..<Int64(count)), fairKeys: ["other"])
        #expect(try await store.claim(limit: count, worker: worker).count == count)
    }

    /// Expects that another key's single job starts within two claims of one job each.
    func expectFair(_ worker: WorkerID, jobs: Int) async throws {
        let rows = try await pool.query(
            "select count(distinct slot) as slots from darkroom.jobs where fair_key = 'bulk' and waits_for is null"
        )
        #expect(try rows[0].decode("slots", as: Int.self) == jobs)
        #expect(try await store.claim(limit: 1, worker: worker).count == 1)
        _ = try await store.enqueue(.noop, subjects: [1], fairKeys: ["single"])
        let next =
            try await store.claim(limit: 1, worker: worker)
            + store.claim(limit: 1, worker: worker)
        #expect(next.contains { $0.fairKey == "single" })
    }

    /// How many turns of its key lie between each job's slot and the next.
    func gaps(of key: String) async throws -> Set<Int> {
        let rows = try await pool.query(
            """
            select distinct (slot - lag) / 1048576 as turns
            from (select slot, lag(slot) over (order by slot) from darkroom.jobs
                  where fair_key = \(key) and waits_for is null and lease is null) s
            where lag is not null
            """)
        return Set(try rows.map { try $0.decode("turns", as: Int.self) })
    }
}
