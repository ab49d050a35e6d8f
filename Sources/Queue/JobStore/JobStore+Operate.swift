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
    package let deaths: Int
    package let reason: Reason?
    package let worker: WorkerID?
    /// While parked, what it waits for: `turn` or `resume`.
    package let waitsFor: String?
    /// While running, the last known stage of the attempt.
    package let stage: String?
    package let isCancelRequested: Bool
    package let createdAt: Date
    package let runAt: Date?
    package let startedAt: Date?
    package let finishedAt: Date?
}

extension JobStore {
    /// Jobs, newest first.
    ///
    /// - Parameter cursor: return only jobs with lower numbers, to read the next page.
    package func jobs(_ filter: JobFilter, before cursor: JobID? = nil, limit: Int) async throws
        -> [JobRecord]
    {
        // Each table returns its page in the order of its own index, so a long history costs no more.
        let page: PostgresQuery =
            """
            \(filter.condition) and (\(cursor?.rawValue)::bigint is null or job_id < \(cursor?.rawValue))
            order by job_id desc limit \(limit)
            """
        let rows = try await pool.query(
            """
            select \(Self.columns) from darkroom.all_jobs
            where job_id = any (array(
                (select job_id
                 from (select job_id, darkroom.state_of(lease, waits_for) as state, kind, \(Self.queueOfLane) as queue,
                              null::text as reason, null::text as message, null::text as cause, fair_key, created_at,
                              null::timestamptz as finished_at, darkroom.worker_of(lease) as worker_id
                       from darkroom.jobs t) j
                 where \(page))
                union all
                (select job_id
                 from (select t.*, \(Self.queueOfLane) as queue, darkroom.worker_of(t.lease) as worker_id
                       from darkroom.finished_jobs t) f
                 where \(page))
                order by job_id desc limit \(limit)))
            order by job_id desc
            """)
        return try rows.map(JobRecord.init)
    }

    /// One job, or nil if there is none with this number.
    package func job(_ id: JobID) async throws -> JobRecord? {
        let rows = try await pool.query(
            "select \(Self.columns) from darkroom.all_jobs where job_id = \(id.rawValue)")
        return try rows.first.map(JobRecord.init)
    }

    private static let queueOfLane: PostgresQuery =
        "(select l.queue from darkroom.lanes l where l.lane = t.lane)"

    private static let columns: PostgresQuery =
        """
        job_id, kind::text as kind, state::text as state, queue, priority, subject_id, fair_key, attempt, failures,
        crashes, deaths, reason, message, worker_id, waits_for::text as waits_for, stage, cancel_requested, created_at, run_at,
        started_at, finished_at
        """

    /// Cancels a waiting job at once; asks the worker of a running one to stop.
    ///
    /// - Returns: false if the job is finished or unknown.
    package func cancel(_ id: JobID) async throws -> Bool {
        let rows = try await pool.query("select darkroom.cancel_any_job(\(id.rawValue)) as cancelled")
        return try rows.first?.decode("cancelled", as: Bool.self) ?? false
    }

    /// The same for many jobs, in one transaction. Locks them in the order in which workers do.
    ///
    /// - Returns: the jobs that were cancelled or whose workers were asked to stop.
    package func cancel(_ ids: [JobID]) async throws -> [JobID] {
        let rows = try await pool.query(
            """
            select job_id
            from (select i.job_id, darkroom.cancel_any_job(i.job_id) as cancelled
                  from unnest(\(ids.map(\.rawValue).sorted())::bigint[]) as i (job_id) offset 0) c
            where cancelled
            """)
        return try rows.map { JobID(rawValue: try $0.decode("job_id", as: Int64.self)) }
    }

    /// How many jobs match, by state and reason; the largest number first.
    package func count(_ filter: JobFilter) async throws -> [(state: JobState, reason: String?, jobs: Int)] {
        let rows = try await pool.query(
            """
            select a.state::text as state, reason, count(*) as jobs from darkroom.all_jobs a
            where \(filter.condition) group by a.state, reason order by count(*) desc, a.state, reason
            """)
        return try rows.map { row in
            let name = try row.decode("state", as: String.self)
            guard let state = JobState(rawValue: name) else { throw QueueError(.unknownKind(name)) }
            return (state, try row.decode("reason", as: String?.self), try row.decode("jobs", as: Int.self))
        }
    }

    /// How many jobs of a key may run at once; nil for no limit.
    package func runningLimit(of fairKey: String) async throws -> Int? {
        let rows = try await pool.query(
            """
            select max_running from darkroom.fair_keys where fair_key in (\(fairKey), '*')
            order by fair_key = '*' limit 1
            """)
        return try rows.first?.decode("max_running", as: Int?.self)
    }

    /// The database's clock.
    package func now() async throws -> Date {
        let rows = try await pool.query("select clock_timestamp() as now")
        guard let row = rows.first else { throw PostgresError(.decoding, "no row for the clock") }
        return try row.decode("now", as: Date.self)
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
            crashes: try row.decode("crashes", as: Int.self),
            deaths: try row.decode("deaths", as: Int.self), reason: try row.reason(),
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
