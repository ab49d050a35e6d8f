package import JobQueue
package import Postgres

/// The queue in PostgreSQL: all SQL by which workers claim, keep and finish jobs.
package struct JobStore: Sendable {
    /// A worker that has not been heard of for this long is taken for dead.
    package static let leaseDuration = Duration.seconds(12)

    let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Claims up to `limit` waiting jobs for `worker`, those of lowest priority and slot first.
    ///
    /// Jobs that another worker is claiming at the same moment are passed over, not waited for. A worker
    /// that was taken for dead gets none until it has registered anew.
    package func claim(limit: Int, worker: WorkerID) async throws -> [ClaimedJob] {
        let rows = try await pool.query(
            """
            with next as (
                select job_id from darkroom.jobs
                where state = 'waiting'
                  and exists (select from darkroom.workers where worker_id = \(worker.rawValue))
                order by priority, slot, job_id
                limit \(limit)
                for update skip locked)
            update darkroom.jobs j
            set state = 'running', lease = nextval('darkroom.lease_tokens'), worker_id = \(worker.rawValue),
                leased_at = clock_timestamp(), attempt = j.attempt + 1
            from next
            where j.job_id = next.job_id
            returning j.job_id, j.kind::text as kind, j.subject_id, j.lease, j.attempt, j.failures, j.crashes
            """)
        return try rows.map { row in
            let name = try row.decode("kind", as: String.self)
            guard let kind = JobKind(rawValue: name) else { throw QueueError(.unknownKind(name)) }
            return ClaimedJob(
                lease: Lease(
                    job: JobID(rawValue: try row.decode("job_id", as: Int64.self)),
                    token: try row.decode("lease", as: Int64.self), worker: worker),
                kind: kind, subject: try row.decode("subject_id", as: Int64.self),
                attempt: try row.decode("attempt", as: Int.self),
                failures: try row.decode("failures", as: Int.self),
                crashes: try row.decode("crashes", as: Int.self))
        }
    }

    /// Moves scheduled jobs whose time has come to waiting.
    ///
    /// - Returns: how long until the next one is due, or nil where none is scheduled.
    package func promoteDue() async throws -> Duration? {
        try await pool.query(
            """
            update darkroom.jobs set state = 'waiting'
            where job_id in (
                select job_id from darkroom.jobs where state = 'scheduled' and run_at <= clock_timestamp()
                order by run_at limit 1000 for update skip locked)
            """)
        let next = try await pool.query(
            """
            select extract(epoch from run_at - clock_timestamp())::float8 as seconds
            from darkroom.jobs where state = 'scheduled' order by run_at limit 1
            """)
        return try next.first.map { .seconds(max(0, try $0.decode("seconds", as: Double.self))) }
    }

    /// Whether anything is left that a drain waits for: all but first attempts set for later.
    package func hasWorkLeft() async throws -> Bool {
        let rows = try await pool.query(
            """
            select exists (select from darkroom.jobs where state = 'waiting')
                or exists (select from darkroom.jobs where state = 'running')
                or exists (select from darkroom.jobs where state = 'scheduled' and attempt > 0) as yes
            """)
        return try rows.first?.decode("yes", as: Bool.self) ?? false
    }

    /// The running jobs of `worker` that somebody asked to cancel.
    package func cancelRequests(of worker: WorkerID) async throws -> [JobID] {
        let rows = try await pool.query(
            """
            select job_id from darkroom.jobs
            where state = 'running' and worker_id = \(worker.rawValue) and cancel_requested
            """)
        return try rows.map { JobID(rawValue: try $0.decode("job_id", as: Int64.self)) }
    }

    /// Leases that the database believes `worker` to hold and that it does not know of.
    ///
    /// Only those older than ten seconds, so that a claim on its way is not among them.
    package func strayLeases(of worker: WorkerID, known: [Lease]) async throws -> [Lease] {
        let rows = try await pool.query(
            """
            select job_id, lease from darkroom.jobs
            where state = 'running' and worker_id = \(worker.rawValue)
              and leased_at < clock_timestamp() - interval '10 seconds'
              and lease <> all (\(known.map(\.token)))
            """)
        return try rows.map { row in
            Lease(
                job: JobID(rawValue: try row.decode("job_id", as: Int64.self)),
                token: try row.decode("lease", as: Int64.self), worker: worker)
        }
    }
}

/// What the queue refuses.
package struct QueueError: Error, CustomStringConvertible {
    package enum Code: Sendable, Equatable {
        /// The job is no longer held under this lease: another worker may have it.
        case leaseLost(Lease)
        /// A job of a kind that this release does not know.
        case unknownKind(String)
        /// The worker was taken for dead; its jobs were given to others.
        case workerRemoved(WorkerID)
    }

    package let code: Code

    package init(_ code: Code) {
        self.code = code
    }

    package var description: String {
        switch code {
        case .leaseLost(let lease):
            "the lease \(lease.token) on job \(lease.job) is lost: another worker may hold the job"
        case .unknownKind(let kind):
            "this release does not know jobs of kind \(kind): run the release that enqueued it"
        case .workerRemoved(let worker):
            "worker \(worker) was not heard of in time and its jobs were given to others"
        }
    }
}
