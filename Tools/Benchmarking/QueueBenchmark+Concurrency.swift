import JobQueue
import JobStore
import Postgres

extension QueueBenchmark {
    /// Runs a million jobs while another session holds a snapshot.
    func snapshot(_ database: BenchmarkDatabase) async throws {
        let pieces = 20
        let piece = max(100, Int(1_000_000 * options.scale) / pieces)
        let runs = try await repeated("held snapshot") {
            run -> (kept: Double, end: Double, theirs: Double?) in
            try await database.reset()
            var waiting = PostgresConfiguration(url: database.url)
            waiting.idleInTransactionTimeout = nil
            let holder = try await PostgresConnection.connect(waiting)
            try await holder.execute("begin isolation level repeatable read; select 1")
            var curve: [Double] = []
            for number in 1...pieces {
                try await database.enqueue(piece)
                let began = try await database.number(
                    "select extract(epoch from clock_timestamp())::float8 as value")
                try await tools.drain(
                    url: database.url, processes: options.processes, concurrency: options.concurrency,
                    largestClaim: options.batch)
                let seconds = try await database.number(
                    """
                    select extract(epoch from max(finished_at) - min(started_at))::float8 as value
                    from darkroom.finished_jobs where started_at >= to_timestamp(\(began))
                    """)
                curve.append(Double(piece) / seconds)
                progress(
                    "held snapshot, run \(run): \(number * piece) jobs done, \(Int(curve[number - 1])) jobs/s"
                )
            }
            await holder.close()
            let start = (curve[0] + curve[1]) / 2
            let end = (curve[pieces - 2] + curve[pieces - 1]) / 2
            report(
                BenchmarkLine(
                    "held-snapshot-curve-\(run)", "jobs/s", [end],
                    note: curve.map { String(Int($0)) }.joined(separator: " ")))
            let theirs = try await tools.reference(
                "held-snapshot", url: database.url,
                [
                    "--jobs", "\(piece * pieces)", "--batch", "\(options.batch)", "--connections",
                    "\(options.processes * 2)",
                ])
            return (end / start, end, theirs?.detail?.kept)
        }
        report(
            BenchmarkLine(
                "held-snapshot-kept", "end/start", runs.map { (value: $0.kept, reference: 1) },
                against: "no loss",
                goal: 0.7,
                note: runs.allSatisfy { $0.theirs != nil }
                    ? "a plain queue keeps \(median(runs.compactMap(\.theirs)))"
                    : tools.absence(of: "held-snapshot")))
    }

    /// Drains with 1 to 16 worker processes of the same configuration on one cluster.
    func workers(_ database: BenchmarkDatabase) async throws {
        var rates: [Int: [Double]] = [:]
        var waits: [Int: Int] = [:]
        _ = try await repeated("workers") { run in
            for processes in [1, 2, 4, 8, 16] {
                try await database.reset()
                try await database.enqueue(options.jobs)
                try await database.settle()
                async let blocked = lockWaits(database)
                let rate = try await drainRate(
                    database, jobs: options.jobs, processes: processes,
                    concurrency: options.concurrency / 4)
                try await database.pool.query(
                    "insert into darkroom.workers (host, pid, version, concurrency) values ('done', 0, '', 1)"
                )
                waits[processes, default: 0] += try await blocked
                rates[processes, default: []].append(rate)
                let twice = try await database.number(
                    "select count(*)::float8 as value from darkroom.finished_jobs where attempt <> 1")
                guard twice == 0 else { throw BenchmarkError("\(twice) jobs ran twice") }
                progress("workers, run \(run): \(processes) processes, \(Int(rate)) jobs/s")
            }
        }
        for processes in [1, 2, 4, 8] {
            report(
                BenchmarkLine(
                    "drain-\(processes)-processes", "jobs/s", rates[processes]!,
                    note: "sessions seen waiting for a lock: \(waits[processes]!)"))
        }
        // The best number of processes by its median, not the luckiest run.
        let best = rates.values.max { median($0) < median($1) }!
        report(
            BenchmarkLine(
                "drain-16-processes", "jobs/s", zip(rates[16]!, best).map { (value: $0, reference: $1) },
                against: "the best of 1 to 16", goal: 0.8,
                note: "no job ran twice; sessions seen waiting for a lock: \(waits[16]!)"))
    }

    /// Counts sessions that wait for a lock, by sampling until a row says that the drain is over.
    private func lockWaits(_ database: BenchmarkDatabase) async throws -> Int {
        var seen = 0
        while try await database.number(
            "select count(*)::float8 as value from darkroom.workers where host = 'done'") == 0
        {
            seen += Int(
                try await database.number(
                    """
                    select count(*)::float8 as value from pg_stat_activity
                    where datname = current_database() and wait_event_type = 'Lock'
                    """))
            try await Task.sleep(for: .milliseconds(50))
        }
        return seen
    }

    /// How many claims another key's single job waits for behind a backlog of one key.
    func fairness(_ database: BenchmarkDatabase) async throws {
        let backlog = max(10_000, Int(100_000 * options.scale))
        let claims = try await repeated("fairness") { _ -> (value: Double, reference: Double) in
            try await database.reset()
            try await database.enqueue(backlog, keys: ["busy"])
            try await database.settle()
            async let drained: Void = tools.drain(
                url: database.url, processes: options.processes, concurrency: options.batch,
                largestClaim: options.batch)
            // In the middle of the work.
            while try await database.number(
                "select count(*)::float8 as value from (select from darkroom.finished_jobs limit 5000) f")
                < min(5000, Double(backlog) / 20)
            {}
            let rows = try await database.pool.query(
                "select darkroom.enqueue_job('noop', 1, 'single') as job")
            let job = try rows[0].decode("job", as: Int64.self)
            try await drained
            guard
                try await database.number(
                    "select count(*)::float8 as value from darkroom.finished_jobs where job_id = \(job)") == 1
            else {
                throw BenchmarkError(
                    "the backlog of \(backlog) jobs ended before the other key's job")
            }
            let batches = try await database.number(
                """
                select count(distinct f.lease)::float8 as value
                from darkroom.finished_jobs single
                join darkroom.finished_jobs f on f.started_at > single.created_at and f.lease <= single.lease
                where single.job_id = \(job)
                """)
            return (batches, 2)
        }
        report(
            BenchmarkLine(
                "fairness", "claims", claims, against: "two claim batches", goal: 1, lowerIsBetter: true,
                note: "another key's single job behind a backlog of \(backlog)"))
    }
}
