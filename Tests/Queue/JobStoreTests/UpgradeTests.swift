import JobQueue
import JobStore
import Migrations
import Postgres
import TestKit
import Testing

@Suite("Upgrading a database with jobs in it", .timeLimit(.minutes(5)))
struct UpgradeTests {
    /// A database as the first release left it, with jobs in every state of then.
    private static let before = """
        insert into darkroom.workers (host, pid, version, concurrency) values ('old', 7, '0.1', 2);
        select darkroom.enqueue_upload('ada', 'originals/a', repeat('ab', 32), 1, caption => 'waits', priority => -5);
        select darkroom.enqueue_upload('ada', 'originals/b', repeat('cd', 32), 1, run_at => now() + interval '1 day',
                                       idempotency_key => 'later');
        select darkroom.enqueue_upload('bob', 'originals/c', repeat('ef', 32), 1, caption => 'runs');
        update darkroom.jobs set state = 'running', lease = 40, worker_id = 1, leased_at = now(), attempt = 2, failures = 1
        where job_id = 3;
        insert into darkroom.job_attempts (job_id, attempt, lease, worker_id, outcome, reason, message, started_at, ended_at)
        values (3, 1, 39, 1, 'retry', 'disk_full', 'The disk was full.', now() - interval '1 minute', now());
        select darkroom.enqueue_upload('bob', 'originals/d', repeat('01', 32), 1);
        select darkroom.cancel_job(4);
        insert into darkroom.finished_jobs (job_id, kind, state, priority, subject_id, fair_key, attempt, failures, crashes,
                                            reason, message, created_at, finished_at)
        values (100, 'ingest', 'failed', 3, 1, 'cy', 8, 8, 0, 'disk_full', 'The disk was full.', now(), now()),
               (101, 'moderate', 'succeeded', -10, 1, 'cy', 1, 0, 0, null, null, now() - interval '9 days',
                now() - interval '9 days');
        select setval('darkroom.jobs_job_id_seq', 200);
        """

    @Test("keeps every job with its state, its place and its past, and works on")
    func upgrade() async throws {
        try await QueueDatabase.with { database in
            try await database.pool.query("drop schema darkroom cascade")
            let connection = try await PostgresConnection.connect(database.configuration)
            #expect(try await Migrator(connection).migrate(to: 4).count == 4)
            try await connection.execute(Self.before)
            #expect(try await Migrator(connection).migrate().count == Migration.all.count - 4)
            await connection.close()

            let store = database.store
            func state(_ job: Int64) async throws -> JobState? {
                let found = try await store.job(JobID(rawValue: job))
                return found?.state
            }
            for (job, expected) in [
                (1, .waiting), (2, .scheduled), (3, .running), (4, .cancelled), (100, .failed),
                (101, .succeeded),
            ] as [(Int64, JobState)] {
                let found = try await state(job)
                #expect(found == expected, "job \(job)")
            }
            let running = try #require(try await store.job(JobID(rawValue: 3)))
            #expect(running.fairKey == "bob" && running.attempt == 2)
            #expect(try await store.attempts(of: running.id).map(\.outcome) == ["retry"])
            let failed = try #require(try await store.job(JobID(rawValue: 100)))
            #expect(failed.priority == 3 && failed.reason?.code == "disk_full")

            // The worker of then is gone: its job comes back, behind that of the lower priority.
            try await database.pool.query(
                "update darkroom.workers set heartbeat_at = now() - interval '1 hour'")
            _ = try await store.rescue()
            #expect(try await database.claimOne().id.rawValue == 1)
            #expect(try await database.claimOne().id.rawValue == 3)
            #expect(try await database.enqueue(uploader: "ada").rawValue == 201, "numbers go on")
            #expect(try await store.replay([failed.id], by: "olga", why: nil).map(\.rawValue) == [100])
            let again = try await database.pool.query(
                """
                select darkroom.enqueue_upload('ada', 'originals/b', repeat('cd', 32), 1, idempotency_key => 'later') as job
                """)
            #expect(try again[0].decode("job", as: Int.self) == 2, "keys of then hold")
            _ = try await database.pool.query("select darkroom.prune_history()")
            let old = try await state(101)
            #expect(old == .succeeded, "nine days are not thirty")
        }
    }

    /// A feed is looked into first, and then the posts that it shows.
    @Test("lets those read who read feeds meanwhile, and does not fail for them")
    func readers() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query("drop schema darkroom cascade")
            try await database.withRivals { (reader: Rival, upgrade: Rival) async throws -> Void in
                #expect(try await Migrator(upgrade.session).migrate(to: 26).count == 26)
                try await reader.run("begin")
                try await reader.run("select from darkroom.feed limit 1")
                let migrating = try await upgrade.start {
                    (session: PostgresConnection) async throws -> [Migration] in
                    try await Migrator(session).migrate()
                }
                try await reader.run("select from darkroom.posts limit 1")
                try await reader.run("commit")
                #expect(try await migrating.value.count == Migration.all.count - 26)
            }
        }
    }
}
