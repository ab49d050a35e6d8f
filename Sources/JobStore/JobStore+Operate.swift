package import FoundationEssentials
package import JobQueue
import Postgres

/// A job as an operator sees it.
package struct JobRecord: Sendable {
    package let id: JobID
    package let kind: JobKind
    package let state: JobState
    package let queue: String
    package let priority: Int
    package let subject: Int64
    package let fairKey: String
    package let attempt: Int
    package let failures: Int
    package let crashes: Int
    package let reason: Reason?
    package let worker: WorkerID?
    /// While parked, what for: `turn` or `resume`.
    package let waitsFor: String?
    /// While running, what the attempt was last seen to do.
    package let stage: String?
    package let isCancelRequested: Bool
    package let createdAt: Date
    package let runAt: Date?
    /// Of the present or last attempt.
    package let startedAt: Date?
    package let finishedAt: Date?
}

/// How one attempt ended.
package struct AttemptRecord: Sendable {
    package let attempt: Int
    package let lease: Int64
    package let worker: WorkerID
    package let outcome: String
    package let reason: Reason?
    /// The error behind the reason.
    package let cause: String?
    /// What the renderer said of the photo.
    package let verdict: String?
    package let stages: [StageTime]
    package let startedAt: Date
    package let endedAt: Date
}

/// That somebody sent a finished job round again.
package struct ReplayRecord: Sendable {
    package let from: JobState
    package let reason: Reason?
    package let by: String
    package let why: String?
    package let at: Date
}

extension JobStore {
    /// Jobs, newest first.
    ///
    /// - Parameter cursor: only jobs of lower numbers, to read on.
    package func jobs(_ filter: JobFilter, before cursor: JobID? = nil, limit: Int) async throws
        -> [JobRecord]
    {
        let rows = try await pool.query(
            """
            select \(Self.columns) from darkroom.all_jobs
            where \(filter.condition) and (\(cursor?.rawValue)::bigint is null or job_id < \(cursor?.rawValue))
            order by job_id desc limit \(limit)
            """)
        return try rows.map(JobRecord.init)
    }

    /// One job, or nil where there is none of that number.
    package func job(_ id: JobID) async throws -> JobRecord? {
        let rows = try await pool.query(
            "select \(Self.columns) from darkroom.all_jobs where job_id = \(id.rawValue)")
        return try rows.first.map(JobRecord.init)
    }

    private static let columns: PostgresQuery =
        """
        job_id, kind::text as kind, state::text as state, queue, priority, subject_id, fair_key, attempt, failures,
        crashes, reason, message, worker_id, waits_for::text as waits_for, stage, cancel_requested, created_at, run_at,
        started_at, finished_at
        """

    /// Every attempt of a job that has ended, oldest first.
    package func attempts(of id: JobID) async throws -> [AttemptRecord] {
        let rows = try await pool.query(
            """
            select attempt, lease, worker_id, outcome::text as outcome, reason, message, cause, verdict, started_at,
                   ended_at, array(select s.stage from unnest(stages) s) as stages,
                   array(select s.milliseconds::float8 from unnest(stages) s) as times
            from darkroom.all_attempts where job_id = \(id.rawValue) order by ended_at, attempt
            """)
        return try rows.map { row in
            AttemptRecord(
                attempt: try row.decode("attempt", as: Int.self),
                lease: try row.decode("lease", as: Int64.self),
                worker: WorkerID(rawValue: try row.decode("worker_id", as: Int64.self)),
                outcome: try row.decode("outcome", as: String.self), reason: try row.reason(),
                cause: try row.decode("cause", as: String?.self),
                verdict: try row.decode("verdict", as: String?.self),
                stages: zip(
                    try row.decode("stages", as: [String].self), try row.decode("times", as: [Double].self)
                ).map { StageTime(stage: $0, duration: .seconds($1 / 1000)) },
                startedAt: try row.decode("started_at", as: Date.self),
                endedAt: try row.decode("ended_at", as: Date.self))
        }
    }

    /// Every replay of a job, oldest first.
    package func replays(of id: JobID) async throws -> [ReplayRecord] {
        let rows = try await pool.query(
            """
            select from_state::text as from_state, reason, message, replayed_by, why, replayed_at
            from darkroom.replays where job_id = \(id.rawValue) order by replay_id
            """)
        return try rows.map { row in
            let name = try row.decode("from_state", as: String.self)
            guard let state = JobState(rawValue: name) else { throw QueueError(.unknownKind(name)) }
            return ReplayRecord(
                from: state, reason: try row.reason(), by: try row.decode("replayed_by", as: String.self),
                why: try row.decode("why", as: String?.self),
                at: try row.decode("replayed_at", as: Date.self))
        }
    }

    /// Cancels a waiting job at once; asks the worker of a running one to stop.
    ///
    /// - Returns: false where the job is finished or unknown.
    package func cancel(_ id: JobID) async throws -> Bool {
        let rows = try await pool.query("select darkroom.cancel_job(\(id.rawValue)) as cancelled")
        return try rows.first?.decode("cancelled", as: Bool.self) ?? false
    }
}

extension JobRecord {
    init(row: PostgresRow) throws {
        let (kind, state) = try row.kindAndState()
        self.init(
            id: JobID(rawValue: try row.decode("job_id", as: Int64.self)), kind: kind, state: state,
            queue: try row.decode("queue", as: String.self),
            priority: try row.decode("priority", as: Int.self),
            subject: try row.decode("subject_id", as: Int64.self),
            fairKey: try row.decode("fair_key", as: String.self),
            attempt: try row.decode("attempt", as: Int.self),
            failures: try row.decode("failures", as: Int.self),
            crashes: try row.decode("crashes", as: Int.self), reason: try row.reason(),
            worker: try row.decode("worker_id", as: Int64?.self).map(WorkerID.init),
            waitsFor: try row.decode("waits_for", as: String?.self),
            stage: try row.decode("stage", as: String?.self),
            isCancelRequested: try row.decode("cancel_requested", as: Bool.self),
            createdAt: try row.decode("created_at", as: Date.self),
            runAt: try row.decode("run_at", as: Date?.self),
            startedAt: try row.decode("started_at", as: Date?.self),
            finishedAt: try row.decode("finished_at", as: Date?.self))
    }
}

extension PostgresRow {
    func reason() throws -> Reason? {
        guard let code = try decode("reason", as: String?.self) else { return nil }
        return Reason(code: code, message: try decode("message", as: String?.self) ?? "")
    }

    func kindAndState() throws -> (JobKind, JobState) {
        let kind = try decode("kind", as: String.self)
        let state = try decode("state", as: String.self)
        guard let knownKind = JobKind(rawValue: kind), let knownState = JobState(rawValue: state) else {
            throw QueueError(.unknownKind("\(kind)/\(state)"))
        }
        return (knownKind, knownState)
    }
}
