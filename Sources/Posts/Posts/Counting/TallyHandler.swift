package import JobQueue
import JobStore
package import Postgres
package import Telemetry

extension JobKind {
    package static let tally = JobKind("tally")
    package static let reweigh = JobKind("reweigh")
}

/// Adds up votes, comments and views, updates the map with them, and notifies readers of events.
///
/// Transactions that were running when the job began may rely on it although it could not see their changes. In that
/// case another job follows.
package struct TallyHandler: JobHandler {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    package func run(_ job: ClaimedJob, trace: AttemptTrace) async throws -> Completion {
        trace.enter("count")
        // Any transaction below this number that still runs at the end may bring more changes.
        let start = try await number("select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as number")
        var isComplete = try await repeated("select darkroom.tally_counters() as number")
        trace.enter("map")
        isComplete = try await repeated("select darkroom.tally_map() as number") && isComplete
        trace.enter("events")
        isComplete = try await repeated("select darkroom.notify_of_events() as number") && isComplete
        trace.enter("look_back")
        if isComplete {
            try await pool.query("select darkroom.request_tally_after(\(start))")
        } else {
            try await pool.query("select darkroom.request_tally()")
        }
        return .endedByBatch
    }

    /// Rounds per stage, so that endless changes in one stage do not block the others. Each round takes thousands.
    private static let mostTurns = 20

    /// Runs a query until it finds nothing to do. Returns false if work is left after the last round.
    private func repeated(_ query: PostgresQuery) async throws -> Bool {
        for _ in 0..<Self.mostTurns {
            if try await number(query) == 0 { return true }
        }
        return false
    }

    private func number(_ query: PostgresQuery) async throws -> Int64 {
        try await pool.query(query).first?.decode("number", as: Int64.self) ?? 0
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
        log.info("ranks.reweighed", job.logFields(trace))
        return .endedByBatch
    }
}
