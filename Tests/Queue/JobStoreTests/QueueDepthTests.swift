import FoundationEssentials
import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

@Suite("What an autoscaler asks", .timeLimit(.minutes(15)))
struct QueueDepthTests {
    private static func depth(_ queue: String?, _ database: QueueDatabase) async throws -> Int {
        try await database.pool.query("select darkroom.queue_depth(\(queue)) as value")[0].decode("value")
    }

    private static func oldest(_ queue: String?, _ database: QueueDatabase) async throws -> Double {
        try await database.pool.query("select darkroom.oldest_waiting_s(\(queue)) as value")[0].decode(
            "value")
    }

    /// What the functions say, next to what a look at every job says of the same snapshot.
    private static func compare(_ database: QueueDatabase) async throws -> Int {
        let row = try await database.pool.query(
            """
            select darkroom.queue_depth('default') as depth,
                   (select count(*) from darkroom.jobs where waits_for is null) as jobs,
                   clock_timestamp() as before, darkroom.oldest_waiting_s() as oldest, clock_timestamp() as after,
                   (select min(greatest(run_at, created_at)) from darkroom.jobs where waits_for is null and lease is null) as since
            """)[0]
        let depth = try row.decode("depth", as: Int.self)
        #expect(try depth == row.decode("jobs", as: Int.self))
        let oldest = try row.decode("oldest", as: Double.self)
        if let since = try row.decode("since", as: Date?.self) {
            let least = try row.decode("before", as: Date.self).timeIntervalSince(since)
            let most = try row.decode("after", as: Date.self).timeIntervalSince(since)
            // The library's times have microseconds.
            #expect((least - 0.00001...most + 0.00001).contains(oldest))
        } else {
            #expect(oldest == 0)
        }
        return depth
    }

    @Test("is what a look at every job says, while jobs come, run and end")
    func truth() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            #expect(try await Self.compare(database) == 0)
            try await withThrowingTaskGroup(of: Void.self) { (group) async throws -> Void in
                group.addTask {
                    for number in 0..<400 { try await database.enqueue(uploader: "user-\(number % 40)") }
                }
                group.addTask {
                    let worker = try await database.worker(concurrency: 100)
                    for _ in 0..<60 {
                        let jobs = try await database.store.claim(limit: 5, worker: worker)
                        _ = try await database.store.complete(jobs.map(\.lease))
                        _ = try await database.store.claim(limit: 1, worker: worker)
                    }
                }
                for _ in 0..<100 { _ = try await Self.compare(database) }
                try await group.waitForAll()
            }
            #expect(try await Self.compare(database) > 0)
        }
    }

    @Test(
        "counts what a worker could run now: in one queue, due although nobody woke it, and not what is paused or later"
    )
    func states() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            func enqueue(_ queue: String, _ count: Int) async throws {
                try await database.pool.query(
                    """
                    select darkroom.enqueue_jobs('noop', array(select generate_series(1, \(count)))::bigint[],
                        array(select 'user-' || i from generate_series(1, \(count)) i), queue => \(queue))
                    """)
            }
            try await enqueue("default", 3)
            try await enqueue("bulk", 4)
            try await database.enqueue(runAfterSeconds: 3600)
            #expect(try await Self.depth(nil, database) == 7)
            #expect(try await Self.depth("bulk", database) == 4)
            #expect(try await Self.depth("none", database) == 0)
            #expect(try await Self.oldest("none", database) == 0)
            _ = try await database.claimOne()
            #expect(try await Self.depth("default", database) == 3)
            try await database.pool.query(
                "update darkroom.jobs set run_at = now() - interval '1 hour' where waits_for = 'time'")
            #expect(try await Self.depth("default", database) == 4)
            #expect(try await Self.oldest("default", database) >= 3600)
            #expect(try await Self.oldest("bulk", database) < 3600)
            try await database.pool.query(
                "insert into darkroom.pauses (queue, drains, paused_by) values ('default', true, 'olga')")
            #expect(try await Self.depth(nil, database) == 8)
            try await database.pool.query("update darkroom.pauses set drains = false")
            #expect(try await Self.depth(nil, database) == 4)
            #expect(try await Self.oldest("default", database) == 0)
        }
    }

    @Test("costs no more with 100,000 jobs waiting, and stops at 10,000")
    func cost() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.withConnection { (session: PostgresConnection) async throws -> Void in
                // Otherwise it depends on the time whether the table is analyzed, and then the functions are planned again.
                try await session.query("alter table darkroom.jobs set (autovacuum_enabled = off)")
                // Planned while it was empty.
                for _ in 0..<7 {
                    try await session.query("select darkroom.queue_depth(), darkroom.oldest_waiting_s()")
                }
                try await session.query(
                    """
                    select darkroom.enqueue_jobs('noop', array(select generate_series(1, 100000))::bigint[],
                        array(select 'user-' || i % 300 from generate_series(1, 100000) i))
                    """)
                let row = try await session.query(
                    """
                    select darkroom.queue_depth() as depth, darkroom.oldest_waiting_s() as oldest,
                           extract(epoch from clock_timestamp() - (select min(created_at) from darkroom.jobs))::float8 as truth
                    """)[0]
                #expect(try row.decode("depth", as: Int.self) == 10_000)
                let (oldest, truth) = (
                    try row.decode("oldest", as: Double.self), try row.decode("truth", as: Double.self)
                )
                #expect(oldest > 0 && oldest <= truth)
                // One page for each job that is looked at, at most, and a few for the index and the catalogue.
                let depthPages = try await PlanTests.leastPages("select darkroom.queue_depth()", session)
                #expect(depthPages < 10_500)
                let oldestPages = try await PlanTests.leastPages(
                    "select darkroom.oldest_waiting_s()", session)
                #expect(oldestPages < 1_500)
            }
        }
    }
}
