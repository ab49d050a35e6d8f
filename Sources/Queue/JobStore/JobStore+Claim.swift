package import JobQueue
import Postgres

extension JobStore {
    /// Claims up to `limit` waiting jobs of a queue for `worker`, lowest priority number and slot first.
    ///
    /// Skips jobs that another worker is claiming at the same moment. A worker that counts as dead gets no jobs until it
    /// registers again; one that was told to drain gets none at all.
    ///
    /// - Parameter starts: where to begin in lanes whose earlier slots are already claimed. Jobs before such a start are
    ///   not found; an empty dictionary finds all.
    package func claim(
        limit: Int, worker: WorkerID, queue: String = "default", kinds: [JobKind],
        startingAt starts: [Lane: Int64] = [:]
    ) async throws -> [ClaimedJob] {
        let lanes = Array(starts)
        return try await pool.withConnection { connection in
            let rows = try await connection.queryInBinary(
                """
                select job_id, kind, subject_id, fair_key, lane, slot, lease, attempt, failures, crashes, run_at,
                       created_at, leased_at
                from darkroom.claim_jobs(
                    \(worker.rawValue), \(queue), \(kinds.map(\.rawValue)), \(limit)::int,
                    \(lanes.map(\.key.rawValue))::smallint[], \(lanes.map(\.value))::bigint[])
                """)
            return try (0..<rows.count).map { try ClaimedJob(rows, $0, worker: worker) }
        }
    }

    /// Leases that `worker` holds according to the database but does not know of, because the reply to a claim was lost.
    ///
    /// It reads all unfinished jobs, so call it only after a failed claim, while the worker claims nothing.
    package func strayLeases(
        of worker: WorkerID, known: [Lease]
    ) async throws -> [(lease: Lease, kind: JobKind, attempt: Int)] {
        let rows = try await pool.query(
            """
            select job_id, lease, kind::text as kind, attempt from darkroom.jobs
            where worker_id = \(worker.rawValue) and lease <> all (\(known.map(\.token))::bigint[])
            """)
        return try rows.map { row in
            let lease = Lease(
                job: JobID(rawValue: try row.decode("job_id", as: Int64.self)),
                token: try row.decode("lease", as: Int64.self), worker: worker)
            let name = try row.decode("kind", as: String.self)
            guard let kind = JobKind(rawValue: name) else { throw QueueError(.unknownKind(name)) }
            return (lease, kind, try row.decode("attempt", as: Int.self))
        }
    }

    /// Whether any job is left that a draining worker of these queues and kinds waits for: all but first attempts
    /// scheduled for later, and jobs of paused queues.
    package func hasWorkLeft(in queues: [String], kinds: [JobKind]) async throws -> Bool {
        let rows = try await pool.query(
            """
            select exists (
                select from darkroom.lanes l join darkroom.queues q using (queue_id)
                where q.name = any (\(queues)) and l.kind::text = any (\(kinds.map(\.rawValue)))
                  and not exists (select from darkroom.pauses p
                                  where coalesce(p.queue_id, l.queue_id) = l.queue_id
                                    and coalesce(p.kind, l.kind) = l.kind and not p.drains)
                  and (exists (select from darkroom.jobs j where j.lane = l.lane and j.waits_for is null)
                       or exists (select from darkroom.jobs j where j.waits_for = 'turn' and j.lane = l.lane)
                       or exists (select from darkroom.jobs j
                                  where j.waits_for = 'time' and j.lane = l.lane
                                    and (j.attempt > 0 or j.is_paced)))) as yes
            """)
        return try rows.first?.decode("yes", as: Bool.self) ?? false
    }
}

extension ClaimedJob {
    fileprivate init(_ rows: PostgresBinaryRows, _ row: Int, worker: WorkerID) throws {
        let name = try rows.string(row: row, column: 1)
        guard let kind = JobKind(rawValue: name) else { throw QueueError(.unknownKind(name)) }
        let createdAt = try rows.integer(row: row, column: 11)
        let leasedAt = try rows.integer(row: row, column: 12)
        let readySince = max(try rows.integer(row: row, column: 10), createdAt)
        self.init(
            lease: Lease(
                job: JobID(rawValue: try rows.integer(row: row, column: 0)),
                token: try rows.integer(row: row, column: 6), worker: worker),
            kind: kind, subject: try rows.integer(row: row, column: 2),
            fairKey: try rows.string(row: row, column: 3),
            lane: Lane(rawValue: Int16(try rows.integer(row: row, column: 4))),
            slot: try rows.integer(row: row, column: 5),
            attempt: Int(try rows.integer(row: row, column: 7)),
            failures: Int(try rows.integer(row: row, column: 8)),
            crashes: Int(try rows.integer(row: row, column: 9)),
            waited: .microseconds(max(0, leasedAt - readySince)),
            age: .microseconds(max(0, leasedAt - createdAt)))
    }
}
