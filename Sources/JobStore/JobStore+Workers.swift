package import JobQueue
import Postgres

extension JobStore {
    /// Enters a worker process in the list of the living.
    package func register(
        host: String, pid: Int32, version: String, concurrency: Int
    ) async throws -> WorkerID {
        let rows = try await pool.query(
            """
            insert into darkroom.workers (host, pid, version, concurrency)
            values (\(host), \(pid), \(version), \(concurrency))
            returning worker_id
            """)
        guard let row = rows.first else { throw PostgresError(.decoding, "registering a worker gave no row") }
        return WorkerID(rawValue: try row.decode("worker_id", as: Int64.self))
    }

    /// Renews every lease of `worker`, with one row, on the database's clock.
    ///
    /// - Throws: ``QueueError`` with `workerRemoved` where the worker was taken for dead meanwhile.
    package func heartbeat(of worker: WorkerID) async throws {
        let rows = try await pool.query(
            """
            update darkroom.workers set heartbeat_at = clock_timestamp()
            where worker_id = \(worker.rawValue)
            """)
        guard rows.affected == 1 else { throw QueueError(.workerRemoved(worker)) }
    }

    /// Takes a worker that has stopped out of the list. Jobs that it still holds are rescued by others.
    package func deregister(_ worker: WorkerID) async throws {
        try await pool.query("delete from darkroom.workers where worker_id = \(worker.rawValue)")
    }

    /// Takes back the jobs of workers that died.
    ///
    /// A job whose crashes are used up is quarantined as failed with the reason `poison`; the others
    /// wait again. Any worker may call this at any time.
    ///
    /// - Returns: the jobs taken back, and those quarantined.
    package func rescue(policy: RetryPolicy) async throws -> (rescued: [JobID], quarantined: [JobID]) {
        try await pool.withTransaction { transaction in
            // The row lock decides between a late heartbeat and this: whoever comes second sees the first.
            try await transaction.query(
                """
                delete from darkroom.workers
                where worker_id in (
                    select worker_id from darkroom.workers
                    where heartbeat_at < clock_timestamp() - make_interval(secs => \(Self.leaseDuration.inSeconds))
                    for update skip locked)
                """)
            let orphans = try await transaction.query(
                """
                select j.job_id, j.lease, j.worker_id, j.crashes from darkroom.jobs j
                where j.state = 'running'
                  and not exists (select from darkroom.workers w where w.worker_id = j.worker_id)
                order by j.job_id limit 1000
                for update skip locked
                """)
            var rescued: [JobID] = []
            var quarantined: [JobID] = []
            for row in orphans {
                let lease = Lease(
                    job: JobID(rawValue: try row.decode("job_id", as: Int64.self)),
                    token: try row.decode("lease", as: Int64.self),
                    worker: WorkerID(rawValue: try row.decode("worker_id", as: Int64.self)))
                let crashes = try row.decode("crashes", as: Int.self) + 1
                let reason = Reason(
                    code: "worker_died", message: "Worker \(lease.worker) died or was cut off.")
                if crashes >= policy.maximumCrashes {
                    quarantined.append(lease.job)
                    try await Self.end(
                        lease, as: .failed(RetryPolicy.poison(crashes: crashes, last: reason)),
                        in: transaction)
                } else {
                    rescued.append(lease.job)
                    try await Self.end(lease, as: .crashed(reason), in: transaction)
                }
            }
            return (rescued, quarantined)
        }
    }

    /// Makes the history partitions of the days ahead.
    package func maintainHistory() async throws {
        try await pool.query("select darkroom.ensure_history_partitions()")
    }
}
