import JobQueue
import JobStore
import Postgres

extension QueueBenchmark {
    /// One job per transaction, from four connections; pgbench sends both sides.
    func enqueue(_ database: BenchmarkDatabase) async throws {
        try await compare(
            "enqueue", "jobs/s", goal: 0.8, note: "one job per transaction, 4 connections",
            with: "enqueue-insert", database, ["--connections", "4", "--seconds", "\(options.seconds)"]
        ) {
            try await database.reset()
            return try await enqueueRate(database, connections: 4)
        }
    }

    /// One job per transaction, from 16 connections: without a worker, and with one that has nothing to do, because it serves
    /// another queue.
    func enqueueNextToIdle(_ database: BenchmarkDatabase) async throws {
        let pairs = try await repeated("enqueue-next-to-idle") { _ in
            try await database.reset()
            let alone = try await enqueueRate(database, connections: 16)
            let nextToIdle = try await withIdleWorker(of: "other", database) { [self] _ in
                [try await enqueueRate(database, connections: 16)]
            }
            return (value: nextToIdle[0], reference: alone)
        }
        report(
            BenchmarkLine(
                "enqueue-next-to-idle", "jobs/s", pairs, against: "no worker", goal: 0.9,
                note: "one job per transaction, 16 connections, and an idle worker of another queue"))
    }

    private func enqueueRate(_ database: BenchmarkDatabase, connections: Int) async throws -> Double {
        try await tools.pgbench(
            """
            \\set user random(1, 1000)
            select darkroom.enqueue_job('noop', 1, 'user-' || :user);
            """, url: database.url, connections: connections, seconds: options.seconds)
    }

    /// Many jobs in one statement, on one connection.
    func bulk(_ database: BenchmarkDatabase) async throws {
        for (name, keys) in [("enqueue-bulk", 1), ("enqueue-bulk-1000-keys", 1000)] {
            try await compare(
                name, "jobs/s", goal: 0.4,
                note: "20,000 jobs per statement, \(keys == 1 ? "one uploader" : "\(keys) uploaders")",
                with: "enqueue-copy", database, ["--jobs", "\(options.jobs)"]
            ) {
                try await database.reset()
                let names = (0..<keys).map { "user-\($0)" }
                let began = ContinuousClock.now
                try await database.enqueue(options.jobs, keys: names)
                return Double(options.jobs) / (ContinuousClock.now - began).inSeconds
            }
        }
    }
}
