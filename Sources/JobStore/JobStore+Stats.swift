package import FoundationEssentials
package import JobQueue
import Postgres

/// The queue at a glance.
package struct QueueStats: Sendable {
    /// Unfinished jobs of one kind and state.
    package struct Depth: Sendable {
        package let kind: JobKind
        package let state: JobState
        package let count: Int
        /// How long the oldest of them has been in the queue.
        package let oldest: Duration
    }

    /// Jobs of one kind that finished within the last hour.
    package struct Finished: Sendable {
        package let kind: JobKind
        package let state: JobState
        package let reason: String?
        package let count: Int
    }

    package let depths: [Depth]
    package let finishedWithinTheHour: [Finished]
    package let workers: [WorkerRecord]
}

package struct WorkerRecord: Sendable {
    package let id: WorkerID
    package let host: String
    package let pid: Int
    package let version: String
    package let concurrency: Int
    package let running: Int
    package let startedAt: Date
    /// Since its last heartbeat, by the database's clock.
    package let silence: Duration
}

extension JobStore {
    /// Depth by kind and state, what finished in the last hour, and the living workers.
    ///
    /// It reads unfinished jobs and one hour of history, for an operator who asks: not for a loop.
    package func stats() async throws -> QueueStats {
        let depths = try await pool.query(
            """
            select kind::text as kind, state::text as state, count(*) as jobs,
                   extract(epoch from clock_timestamp() - min(created_at))::float8 as oldest
            from darkroom.jobs j group by j.kind, j.state order by j.kind, j.state
            """)
        let finished = try await pool.query(
            """
            select kind::text as kind, state::text as state, reason, count(*) as jobs
            from darkroom.finished_jobs f where finished_at > now() - interval '1 hour'
            group by f.kind, f.state, reason order by f.kind, f.state, reason
            """)
        return QueueStats(
            depths: try depths.map { row in
                let (kind, state) = try row.kindAndState()
                return QueueStats.Depth(
                    kind: kind, state: state, count: try row.decode("jobs", as: Int.self),
                    oldest: .seconds(try row.decode("oldest", as: Double.self)))
            },
            finishedWithinTheHour: try finished.map { row in
                let (kind, state) = try row.kindAndState()
                return QueueStats.Finished(
                    kind: kind, state: state, reason: try row.decode("reason", as: String?.self),
                    count: try row.decode("jobs", as: Int.self))
            },
            workers: try await workers())
    }

    package func workers() async throws -> [WorkerRecord] {
        let rows = try await pool.query(
            """
            select w.worker_id, w.host, w.pid, w.version, w.concurrency, w.started_at,
                   extract(epoch from clock_timestamp() - w.heartbeat_at)::float8 as silence,
                   (select count(*) from darkroom.jobs j
                    where j.state = 'running' and j.worker_id = w.worker_id) as running
            from darkroom.workers w order by w.worker_id
            """)
        return try rows.map { row in
            WorkerRecord(
                id: WorkerID(rawValue: try row.decode("worker_id", as: Int64.self)),
                host: try row.decode("host", as: String.self), pid: try row.decode("pid", as: Int.self),
                version: try row.decode("version", as: String.self),
                concurrency: try row.decode("concurrency", as: Int.self),
                running: try row.decode("running", as: Int.self),
                startedAt: try row.decode("started_at", as: Date.self),
                silence: .seconds(try row.decode("silence", as: Double.self)))
        }
    }

    /// How many jobs a drain still waits for. It reads the unfinished jobs, so ask rarely.
    package func unfinished() async throws -> Int {
        let rows = try await pool.query(
            """
            select count(*) as jobs from darkroom.jobs where state <> 'scheduled' or attempt > 0
            """)
        return try rows.first?.decode("jobs", as: Int.self) ?? 0
    }
}

extension PostgresRow {
    func kindAndState() throws -> (JobKind, JobState) {
        let kind = try decode("kind", as: String.self)
        let state = try decode("state", as: String.self)
        guard let knownKind = JobKind(rawValue: kind), let knownState = JobState(rawValue: state) else {
            throw QueueError(.unknownKind("\(kind)/\(state)"))
        }
        return (knownKind, knownState)
    }
}
