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
            return try await tools.pgbench(
                """
                \\set user random(1, 1000)
                select darkroom.enqueue_job('noop', 1, 'user-' || :user);
                """, url: database.url, connections: 4, seconds: options.seconds)
        }
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
