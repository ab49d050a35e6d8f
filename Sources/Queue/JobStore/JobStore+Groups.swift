package import FoundationEssentials
package import JobQueue
import Postgres

/// Jobs that ended in the same way.
package struct FailureGroup: Sendable {
    package let kind: String
    package let state: String
    package let reason: String?
    /// With # in place of each number.
    package let message: String?
    package let count: Int
    package let latest: Date
    /// The latest of them.
    package let example: JobID

    /// How many jobs of a state are looked at, at most.
    package static let limit = 10_000
}

extension JobStore {
    /// The latest failed and rejected jobs, grouped; the largest groups first.
    package func failureGroups() async throws -> [FailureGroup] {
        func latest(_ state: JobState) -> PostgresQuery {
            """
            (select kind, state, reason, message, finished_at, job_id from darkroom.finished_jobs
             where state <> 'succeeded' and state = \(state.rawValue)::darkroom.job_state
             order by finished_at desc limit \(FailureGroup.limit))
            """
        }
        let rows = try await pool.query(
            """
            select kind, state::text as state, reason, alike, count(*) as jobs, max(finished_at) as latest,
                   (array_agg(job_id order by finished_at desc))[1] as example
            from (select *, regexp_replace(left(message, 200), '[0-9]+', '#', 'g') as alike
                  from (\(latest(.failed)) union all \(latest(.rejected))) l) g
            group by kind, g.state, reason, alike order by count(*) desc, max(finished_at) desc limit 100
            """)
        return try rows.map { row in
            FailureGroup(
                kind: try row.decode("kind", as: String.self),
                state: try row.decode("state", as: String.self),
                reason: try row.decode("reason", as: String?.self),
                message: try row.decode("alike", as: String?.self),
                count: try row.decode("jobs", as: Int.self), latest: try row.decode("latest", as: Date.self),
                example: JobID(rawValue: try row.decode("example", as: Int64.self)))
        }
    }
}
