import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

/// What the login with the fewest rights can do to everyone else's work.
@Suite("The least role", .timeLimit(.minutes(15)))
struct LeastRoleTests {
    /// What apps, workers and operators do. Each takes a lock; those that try one return whether they got it.
    static let works: [String] = [
        "select darkroom.enqueue_upload('ada', 'originals/a', repeat('ab', 32), 1, activity => 'picnic')",
        "select darkroom.enqueue_upload('ada', 'originals/a', repeat('ab', 32), 1, queue => 'another', priority => 7)",
        "select darkroom.vote_on_post(1, 'ada', 'like')",
        "select darkroom.vote_on_comment(1, 'ada', 'like')",
        "select darkroom.add_comment(1, 'ada', 'Hello')",
        "select darkroom.report_post(1, 'ada', 'spam')",
        "select darkroom.set_display_name('ada', 'Ada')",
        "select darkroom.count_views('{1}')",
        "select darkroom.delete_post(1, uploader) from darkroom.posts where post_id = 1",
        "select darkroom.erase_person('ada')",
        "insert into darkroom.activities (activity, ends_at) values ('picnic', '2027-01-01')",
        "insert into darkroom.fair_keys (fair_key, max_running) values ('*', 5)",
        "select 1 / count(*) from darkroom.claim_jobs((1::bigint << 36) + 1, 'default', '{ingest}', 1)",
        "select darkroom.hold_media('{a,b}')",
        "select darkroom.claim_media('a')",
        "select 1 / darkroom.try_lock('enqueue_backlogs')::integer",
        "select 1 / darkroom.try_lock('history')::integer",
        "select 1 / darkroom.try_lock('unpark_all')::integer",
        "select 1 / darkroom.try_lock('acts', 1)::integer",
        "select darkroom.enqueue_backlogs()", "select darkroom.unpark_all()",
        "select darkroom.tally_counters()", "select darkroom.tally_map()", "select darkroom.number_events()",
        "select darkroom.recompute_averages()", "select darkroom.prune_history()",
        "select darkroom.ensure_history_partitions()", "select darkroom.grant_roles()",
    ]

    @Test("stops nobody's work, whatever it locks, reads and notifies")
    func liveness() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.makeLogins()
            try await database.publishPosts(30)
            try await database.pool.query("select darkroom.add_comment(1, 'bob', 'first')")
            let worker = try await database.worker(concurrency: 5)
            #expect(worker.rawValue == 1)
            try await database.connected(as: .reader) { (reader: PostgresConnection) async throws -> Void in
                // Every name and number that a lock has, as advisory locks of all shapes.
                let locks = try await database.pool.query(
                    "select distinct name from darkroom.locks order by name"
                )
                .map { try $0.decode("name", as: String.self) }
                #expect(locks.count > 10)
                for name in locks {
                    try await reader.query(
                        """
                        select pg_advisory_lock(hashtextextended(\(name), 0)), pg_advisory_lock(hashtextextended('darkroom.' || \(name), 0)),
                               pg_advisory_lock(hashtext(\(name)), 0)
                        """)
                }
                try await reader.query(
                    "select count(pg_advisory_lock(20260126, n)) from generate_series(0, 255) n")
                try await reader.query(
                    "select count(pg_advisory_lock(hashtextextended(k, s))) from unnest('{ada,Ada,ada,a,b,picnic}'::text[]) k, generate_series(20260119, 20260128) s"
                )
                try await reader.query("begin isolation level repeatable read")
                try await reader.query("select count(*) from darkroom.latest_posts()")
                try await reader.query("select count(*) from darkroom.map_clusters(47, -123, 48, -122, 10)")
                try await reader.query(
                    "select pg_notify('darkroom.jobs', n::text) from generate_series(1, 100) n")
                for table in ["posts", "locks", "queues", "votes"] {
                    try await reader.query("savepoint before")
                    #expect(
                        try await reader.failure("lock table darkroom.\(table) in access share mode")
                            == .insufficientPrivilege)
                    try await reader.query("rollback to savepoint before")
                }
                try await database.pool.withConnection { (session: PostgresConnection) async throws -> Void in
                    try await session.query("select set_config('lock_timeout', '1min', false)")
                    for work in Self.works {
                        let failure = try await session.failure(work)
                        #expect(failure == nil, "\(work)")
                    }
                }
            }
        }
    }

    @Test("cannot hold what Darkroom waits for: no function takes an advisory lock")
    func advisoryLocks() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let rows = try await database.pool.query(
                """
                select proname::text as name from pg_proc
                where pronamespace = 'darkroom'::regnamespace and pg_get_functiondef(oid) ~ 'pg_(try_)?advisory'
                """)
            #expect(try rows.map { try $0.decode("name", as: String.self) } == [])
        }
    }

    @Test("and an API cannot make queues, lanes and consumers without end")
    func objects() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.makeLogins()
            try await database.pool.query(
                "update darkroom.settings set most_queues = (select count(*) + 2 from darkroom.queues), most_lanes = (select count(*) + 4 from darkroom.lanes), most_consumers = 2"
            )
            try await database.connected(as: .api) { (app: PostgresConnection) async throws -> Void in
                func enqueue(_ queue: String, _ priority: Int) async throws -> SQLState? {
                    try await app.failure(
                        "select darkroom.enqueue_upload('ada', 'originals/a', repeat('ab', 32), 1, queue => '\(queue)', priority => \(priority))"
                    )
                }
                #expect(try await enqueue("second", 0) == nil)
                #expect(try await enqueue("third", 0) == nil)
                #expect(try await enqueue("fourth", 0) == .invalidParameterValue)
                #expect(try await enqueue("second", 1) == nil)
                #expect(try await enqueue("third", 1) == nil)
                #expect(try await enqueue("third", 2) == .invalidParameterValue)
                #expect(try await enqueue("third", 1) == nil, "what there is goes on")
                for consumer in ["push", "mail", "push"] {
                    #expect(try await app.failure("select darkroom.read_events('\(consumer)')") == nil)
                }
                #expect(
                    try await app.failure("select darkroom.read_events('third')") == .invalidParameterValue)
            }
        }
    }
}
