import JobQueue
import JobStore
import Postgres

/// The queue of a trial, as the harness sees it.
struct GapQueue: Sendable {
    /// The name of the trial, for errors.
    let name: String
    let pool: PostgresPool

    /// Waits until the condition is true.
    ///
    /// - Throws: ``ChaosError`` if that takes longer than half a minute.
    func wait(for what: String, _ isSo: () async throws -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while try await !isSo() {
            guard .now < deadline else { throw ChaosError("\(name): waited 30 s for \(what)") }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    func workers() async throws -> Int {
        try await number("select count(*)::int as value from darkroom.workers")
    }

    /// Enqueues jobs of two keys. One has a quarter of them, and may run only three at once.
    func add(_ count: Int) async throws {
        try await pool.query(
            """
            insert into darkroom.fair_keys (fair_key, max_running) values ('limited', 3) on conflict do nothing
            """)
        // Even and odd subjects end in different ways, whatever their key.
        _ = try await JobStore(pool: pool).enqueue(
            .noop, subjects: (0..<count).map(Int64.init),
            fairKeys: (0..<count).map { $0 / 2 % 4 == 0 ? "limited" : "free" })
    }

    /// The jobs that a worker holds; nil for all workers.
    func running(on host: String?) async throws -> [Int64] {
        let rows = try await pool.query(
            """
            select j.job_id from darkroom.jobs j join darkroom.workers w on w.worker_id = darkroom.worker_of(j.lease)
            where w.host = coalesce(\(host), w.host)
            """)
        return try rows.map { try $0.decode("job_id", as: Int64.self) }
    }

    func unfinished() async throws -> Int {
        try await number("select count(*)::int as value from darkroom.jobs where kind = 'noop'")
    }

    func succeeded(among jobs: [Int64]? = nil) async throws -> Int {
        try await number(
            """
            select count(distinct job_id)::int as value from darkroom.finished_jobs
            where kind = 'noop' and state = 'succeeded' and (\(jobs)::bigint[] is null or job_id = any (\(jobs)::bigint[]))
            """)
    }

    /// Counts what must not be there once both workers have stopped.
    func count(_ result: inout GapResult) async throws {
        let rows = try await pool.query(
            """
            with ends as (
                select job_id, count(*) as ends, bool_and(state = 'succeeded') as succeeded, min(subject_id) as subject_id,
                       max(failures) as failures, max(deaths) as deaths, bool_or(reason = 'poison') as is_poison
                from darkroom.finished_jobs where kind = 'noop' group by job_id)
            select count(*) filter (where e.ends <> 1 or r.results <> (e.succeeded and e.subject_id % 2 = 0)::int)::int as double,
                   count(*) filter (where e.is_poison)::int as quarantined,
                   coalesce(sum(e.deaths), 0)::int as deaths,
                   (coalesce(sum(e.failures), 0) + (select coalesce(sum(failures), 0) from darkroom.jobs))::int as failures,
                   (select count(*)::int from darkroom.leases) as leases
            from ends e cross join lateral (select count(*) as results from public.results p where p.job_id = e.job_id) r
            """)
        guard let row = rows.first else { return }
        result.double = try row.decode("double", as: Int.self)
        result.quarantined = try row.decode("quarantined", as: Int.self)
        result.deaths = try row.decode("deaths", as: Int.self)
        result.failures = try row.decode("failures", as: Int.self)
        result.leases = try row.decode("leases", as: Int.self)
    }

    private func number(_ query: PostgresQuery) async throws -> Int {
        try await pool.query(query).first?.decode("value", as: Int.self) ?? 0
    }
}
