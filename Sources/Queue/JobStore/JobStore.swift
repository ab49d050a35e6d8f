import JobQueue
package import Postgres

/// The queue in PostgreSQL: all SQL by which workers claim, keep and finish jobs.
package struct JobStore: Sendable {
    /// A worker that has not been heard of for this long is taken for dead.
    package static let leaseDuration = Duration.seconds(12)

    package let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }
}
