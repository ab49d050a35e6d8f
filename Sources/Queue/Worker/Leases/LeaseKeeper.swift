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
        fileprivate(set) var share: ConnectionShare
    }

    private let current: Mutex<Standing>
    private let others: Mutex<LivenessWatch>
    /// Watches the heartbeat loop.
    let loop = LoopWatch()
    private let store: JobStore
    private let database: PostgresConfiguration
    private let configuration: Worker.Configuration
    private let running: RunningJobs
    private let gate: SchemaGate
    private let breakers: Breakers
    private let shutdown: Shutdown
    private let wake: Wakeup
    private let metrics: WorkerMetrics
    private let log: Log
    private let isHanging: @Sendable () -> Bool

    /// - Parameters:
    ///   - database: for the connection of the heartbeats, apart from the pool.
    ///   - isHanging: whether this worker works no more, although it lives.
    init(
        store: JobStore, database: PostgresConfiguration, configuration: Worker.Configuration,
        running: RunningJobs, gate: SchemaGate, breakers: Breakers, shutdown: Shutdown, wake: Wakeup,
        metrics: WorkerMetrics,
        log: Log,
        isHanging: @escaping @Sendable () -> Bool
    ) {
        self.isHanging = isHanging
        self.store = store
        var database = database
        // A heartbeat that waits for a lock is tried again.
        database.lockTimeout = .seconds(2)
        self.database = database
        current = Mutex(
            Standing(share: ConnectionShare(most: configuration.connections, server: .max / 9, fleet: 1)))
        others = Mutex(
            LivenessWatch(limit: configuration.leaseDuration, longestBlink: configuration.leaseDuration / 2))
        self.configuration = configuration
        self.running = running
        self.gate = gate
        self.breakers = breakers
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
            queues: configuration.queues, previous: standing.worker)
        current.withLock { $0 = Standing(worker: worker, share: $0.share) }
        metrics.lastHeartbeat.setToCurrentTime()
        log.info(
            "worker.started",
            [
                "worker": .init(worker), "host": .init(configuration.host),
                "pid": .init(Int(configuration.pid)), "version": .init(configuration.version),
                "oldest_schema": .init(configuration.schemas.oldest),
                "concurrency": .init(configuration.concurrency),
                "queues": .init(
                    configuration.queues.map { "\($0.name)=\($0.concurrency)" }.joined(separator: ",")),
            ])
    }

    /// Renews the leases with a heartbeat every few seconds, and looks at the heartbeats of others.
    ///
    /// The heartbeats have a connection and a thread of their own: however busy this process is, they stay regular. But
    /// a worker whose claim loop hangs sends none, so that others take its jobs.
    func keep() async {
        defer { loop.end() }
        while !Task.isCancelled, standing.worker != nil {
            do {
                try await beat()
            } catch is EndOfPulse {
                try? await Task.sleep(for: configuration.heartbeatInterval)
            } catch let error as QueueError {
                log.error("worker.taken_for_dead", ["error": .init("\(error)")])
                await registerAgain()
            } catch is CancellationError {
                return
            } catch {
                gate.note(error)
                log.warning("worker.heartbeat_failed", ["error": .init("\(error)")])
                try? await Task.sleep(for: configuration.heartbeatInterval)
            }
            loop.turn()
        }
    }

    /// One heartbeat was enough: the connection is not kept.
    private struct EndOfPulse: Error {}

    private func beat() async throws {
        let connection: PostgresConnection
        do {
            connection = try await PostgresConnection.connect(database)
        } catch let error as PostgresError where error.sqlState == .tooManyConnections {
            // The pools of this worker and of others may hold all that there are, and would use them for ever.
            try await beatThroughPool()
            throw EndOfPulse()
        }
        do {
            try await beat(on: connection)
        } catch {
            await connection.close()
            throw error
        }
    }

    private func beatThroughPool() async throws {
        guard let worker = standing.worker, !isHanging() else { return }
        try await withDeadline(.seconds(5)) { [store] in
            let asked = ContinuousClock.now
            let rows = try await store.pool.query(self.heartbeat(of: worker))
            self.note(try HeartbeatReply(rows, of: worker), for: worker, asked: asked)
        }
    }

    private func beat(on connection: PostgresConnection) async throws {
        guard let worker = standing.worker else { throw CancellationError() }
        try await connection.pulse(
            every: configuration.heartbeatInterval, limit: .seconds(5),
            statement: {
                loop.turn()
                return isHanging() ? nil : heartbeat(of: worker)
            },
            receive: { rows, asked in
                note(try HeartbeatReply(rows, of: worker), for: worker, asked: asked)
                if !standing.share.keepsHeartbeat { throw EndOfPulse() }
            })
    }

    private func heartbeat(of worker: WorkerID) -> PostgresQuery {
        JobStore.heartbeat(of: worker, running: running.count, away: breakers.reports)
    }

    private func note(
        _ reply: HeartbeatReply, for worker: WorkerID, asked: ContinuousClock.Instant
    ) {
        let share = ConnectionShare(
            most: configuration.connections, server: reply.connections, fleet: reply.heartbeats.count)
        let (wasCutOff, hasNewShare) = current.withLock { standing in
            defer {
                standing.renewedAt = asked
                standing.isCutOff = false
                standing.rank = reply.heartbeats.keys.count { $0.rawValue < worker.rawValue }
                standing.share = share
            }
            return (standing.isCutOff, standing.share != share)
        }
        others.withLock { others in
            let (answered, took) = (configuration.now(), ContinuousClock.now - asked)
            others.look(
                at: reply.heartbeats.filter { $0.key != worker }, asked: answered - took, answered: answered)
        }
        gate.note(reply.schema)
        metrics.lastHeartbeat.setToCurrentTime()
        metrics.databaseConnections.set(store.pool.connections + (share.listens ? 2 : 1))
        if hasNewShare {
            log.info(
                "worker.connections",
                ["worker": .init(worker), "pool": .init(share.pool), "listens": .init("\(share.listens)")])
            Task { await store.pool.resize(to: share.pool, idleLimit: share.idleLimit) }
        }
        if wasCutOff {
            log.info("worker.reconnected", ["worker": .init(worker)])
            wake.signal()
        }
        if reply.isToDrain { shutdown.drain() }
    }

    /// Takes back the jobs of the workers that are dead.
    func rescue() async throws {
        for (worker, heartbeats) in others.withLock(\.dead) {
            try await rescue(worker, heartbeats: heartbeats)
        }
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
            try? await Task.sleep(for: configuration.heartbeatInterval)
        }
    }

    /// Tells the database that the worker is gone. It gives the jobs that the worker still holds to others.
    func signOff(within limit: Duration) async {
        guard let worker = current.withLock({ $0.worker.take() }) else { return }
        do {
            let returned = try await withDeadline(limit) { [store] in try await store.signOff(worker) }
            if !returned.isEmpty {
                log.warning("worker.jobs_returned", ["worker": .init(worker), "jobs": .init("\(returned)")])
            }
        } catch {
            log.warning("worker.deregister_failed", ["worker": .init(worker), "error": .init("\(error)")])
        }
    }
}
