import JobQueue
import JobStore
import Postgres

extension QueueBenchmark {
    /// Jobs per second of a drain by worker processes. Checks that every job was done.
    func drainRate(
        _ database: BenchmarkDatabase, jobs: Int, processes: Int? = nil, concurrency: Int? = nil,
        largestClaim: Int? = nil
    ) async throws -> Double {
        try await tools.drain(
            url: database.url, processes: processes ?? options.processes,
            concurrency: concurrency ?? options.concurrency, largestClaim: largestClaim ?? options.batch)
        let (done, seconds) = try await database.drained(.noop)
        guard done == jobs else { throw BenchmarkError("\(done) of \(jobs) jobs were done") }
        return Double(jobs) / seconds
    }

    private func freshDrain(_ database: BenchmarkDatabase) async throws -> Double {
        try await database.reset()
        try await database.enqueue(options.jobs)
        try await database.settle()
        return try await drainRate(database, jobs: options.jobs)
    }

    /// Runs no-op jobs through claim, heartbeat, fence, completion and history.
    func drain(_ database: BenchmarkDatabase) async throws {
        let connections = options.processes * 2
        try await compare(
            "drain", "jobs/s", goal: 0.8,
            note: "\(options.jobs) jobs, claims of \(options.batch), \(connections) connections",
            with: "drain-batch",
            database,
            ["--jobs", "\(options.jobs)", "--batch", "\(options.batch)", "--connections", "\(connections)"]
        ) { try await freshDrain(database) }

        try await compare(
            "drain-batch-100", "jobs/s", goal: 0.8, note: "claims of 100, \(connections) connections",
            with: "drain-batch", database,
            ["--jobs", "\(options.jobs)", "--batch", "100", "--connections", "\(connections)"]
        ) {
            try await database.reset()
            try await database.enqueue(options.jobs)
            try await database.settle()
            return try await drainRate(database, jobs: options.jobs, concurrency: 400, largestClaim: 100)
        }

        try await compare(
            "drain-against-pgqueuer", "jobs/s", goal: 2.5, note: "PGQueuer: batch 100, two processes",
            with: "pgqueuer", database, ["--jobs", "\(min(options.jobs, 50_000))", "--batch", "100"]
        ) { try await freshDrain(database) }

        try await database.reset()
        try await database.enqueue(options.jobs)
        try await database.settle()
        let before = try await database.cost()
        _ = try await drainRate(database, jobs: options.jobs)
        let after = try await database.cost()
        let jobs = Double(options.jobs)
        report(
            BenchmarkLine("drain-wal", "bytes/job", [(after.wal - before.wal) / jobs], lowerIsBetter: true))
        report(
            BenchmarkLine(
                "drain-transactions", "transactions/job", [(after.transactions - before.transactions) / jobs],
                lowerIsBetter: true, note: "one statement each, including heartbeats and upkeep"))
    }

    /// One job per claim, and one per completion.
    func unbatched(_ database: BenchmarkDatabase) async throws {
        for processes in [1, 4] {
            let jobs = processes * max(100, Int(4000 * options.scale))
            try await compare(
                "drain-unbatched-\(processes)", "jobs/s", goal: nil,
                note: "\(processes) workers of one job each; the reference has as many connections",
                with: "drain-single",
                database, ["--connections", "\(processes)", "--seconds", "\(options.seconds)"]
            ) {
                try await database.reset()
                try await database.enqueue(jobs)
                try await database.settle()
                return try await drainRate(
                    database, jobs: jobs, processes: processes, concurrency: 1, largestClaim: 1)
            }
        }
    }

    /// A drain with ten million finished jobs in history.
    func history(_ database: BenchmarkDatabase) async throws {
        let kept = Int(10_000_000 * options.scale)
        var empty: [Double] = []
        _ = try await repeated("history, empty") { _ in empty.append(try await freshDrain(database)) }
        progress("history: writing \(kept) finished jobs")
        try await database.pool.query(
            """
            insert into darkroom.finished_jobs (
                job_id, kind, state, lane, subject_id, fair_key, attempt, failures, crashes, deaths, lease, created_at,
                started_at, finished_at)
            select -n, 'noop', 'cancelled', l.lane, n, 'user-' || n % 1000, 1, 0, 0, 0, n, now(), now(),
                   now() - make_interval(secs => n % 86400)
            from generate_series(1, \(kept)) n, (select lane from darkroom.lanes where kind = 'noop' limit 1) l
            """)
        try await database.settle()
        let full = try await repeated("history, \(kept) kept") { _ in
            try await database.pool.query("delete from darkroom.finished_jobs where state = 'succeeded'")
            try await database.enqueue(options.jobs)
            try await database.settle()
            return try await drainRate(database, jobs: options.jobs)
        }
        report(
            BenchmarkLine(
                "drain-with-history", "jobs/s", zip(full, empty).map { (value: $0, reference: $1) },
                against: "empty history", goal: 0.9, note: "\(kept) finished jobs kept"))
    }

    /// The first jobs of a backlog of two million.
    func backlog(_ database: BenchmarkDatabase) async throws {
        let waiting = Int(2_000_000 * options.scale)
        let pairs = try await repeated("backlog of \(waiting)") { _ -> (value: Double, reference: Double) in
            let empty = try await freshDrain(database)
            try await database.reset()
            try await database.enqueue(waiting)
            try await database.settle()
            // The rate over the same number of jobs as the other side, while the rest still waits.
            try await tools.drain(
                url: database.url, processes: options.processes, concurrency: options.concurrency,
                largestClaim: options.batch)
            let seconds = try await database.number(
                """
                select extract(epoch from max(finished_at) - min(started_at))::float8 as value
                from (select started_at, finished_at from darkroom.finished_jobs order by finished_at limit \(options.jobs)) f
                """)
            return (Double(options.jobs) / seconds, empty)
        }
        report(
            BenchmarkLine(
                "drain-with-backlog", "jobs/s", pairs, against: "no backlog", goal: 0.9,
                note: "the first \(options.jobs) of \(waiting)"))
    }

    /// The cost of a limit on every key.
    func limits(_ database: BenchmarkDatabase) async throws {
        let pairs = try await repeated("limits") { _ -> (value: Double, reference: Double) in
            try await database.pool.query("delete from darkroom.fair_keys")
            let free = try await limitedDrain(database)
            try await database.pool.query(
                "insert into darkroom.fair_keys (fair_key, max_running) values ('*', 1000)")
            let limited = try await limitedDrain(database)
            try await database.pool.query("delete from darkroom.fair_keys")
            return (limited, free)
        }
        report(
            BenchmarkLine(
                "drain-with-limits", "jobs/s", pairs, against: "no limits", goal: nil,
                note: "1,000 keys, each with a cap that it does not reach"))
    }

    private func limitedDrain(_ database: BenchmarkDatabase) async throws -> Double {
        try await database.reset()
        try await database.enqueue(options.jobs, keys: (0..<1000).map { "user-\($0)" })
        try await database.settle()
        return try await drainRate(database, jobs: options.jobs)
    }
}

extension BenchmarkDatabase {
    func cost() async throws -> (wal: Double, transactions: Double) {
        // Sessions report their statistics when they become idle, at the latest when they end.
        let wal = try await number("select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as value")
        let transactions = try await number(
            "select (xact_commit + xact_rollback)::float8 as value from pg_stat_database where datname = current_database()"
        )
        return (wal, transactions)
    }
}
