import FoundationEssentials
import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

@Suite("Fair shares of jobs that become ready", .timeLimit(.minutes(15)))
struct FairReturnTests {
    @Test("three hundred jobs of a key that become due together do not all start before another key's job")
    func due() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let worker = try await database.worker()
            _ = try await database.store.enqueue(
                .noop, subjects: Array(0..<300), fairKeys: ["bulk"], runAt: Date.now.addingTimeInterval(3600))
            try await database.passOthers(worker)
            try await database.pool.query("update darkroom.jobs set run_at = now() where waits_for = 'time'")
            _ = try await database.store.promoteDue()
            try await database.expectFair(worker, jobs: 300)
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
            try await database.expectFair(worker, jobs: 200)
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
            try await database.passOthers(worker)
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

    @Test("jobs that are released in many steps after a drain are one turn apart")
    func manySteps() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let worker = try await database.worker()
            try await database.passOthers(worker)
            _ = try await database.store.enqueue(.noop, subjects: [1], fairKeys: ["bulk"])
            try await database.store.pause(queue: "default", kind: nil, drain: true, by: "olga")
            _ = try await database.store.enqueue(.noop, subjects: Array(0..<1_700), fairKeys: ["bulk"])
            #expect(try await database.store.resume(queue: "default", kind: nil))
            _ = try await database.store.unparkDrained()
            #expect(try await database.gaps(of: "bulk") == [1])
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
