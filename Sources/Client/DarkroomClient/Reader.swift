import Postgres
import Synchronization

/// The server from which feeds and the map are read: a standby, or what is in front of several.
///
/// The writing server returns what this one does not: while it is away, and if it gives a statement up for what it has to replay
/// or has an older schema. So a read may run twice.
final class Reader: Sendable {
    /// How long one that is away is left alone.
    static let pause = Duration.seconds(5)

    let pool: PostgresPool
    private let writer: PostgresPool
    /// How long a read may take before the server counts as away.
    private let patience: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    /// When to ask it again; nil if it is there.
    private let retryAt = Mutex(ContinuousClock.Instant?.none)

    init(
        _ pool: PostgresPool, orElse writer: PostgresPool, patience: Duration,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.pool = pool
        self.writer = writer
        self.patience = patience
        self.now = now
    }

    func query(_ query: PostgresQuery) async throws -> PostgresRows {
        guard mayAsk() else { return try await writer.query(query) }
        do {
            let rows = try await withDeadline(patience) { [pool] in
                try await pool.withConnection { try await $0.query(query) }
            }
            retryAt.withLock { $0 = nil }
            return rows
        } catch let error as PostgresError where !error.isRefusal {
            // A statement that somebody ended says nothing of the next one.
            if error.isOutage, error.sqlState != .queryCanceled {
                retryAt.withLock { $0 = now() + Self.pause }
            }
            return try await writer.query(query)
        }
    }

    /// One read in each pause tries a server that is away, and the others do not wait for that.
    private func mayAsk() -> Bool {
        retryAt.withLock { retryAt in
            guard let due = retryAt else { return true }
            guard due <= now() else { return false }
            retryAt = now() + Self.pause
            return true
        }
    }
}
