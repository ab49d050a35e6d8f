import JobQueue
import JobStore
import Postgres
import Synchronization
import Telemetry

/// Renews the worker's registration, which is its right to the jobs that it runs, and stops the jobs if that fails.
final class LeaseKeeper: Sendable {
    /// How long after its last renewal a lease counts as lost. The last quarter of its duration is for stopping the jobs.
    static let longestSilence = JobStore.leaseDuration * 3 / 4

    /// The worker's registration, as it knows it.
    struct Standing: Sendable {
        /// Nil before it is registered and after it has signed off.
        fileprivate(set) var worker: WorkerID?
        fileprivate(set) var renewedAt = ContinuousClock.now
        /// True while the leases cannot be renewed; then the worker claims nothing.
        fileprivate(set) var isCutOff = false
    }

    private let current = Mutex(Standing())
    /// Watches the heartbeat loop.
    let loop = LoopWatch()
    private let store: JobStore
    private let configuration: Worker.Configuration
    private let running: RunningJobs
    private let shutdown: Shutdown
    private let wake: Wakeup
    private let metrics: WorkerMetrics
    private let log: Log

    init(
        store: JobStore, configuration: Worker.Configuration, running: RunningJobs, shutdown: Shutdown,
        wake: Wakeup, metrics: WorkerMetrics, log: Log
    ) {
        self.store = store
        self.configuration = configuration
        self.running = running
        self.shutdown = shutdown
        self.wake = wake
        self.metrics = metrics
        self.log = log
    }

    var standing: Standing { current.withLock(\.self) }

    func register() async throws {
        let worker = try await store.register(
            host: configuration.host, pid: configuration.pid, version: configuration.version,
            queues: configuration.queues)
        current.withLock { $0 = Standing(worker: worker) }
        metrics.lastHeartbeat.setToCurrentTime()
        log.info(
            "worker.started",
            [
                "worker": .init(worker), "host": .init(configuration.host),
                "pid": .init(Int(configuration.pid)), "concurrency": .init(configuration.concurrency),
                "queues": .init(
                    configuration.queues.map { "\($0.name)=\($0.concurrency)" }.joined(separator: ",")),
            ])
    }

    /// Renews the leases with a heartbeat every few seconds.
    func keep() async {
        defer { loop.end() }
        while !Task.isCancelled {
            loop.turn()
            try? await Task.sleep(for: configuration.heartbeatInterval)
            guard !Task.isCancelled, let worker = standing.worker else { return }
            // Taken before the query: the database may renew at once but reply late.
            let sent = ContinuousClock.now
            do {
                let isToDrain = try await withDeadline(.seconds(5)) { [store, running] in
                    try await store.heartbeat(of: worker, running: running.count)
                }
                let wasCutOff = current.withLock { standing in
                    defer { (standing.renewedAt, standing.isCutOff) = (sent, false) }
                    return standing.isCutOff
                }
                metrics.lastHeartbeat.setToCurrentTime()
                if wasCutOff {
                    log.info("worker.reconnected", ["worker": .init(worker)])
                    wake.signal()
                }
                if isToDrain { shutdown.drain() }
            } catch is QueueError {
                await registerAgain(after: worker)
            } catch is CancellationError {
                return
            } catch {
                log.warning("worker.heartbeat_failed", ["worker": .init(worker), "error": .init("\(error)")])
            }
        }
    }

    /// Stops the local jobs before other workers may take them, if the heartbeat does not get through.
    ///
    /// It runs in parallel to the heartbeat, because a query may hang when the server stops responding.
    func watch() async {
        let limit = Self.longestSilence
        while !Task.isCancelled {
            try? await Task.sleep(until: standing.renewedAt + limit, clock: .continuous)
            guard !Task.isCancelled else { return }
            let wasCutOff: Bool? = current.withLock { standing in
                guard standing.renewedAt + limit <= .now else { return nil }
                defer { standing.isCutOff = true }
                return standing.isCutOff
            }
            guard let wasCutOff else { continue }
            if !wasCutOff { log.error("worker.cut_off", ["running": .init(running.count)]) }
            running.stopAll(.leaseLost)
            try? await Task.sleep(for: configuration.heartbeatInterval)
        }
    }

    /// Registers under a new number after the worker was removed as dead.
    private func registerAgain(after worker: WorkerID) async {
        log.error("worker.taken_for_dead", ["worker": .init(worker), "running": .init(running.count)])
        running.stopAll(.leaseLost)
        do {
            try await withDeadline(.seconds(15)) { try await self.register() }
            wake.signal()
        } catch {
            log.error("worker.register_failed", ["error": .init("\(error)")])
        }
    }

    /// Tells the database that the worker is gone.
    func signOff() async {
        guard let worker = current.withLock({ $0.worker.take() }) else { return }
        do {
            try await withDeadline(.seconds(5)) { [store, running] in
                try await store.deregister(worker, holdsJobs: running.count > 0)
            }
        } catch {
            log.warning("worker.deregister_failed", ["worker": .init(worker), "error": .init("\(error)")])
        }
    }
}
