import Arguments
import CommandSupport
import Glibc
import JobQueue
import JobStore
import Postgres
import Telemetry
import Worker

enum BenchWorker {
    static let command = Command(
        "worker", "Run no-op jobs until none is left; used by 'bench queue'.",
        options: [
            .value("concurrency", "N", "jobs at once", default: "2000"),
            .value("largest-claim", "N", "jobs per claim", default: "500"), Settings.database,
        ],
        examples: [Example("darkroom-dev bench worker", "drains what bench queue enqueued")]
    ) { arguments in
        let url = try await Settings.databaseURL(arguments)
        let pool = PostgresPool(PostgresConfiguration(url: url, applicationName: "darkroom-worker"), size: 6)
        var configuration = Worker.Configuration(
            queues: [
                ServedQueue(
                    name: "default", concurrency: try arguments.int("concurrency", in: 1...100_000) ?? 2000)
            ],
            host: "bench", pid: getpid(), version: Release.version)
        configuration.drains = true
        configuration.largestClaim = try arguments.int("largest-claim", in: 1...10_000) ?? 500
        let worker = Worker(
            store: JobStore(pool: pool),
            database: PostgresConfiguration(url: url, applicationName: "darkroom-listener"),
            handlers: [.noop: NoopHandler()], configuration: configuration, log: Log(minimum: .warning))
        try await worker.run()
        await pool.close()
    }
}
