package import JobQueue
package import JobStore
package import Postgres
import Schema

/// A migrated database for one test, with a pool and shortcuts to fill the queue.
package struct QueueDatabase: Sendable {
    package let url: String
    package let pool: PostgresPool
    package let store: JobStore

    package var configuration: PostgresConfiguration { PostgresConfiguration(url: url) }

    package func name() async throws -> String {
        try await pool.query("select current_database()::text as name")[0].decode("name", as: String.self)
    }

    /// Calls `body` with a fresh clone of the migrated template, which is dropped afterwards.
    package static func with(
        connections: Int = 8, _ body: (QueueDatabase) async throws -> Void
    ) async throws {
        try await with(template: migrated, connections: connections, body)
    }

    /// Calls `body` with a fresh clone of `template`, which is dropped afterwards.
    static func with(
        template: DatabaseTemplate, connections: Int = 8, _ body: (QueueDatabase) async throws -> Void
    ) async throws {
        try await TestDatabase.withDatabase(template: template) { database in
            try await use(url: database.url, connections: connections, body)
        }
    }

    /// Calls `body` with the migrated database at `url`, and closes its connections afterwards.
    package static func use(
        url: String, connections: Int = 8, _ body: (QueueDatabase) async throws -> Void
    ) async throws {
        let pool = PostgresPool(PostgresConfiguration(url: url), size: connections)
        let result: Result<Void, any Error>
        do {
            try await body(QueueDatabase(url: url, pool: pool, store: JobStore(pool: pool)))
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await pool.close()
        try result.get()
    }

    /// As the migrator leaves it.
    package static let plainlyMigrated = DatabaseTemplate(name: "plainly_migrated") { url in
        try await using(url) { _ = try await Migrator($0).migrate() }
    }

    static let migrated = DatabaseTemplate(name: "migrated", from: plainlyMigrated) { url in
        try await using(url, fit)
    }

    /// Makes the schema in an empty database.
    package static func migrate(_ url: String) async throws {
        try await using(url) { connection in
            _ = try await Migrator(connection).migrate()
            try await fit(connection)
        }
    }

    private static func using(
        _ url: String, _ body: (PostgresConnection) async throws -> Void
    ) async throws {
        let connection = try await PostgresConnection.connect(PostgresConfiguration(url: url))
        try await body(connection)
        await connection.close()
    }

    /// Changes what would disturb tests.
    private static func fit(_ connection: PostgresConnection) async throws {
        // Tests count jobs, and a schedule's jobs would be among them.
        try await connection.query(
            "update darkroom.schedules set is_enabled = false")
        // Tests hold a lock and look at who waits for it. On a busy machine the look comes later than the second or two after
        // which these functions give way.
        try await setLockTimeouts(from: ["1s", "2s"], to: "20min", on: connection)
    }

    /// Lets functions wait for locks no longer than in an installation, for tests of those that give way.
    package func limitWaits() async throws {
        try await pool.withConnection { try await Self.setLockTimeouts(from: ["20min"], to: "1s", on: $0) }
    }

    private static func setLockTimeouts(
        from old: [String], to new: String, on connection: PostgresConnection
    ) async throws {
        let changes = try await connection.query(
            """
            select format('alter routine %s set lock_timeout = %L', oid::regprocedure, \(new)::text) as sql
            from pg_proc
            where pronamespace = 'darkroom'::regnamespace
              and proconfig && (select array_agg('lock_timeout=' || t) from unnest(\(old)::text[]) as t)
            """
        )
        for change in changes { try await connection.execute(try change.decode("sql", as: String.self)) }
    }

    /// Enqueues an upload whose original need not exist.
    @discardableResult
    package func enqueue(
        uploader: String = "ada", priority: Int = 0, key: String? = nil, runAfterSeconds: Double? = nil,
        sha256: String = String(repeating: "ab", count: 32)
    ) async throws -> JobID {
        let rows = try await pool.query(
            """
            select darkroom.enqueue_upload(
                uploader => \(uploader), original_key => 'originals/x', original_sha256 => \(sha256),
                original_bytes => 1, priority => \(priority), idempotency_key => \(key),
                run_at => now() + make_interval(secs => \(runAfterSeconds))) as job
            """)
        return JobID(rawValue: try rows[0].decode("job", as: Int64.self))
    }

    package func worker(concurrency: Int = 1) async throws -> WorkerID {
        try await store.register(
            host: "test", pid: 1, version: "test",
            queues: [ServedQueue(name: "default", concurrency: concurrency)])
    }

    /// Claims the next job for a new worker.
    package func claimOne() async throws -> ClaimedJob {
        let worker = try await worker()
        guard let job = try await store.claim(limit: 1, worker: worker).first else { throw NothingToClaim() }
        return job
    }

    package struct NothingToClaim: Error {
        package init() {}
    }

    package func state(of job: JobID) async throws -> JobState? {
        try await store.job(job)?.state
    }

    /// Jobs that the test itself made: workers queue tally jobs on their own.
    package func jobs(in states: [JobState] = []) async throws -> [JobRecord] {
        var filter = JobFilter()
        filter.states = states
        return try await store.jobs(filter, limit: 1000).filter { $0.kind != JobKind("tally") }
    }

    /// What a worker says if it runs `jobs` and nothing else.
    package func statement(
        of worker: WorkerID, running jobs: [ClaimedJob] = [], stage: String? = nil
    ) -> LeaseStatement {
        LeaseStatement(worker: worker, upTo: nextClaim(of: worker), running: jobs.map { ($0.lease, stage) })
    }

    /// Sends a heartbeat of `worker` on any connection.
    @discardableResult
    package func heartbeat(of worker: WorkerID, running: Int = 0) async throws -> HeartbeatReply {
        try HeartbeatReply(try await pool.query(JobStore.heartbeat(of: worker, running: running)), of: worker)
    }

    /// Treats `worker` as dead, as others do when its heartbeats stand still.
    @discardableResult
    package func bury(_ worker: WorkerID) async throws -> (rescued: [JobID], quarantined: [JobID]) {
        let rows = try await pool.query(
            "select heartbeats from darkroom.workers where worker_id = \(worker.rawValue)")
        return try await store.rescue(
            worker, heartbeats: try rows.first?.decode("heartbeats", as: Int64.self))
    }
}
