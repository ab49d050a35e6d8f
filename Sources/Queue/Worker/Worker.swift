package import JobQueue
package import JobStore
package import Postgres
import Synchronization
package import Telemetry

/// One worker process: claims jobs, runs them, keeps their leases, and takes over from the dead.
package final class Worker: Sendable {
    package struct Configuration: Sendable {
        /// The queues that it serves; one at least.
        package var queues: [ServedQueue]
        package var host: String
        package var pid: Int32
        package var version: String
        /// For kinds without a policy of their own in the database.
        package var policy = RetryPolicy.standard
        /// Return once nothing is left that could run.
        package var drains = false
        /// Jobs that one claim takes at most.
        package var largestClaim = 500
        /// How long running jobs may go on after ``Worker/stop()`` before they are given back.
        package var shutdownBudget = Duration.seconds(25)
        /// The longest an idle worker goes without looking, should a notification be lost.
        package var pollInterval = Duration.seconds(2)
        /// The same while no notification can be received.
        package var deafPollInterval = Duration.milliseconds(500)
        package var heartbeatInterval = Duration.seconds(3)
        package var maintenanceInterval = Duration.seconds(1)
        /// How often the queue's metrics are read from the database, a bounded but costly look; nil for never.
        package var queueMetricsInterval: Duration?
        /// A loop of which no turn is seen for longer stands still. Longer than ``pollInterval``, and than any
        /// query may take.
        package var standstillLimit = Duration.seconds(45)
        /// How often the listener proves that notifications still reach it.
        package var echoInterval = Duration.seconds(10)

        package init(queues: [ServedQueue], host: String, pid: Int32, version: String) {
            self.queues = queues
            self.host = host
            self.pid = pid
            self.version = version
        }

        var concurrency: Int { queues.reduce(0) { $0 + $1.concurrency } }
    }

    enum Phase: Sendable, Equatable {
        case working
        /// No new jobs; those running may end.
        case finishing
        /// Those running are given back.
        case abandoning
    }

    struct State {
        var phase = Phase.working
        var worker: WorkerID?
        /// No claims while the leases cannot be renewed.
        var isCutOff = false
        /// Notifications reach this worker.
        var isListening = false
        var policies: [JobKind: RetryPolicy] = [:]
        /// Jobs that waited when the queue was last looked at.
        var waiting: Int?
    }

    let store: JobStore
    let database: PostgresConfiguration
    let handlers: [JobKind: any JobHandler]
    let configuration: Configuration
    let log: Log
    let metrics: WorkerMetrics
    let kindMetrics: [JobKind: KindMetrics]
    let running: RunningJobs
    let completer: Completer
    let wake = Wakeup()
    let stopped = Wakeup()
    let state = Mutex(State())
    let lastRenewal = Mutex(ContinuousClock.now)
    let claimLoop = LoopWatch()
    let heartbeatLoop = LoopWatch()
    /// For one reader.
    package let milestones: AsyncStream<Milestone>
    private let reach: AsyncStream<Milestone>.Continuation

    /// - Parameters:
    ///   - database: for the connection that listens for wake-ups, apart from the pool.
    package init(
        store: JobStore, database: PostgresConfiguration, handlers: [JobKind: any JobHandler],
        configuration: Configuration, metrics: WorkerMetrics = .unexposed(), log: Log
    ) {
        self.store = store
        self.database = database
        self.handlers = handlers
        self.configuration = configuration
        self.log = log
        self.metrics = metrics
        kindMetrics = Dictionary(
            uniqueKeysWithValues: handlers.keys.map { ($0, KindMetrics(metrics, $0)) })
        running = RunningJobs(shownBy: metrics.jobsRunning)
        (milestones, reach) = AsyncStream.makeStream()
        metrics.concurrency.set(configuration.concurrency)
        completer = Completer(store: store, log: log)
    }

    /// Works until ``stop()`` or an operator's order to drain, or with `drains` until nothing is left.
    ///
    /// - Throws: ``PostgresError`` where the database cannot be reached at the start. Later outages
    ///   are waited out.
    package func run() async throws {
        defer { reach.finish() }
        try await register()
        reach.yield(.registered)
        await loadPolicies()
        await withTaskGroup { group in
            group.addTask { await self.keepLeases() }
            group.addTask { await self.watchLeases() }
            group.addTask { await self.listen() }
            group.addTask { await self.maintain() }
            group.addTask { await self.watchQueue() }
            group.addTask { await self.enforceShutdownBudget() }
            group.addTask { await self.completer.run { self.noteEnds($0, stale: $1) } }
            // The work ends of itself; what keeps it going is then stopped.
            await self.work()
            group.cancelAll()
        }
        if let worker = state.withLock({ $0.worker.take() }) {
            do {
                try await withDeadline(.seconds(5)) { [store, running] in
                    try await store.deregister(worker, holdsJobs: running.count > 0)
                }
            } catch {
                log.warning(
                    "worker.deregister_failed", ["worker": .init(worker), "error": .init("\(error)")])
            }
        }
        log.info("worker.stopped")
    }

    /// Asks the worker to finish. The first call lets running jobs end within the shutdown budget; a
    /// second gives them back at once.
    package func stop() {
        state.withLock { state in
            state.phase = state.phase == .working ? .finishing : .abandoning
        }
        stopped.signal()
        wake.signal()
    }

    /// Finishes as if told to by ``stop()``, but only once.
    package func drain() {
        let isNews = state.withLock { state in
            guard state.phase == .working else { return false }
            state.phase = .finishing
            return true
        }
        guard isNews else { return }
        log.info("worker.draining", ["running": .init(running.count)])
        stopped.signal()
        wake.signal()
    }

    var phase: Phase { state.withLock(\.phase) }

    func policy(of kind: JobKind) -> RetryPolicy {
        state.withLock { $0.policies[kind] } ?? configuration.policy
    }

    func register() async throws {
        let worker = try await store.register(
            host: configuration.host, pid: configuration.pid, version: configuration.version,
            queues: configuration.queues)
        lastRenewal.withLock { $0 = ContinuousClock.now }
        metrics.lastHeartbeat.setToCurrentTime()
        state.withLock { state in
            state.worker = worker
            state.isCutOff = false
        }
        log.info(
            "worker.started",
            [
                "worker": .init(worker), "host": .init(configuration.host),
                "pid": .init(Int(configuration.pid)), "concurrency": .init(configuration.concurrency),
                "queues": .init(
                    configuration.queues.map { "\($0.name)=\($0.concurrency)" }.joined(separator: ",")),
            ])
    }

    private func enforceShutdownBudget() async {
        while phase == .working, !Task.isCancelled { await stopped.wait(atMost: .seconds(3600)) }
        guard !Task.isCancelled else { return }
        reach.yield(.stopping)
        log.info(
            "worker.stopping",
            ["running": .init(running.count), "budget_ms": .init(configuration.shutdownBudget)])
        if phase == .finishing { await stopped.wait(atMost: configuration.shutdownBudget) }
        guard !Task.isCancelled else { return }
        state.withLock { $0.phase = .abandoning }
        running.stopAll(.shutdown)
        wake.signal()
    }
}
