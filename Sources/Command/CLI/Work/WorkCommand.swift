import Arguments
import CommandSupport
import Glibc
import HTTPServer
import Imaging
import Ingestion
import JobQueue
import JobStore
import MediaStore
import Postgres
import Posts
import Schema
import Telemetry
import Threads
import Worker

enum WorkCommand {
    static let command = Command(
        "work", "Start a worker, which runs jobs from the queue.",
        discussion: """
            Start as many workers as you like, on any machines that reach the database and the media store. After \
            SIGTERM or Ctrl-C, running jobs may finish within the shutdown budget; a second signal returns them to the \
            queue at once. The log goes to standard error: text on a terminal, otherwise one JSON object per line. \
            --http serves /metrics (Prometheus), /livez (the worker's loops run) and /readyz (it takes jobs) without \
            authentication. Under systemd it reports readiness, status, stopping and watchdog signals. One renderer keeps \
            one core busy, while three more jobs per renderer fetch photos or wait for the disk.

            While something that jobs need is away, such as the media store or the renderer, those jobs wait without losing a \
            try. /readyz and the log say why, and the worker goes on by itself when it is back. Only with --drain it ends if \
            no renderer can be started.

            While the database has the schema of a release that does not fit, the worker waits: it takes no jobs, /readyz \
            says why, and it goes on by itself after 'darkroom migrate'.

            Without --queue it serves the queue 'default' and, with two jobs at once, the queue 'upkeep': there the \
            schedules expire, erase-originals and prune-history do not wait behind uploads. With --queue it serves \
            only the queues that you name, so serve 'upkeep' elsewhere or name it too.
            """,
        options: [
            .value(
                "concurrency", "N",
                "how many jobs of the queue 'default' run at once (default: four per renderer)"),
            .value(
                "renderers", "N",
                "number of renderer processes (default: one per core that this process may use, but not more than jobs at once)"
            ),
            .repeated(
                "queue", "NAME=N",
                "serve only the queues given like this, N jobs at once; not with --concurrency"),
            .value(
                "connections", "N",
                "connections to the database, at most: one for heartbeats, one to listen, the others shared by jobs; fewer if "
                    + "many workers share a small server", default: "4"),
            .flag("drain", "exit when no jobs are left; shows progress on a terminal"),
            .value(
                "shutdown-budget", "TIME", "how long running jobs may go on after SIGTERM", default: "25s"),
            .value(
                "http", "ADDR",
                "serve /metrics, /livez and /readyz at HOST:PORT or :PORT; port 0 picks a free port"),
            .value("log-level", "LEVEL", "debug, info, warning or error", default: "info"),
            .value("log-format", "FORMAT", "text or json (default: text on a terminal, otherwise json)"),
            Settings.rendering, Settings.isolation, Settings.requireSandbox, Settings.database,
            Settings.media,
            Settings.gazetteer,
        ],
        examples: [
            Example("darkroom work", "runs until stopped"),
            Example("darkroom work --concurrency 4 --drain", "runs the queued jobs, then exits"),
            Example("darkroom work --http 127.0.0.1:9464", "also serves metrics and health checks"),
            Example("darkroom work --queue default=2 --queue bulk=1", "serves two queues, but not upkeep"),
        ]
    ) { try await work($0) }.reportingFailures(Settings.logFailure("worker.cannot_run"))

    private static func work(_ arguments: ParsedArguments) async throws {
        let cores = UsableCores.count
        let givenRenderers = try arguments.int("renderers", in: 1...1024)
        let queues = try servedQueues(arguments, usual: 4 * (givenRenderers ?? cores))
        // Jobs of the queue for upkeep render nothing.
        let photoJobs = queues.reduce(0) { $0 + ($1.name == ServedQueue.upkeepName ? 0 : $1.concurrency) }
        let rendererCount = givenRenderers ?? max(1, min(cores, photoJobs))
        let rendering = try Settings.renderConfiguration(arguments)
        let connections = try arguments.int("connections", in: 3...1024) ?? 4
        // First of all, because nothing works without open files.
        try OpenFiles(
            photoJobs: photoJobs, otherJobs: queues.reduce(0) { $0 + $1.concurrency } - photoJobs,
            renditions: rendering.recipe.renditions.count, renderers: rendererCount, connections: connections,
            servesHTTP: arguments.string("http") != nil
        ).require()
        let signals = Signals.stream()
        let showsProgress = arguments.flag("drain") && Terminal.isTerminal(STDERR_FILENO)
        let level = try arguments.choice("log-level", of: Log.Level.self) ?? .info
        // A progress line and a running log would overwrite each other.
        let log = Log(
            minimum: showsProgress ? max(level, .warning) : level,
            format: try arguments.choice("log-format", of: Log.Format.self))
        let registry = MetricsRegistry()
        registry.addProcessMetrics()
        let metrics = WorkerMetrics(
            registry: registry, version: Release.version, known: JobDefinition.metricLabels)
        let endpoints = WorkerEndpoints(registry: registry)
        let server = try httpServer(arguments, endpoints, log)

        let supervision = Supervision(log: log)
        var configuration = try workerConfiguration(
            arguments, queues: queues, connections: connections,
            watchesQueue: server != nil || supervision.isSupervised)
        // The worker's heartbeats and notifications have two more.
        let pool = PostgresPool(try await database(arguments), size: configuration.connections - 2)
        let gazetteers = try Settings.gazetteerHandle(arguments)
        let renderers = try Settings.renderers(
            size: rendererCount, limits: rendering.limits,
            isolation: try arguments.choice("isolation", of: RendererPool.Isolation.self) ?? .photo,
            requiresSandbox: arguments.flag("require-sandbox"), mayBeMissing: true)
        let store = JobStore(pool: pool)
        let isLasting = !configuration.drains
        let watch = GazetteerWatch(gazetteers, metrics: metrics, log: log) { gazetteer, isFirst in
            // A worker that renders nothing knows nothing of photos.
            guard photoJobs > 0 else { return }
            try await Intake.note(
                rendering.limits, gazetteer, replacesLimits: isFirst && isLasting, in: pool)
        }

        let resources = JobResources(
            pool: pool, media: try mediaStore(arguments, pool), renderers: renderers, gazetteers: gazetteers,
            rendering: rendering, log: log)
        configuration.probes = resources.probes
        configuration.needs = JobDefinition.needs
        let worker = Worker(
            store: store,
            database: try await Settings.configuration(arguments, applicationName: "darkroom-listener"),
            handlers: JobDefinition.handlers(resources),
            configuration: configuration, metrics: metrics, log: log)
        endpoints.show(worker)

        let supervising = Task {
            await supervision.tell(of: worker, shutdownBudget: configuration.shutdownBudget)
        }
        let result = await run(
            worker, until: signals, progressOf: showsProgress ? store : nil, queues: queues.map(\.name),
            beside: watch,
            RendererWatch(renderers: renderers, log: log, isNeeded: configuration.drains))
        await renderers.shutdown()
        await pool.close()
        await supervising.value
        await server?.stop()
        try result.get()
    }

    // Inlined into an async function, it makes the optimizer of Swift 6.3.1 crash.
    @inline(never)
    private static func mediaStore(
        _ arguments: ParsedArguments, _ pool: PostgresPool
    ) throws -> any MediaStore { try Settings.mediaStore(arguments, pool) }

    private static func database(_ arguments: ParsedArguments) async throws -> PostgresConfiguration {
        var database = try await Settings.configuration(arguments, applicationName: "darkroom-worker")
        // Nobody waits long behind this worker, and it waits for nobody: a job that finds a lock taken runs again later.
        database.lockTimeout = .seconds(10)
        database.idleInTransactionTimeout = .seconds(20)
        return database
    }

    private static func workerConfiguration(
        _ arguments: ParsedArguments, queues: [ServedQueue], connections: Int, watchesQueue: Bool
    ) throws -> Worker.Configuration {
        var configuration = Worker.Configuration(
            queues: queues, host: hostName(), pid: getpid(), version: Release.version)
        let release = WorkerRelease.current
        configuration.schemas = ServedSchemas(oldest: release.oldestSchema.description) {
            release.fault(release: $0.release, oldestServed: $0.oldestServed)
        }
        configuration.policies = JobDefinition.policies
        configuration.drains = arguments.flag("drain")
        configuration.connections = connections
        configuration.shutdownBudget = try arguments.duration("shutdown-budget") ?? .seconds(25)
        if watchesQueue { configuration.queueMetricsInterval = .seconds(15) }
        return configuration
    }

    private static func run(
        _ worker: Worker, until signals: AsyncStream<Int32>, progressOf store: JobStore?, queues: [String],
        beside watch: GazetteerWatch, _ rendererWatch: RendererWatch
    ) async -> Result<Void, any Error> {
        let progress = await DrainProgress(of: store, queues: queues)
        let withoutRenderers = Task {
            let error = await rendererWatch.run()
            if error != nil { worker.stop() }
            return error
        }
        return await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await _ in signals { worker.stop() }
            }
            group.addTask { await watch.run() }
            if let progress {
                group.addTask { await progress.show() }
            }
            let result: Result<Void, any Error>
            do {
                try await worker.run()
                withoutRenderers.cancel()
                if let error = await withoutRenderers.value { throw error }
                result = .success(())
            } catch {
                result = .failure(Settings.explained(error))
            }
            withoutRenderers.cancel()
            group.cancelAll()
            await group.waitForAll()
            await progress?.finish()
            return result
        }
    }

    /// - Throws: ``UsageError`` for an invalid address, `HTTPServerError` if it cannot listen there.
    private static func httpServer(
        _ arguments: ParsedArguments, _ endpoints: WorkerEndpoints, _ log: Log
    ) throws -> HTTPServer? {
        guard let address = arguments.string("http") else { return nil }
        let server: HTTPServer
        do {
            server = try HTTPServer(address: address) { endpoints.answer($0) }
        } catch {
            throw error.code == .malformedAddress
                ? UsageError("--http \(address): \(error.message)") : error
        }
        log.info(
            "http.listening", ["address": .init(server.address), "port": .init(Int(server.port))])
        return server
    }

    /// - Parameter usual: jobs at once of the default queue if no option says it.
    private static func servedQueues(_ arguments: ParsedArguments, usual: Int) throws -> [ServedQueue] {
        let given = arguments.strings("queue")
        guard !given.isEmpty else {
            return ServedQueue.usual(concurrency: try arguments.int("concurrency", in: 1...1024) ?? usual)
        }
        guard arguments.string("concurrency") == nil else {
            throw UsageError("give --concurrency or --queue NAME=N, not both")
        }
        let queues = try given.map { text -> ServedQueue in
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let number = parts.count == 2 ? Int(parts[1]) : usual
            guard let number, (1...1024).contains(number), !parts[0].isEmpty else {
                throw UsageError("--queue \(text) is not NAME=N with N from 1 to 1024, such as photos=4")
            }
            return ServedQueue(name: String(parts[0]), concurrency: number)
        }
        guard Set(queues.map(\.name)).count == queues.count else {
            throw UsageError("--queue names the same queue twice: give each queue once")
        }
        return queues
    }

    private static func hostName() -> String {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, 255)
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
