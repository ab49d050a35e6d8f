package import FoundationEssentials
package import JobQueue
import Postgres

/// The queue at a glance.
package struct QueueStats: Sendable {
    /// Unfinished jobs of one queue, kind and state.
    package struct Depth: Sendable {
        package let queue: String
        package let kind: JobKind
        package let state: JobState
        /// Counted up to ``JobStore/depthLimit``: there may be more.
        package let count: Int
        /// How long the oldest of them has been in the queue.
        package let oldest: Duration
        /// How long the longest-ready of them has been ready to run; nil for states other than waiting.
        package let overdue: Duration?
    }

    /// Jobs of one kind that finished within the window.
    package struct Finished: Sendable {
        package let kind: JobKind
        package let state: JobState
        package let reason: String?
        package let count: Int
    }

    /// How long jobs of one kind that finished within the window waited and ran.
    package struct Latency: Sendable {
        package let kind: JobKind
        package let count: Int
        /// From enqueueing to the start of the last attempt: the 50th, 95th and 99th percentile.
        package let wait: [Duration]
        /// From the start to the end of the last attempt.
        package let run: [Duration]
    }

    package let depths: [Depth]
    /// The period that the figures of finished jobs cover, up to now.
    package let window: Duration
    package let finished: [Finished]
    package let latencies: [Latency]
    package let workers: [WorkerRecord]
    package let pauses: [PauseRecord]
}

package struct WorkerRecord: Sendable {
    package let id: WorkerID
    package let host: String
    package let pid: Int
    package let version: String
    package let queues: [ServedQueue]
    package let running: Int
    package let startedAt: Date
    /// Time since its last heartbeat, by the database's clock.
    package let silence: Duration
    package let isDraining: Bool
    /// What it cannot reach, each with the reason. It claims no jobs that need it.
    package let away: [String]

    package var concurrency: Int { queues.reduce(0) { $0 + $1.concurrency } }

    /// Whether it claims jobs: it is alive and not draining.
    package var isTaking: Bool { !isDraining && silence <= JobStore.leaseDuration }

    /// `works`, `waits` for something that it cannot reach, `drains`, or `dead`: no heartbeat for longer than a lease lasts.
    package var condition: String {
        if silence > JobStore.leaseDuration { return "dead" }
        if isDraining { return "drains" }
        return away.isEmpty ? "works" : "waits"
    }
}

extension JobStore {
    /// Counting stops here, so that a long queue costs no more to look at.
    package static let depthLimit = 100_000

    /// Depth by queue, kind and state, what finished within `window`, and the living workers.
    package func stats(window: Duration = .seconds(3600)) async throws -> QueueStats {
        let finished = try await pool.query(
            """
            select kind::text as kind, state::text as state, reason, count(*) as jobs
            from darkroom.finished_jobs f where finished_at > now() - make_interval(secs => \(window.inSeconds))
            group by f.kind, f.state, reason order by f.kind, f.state, reason
            """)
        return QueueStats(
            depths: try await depths(), window: window,
            finished: try finished.map { row in
                let (kind, state) = try row.kindAndState()
                return QueueStats.Finished(
                    kind: kind, state: state, reason: try row.decode("reason", as: String?.self),
                    count: try row.decode("jobs", as: Int.self))
            },
            latencies: try await latencies(window: window), workers: try await workers(),
            pauses: try await pauses())
    }

    /// Unfinished jobs by queue, kind and state.
    package func depths() async throws -> [QueueStats.Depth] {
        let rows = try await pool.query(
            """
            select l.queue, l.kind::text as kind, d.state::text as state, sum(d.jobs)::bigint as jobs,
                   extract(epoch from clock_timestamp() - min(d.oldest))::float8 as oldest,
                   extract(epoch from clock_timestamp() - min(d.due))::float8 as overdue
            from darkroom.lanes l
            cross join lateral (
                select darkroom.state_of(j.lease, j.waits_for) as state, count(*) as jobs, min(j.created_at) as oldest,
                       min(greatest(j.run_at, j.created_at)) as due
                from (select lease, waits_for, created_at, run_at from darkroom.jobs
                      where lane = l.lane limit \(Self.depthLimit)) j
                group by 1) d
            group by l.queue, l.kind, d.state order by l.queue, l.kind, d.state
            """)
        return try rows.map { row in
            let (kind, state) = try row.kindAndState()
            return QueueStats.Depth(
                queue: try row.decode("queue", as: String.self), kind: kind, state: state,
                count: min(try row.decode("jobs", as: Int.self), Self.depthLimit),
                oldest: .seconds(try row.decode("oldest", as: Double.self)),
                overdue: state == .waiting
                    ? .seconds(max(0, try row.decode("overdue", as: Double.self))) : nil)
        }
    }

    /// How many jobs are held by workers that are gone, and how many are suspects; each counted to 1,000.
    package func doubts() async throws -> (strayLeases: Int, suspects: Int) {
        let rows = try await pool.query(
            """
            select (select count(*)
                    from (select from darkroom.leases l
                          cross join lateral unnest(l.job_ids) as i (job_id)
                          cross join lateral (select from darkroom.jobs j
                                              where j.job_id = i.job_id and j.lease = l.lease limit 1) j
                          where not exists (
                              select from darkroom.workers w
                              where w.worker_id = darkroom.worker_of(l.lease)
                                and w.heartbeat_at > clock_timestamp() - make_interval(secs => \(Self.leaseDuration.inSeconds * 2)))
                          limit 1000) s) as strays,
                   (select count(*) from (select from darkroom.jobs where deaths > 0 limit 1000) s) as suspects
            """)
        guard let row = rows.first else { throw PostgresError(.decoding, "no row for the doubts") }
        return (try row.decode("strays", as: Int.self), try row.decode("suspects", as: Int.self))
    }

    private func latencies(window: Duration) async throws -> [QueueStats.Latency] {
        let rows = try await pool.query(
            """
            select kind::text as kind, count(*) as jobs,
                   percentile_cont(array[0.5, 0.95, 0.99]) within group (
                       order by extract(epoch from started_at - created_at)::float8) as waits,
                   percentile_cont(array[0.5, 0.95, 0.99]) within group (
                       order by extract(epoch from finished_at - started_at)::float8) as runs
            from (select kind, created_at, started_at, finished_at from darkroom.finished_jobs
                  where finished_at > now() - make_interval(secs => \(window.inSeconds)) and started_at is not null
                  order by finished_at desc limit \(Self.depthLimit)) f
            group by f.kind order by f.kind
            """)
        return try rows.compactMap { row in
            guard let kind = JobKind(rawValue: try row.decode("kind", as: String.self)) else { return nil }
            return QueueStats.Latency(
                kind: kind, count: try row.decode("jobs", as: Int.self),
                wait: try row.decode("waits", as: [Double].self).map { .seconds(max(0, $0)) },
                run: try row.decode("runs", as: [Double].self).map { .seconds(max(0, $0)) })
        }
    }

    package func workers() async throws -> [WorkerRecord] {
        let rows = try await pool.query(
            """
            select w.worker_id, w.host, w.pid, w.version, w.started_at, w.drain_requested,
                   extract(epoch from clock_timestamp() - w.heartbeat_at)::float8 as silence,
                   array(select q.queue from darkroom.worker_queues q where q.worker_id = w.worker_id order by 1) as queues,
                   array(select q.concurrency from darkroom.worker_queues q where q.worker_id = w.worker_id order by q.queue) as slots,
                   w.running, w.away
            from darkroom.workers w
            order by w.worker_id
            """)
        return try rows.map { row in
            WorkerRecord(
                id: WorkerID(rawValue: try row.decode("worker_id", as: Int64.self)),
                host: try row.decode("host", as: String.self), pid: try row.decode("pid", as: Int.self),
                version: try row.decode("version", as: String.self),
                queues: zip(
                    try row.decode("queues", as: [String].self), try row.decode("slots", as: [Int].self)
                ).map(ServedQueue.init),
                running: try row.decode("running", as: Int.self),
                startedAt: try row.decode("started_at", as: Date.self),
                silence: .seconds(try row.decode("silence", as: Double.self)),
                isDraining: try row.decode("drain_requested", as: Bool.self),
                away: try row.decode("away", as: [String].self))
        }
    }

    /// How many jobs a draining worker of these queues still waits for, counted to ``depthLimit``.
    package func unfinished(in queues: [String]) async throws -> Int {
        let rows = try await pool.query(
            """
            select count(*) as jobs
            from (select from darkroom.jobs j join darkroom.lanes l using (lane)
                  where l.queue = any (\(queues))
                    and (j.waits_for is null or j.waits_for = 'turn'
                         or j.waits_for = 'time' and (j.attempt > 0 or j.is_paced))
                  limit \(Self.depthLimit)) j
            """)
        return try rows.first?.decode("jobs", as: Int.self) ?? 0
    }
}
