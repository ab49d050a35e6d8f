import JobQueue
import JobStore
import Postgres
import Schema

/// A temporary database on the server under test, which must do nothing else meanwhile.
struct BenchmarkDatabase: Sendable {
    let url: String
    let pool: PostgresPool
    let store: JobStore

    /// Creates a migrated database on the server of `url`, calls `body`, and drops the database.
    ///
    /// - Parameter kept: the name of a database to keep; if it exists, it is used as it is.
    /// - Throws: ``PostgresError`` if the role of `url` may not create databases, and what `body` throws.
    static func with<T>(
        server url: String, kept: String? = nil, _ body: (BenchmarkDatabase) async throws -> T
    ) async throws -> T {
        let administration = try await PostgresConnection.connect(
            PostgresConfiguration(url: url, applicationName: "darkroom-bench"))
        let name: String
        if let kept { name = kept } else { name = "darkroom_bench_\(await administration.backendProcessID)" }
        if try await administration.query("select from pg_database where datname = \(name)").isEmpty {
            try await administration.query("create database \(unescaped: quotedIdentifier(name))")
        }
        let result: Result<T, any Error>
        do {
            result = .success(try await use(PostgresConfiguration(url: url).url(database: name), body))
        } catch {
            result = .failure(error)
        }
        if kept == nil {
            // In a separate task, so that an interrupted benchmark also drops it.
            _ = await Task {
                try await administration.query(
                    "drop database \(unescaped: quotedIdentifier(name)) with (force)")
            }.result
        }
        await administration.close()
        return try result.get()
    }

    private static func use<T>(_ url: String, _ body: (BenchmarkDatabase) async throws -> T) async throws -> T
    {
        let connection = try await PostgresConnection.connect(PostgresConfiguration(url: url))
        _ = try await Migrator(connection).migrate()
        await connection.close()
        let pool = PostgresPool(PostgresConfiguration(url: url, applicationName: "darkroom-bench"), size: 8)
        let result: Result<T, any Error>
        do {
            result = .success(
                try await body(BenchmarkDatabase(url: url, pool: pool, store: JobStore(pool: pool))))
        } catch {
            result = .failure(error)
        }
        await pool.close()
        return try result.get()
    }

    /// Resets it to the state after a nightly vacuum: no dead rows, fresh statistics, and empty history.
    func reset() async throws {
        try await pool.query(
            """
            truncate darkroom.jobs, darkroom.leases, darkroom.finished_jobs, darkroom.job_attempts, darkroom.workers,
                     darkroom.worker_queues
            """
        )
        try await settle()
    }

    func settle() async throws {
        try await pool.query("vacuum analyze darkroom.jobs")
        try await pool.query("vacuum analyze darkroom.finished_jobs")
    }

    func enqueue(_ count: Int, keys: [String] = ["bench"]) async throws {
        var first = 0
        while first < count {
            let size = min(20_000, count - first)
            let ids = (first..<first + size).map(Int64.init)
            _ = try await store.enqueue(
                .noop, subjects: ids,
                fairKeys: keys.count == 1 ? keys : ids.map { keys[Int($0) % keys.count] })
            first += size
        }
    }

    func number(_ query: PostgresQuery) async throws -> Double {
        try await pool.query(query).first?.decode("value", as: Double?.self) ?? 0
    }

    /// Successful jobs of a kind, and the time from the first start to the last end, by the server's clock.
    ///
    /// Excludes jobs of other kinds, which schedules and triggers add meanwhile.
    func drained(_ kind: JobKind) async throws -> (jobs: Int, seconds: Double) {
        let row = try await pool.query(
            """
            select count(*) as jobs, extract(epoch from max(finished_at) - min(started_at))::float8 as seconds
            from darkroom.finished_jobs where state = 'succeeded' and kind = \(kind.rawValue)
            """)[0]
        return (try row.decode("jobs", as: Int.self), try row.decode("seconds", as: Double?.self) ?? 0)
    }
}
