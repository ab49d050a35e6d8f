import JobQueue
import JobStore
import Postgres
import Synchronization
import Telemetry

/// Wakes the claim loop when jobs are enqueued, and the review when a running job is cancelled.
///
/// Any login may notify, so a notification only says when to look: what is to be done is read from the tables.
/// Polling is the safety net: without this connection, jobs are only found later. An echo detects a connection that
/// looks alive but receives nothing.
final class Listener: Sendable {
    /// The listener's own echo did not arrive.
    private struct DeafListener: Error, CustomStringConvertible {
        let description =
            "notifications do not arrive: the connection is dead, or goes through a pooler in transaction mode"
    }

    /// Whether notifications reach this worker.
    private let hears = Mutex(false)
    private let pool: PostgresPool
    private let database: PostgresConfiguration
    private let configuration: Worker.Configuration
    private let leases: LeaseKeeper
    private let running: RunningJobs
    private let wake: Wakeup
    private let promotion: Wakeup
    private let review: Wakeup
    private let metrics: WorkerMetrics
    private let log: Log

    init(
        pool: PostgresPool, database: PostgresConfiguration, configuration: Worker.Configuration,
        leases: LeaseKeeper, running: RunningJobs, wake: Wakeup, promotion: Wakeup, review: Wakeup,
        metrics: WorkerMetrics, log: Log
    ) {
        self.pool = pool
        self.database = database
        self.configuration = configuration
        self.leases = leases
        self.running = running
        self.wake = wake
        self.promotion = promotion
        self.review = review
        self.metrics = metrics
        self.log = log
    }

    var isListening: Bool { hears.withLock(\.self) }

    /// Listens until cancelled.
    func run() async {
        var faults = 0
        while !Task.isCancelled {
            guard leases.standing.share.listens else {
                _ = note(false)
                metrics.listenerConnected.set(false)
                try? await Task.sleep(for: .seconds(5))
                continue
            }
            do {
                let connection = try await PostgresConnection.connect(database)
                do {
                    let echo = "darkroom.echo.\(await connection.backendProcessID)"
                    for channel in [Self.jobs, "darkroom.control", echo] {
                        try await withDeadline(.seconds(5)) { try await connection.listen(channel) }
                    }
                    try await hear(connection, echo: echo) { faults = 0 }
                } catch {
                    await connection.close()
                    throw error
                }
                await connection.close()
            } catch is CancellationError {
                return
            } catch {
                faults += 1
                metrics.listenerConnected.set(false)
                let wasListening = note(false)
                // A pooler will not go away, but a broken connection can be replaced soon.
                let isDeaf = error is DeafListener
                let pause: Duration =
                    isDeaf && faults > 1
                    ? .seconds(60)
                    : RetryPolicy.reconnecting.delay(afterFailure: faults, jitter: .random(in: 0...1))
                if wasListening || faults <= 2 {
                    log.warning(
                        isDeaf ? "worker.listener_deaf" : "worker.listener_lost",
                        [
                            "error": .init("\(error)"),
                            "polling_every_ms": .init(configuration.deafPollInterval),
                        ])
                }
                wake.signal()
                try? await Task.sleep(for: pause)
            }
        }
    }

    /// - Returns: the previous value.
    private func note(_ isListening: Bool) -> Bool {
        hears.withLock { hears in
            defer { hears = isListening }
            return hears
        }
    }

    /// The channel of jobs that can be claimed.
    private static let jobs = "darkroom.jobs"

    private func hear(
        _ connection: PostgresConnection, echo: String, proven: () -> Void
    ) async throws {
        // The first echo comes from another connection: a pooler in transaction mode passes on only notifications that come
        // back with the listener's own statement.
        try await withDeadline(.seconds(5)) {
            try await self.pool.query("select pg_notify(\(echo), '')")
        }
        try await waitForEcho(connection, echo)
        let isTold = try await withDeadline(.seconds(5)) {
            try await self.pool.query("select darkroom.may_notify() as is_told")[0].decode(
                "is_told", as: Bool.self)
        }
        if !isTold {
            log.info("worker.polls", ["polling_every_ms": .init(configuration.deafPollInterval)])
        }
        while !Task.isCancelled, leases.standing.share.listens {
            try await withDeadline(.seconds(5)) {
                try await connection.query("select pg_notify(\(echo), '')")
            }
            try await waitForEcho(connection, echo)
            proven()
            metrics.listenerConnected.set(true)
            if isTold, !note(true) {
                log.info("worker.listening")
                // Look for jobs that were enqueued before the connection listened.
                wake.signal()
            }
            let next = ContinuousClock.now + configuration.echoInterval
            while let notification = try await connection.nextNotification(timeout: next - .now) {
                heed(notification)
            }
        }
    }

    private func waitForEcho(_ connection: PostgresConnection, _ echo: String) async throws {
        let deadline = ContinuousClock.now + .seconds(5)
        while let notification = try await connection.nextNotification(timeout: deadline - .now) {
            if notification.channel == echo { return }
            heed(notification)
        }
        throw DeafListener()
    }

    private func heed(_ notification: PostgresNotification) {
        if notification.channel == Self.jobs {
            (notification.payload == "due" ? promotion : wake).signal()
            return
        }
        let words = notification.payload.split(separator: " ")
        guard words.count == 2, words[0] == "cancel", let number = Int64(words[1]) else { return }
        if running.has(JobID(rawValue: number)) { review.signal() }
    }
}
