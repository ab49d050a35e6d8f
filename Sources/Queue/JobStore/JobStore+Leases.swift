package import JobQueue
package import Postgres

/// What a worker says about its leases.
package struct LeaseStatement: Sendable {
    package let worker: WorkerID
    /// The worker knows the end of every claim up to this one.
    package let upTo: ClaimToken
    /// What it runs, each with its current stage.
    package let running: [(lease: Lease, stage: String?)]

    package init(worker: WorkerID, upTo: ClaimToken, running: [(lease: Lease, stage: String?)]) {
        self.worker = worker
        self.upTo = upTo
        self.running = running
    }
}

/// What the database says about a worker's leases.
package struct LeaseReview: Sendable {
    /// Jobs that the worker held but did not run: they wait again.
    package let returned: [JobID]
    /// Running jobs that somebody asked to cancel.
    package let cancelled: [Lease]
    /// Leases of running jobs that the worker no longer holds.
    package let lost: [Lease]
}

/// What a heartbeat tells its worker.
package struct HeartbeatReply: Sendable {
    /// Whether an operator asked the worker to finish and stop.
    package let isToDrain: Bool
    /// The heartbeats of all workers.
    package let heartbeats: [WorkerID: Int64]
    /// How many connections the server, the database and the role allow, whichever is least.
    package let connections: Int
    /// Nil before any release has finished migrating the database.
    package let schema: RecordedSchema?
}

extension JobStore {
    /// The statement that counts a heartbeat of `worker`, which renews every lease it holds. ``HeartbeatReply`` reads its
    /// result.
    ///
    /// - Parameters:
    ///   - running: how many jobs it runs, to show to operators.
    ///   - away: what it cannot reach, and why.
    package static func heartbeat(
        of worker: WorkerID, running: Int = 0, away: [String] = []
    ) -> PostgresQuery {
        """
        with beat as (
            update darkroom.workers
            set heartbeats = heartbeats + 1, heartbeat_at = clock_timestamp(), running = \(running), away = \(away)
            where worker_id = \(worker.rawValue) returning drain_requested)
        select b.drain_requested, f.workers, f.heartbeats, s.release, s.oldest_served,
               least(current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
                     (select nullif(rolconnlimit, -1) from pg_roles where rolname = session_user),
                     (select nullif(datconnlimit, -1) from pg_database where datname = current_database())) as connections
        from (select array_agg(worker_id order by worker_id) as workers,
                     array_agg(heartbeats order by worker_id) as heartbeats from darkroom.workers) f
        left join beat b on true
        left join darkroom.schema_release s on true
        """
    }

    /// Compares what a worker runs with what it holds, and writes the stages of the running jobs.
    package func review(_ statement: LeaseStatement) async throws -> LeaseReview {
        let running = statement.running
        let stages: [String?] = running.map(\.stage)
        let rows = try await pool.query(
            """
            select returned, cancelled, lost from darkroom.review_leases(
                \(statement.worker.rawValue), \(statement.upTo.rawValue),
                \(running.map(\.lease.job.rawValue))::bigint[], \(running.map(\.lease.token.rawValue))::bigint[],
                \(stages)::text[])
            """)
        guard let row = rows.first else { throw PostgresError(.decoding, "a review returned no row") }
        func leases(_ name: String) throws -> [Lease] {
            try row.decode(name, as: [Int].self).map { running[$0 - 1].lease }
        }
        return LeaseReview(
            returned: try row.decode("returned", as: [Int64].self).map(JobID.init(rawValue:)),
            cancelled: try leases("cancelled"), lost: try leases("lost"))
    }

    /// Takes back the jobs of a worker that died, and removes it.
    ///
    /// Its jobs wait again, as suspects. A suspect that has used up its deaths is quarantined: failed with the reason
    /// `poison`. Any worker may call this at any time.
    ///
    /// - Parameter heartbeats: nothing happens if the worker has sent more than these. Nil for a worker without a row.
    /// - Returns: the jobs taken back, and those quarantined.
    package func rescue(
        _ worker: WorkerID, heartbeats: Int64?
    ) async throws -> (rescued: [JobID], quarantined: [JobID]) {
        let rows = try await pool.query(
            "select job_id, is_quarantined from darkroom.rescue_worker(\(worker.rawValue), \(heartbeats))")
        var rescued: [JobID] = []
        var quarantined: [JobID] = []
        for row in rows {
            let id = JobID(rawValue: try row.decode("job_id", as: Int64.self))
            if try row.decode("is_quarantined", as: Bool.self) {
                quarantined.append(id)
            } else {
                rescued.append(id)
            }
        }
        return (rescued, quarantined)
    }

    /// Workers that hold leases but have no row.
    package func orphanedWorkers() async throws -> [WorkerID] {
        try await pool.query("select darkroom.orphaned_leases() as worker").map {
            WorkerID(rawValue: try $0.decode("worker", as: Int64.self))
        }
    }

    /// Removes a worker that stops. What it still holds waits again.
    ///
    /// - Returns: those jobs.
    package func signOff(_ worker: WorkerID) async throws -> [JobID] {
        let rows = try await pool.query("select darkroom.sign_off(\(worker.rawValue)) as returned")
        return try rows.first?.decode("returned", as: [Int64].self).map(JobID.init(rawValue:)) ?? []
    }

    /// Takes running jobs from their workers and makes them wait again.
    ///
    /// - Returns: the jobs that ran.
    package func release(_ ids: [JobID], by operatorName: String, why: String? = nil) async throws -> [JobID]
    {
        let rows = try await pool.query(
            "select darkroom.release_jobs(\(ids.map(\.rawValue)), \(operatorName), \(why)) as jobs")
        return try rows.first?.decode("jobs", as: [Int64].self).map(JobID.init(rawValue:)) ?? []
    }
}

extension HeartbeatReply {
    /// - Throws: ``QueueError`` with `workerRemoved` if the worker was removed as dead meanwhile.
    package init(_ rows: PostgresRows, of worker: WorkerID) throws {
        guard let row = rows.first, let isToDrain = try row.decode("drain_requested", as: Bool?.self) else {
            throw QueueError(.workerRemoved(worker))
        }
        let workers = try row.decode("workers", as: [Int64].self).map(WorkerID.init(rawValue:))
        self.init(
            isToDrain: isToDrain,
            heartbeats: Dictionary(
                uniqueKeysWithValues: zip(workers, try row.decode("heartbeats", as: [Int64].self))),
            connections: try row.decode("connections", as: Int.self), schema: try RecordedSchema(row))
    }
}
