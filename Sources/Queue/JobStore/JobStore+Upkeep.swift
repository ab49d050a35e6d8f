import FoundationEssentials
package import JobQueue
import Postgres

extension JobStore {
    /// Computes again when jobs are tried again if that was computed while the server's clock was ahead.
    ///
    /// - Returns: of how many jobs.
    package func planAgain() async throws -> Int {
        try await pool.query("select darkroom.plan_again() as jobs")[0].decode("jobs", as: Int.self)
    }

    /// Moves scheduled jobs that are due to waiting.
    ///
    /// - Returns: how long until the next one is due, or nil if no other is scheduled. One that was due and is still there
    ///   is locked by somebody, and does not count: it waits for the next regular call.
    package func promoteDue() async throws -> Duration? {
        var looked: Date?
        _ = try await inBatches(of: 1000) { batch in
            let rows = try await pool.query(
                "select at, darkroom.promote_due(\(batch)) as jobs from (select clock_timestamp() as at offset 0) l"
            )
            looked = try rows.first?.decode("at", as: Date.self)
            return rows
        }
        let next = try await pool.query(
            """
            select extract(epoch from run_at - clock_timestamp())::float8 as seconds
            from darkroom.jobs where waits_for = 'time' and run_at > \(looked)::timestamptz order by run_at limit 1
            """)
        return try next.first.map { .seconds(max(0, try $0.decode("seconds", as: Double.self))) }
    }

    /// Unparks jobs whose fair key is below its limit again.
    ///
    /// Most are unparked when a job of their key ends. This is for jobs that wait for their rate, and for those that were
    /// parked at that same moment.
    package func unparkAll() async throws -> Int {
        try await inBatches(of: 500) { _ in try await pool.query("select darkroom.unpark_all() as jobs") }
    }

    /// Releases the jobs that waited for the end of a drain which is over.
    ///
    /// The end itself releases only the first of them, and does not see those that are committed after it. A call releases
    /// 5,000 at most, so that it takes no more than a fraction of a second.
    package func unparkDrained() async throws -> Int {
        try await pool.query("select darkroom.forget_exceptions()")
        return try await inBatches(of: 500, atMost: 10) {
            try await pool.query("select darkroom.unpark_drained(\($0)) as jobs")
        }
    }

    /// Repeats a statement until it finds less than it may take.
    private func inBatches(
        of size: Int, atMost turns: Int = .max, _ statement: (Int) async throws -> PostgresRows
    ) async throws -> Int {
        var all = 0
        for _ in 0..<turns {
            let some = try await statement(size).first?.decode("jobs", as: Int.self) ?? 0
            all += some
            if some < size { break }
        }
        return all
    }

    /// The retry policies of kinds that have a row in the database.
    package func policies() async throws -> [JobKind: RetryPolicy] {
        let rows = try await pool.query(
            """
            select kind::text as kind, max_failures, max_crashes, jitter,
                   extract(epoch from backoff_base)::float8 as base, extract(epoch from backoff_cap)::float8 as cap,
                   extract(epoch from attempt_deadline)::float8 as attempt_deadline,
                   extract(epoch from total_deadline)::float8 as total_deadline
            from darkroom.kind_policies
            """)
        var policies: [JobKind: RetryPolicy] = [:]
        for row in rows {
            guard let kind = JobKind(rawValue: try row.decode("kind", as: String.self)) else { continue }
            var policy = RetryPolicy(
                maximumFailures: try row.decode("max_failures", as: Int.self),
                maximumCrashes: try row.decode("max_crashes", as: Int.self),
                base: .seconds(try row.decode("base", as: Double.self)),
                cap: .seconds(try row.decode("cap", as: Double.self)))
            policy.jitterShare = try row.decode("jitter", as: Double.self)
            policy.attemptDeadline = try row.decode("attempt_deadline", as: Double?.self).map { .seconds($0) }
            policy.totalDeadline = try row.decode("total_deadline", as: Double?.self).map { .seconds($0) }
            policies[kind] = policy
        }
        return policies
    }

    /// Removes the paces of keys that may start a job at once.
    package func prunePaces() async throws {
        try await pool.query("select darkroom.prune_paces()")
    }

    /// Removes one day of history that is older than the settings say, or first some of its unsuccessful jobs with their
    /// uploads.
    ///
    /// - Returns: what was removed, or nil when nothing is left to remove.
    /// - Throws: ``PostgresError`` with `lockNotAvailable` if writers held the lock; try again later.
    package func pruneHistory() async throws -> String? {
        let rows = try await pool.query("select darkroom.prune_history() as removed")
        return try rows.first?.decode("removed", as: String?.self)
    }

    /// Removes some of the records whose time is over: of deleted comments, replays, erasures, removals and decisions.
    ///
    /// - Returns: what was removed, or nil when nothing is left to remove.
    package func pruneRecords(batch: Int = 1000) async throws -> String? {
        let rows = try await pool.query("select darkroom.prune_records(\(batch)) as removed")
        return try rows.first?.decode("removed", as: String?.self)
    }

    /// Queues jobs for what people have done and no job has counted or weighed yet.
    ///
    /// - Returns: how many, or nil while another worker does so, whose jobs nobody sees yet.
    @discardableResult
    package func enqueueBacklogs() async throws -> Int? {
        let rows = try await pool.query("select darkroom.enqueue_backlogs() as jobs")
        return try rows.first?.decode("jobs", as: Int?.self) ?? nil
    }
}
