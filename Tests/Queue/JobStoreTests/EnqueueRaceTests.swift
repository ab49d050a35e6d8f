import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

@Suite("Enqueueing the same photos at once", .timeLimit(.minutes(15)))
struct EnqueueRaceTests {
    private static func enqueue(_ keys: String) -> PostgresQuery {
        """
        select darkroom.enqueue_uploads((
            select jsonb_agg(jsonb_build_object(
                'uploader', 'ada', 'original_key', 'originals/x', 'original_sha256', repeat('ab', 32), 'original_bytes', 1,
                'idempotency_key', key) order by place)
            from unnest(string_to_array(\(keys), ' ')) with ordinality k (key, place)))::text as jobs
        """
    }

    @Test("makes one job for each, whatever the order in two calls")
    func oppositeOrders() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let holder = try await PostgresConnection.connect(database.configuration)
            try await database.withRivals { (first: Rival, second: Rival) async throws -> Void in
                // Both have begun when the lock on the key in their middle or at their end is released.
                try await holder.query("begin")
                try await holder.query(Self.enqueue("m"))
                func jobs(_ keys: String) -> @Sendable (PostgresConnection) async throws -> String {
                    { (session: PostgresConnection) async throws -> String in
                        try await session.query(Self.enqueue(keys))[0].decode("jobs", as: String.self)
                    }
                }
                let forwards = try await first.start(jobs("a m z"))
                let backwards = try await second.start(jobs("z m a"))
                try await holder.query("rollback")
                let (one, other) = (try await forwards.value, try await backwards.value)
                func numbers(_ text: String) -> [Substring] {
                    text.dropFirst().dropLast().split(separator: ",")
                }
                #expect(numbers(one) == numbers(other).reversed() && Set(numbers(one)).count == 3)
            }
            await holder.close()
            #expect(try await database.jobs().count == 3)
        }
    }

    @Test(
        "refuses a null among the keys, and queues nothing",
        arguments: ["array['a', null, 'b']", "array[null]::text[]", "null::text[]"])
    func nullKeys(keys: String) async throws {
        try await QueueDatabase.with { database in
            let error = await #expect(throws: PostgresError.self) {
                try await database.pool.query(
                    "select darkroom.enqueue_jobs('ingest', array[1, 2, 3], \(unescaped: keys))")
            }
            #expect(error?.sqlState == SQLState("22004"))
            #expect(error?.message.hasSuffix("is null") == true)
            let jobs = try await database.jobs()
            #expect(jobs.isEmpty)
        }
    }

    @Test("uses no number of a lane for what is rolled back")
    func numbers() async throws {
        try await QueueDatabase.with { database in
            func lastLane() async throws -> Int {
                try await database.pool.query("select max(lane)::int as lane from darkroom.lanes")[0]
                    .decode("lane", as: Int.self)
            }
            _ = try await database.store.enqueue(.noop, subjects: [1], fairKeys: ["a"])
            let before = try await lastLane()
            let call: PostgresQuery = "select darkroom.enqueue_job('noop', 1, 'a', queue => 'new')"
            try await database.withRivals { first, second in
                for _ in 0..<3 {
                    try await first.run("begin")
                    try await first.run(call)
                    try await first.run("rollback")
                }
                try await first.run("begin")
                try await first.run(call)
                // Waits for a lane that never comes.
                let made = try await second.start(call)
                try await first.run("rollback")
                try await made.value
            }
            #expect(try await lastLane() == before + 1)
            try await database.pool.query("select darkroom.enqueue_job('noop', 1, 'a', priority => 77)")
            #expect(try await lastLane() == before + 2)
        }
    }

    @Test("takes no job for a time outside of 1800 to 2199, infinity included")
    func hostileTimes() async throws {
        try await QueueDatabase.with { database in
            for time in [
                "infinity", "-infinity", "2200-01-01", "1799-12-31", "294276-12-31", "4713-01-01 BC",
            ] {
                for call in [
                    "darkroom.enqueue_job('ingest', 1, 'a', run_at => '\(time)')",
                    "darkroom.enqueue_jobs('ingest', '{1,2}', '{a}', run_at => '\(time)')",
                    """
                    darkroom.enqueue_upload(uploader => 'a', original_key => 'k', original_sha256 => repeat('ab', 32),
                                            original_bytes => 1, run_at => '\(time)')
                    """,
                ] {
                    let error = await #expect(throws: PostgresError.self) {
                        try await database.pool.query("select \(unescaped: call)")
                    }
                    #expect(error?.sqlState == .checkViolation)
                    #expect(error?.constraint == "moment_is_from_1800_to_2199")
                }
            }
            for time in ["2199-12-31 23:59:59+00", "1800-01-01 00:00:00+00"] {
                try await database.pool.query(
                    "select darkroom.enqueue_job('ingest', 1, 'a', run_at => \(time)::timestamptz)")
            }
            _ = try await database.store.promoteDue()
            #expect(try await database.jobs().count == 2)
        }
    }
}
