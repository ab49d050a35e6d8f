package import FoundationEssentials
package import JobQueue
import Postgres

/// A finished job that did not succeed. It can be replayed or discarded.
package struct UnsuccessfulJob: Sendable {
    package let id: JobID
    package let state: JobState
    package let kind: JobKind
    package let fairKey: String
    package let reason: Reason?
    package let finishedAt: Date

    /// Where a job is in a list.
    package struct Position: Sendable {
        package let finishedAt: Date
        package let job: JobID

        package init(finishedAt: Date, job: JobID) {
            self.finishedAt = finishedAt
            self.job = job
        }
    }

    package var position: Position { Position(finishedAt: finishedAt, job: id) }
}

extension JobStore {
    /// Finished jobs that did not succeed, oldest first, or latest first.
    ///
    /// - Parameter cursor: the last job of the previous page.
    package func unsuccessful(
        _ filter: JobFilter, latestFirst: Bool = false, after cursor: UnsuccessfulJob.Position? = nil,
        limit: Int
    ) async throws -> [UnsuccessfulJob] {
        let (order, later): (PostgresQuery, PostgresQuery) = latestFirst ? ("desc", "<") : ("asc", ">")
        let states = JobState.unsuccessful.filter { filter.states.isEmpty || filter.states.contains($0) }
        guard let first = states.first else { return [] }
        // Each state returns its page in the order of the index on state and finished_at.
        func page(_ state: JobState) -> PostgresQuery {
            """
            (select job_id, kind, state, fair_key, reason, message, finished_at
             from (select f.*, (select l.queue from darkroom.lanes l where l.lane = f.lane) as queue,
                          darkroom.worker_of(f.lease) as worker_id
                   from darkroom.finished_jobs f) f
             where state <> 'succeeded' and state = \(state.rawValue)::darkroom.job_state and \(filter.condition)
               and (\(cursor?.job.rawValue)::bigint is null
                    or finished_at \(later)= \(cursor?.finishedAt)::timestamptz
                       and (finished_at, job_id) \(later) (\(cursor?.finishedAt)::timestamptz, \(cursor?.job.rawValue)::bigint))
             order by finished_at \(order), job_id \(order) limit \(limit))
            """
        }
        let pages = states.dropFirst().reduce(page(first)) { "\($0) union all \(page($1))" }
        let rows = try await pool.query(
            """
            select job_id, kind::text as kind, state::text as state, fair_key, reason, message, finished_at
            from (\(pages)) p order by finished_at \(order), job_id \(order) limit \(limit)
            """)
        return try rows.map { row in
            let (kind, state) = try row.kindAndState()
            return UnsuccessfulJob(
                id: JobID(rawValue: try row.decode("job_id", as: Int64.self)), state: state, kind: kind,
                fairKey: try row.decode("fair_key", as: String.self), reason: try row.reason(),
                finishedAt: try row.decode("finished_at", as: Date.self))
        }
    }

    /// How many finished jobs did not succeed, by state and reason; the largest number first.
    package func countUnsuccessful(
        _ filter: JobFilter
    ) async throws -> [(state: JobState, reason: String?, jobs: Int)] {
        let rows = try await pool.query(
            """
            select state::text as state, reason, count(*) as jobs
            from (select f.*, l.queue, darkroom.worker_of(f.lease) as worker_id from darkroom.finished_jobs f join darkroom.lanes l using (lane)) f
            where state <> 'succeeded' and \(filter.condition)
            group by f.state, reason order by count(*) desc, f.state, reason
            """)
        return try rows.map { row in
            let name = try row.decode("state", as: String.self)
            guard let state = JobState(rawValue: name) else { throw QueueError(.unknownKind(name)) }
            return (state, try row.decode("reason", as: String?.self), try row.decode("jobs", as: Int.self))
        }
    }

    /// Puts finished jobs back into the queue; those that succeeded stay as they are.
    ///
    /// The jobs keep their numbers and the history of their attempts; failures and crashes are counted from 0 again.
    /// `darkroom.replays` records how each had ended, who replayed it and why.
    ///
    /// - Returns: the replayed jobs.
    package func replay(_ ids: [JobID], by operatorName: String, why: String? = nil) async throws -> [JobID] {
        let rows = try await pool.query(
            "select darkroom.replay_jobs(\(ids.map(\.rawValue)), \(operatorName), \(why)) as jobs")
        return try rows.first?.decode("jobs", as: [Int64].self).map(JobID.init(rawValue:)) ?? []
    }

    /// Gives up on finished jobs that did not succeed: they become cancelled with the reason `discarded`. The message keeps
    /// their earlier reason, and history keeps their last attempt.
    ///
    /// - Returns: the discarded jobs.
    package func discard(_ ids: [JobID], by operatorName: String, why: String? = nil) async throws -> [JobID]
    {
        let rows = try await pool.query(
            "select darkroom.discard_jobs(\(ids.map(\.rawValue)), \(operatorName), \(why)) as jobs")
        return try rows.first?.decode("jobs", as: [Int64].self).map(JobID.init(rawValue:)) ?? []
    }
}
