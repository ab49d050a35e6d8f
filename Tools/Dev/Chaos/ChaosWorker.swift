import Arguments
import Chaos
import CommandSupport
import Glibc
import JobQueue
import JobStore
import Postgres
import Telemetry
import Worker

enum ChaosWorker {
    static let command = Command(
        "worker", "Run no-op jobs that take their time; used by 'chaos gaps'.",
        options: [
            .value("host", "NAME", "name in the list of workers", default: "chaos"),
            .value("concurrency", "N", "jobs at once", default: "4"),
            .value("job-time", "DURATION", "how long a job takes", default: "3s"),
            .value(
                "events", "FILE", "where to note the start and end of every attempt", default: "/dev/null"),
            Settings.database,
        ],
        examples: [Example("darkroom-dev chaos worker --job-time 10s", "runs until it gets a signal")]
    ) { arguments in
        let url = try await Settings.databaseURL(arguments)
        let concurrency = try arguments.int("concurrency", in: 1...1000) ?? 4
        // The reply to a heartbeat then says how many the worker may hold, as for 'darkroom work'.
        let pool = PostgresPool(
            PostgresConfiguration(url: url, applicationName: "darkroom-worker"), size: concurrency + 3)
        let handler = ChaosHandler(
            pool: pool, jobTime: try arguments.duration("job-time") ?? .seconds(3),
            events: try JobEvents(path: arguments.string("events") ?? "/dev/null"))
        let worker = Worker(
            store: JobStore(pool: pool),
            database: PostgresConfiguration(url: url, applicationName: "darkroom-listener"),
            handlers: [.noop: handler],
            configuration: Worker.Configuration(
                queues: [ServedQueue(name: "default", concurrency: concurrency)],
                host: arguments.string("host") ?? "chaos", pid: getpid(), version: Release.version),
            log: Log())
        let signals = Signals.stream()
        let stopping = Task { for await _ in signals { worker.stop() } }
        let parent = getppid()
        let orphaned = Task {
            // However the harness ends, its workers end too.
            while getppid() == parent { try await Task.sleep(for: .seconds(1)) }
            exit(1)
        }
        let result: Result<Void, any Error>
        do {
            result = .success(try await worker.run())
        } catch {
            result = .failure(error)
        }
        stopping.cancel()
        orphaned.cancel()
        await pool.close()
        try result.get()
    }
}
