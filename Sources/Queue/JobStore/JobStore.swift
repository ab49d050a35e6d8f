import JobQueue
package import Postgres

/// The queue in PostgreSQL: the SQL with which workers claim, keep and finish jobs.
package struct JobStore: Sendable {
    /// A worker without a heartbeat for this long counts as dead.
    package static let leaseDuration = Duration.seconds(12)

    package let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }
}
