import JobStore
import Postgres
import Synchronization
import Telemetry

/// Closed while the database has a schema that the worker's release cannot serve. Then the worker claims nothing and does
/// nothing for others; what it runs may end, and its heartbeats go on.
final class SchemaGate: Sendable {
    private struct State {
        /// Nil while it is open.
        var fault: String?
        /// When the log last said why; nil while it is open.
        var saidAt: ContinuousClock.Instant?
        var stepsUnderWay = 0
    }

    private static let reminder = Duration.seconds(60)

    private let state = Mutex(State(fault: "the worker has not looked yet"))
    private let served: ServedSchemas
    private let version: String
    private let wake: Wakeup
    private let metrics: WorkerMetrics
    private let log: Log

    init(configuration: Worker.Configuration, wake: Wakeup, metrics: WorkerMetrics, log: Log) {
        served = configuration.schemas
        version = configuration.version
        self.wake = wake
        self.metrics = metrics
        self.log = log
    }

    /// Why it is closed; nil while it is open.
    var fault: String? { state.withLock(\.fault) }
    var isOpen: Bool { fault == nil }

    /// How many steps began while it was open and have not ended. Once it is closed and this is 0, the worker does nothing more.
    var stepsUnderWay: Int { state.withLock(\.stepsUnderWay) }

    /// Does a step if it is open. One that has begun goes on when it closes.
    ///
    /// - Returns: what `body` returns; nil if it is closed.
    func ifOpen<T>(_ body: () async throws -> T) async rethrows -> T? {
        let isOpen = state.withLock { state in
            guard state.fault == nil else { return false }
            state.stepsUnderWay += 1
            return true
        }
        guard isOpen else { return nil }
        defer { state.withLock { $0.stepsUnderWay -= 1 } }
        return try await body()
    }

    /// Opens or closes it.
    func note(_ schema: RecordedSchema?) {
        guard let schema else {
            return set("no release has finished migrating the database: run 'darkroom migrate'")
        }
        set(served.fault(schema))
    }

    /// Closes it if a statement of the worker did not fit the schema.
    func note(_ error: any Error) {
        guard let error = error as? PostgresError, error.isSchemaMismatch else { return }
        set("the database has the schema of another release: \(error)")
    }

    private func set(_ fault: String?) {
        let now = ContinuousClock.now
        let isDue = state.withLock { state in
            defer { state.fault = fault }
            guard let fault else { return state.saidAt.take() != nil }
            if fault == state.fault, let saidAt = state.saidAt, now < saidAt + Self.reminder { return false }
            state.saidAt = now
            return true
        }
        metrics.schemaServed.set(fault == nil)
        guard isDue else { return }
        if let fault {
            log.warning("worker.schema_not_served", ["version": .init(version), "reason": .init(fault)])
        } else {
            log.info("worker.schema_served", ["version": .init(version)])
            wake.signal()
        }
    }

    /// Returns once it is open.
    ///
    /// - Parameters:
    ///   - read: throws `CancellationError` when the worker is told to stop, which a signal of `wake` announces.
    ///   - waiting: called once, if it has to wait.
    /// - Throws: ``PostgresError`` if the database cannot be reached at the start, or has no schema of Darkroom; what `read`
    ///   throws.
    func waitUntilOpen(
        interval: Duration, read: () async throws -> RecordedSchema?, waiting: () -> Void
    ) async throws {
        note(try await read())
        if !isOpen { waiting() }
        while !isOpen {
            await wake.wait(atMost: interval)
            do {
                note(try await read())
            } catch let error as PostgresError where error.isOutage {
                continue
            }
        }
    }
}
