package import JobQueue
import JobStore
package import Postgres
package import Telemetry

extension JobKind {
    package static let tally = JobKind("tally")
    package static let reweigh = JobKind("reweigh")
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

/// Computes the averages on which weighted ratings depend, and rewrites the ratings if the averages have moved.
package struct ReweighHandler: JobHandler {
    private let pool: PostgresPool
    private let log: Log

    package init(pool: PostgresPool, log: Log) {
        self.pool = pool
        self.log = log
    }

    package func run(_ job: ClaimedJob, trace: AttemptTrace) async throws -> Completion {
        trace.enter("average")
        let moved = try await pool.query("select darkroom.recompute_averages() as moved")
        guard try moved.first?.decode("moved", as: Bool.self) == true else { return .endedByBatch }
        trace.enter("reweigh")
        var last: Int64? = 0
        while let post = last {
            let rows = try await pool.query("select darkroom.reweigh(\(post)) as last")
            last = try rows.first?.decode("last", as: Int64?.self)
        }
        let finished = try await pool.query("select darkroom.finish_reweigh() as yes")
        guard try finished.first?.decode("yes", as: Bool.self) == true else {
            throw AttemptError(
                .notYet(
                    Reason(
                        code: "ranks_in_use",
                        message: "Other transactions were changing posts at the same time."),
                    delay: .seconds(30)))
        }
        log.info("ranks.reweighed", job.logFields(trace))
        return .endedByBatch
    }
}
