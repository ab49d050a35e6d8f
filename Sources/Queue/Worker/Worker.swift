package import JobQueue
package import JobStore
package import Postgres
package import Telemetry

/// One worker process: claims jobs, runs them, keeps their leases, and takes over the jobs of dead workers.
///
/// Each of these is a part with its own state; the worker starts and stops them together.
package final class Worker: Sendable {
    /// What happens once in the life of a worker.
    package enum Milestone: Sendable {
        /// The database has a schema that its release cannot serve: the worker waits until it has another.
        case waiting
        /// The worker is registered in the database, and claims jobs from now on.
        case registered
        /// ``Worker/stop()`` was called: it takes no new jobs, and running jobs have the shutdown budget.
        case stopping
    }

    let configuration: Configuration
    let running: RunningJobs
    let shutdown: Shutdown
    let gate: SchemaGate
    let leases: LeaseKeeper
    let claims: ClaimLoop
    let queueWatch: QueueWatch
    let breakers: Breakers
    private let listener: Listener
    private let policies: RetryPolicies
    private let upkeep: Upkeep
    private let completer: Completer
    private let ends: AttemptEnds
    private let store: JobStore
    private let log: Log
    /// For one reader.
    package let milestones: AsyncStream<Milestone>
    private let reach: AsyncStream<Milestone>.Continuation

    /// - Parameters:
    ///   - database: for the connections that send heartbeats and listen for wake-ups, apart from the pool.
    package init(
        store: JobStore, database: PostgresConfiguration, handlers: [JobKind: any JobHandler],
        configuration: Configuration, metrics: WorkerMetrics = .unexposed(), log: Log
    ) {
        self.configuration = configuration
        self.log = log
        self.store = store
        (milestones, reach) = AsyncStream.makeStream()
        metrics.concurrency.set(configuration.concurrency)
        let claimWatch = LoopWatch()
        let attemptMetrics = AttemptMetrics(metrics, kinds: handlers.keys)
        // Wakes the claim loop. Every part that frees a slot or learns of new work signals it.
        let wake = Wakeup()
        running = RunningJobs(shownBy: metrics.jobsRunning)
        shutdown = Shutdown(budget: configuration.shutdownBudget, running: running, wake: wake, log: log)
        policies = RetryPolicies(
            store: store, usual: configuration.policies, standard: configuration.policy)
        breakers = Breakers(
            probes: configuration.probes, pauses: configuration.probePauses, needs: configuration.needs,
            wake: wake, metrics: metrics, log: log)
        completer = Completer(store: store, log: log)
        ends = AttemptEnds(
            store: store, policies: policies, completer: completer, running: running, shutdown: shutdown,
            breakers: breakers, wake: wake, metrics: attemptMetrics, log: log)
        gate = SchemaGate(configuration: configuration, wake: wake, metrics: metrics, log: log)
        leases = LeaseKeeper(
            store: store, database: database, configuration: configuration, running: running,
            gate: gate, breakers: breakers, shutdown: shutdown, wake: wake, metrics: metrics, log: log
        ) { [claimWatch] in
            claimWatch.check("claim_loop", limit: configuration.standstillLimit * 2).fault != nil
        }
        let (promotion, review) = (Wakeup(), Wakeup())
        listener = Listener(
            pool: store.pool, database: database, configuration: configuration, leases: leases,
            running: running, wake: wake, promotion: promotion, review: review, metrics: metrics, log: log)
        claims = ClaimLoop(
            store: store, kinds: Array(handlers.keys), configuration: configuration, leases: leases,
            gate: gate, breakers: breakers, listener: listener, shutdown: shutdown, running: running,
            wake: wake,
            attempts: AttemptRunner(handlers: handlers, running: running, ends: ends),
            metrics: attemptMetrics, log: log, loop: claimWatch, unanswered: LoopWatch())
        upkeep = Upkeep(
            store: store, interval: configuration.maintenanceInterval, gate: gate, leases: leases,
            policies: policies, running: running, promotion: promotion, cancellation: review, wake: wake,
            metrics: metrics, log: log)
        queueWatch = QueueWatch(
            store: store, interval: configuration.queueMetricsInterval,
            queues: configuration.queues.map(\.name), kinds: Array(handlers.keys), metrics: metrics, log: log)
    }

    /// Runs until ``stop()`` or an operator's drain order, or with `drains` until no work is left. Waits first for a schema
    /// that it can serve.
    ///
    /// - Throws: ``PostgresError`` if the database cannot be reached at the start, or has no schema of Darkroom. The worker
    ///   waits for the end of later outages.
    package func run() async throws {
        defer { reach.finish() }
        do {
            try await start()
        } catch is CancellationError {
            return log.info("worker.stopped")
        }
        await withTaskGroup { group in
            group.addTask { await self.leases.keep() }
            group.addTask { await self.leases.watch() }
            group.addTask { await self.listener.run() }
            group.addTask { await self.upkeep.run() }
            group.addTask { await self.breakers.run() }
            group.addTask { await self.queueWatch.run() }
            group.addTask { await self.shutdown.enforceBudget { self.reach.yield(.stopping) } }
            group.addTask { await self.completer.run { self.ends.note($0, stale: $1) } }
            // The claim loop ends by itself; the parts that support it are stopped afterwards.
            await self.claims.run()
            group.cancelAll()
        }
        await leases.signOff(
            within: running.count == 0 ? configuration.idleSignOffLimit : configuration.signOffLimit)
        log.info("worker.stopped")
    }

    /// Waits for a schema that it can serve, and registers.
    private func start() async throws {
        try await gate.waitUntilOpen(interval: configuration.heartbeatInterval) {
            try await patiently { [store] in try await store.schema() }
        } waiting: {
            reach.yield(.waiting)
        }
        try await patiently { [leases] in try await leases.register() }
        reach.yield(.registered)
        do {
            try await patiently { [policies] in try await policies.load() }
        } catch is CancellationError {
            // It is registered, so it signs off as always.
        } catch {
            log.warning("worker.policies_not_read", ["error": .init("\(error)")])
        }
    }

    /// Repeats `body` while the server has no free connection, does not respond, or a lock is not free, and says so in the
    /// log, once and then every minute.
    ///
    /// - Throws: `CancellationError` when the worker is told to stop, and other errors of `body`.
    private func patiently<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) async throws -> T {
        var saidAt: ContinuousClock.Instant?
        while true {
            do {
                return try await shutdown.untilStopped { try await withDeadline(.seconds(10), body) }
            } catch let error as PostgresError
                where error.sqlState == .tooManyConnections || error.isContention || error.code == .timeout
            {
                if let saidAt, saidAt + .seconds(60) > .now { continue }
                saidAt = .now
                log.warning("worker.start_waits", ["error": .init("\(error)")])
            }
        }
    }

    /// Asks the worker to finish. The first call lets running jobs end within the shutdown budget; the second returns them
    /// at once.
    package func stop() { shutdown.stop() }

    /// Asks the worker to take no new jobs, and to stop when the running ones have ended, however long they take. The first
    /// ``stop()`` after it gives them the shutdown budget.
    package func drain() { shutdown.drain() }
}
