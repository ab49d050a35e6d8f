package import JobQueue
import JobStore
package import Postgres

extension JobKind {
    package static let tally = JobKind("tally")
}

/// Brings up to date what follows from votes, views and other changes: each of its steps is a function of `sql/`.
///
/// Workers look each second whether there is anything that no tally has counted, and queue one; see
/// `darkroom.enqueue_backlogs`. So what a tally does not see, or cannot finish, the next one does.
package struct TallyHandler: JobHandler {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// In this order: a later one may find what an earlier one has written.
    package static let steps: [(stage: String, run: PostgresQuery)] = [
        ("count", "select darkroom.tally_counters() as number"),
        ("likes", "select darkroom.notify_of_likes() as number"),
        ("activities", "select darkroom.move_activities() as number"),
        ("map", "select darkroom.tally_map() as number"),
        ("events", "select darkroom.notify_of_events() as number"),
        ("inboxes", "select darkroom.fill_inboxes() as number"),
    ]

    package func run(_ job: ClaimedJob, trace: AttemptTrace) async throws -> Completion {
        for step in Self.steps {
            trace.enter(step.stage)
            try await repeated(step.run)
        }
        return .endedByBatch
    }

    /// Rounds per step, so that endless changes in one do not block the others. A round takes thousands, or 200 posts of an activity.
    private static let mostTurns = 20

    /// Runs a query until it finds nothing to do, or for the most turns.
    private func repeated(_ query: PostgresQuery) async throws {
        for _ in 0..<Self.mostTurns {
            let rows = try await pool.query(query)
            if try rows.first?.decode("number", as: Int64.self) ?? 0 == 0 { return }
        }
    }
}
