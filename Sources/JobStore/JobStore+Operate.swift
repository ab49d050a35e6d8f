package import FoundationEssentials
package import JobQueue
import Postgres

/// A job as an operator sees it.
package struct JobRecord: Sendable {
    package let id: JobID
    package let kind: JobKind
    package let state: JobState
    package let priority: Int
    package let subject: Int64
    package let fairKey: String
    package let attempt: Int
    package let failures: Int
    package let crashes: Int
    package let reason: Reason?
    package let worker: WorkerID?
    package let createdAt: Date
    package let runAt: Date?
    package let finishedAt: Date?
}

/// How one attempt ended.
package struct AttemptRecord: Sendable {
    package let attempt: Int
    package let worker: WorkerID
    package let outcome: String
    package let reason: Reason?
    package let startedAt: Date
    package let endedAt: Date
}

extension JobStore {
    /// Jobs by state, newest first.
    ///
    /// - Parameter states: empty means all.
    package func jobs(in states: [JobState], limit: Int) async throws -> [JobRecord] {
        let names = (states.isEmpty ? JobState.allCases : states).map(\.rawValue)
        let rows = try await pool.query(
            """
            select job_id, kind::text as kind, state::text as state, priority, subject_id, fair_key, attempt,
                   failures, crashes, reason, message, worker_id, created_at, run_at, finished_at
            from darkroom.all_jobs
            where state = any (\(names)::darkroom.job_state[])
            order by job_id desc limit \(limit)
            """)
        return try rows.map(JobRecord.init)
    }

    /// One job, or nil where there is none of that number.
    package func job(_ id: JobID) async throws -> JobRecord? {
        let rows = try await pool.query(
            """
            select job_id, kind::text as kind, state::text as state, priority, subject_id, fair_key, attempt,
                   failures, crashes, reason, message, worker_id, created_at, run_at, finished_at
            from darkroom.all_jobs where job_id = \(id.rawValue)
            """)
        return try rows.first.map(JobRecord.init)
    }

    /// Every attempt of a job that has ended, oldest first.
    package func attempts(of id: JobID) async throws -> [AttemptRecord] {
        let rows = try await pool.query(
            """
            select attempt, worker_id, outcome::text as outcome, reason, message, started_at, ended_at
            from darkroom.job_attempts where job_id = \(id.rawValue) order by ended_at, attempt
            """)
        return try rows.map { row in
            AttemptRecord(
                attempt: try row.decode("attempt", as: Int.self),
                worker: WorkerID(rawValue: try row.decode("worker_id", as: Int64.self)),
                outcome: try row.decode("outcome", as: String.self), reason: try row.reason(),
                startedAt: try row.decode("started_at", as: Date.self),
                endedAt: try row.decode("ended_at", as: Date.self))
        }
    }

    /// Cancels a waiting job at once; asks the worker of a running one to stop.
    ///
    /// - Returns: false where the job is finished or unknown.
    package func cancel(_ id: JobID) async throws -> Bool {
        let rows = try await pool.query("select darkroom.cancel_job(\(id.rawValue)) as cancelled")
        return try rows.first?.decode("cancelled", as: Bool.self) ?? false
    }

    /// Sends finished jobs round again; those that succeeded stay as they are.
    ///
    /// The jobs keep their numbers and the history of their attempts; failures and crashes are counted
    /// anew. What each had ended with, and who replayed it, is kept in `darkroom.replays`.
    ///
    /// - Returns: the jobs that wait again.
    package func replay(_ ids: [JobID], by operatorName: String) async throws -> [JobID] {
        let rows = try await pool.query(
            """
            with gone as (
                delete from darkroom.finished_jobs
                where job_id = any (\(ids.map(\.rawValue))) and state in ('rejected', 'failed', 'cancelled')
                returning *),
            noted as (
                insert into darkroom.replays (job_id, from_state, reason, message, replayed_by)
                select job_id, state, reason, message, \(operatorName) from gone),
            again as (
                insert into darkroom.jobs (
                    job_id, kind, priority, slot, subject_id, fair_key, attempt, created_at)
                select job_id, kind, priority, darkroom.next_slot(fair_key, priority), subject_id, fair_key,
                       attempt, created_at
                from gone
                returning job_id)
            select job_id, darkroom.wake_workers() from again order by job_id
            """)
        return try rows.map { JobID(rawValue: try $0.decode("job_id", as: Int64.self)) }
    }

    /// The finished jobs of a state that a replay would send round again, oldest first.
    package func replayable(in state: JobState, limit: Int) async throws -> [JobID] {
        let rows = try await pool.query(
            """
            select job_id from darkroom.finished_jobs
            where state = \(state.rawValue)::darkroom.job_state
              and state in ('rejected', 'failed', 'cancelled')
            order by job_id limit \(limit)
            """)
        return try rows.map { JobID(rawValue: try $0.decode("job_id", as: Int64.self)) }
    }
}

extension JobRecord {
    init(row: PostgresRow) throws {
        let kindName = try row.decode("kind", as: String.self)
        let stateName = try row.decode("state", as: String.self)
        guard let kind = JobKind(rawValue: kindName), let state = JobState(rawValue: stateName) else {
            throw QueueError(.unknownKind("\(kindName)/\(stateName)"))
        }
        self.init(
            id: JobID(rawValue: try row.decode("job_id", as: Int64.self)), kind: kind, state: state,
            priority: try row.decode("priority", as: Int.self),
            subject: try row.decode("subject_id", as: Int64.self),
            fairKey: try row.decode("fair_key", as: String.self),
            attempt: try row.decode("attempt", as: Int.self),
            failures: try row.decode("failures", as: Int.self),
            crashes: try row.decode("crashes", as: Int.self), reason: try row.reason(),
            worker: try row.decode("worker_id", as: Int64?.self).map(WorkerID.init),
            createdAt: try row.decode("created_at", as: Date.self),
            runAt: try row.decode("run_at", as: Date?.self),
            finishedAt: try row.decode("finished_at", as: Date?.self))
    }
}

extension PostgresRow {
    func reason() throws -> Reason? {
        guard let code = try decode("reason", as: String?.self) else { return nil }
        return Reason(code: code, message: try decode("message", as: String?.self) ?? "")
    }
}
