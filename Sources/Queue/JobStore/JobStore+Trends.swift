import Postgres

/// What ended in each minute of the last hour, the earliest first.
package struct QueueTrends: Sendable {
    package let succeeded: [Int]
    package let rejected: [Int]
    package let failed: [Int]
    /// Attempts that did not finish their job.
    package let returned: [Int]
    /// Whether everything was counted.
    package let isWhole: Bool

    /// Rows of each table that are counted, at most.
    package static let limit = 100_000
}

extension JobStore {
    package func trends() async throws -> QueueTrends {
        let rows = try await pool.query(
            """
            with ends as materialized (
                (select state::text as what, finished_at as at from darkroom.finished_jobs
                 where finished_at > now() - interval '1 hour' and state <> 'cancelled' limit \(QueueTrends.limit))
                union all
                (select 'returned', ended_at from darkroom.job_attempts
                 where ended_at > now() - interval '1 hour' limit \(QueueTrends.limit)))
            select what, 59 - least(59, greatest(0, floor(extract(epoch from now() - at) / 60)))::int as minute, count(*) as count
            from ends group by 1, 2
            """)
        var minutes: [String: [Int]] = [:]
        for row in rows {
            let what = try row.decode("what", as: String.self)
            minutes[what, default: Array(repeating: 0, count: 60)][try row.decode("minute", as: Int.self)] =
                try row.decode("count", as: Int.self)
        }
        func values(_ what: String) -> [Int] { minutes[what] ?? Array(repeating: 0, count: 60) }
        let finished = ["succeeded", "rejected", "failed"].map { values($0).reduce(0, +) }.reduce(0, +)
        return QueueTrends(
            succeeded: values("succeeded"), rejected: values("rejected"), failed: values("failed"),
            returned: values("returned"),
            isWhole: max(finished, values("returned").reduce(0, +)) < QueueTrends.limit)
    }
}
