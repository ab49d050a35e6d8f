import FoundationEssentials
import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

@Suite("Fair shares of jobs that become ready", .timeLimit(.minutes(5)))
struct FairReturnTests {
    /// Lets the jobs of others pass, so that the lane's virtual time is far beyond the slots of jobs that wait.
    private func passOthers(_ database: QueueDatabase, _ worker: WorkerID, count: Int = 400) async throws {
        _ = try await database.store.enqueue(.noop, subjects: Array(0..<Int64(count)), fairKeys: ["other"])
        #expect(try await database.store.claim(limit: count, worker: worker).count == count)
    }

    /// Expects that another key's single job starts within two claims of one job each.
    private func expectFair(_ database: QueueDatabase, _ worker: WorkerID, jobs: Int) async throws {
        let rows = try await database.pool.query(
            "select count(distinct slot) as slots from darkroom.jobs where fair_key = 'bulk' and waits_for is null"
        )
        #expect(try rows[0].decode("slots", as: Int.self) == jobs)
        #expect(try await database.store.claim(limit: 1, worker: worker).count == 1)
        _ = try await database.store.enqueue(.noop, subjects: [1], fairKeys: ["single"])
        let next =
            try await database.store.claim(limit: 1, worker: worker)
            + database.store.claim(limit: 1, worker: worker)
        #expect(next.contains { $0.fairKey == "single" })
    }

    @Test("three hundred jobs of a key that become due together do not all start before another key's job")
    func due() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let worker = try await database.worker()
            _ = try await database.store.enqueue(
                .noop, subjects: Array(0..<300), fairKeys: ["bulk"], runAt: Date.now.addingTimeInterval(3600))
            try await passOthers(database, worker)
            try await database.pool.query("update darkroom.jobs set run_at = now() where waits_for = 'time'")
            _ = try await database.store.promoteDue()
            try await expectFair(database, worker, jobs: 300)
        }
    }

    @Test("nor do those that become due one by one, or that wait since a drain")
    func dueOneByOne() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let worker = try await database.worker()
            _ = try await database.store.enqueue(
                .noop, subjects: Array(0..<100), fairKeys: ["bulk"], runAt: Date.now.addingTimeInterval(3600))
            _ = try await database.store.enqueue(.noop, subjects: Array(0..<400), fairKeys: ["other"])
            try await database.store.pause(queue: "default", kind: nil, drain: true, by: "olga")
            _ = try await database.store.enqueue(.noop, subjects: Array(0..<100), fairKeys: ["bulk"])
            // A drain lets earlier jobs run.
            #expect(try await database.store.claim(limit: 400, worker: worker).count == 400)
            for _ in 0..<100 {
                try await database.pool.query(
                    """
                    update darkroom.jobs set run_at = now()
                    where job_id = (select min(job_id) from darkroom.jobs where waits_for = 'time')
                    """)
                _ = try await database.store.promoteDue()
            }
            #expect(try await database.store.resume(queue: "default", kind: nil))
            try await expectFair(database, worker, jobs: 200)
        }
    }

    @Test("jobs of a key that are scheduled for later do not hold up its other jobs")
    func scheduled() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let worker = try await database.worker()
            let later = Date.now.addingTimeInterval(3600)
            _ = try await database.store.enqueue(
                .noop, subjects: Array(0..<300), fairKeys: ["ada"], runAt: later)
            for subject in 300..<350 {
                try await database.pool.query(
                    "select darkroom.enqueue_job('noop', \(subject), 'ada', run_at => \(later))")
            }
            _ = try await database.store.enqueue(.noop, subjects: Array(0..<200), fairKeys: ["other"])
            _ = try await database.store.enqueue(.noop, subjects: [1], fairKeys: ["ada"])
            let first = try await database.store.claim(limit: 3, worker: worker)
            #expect(first.contains { $0.fairKey == "ada" })
            // A job that is due comes before those that are not.
            #expect(try await database.store.claim(limit: 100, worker: worker).count == 100)
            try await database.pool.query(
                "update darkroom.jobs set run_at = now() where waits_for = 'time' and subject_id in (1, 301)")
            _ = try await database.store.promoteDue()
            let next = try await database.store.claim(limit: 4, worker: worker)
            #expect(next.count { $0.fairKey == "ada" } == 2)
        }
    }

    @Test("jobs of a key are one turn apart, however many become ready together", arguments: [true, false])
    func spread(isDrained: Bool) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let worker = try await database.worker()
            try await passOthers(database, worker)
            if isDrained {
                try await database.store.pause(queue: "default", kind: nil, drain: true, by: "olga")
                _ = try await database.store.enqueue(.noop, subjects: Array(0..<500), fairKeys: ["bulk"])
                #expect(try await database.store.resume(queue: "default", kind: nil))
            } else {
                _ = try await database.store.enqueue(
                    .noop, subjects: Array(0..<500), fairKeys: ["bulk"],
                    runAt: Date.now.addingTimeInterval(3600))
                try await database.pool.query(
                    "update darkroom.jobs set run_at = now() where waits_for = 'time'")
                _ = try await database.store.promoteDue()
            }
            let rows = try await database.pool.query(
                "select (max(slot) - min(slot)) / 1048576 as turns from darkroom.jobs where fair_key = 'bulk'"
            )
            #expect(try rows[0].decode("turns", as: Int.self) == 499)
        }
    }

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

    /// How many turns of its key lie between each job's slot and the next.
    private func gaps(_ database: QueueDatabase, of key: String) async throws -> Set<Int> {
        let rows = try await database.pool.query(
            """
            select distinct (slot - lag) / 1048576 as turns
            from (select slot, lag(slot) over (order by slot) from darkroom.jobs
                  where fair_key = \(key) and waits_for is null and lease is null) s
            where lag is not null
            """)
        return Set(try rows.map { try $0.decode("turns", as: Int.self) })
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
            try await passOthers(database, worker)
            for _ in 0..<300 {
                try await database.pool.query(
                    """
                    update darkroom.jobs set run_at = now()
                    where job_id = (select min(job_id) from darkroom.jobs where waits_for = 'time')
                    """)
                _ = try await database.store.promoteDue()
            }
            #expect(try await gaps(database, of: "bulk") == [1])
            try await expectFair(database, worker, jobs: 300)
        }
    }

    @Test("jobs that a worker gives back are one turn apart, and the first is the next to run")
    func givenBack() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let first = try await database.worker(concurrency: 100)
            let second = try await database.worker(concurrency: 500)
            _ = try await database.store.enqueue(.noop, subjects: Array(0..<64), fairKeys: ["bulk"])
            #expect(try await database.store.claim(limit: 64, worker: first).count == 64)
            try await passOthers(database, second)
            _ = try await database.store.enqueue(.noop, subjects: Array(0..<500), fairKeys: ["bulk"])
            _ = try await database.store.enqueue(.noop, subjects: Array(0..<500), fairKeys: ["other"])
            #expect(try await database.store.signOff(first).count == 64)
            let next = try await database.store.claim(limit: 40, worker: second)
            #expect(next.contains { $0.fairKey == "bulk" && $0.subject == 0 })
            // A key has two lines: jobs that came back, and others.
            #expect(next.count { $0.fairKey == "bulk" } < 30)
            try await database.pool.query("delete from darkroom.jobs where attempt = 0")
            #expect(try await gaps(database, of: "bulk") == [1])
        }
    }

    @Test("jobs that are released in many steps after a drain are one turn apart")
    func manySteps() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let worker = try await database.worker()
            try await passOthers(database, worker)
            _ = try await database.store.enqueue(.noop, subjects: [1], fairKeys: ["bulk"])
            try await database.store.pause(queue: "default", kind: nil, drain: true, by: "olga")
            _ = try await database.store.enqueue(.noop, subjects: Array(0..<1_700), fairKeys: ["bulk"])
            #expect(try await database.store.resume(queue: "default", kind: nil))
            _ = try await database.store.unparkDrained()
            #expect(try await gaps(database, of: "bulk") == [1])
        }
    }

    @Test("a job for later has no place after a drain, and holds up no job of its key")
    func laterThanDrain() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let worker = try await database.worker()
            try await database.store.pause(queue: "default", kind: nil, drain: true, by: "olga")
            _ = try await database.store.enqueue(
                .noop, subjects: Array(0..<200), fairKeys: ["ada"], runAt: Date.now.addingTimeInterval(3600))
            #expect(try await database.store.resume(queue: "default", kind: nil))
            #expect(try await database.jobs(in: [.scheduled]).count == 200)
            _ = try await database.store.enqueue(.noop, subjects: Array(0..<50), fairKeys: ["other"])
            _ = try await database.store.enqueue(.noop, subjects: [1], fairKeys: ["ada"])
            let first = try await database.store.claim(limit: 2, worker: worker)
            #expect(first.contains { $0.fairKey == "ada" })
        }
    }

    @Test("a key at its limit gets no more than another key without one")
    func limited() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query(
                "insert into darkroom.fair_keys (fair_key, max_running) values ('*', 9)")
            let worker = try await database.worker()
            _ = try await database.store.enqueue(.noop, subjects: Array(0..<1000), fairKeys: ["backlog"])
            let first = try await database.store.claim(limit: 10, worker: worker)
            #expect(first.count == 9)
            _ = try await database.store.enqueue(.noop, subjects: Array(0..<300), fairKeys: ["other"])
            let keys = try await Self.turns(200, of: 10, database, worker, running: first)
            let share = Double(keys.count { $0 == "backlog" }) / 200
            #expect(share > 0.4 && share < 0.65, "\(share)")
        }
    }

    /// Ends one job after the other, and claims the next each time.
    ///
    /// - Returns: the keys of the jobs that ended.
    private static func turns(
        _ count: Int, of slots: Int, _ database: QueueDatabase, _ worker: WorkerID, running: [ClaimedJob]
    ) async throws -> [String] {
        var running = running
        var keys: [String] = []
        while keys.count < count {
            let more = try await database.store.claim(limit: slots - running.count, worker: worker)
            running.append(contentsOf: more)
            let ended = running.removeFirst()
            let stale = try await database.store.complete([ended.lease])
            try #require(stale.isEmpty)
            keys.append(ended.fairKey)
        }
        return keys
    }
}
