package import JobQueue
import Postgres

/// What a claim found.
package struct ClaimedJobs: Sendable {
    package let jobs: [ClaimedJob]
    /// Limits held back so many jobs that the claim ended early: more may wait.
    package let endedEarly: Bool
}

extension JobStore {
    /// The most jobs that one claim takes.
    package static let largestClaim = 500

    /// Claims up to `limit` waiting jobs of a queue, lowest priority number and slot first.
    ///
    /// Skips jobs that another worker is claiming at the same moment. A worker that counts as dead gets no jobs until it
    /// registers again; one that was told to drain gets none at all.
    ///
    /// - Parameters:
    ///   - token: must be new, and greater than those of the worker's earlier claims.
    ///   - starts: where to begin in lanes whose earlier slots are already claimed. Jobs before such a start are
    ///     not found; an empty dictionary finds all.
    ///   - takesSuspect: whether one of the jobs may be a suspect.
    package func claim(
        as token: ClaimToken, limit: Int, queue: String, kinds: [JobKind],
        startingAt starts: [Lane: Int64] = [:],
        takesSuspect: Bool = true
    ) async throws -> ClaimedJobs {
        let lanes = Array(starts)
        return try await pool.withConnection { connection in
            let rows = try await connection.queryInBinary(
                """
                select job_id, kind, subject_id, fair_key, lane, slot, attempt, failures, crashes, deaths, run_at,
                       created_at, leased_at, (tried_s * 1000)::bigint as tried_ms
                from darkroom.claim_jobs(
                    \(token.rawValue), \(queue), \(kinds.map(\.rawValue)), \(min(limit, Self.largestClaim))::int,
                    \(lanes.map(\.key.rawValue))::smallint[], \(lanes.map(\.value))::bigint[], \(takesSuspect))
                """)
            // A last row without a job says that the claim ended early.
            let endedEarly = rows.count > 0 && rows.isNull(row: rows.count - 1, column: 0)
            let jobs = try (0..<(rows.count - (endedEarly ? 1 : 0))).map { try ClaimedJob(rows, $0, token) }
            return ClaimedJobs(jobs: jobs, endedEarly: endedEarly)
        }
    }

    /// Whether any job is left that a draining worker of these queues and kinds waits for: all but jobs of paused queues,
    /// first attempts that are scheduled for later, and further attempts in more than half an hour. Such an attempt waits
    /// for something else, such as the end of the time for which an original is kept.
    package func hasWorkLeft(in queues: [String], kinds: [JobKind]) async throws -> Bool {
        let rows = try await pool.query(
            """
            select exists (
                select from darkroom.lanes l
                where l.queue = any (\(queues)) and l.kind::text = any (\(kinds.map(\.rawValue)))
                  and not darkroom.is_paused(l.queue, l.kind)
                  and (exists (select from darkroom.jobs j where j.lane = l.lane and j.waits_for is null)
                       or exists (select from darkroom.jobs j where j.waits_for = 'turn' and j.lane = l.lane)
                       or exists (select from darkroom.jobs j
                                  where j.waits_for = 'time' and j.lane = l.lane
                                    and (j.attempt > 0 or j.is_paced)
                                    and j.run_at < clock_timestamp() + interval '30 minutes'))) as yes
            """)
        return try rows.first?.decode("yes", as: Bool.self) ?? false
    }
}

extension ClaimedJob {
    fileprivate init(_ rows: PostgresBinaryRows, _ row: Int, _ token: ClaimToken) throws {
        let name = try rows.string(row: row, column: 1)
        guard let kind = JobKind(rawValue: name) else { throw QueueError(.unknownKind(name)) }
        let createdAt = try rows.integer(row: row, column: 11)
        let leasedAt = try rows.integer(row: row, column: 12)
        let readySince = max(try rows.integer(row: row, column: 10), createdAt)
        self.init(
            lease: Lease(job: JobID(rawValue: try rows.integer(row: row, column: 0)), token: token),
            kind: kind, subject: try rows.integer(row: row, column: 2),
            fairKey: try rows.string(row: row, column: 3),
            lane: Lane(rawValue: Int16(try rows.integer(row: row, column: 4))),
            slot: try rows.integer(row: row, column: 5),
            attempt: Int(try rows.integer(row: row, column: 6)),
            failures: Int(try rows.integer(row: row, column: 7)),
            crashes: Int(try rows.integer(row: row, column: 8)),
            deaths: Int(try rows.integer(row: row, column: 9)),
            waited: .microseconds(max(0, leasedAt - readySince)),
            tried: .milliseconds(try rows.integer(row: row, column: 13)))
    }
}
