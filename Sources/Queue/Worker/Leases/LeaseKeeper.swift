import JobQueue
import JobStore
import Postgres
import Synchronization
import Telemetry

/// Renews the worker's registration, which is its right to the jobs that it runs, and stops the jobs if that fails. Rescues
/// the jobs of workers that died.
final class LeaseKeeper: Sendable {
    /// The worker's registration, as it knows it.
    struct Standing: Sendable {
        /// Nil before it is registered and after it has signed off.
        fileprivate(set) var worker: WorkerID?
        fileprivate(set) var renewedAt = ContinuousClock.now
        /// True while the leases cannot be renewed; then the worker claims nothing.
        fileprivate(set) var isCutOff = false
        /// How many living workers registered before this one.
        fileprivate(set) var rank = 0
    }

    private let current = Mutex(Standing())
    /// The workers whose heartbeats stood still at the last look, with their last heartbeats.
    private let dead = Mutex<[WorkerID: Int64]>([:])
    /// Watches the heartbeat loop.
    let loop = LoopWatch()
    private let store: JobStore
    private let database: PostgresConfiguration
    private let configuration: Worker.Configuration
    private let running: RunningJobs
    private let shutdown: Shutdown
    private let wake: Wakeup
    private let metrics: WorkerMetrics
    private let log: Log

    /// - Parameter database: for the connection of the heartbeats, apart from the pool.
    init(
        store: JobStore, database: PostgresConfiguration, configuration: Worker.Configuration,
        running: RunningJobs, shutdown: Shutdown, wake: Wakeup, metrics: WorkerMetrics, log: Log
    ) {
        self.store = store
        self.database = database
        self.configuration = configuration
        self.running = running
        self.shutdown = shutdown
        self.wake = wake
        self.metrics = metrics
        self.log = log
    }

    var standing: Standing { current.withLock(\.self) }

    /// How long after its last renewal a lease counts as lost. The last quarter of its duration is for stopping the jobs.
    var longestSilence: Duration { configuration.leaseDuration * 3 / 4 }

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

    /// Renews the leases with a heartbeat every few seconds, and looks at the heartbeats of others.
    func keep() async {
        defer { loop.end() }
        var others = LivenessWatch(
            limit: configuration.leaseDuration, longestBlink: configuration.leaseDuration / 2)
        var connection: PostgresConnection?
        while !Task.isCancelled {
            loop.turn()
            try? await Task.sleep(for: configuration.heartbeatInterval)
            guard !Task.isCancelled, let worker = standing.worker else { break }
            do {
                let line: PostgresConnection
                if let connection {
                    line = connection
                } else {
                    line = try await PostgresConnection.connect(database)
                }
                connection = line
                // Taken before the query: the database may renew at once but reply late.
                let asked = ContinuousClock.now
                let reply = try await withDeadline(.seconds(5)) { [running] in
                    try await JobStore.heartbeat(of: worker, running: running.count, on: line)
                }
                note(reply, for: worker, asked: asked)
                let still = others.look(
                    at: reply.heartbeats.filter { $0.key != worker }, asked: asked, answered: .now)
                dead.withLock { $0 = still }
            } catch let error as QueueError {
                log.error("worker.taken_for_dead", ["worker": .init(worker), "error": .init("\(error)")])
                await registerAgain()
            } catch is CancellationError {
                break
            } catch {
                log.warning("worker.heartbeat_failed", ["worker": .init(worker), "error": .init("\(error)")])
                await connection?.close()
                connection = nil
            }
        }
        await connection?.close()
    }

    private func note(
        _ reply: HeartbeatReply, for worker: WorkerID, asked: ContinuousClock.Instant
    ) {
        let wasCutOff = current.withLock { standing in
            defer {
                standing.renewedAt = asked
                standing.isCutOff = false
                standing.rank = reply.heartbeats.keys.count { $0.rawValue < worker.rawValue }
            }
            return standing.isCutOff
        }
        metrics.lastHeartbeat.setToCurrentTime()
        if wasCutOff {
            log.info("worker.reconnected", ["worker": .init(worker)])
            wake.signal()
        }
        if reply.isToDrain { shutdown.drain() }
    }

    /// Takes back the jobs of the workers that are dead.
    func rescue() async throws {
        for (worker, heartbeats) in dead.withLock(\.self) { try await rescue(worker, heartbeats: heartbeats) }
    }

    /// Takes back the jobs of workers that have no row.
    func rescueOrphans() async throws {
        for worker in try await store.orphanedWorkers() { try await rescue(worker, heartbeats: nil) }
    }

    private func rescue(_ worker: WorkerID, heartbeats: Int64?) async throws {
        let (rescued, quarantined) = try await store.rescue(worker, heartbeats: heartbeats)
        metrics.jobsRescued.increment(by: rescued.count)
        metrics.jobsQuarantined.increment(by: quarantined.count)
        guard !rescued.isEmpty || !quarantined.isEmpty else { return }
        log.warning(
            "queue.rescued",
            [
                "dead_worker": .init(worker), "jobs": .init("\(rescued)"),
                "quarantined": .init("\(quarantined)"),
            ])
        wake.signal()
    }

    /// Stops the local jobs before other workers may take them, if the heartbeat does not get through.
    ///
    /// It runs in parallel to the heartbeat, because a query may hang when the server stops responding.
    func watch() async {
        let limit = longestSilence
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
    private func registerAgain() async {
        running.stopAll(.leaseLost)
        do {
            try await withDeadline(.seconds(15)) { try await self.register() }
            wake.signal()
        } catch {
            log.error("worker.register_failed", ["error": .init("\(error)")])
        }
    }

    /// Tells the database that the worker is gone. It gives the jobs that the worker still holds to others.
    func signOff() async {
        guard let worker = current.withLock({ $0.worker.take() }) else { return }
        do {
            let returned = try await withDeadline(.seconds(5)) { [store] in try await store.signOff(worker) }
            if !returned.isEmpty {
                log.warning("worker.jobs_returned", ["worker": .init(worker), "jobs": .init("\(returned)")])
            }
        } catch {
            log.warning("worker.deregister_failed", ["worker": .init(worker), "error": .init("\(error)")])
        }
    }
}
