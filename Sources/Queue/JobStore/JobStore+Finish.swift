package import JobQueue
package import Postgres

extension JobStore {
    /// Ends many attempts as succeeded in one statement, for jobs that write nothing else to the database.
    /// Safe to repeat if its reply was lost.
    ///
    /// - Parameter lockTimeout: how long it may wait for a lock; then it throws `lockNotAvailable`.
    /// - Returns: the leases that their jobs no longer have; nothing was written for these.
    package func complete(_ leases: [Lease], lockTimeout: Duration = .seconds(10)) async throws -> [Lease] {
        let milliseconds = String(Int(lockTimeout / .milliseconds(1)))
        let rows = try await pool.query(
            """
            select darkroom.finish_jobs(
                \(leases.map(\.job.rawValue))::bigint[], \(leases.map(\.token.rawValue))::bigint[], 'succeeded') as undone
            from (select set_config('lock_timeout', \(milliseconds), true)) as l
            """)
        let undone = try rows.first?.decode("undone", as: [Int].self).map { leases[$0 - 1] } ?? []
        guard !undone.isEmpty else { return [] }
        let done = try await pool.query(
            """
            select f.job_id from darkroom.finished_jobs f
            join unnest(\(undone.map(\.job.rawValue))::bigint[], \(undone.map(\.token.rawValue))::bigint[]) as l (job_id, lease)
                on l.job_id = f.job_id and l.lease = f.lease
            """)
        let earlier = try Set(done.map { JobID(rawValue: try $0.decode("job_id", as: Int64.self)) })
        return undone.filter { !earlier.contains($0.job) }
    }

    /// Ends an attempt in a separate transaction.
    ///
    /// - Throws: ``QueueError`` with `leaseLost`; then nothing was written.
    package func end(
        _ lease: Lease, as outcome: Outcome, cause: String? = nil, trace: AttemptTrace? = nil
    ) async throws {
        try await pool.withTransaction {
            try await Self.end(lease, as: outcome, cause: cause, trace: trace, in: $0)
        }
    }

    /// Ends an attempt within the caller's transaction, so that the job's result and its completion
    /// commit together.
    ///
    /// A finished job moves to history in the same statement. Nothing is written if the job no longer has this lease.
    ///
    /// - Parameters:
    ///   - cause: the error behind the outcome, for engineers.
    ///   - trace: the stages of the attempt.
    /// - Throws: ``QueueError`` with `leaseLost`; then the caller must roll back the transaction.
    package static func end(
        _ lease: Lease, as outcome: Outcome, cause: String? = nil, trace: AttemptTrace? = nil,
        in transaction: PostgresConnection
    ) async throws {
        let state = JobState.running.after(outcome.event)!
        let isWritten =
            state.isFinished
            ? try await finish(lease, state: state, outcome, cause, trace, in: transaction)
            : try await giveBack(lease, outcome, cause, trace, in: transaction)
        guard isWritten else { throw QueueError(.leaseLost(lease)) }
    }

    private static func finish(
        _ lease: Lease, state: JobState, _ outcome: Outcome, _ cause: String?, _ trace: AttemptTrace?,
        in transaction: PostgresConnection
    ) async throws -> Bool {
        let crashes = outcome.reason?.code == "poison" ? 1 : 0
        let failures = outcome.event == .fail && crashes == 0 ? 1 : 0
        let rows = try await transaction.query(
            """
            select darkroom.finish_jobs(
                array[\(lease.job.rawValue)::bigint], array[\(lease.token.rawValue)::bigint], \(state.rawValue)::darkroom.job_state,
                \(outcome.reason?.code), \(outcome.reason?.message.storable), \(cause?.storable), \(trace?.verdict?.storable),
                \(stages(trace))::darkroom.stage_time[], failures => \(failures), crashes => \(crashes)) = '{}' as is_written
            """)
        return try rows.first?.decode("is_written", as: Bool.self) ?? false
    }

    private static func giveBack(
        _ lease: Lease, _ outcome: Outcome, _ cause: String?, _ trace: AttemptTrace?,
        in transaction: PostgresConnection
    ) async throws -> Bool {
        let (failures, crashes, deaths, delay): (Int, Int, Int, Duration?) =
            switch outcome {
            case .retry(_, let delay): (1, 0, 0, delay)
            case .snoozed(_, let delay): (0, 0, 0, delay)
            case .crashed: (0, 1, 0, nil)
            case .killed(_, let delay): (0, 0, 0, delay)
            default: (0, 0, 0, nil)
            }
        let rows = try await transaction.query(
            """
            select darkroom.return_job(
                \(lease.job.rawValue), \(lease.token.rawValue), \(outcome.name)::darkroom.attempt_outcome,
                \(outcome.reason?.code), \(outcome.reason?.message.storable), \(cause?.storable), \(trace?.verdict?.storable),
                \(stages(trace))::darkroom.stage_time[], make_interval(secs => \(delay?.inSeconds)),
                failures => \(failures), crashes => \(crashes), deaths => \(deaths)) as is_written
            """)
        return try rows.first?.decode("is_written", as: Bool.self) ?? false
    }

    /// The text of a `darkroom.stage_time[]`. Our stage names contain no quotes or commas.
    private static func stages(_ trace: AttemptTrace?) -> String? {
        guard let stages = trace?.stages, !stages.isEmpty else { return nil }
        let rows = stages.map { "\"(\($0.stage),\($0.duration.inSeconds * 1000))\"" }
        return "{\(rows.joined(separator: ","))}"
    }
}

extension String {
    /// PostgreSQL stores no NUL.
    fileprivate var storable: String { contains("\0") ? replacing("\0", with: "\u{FFFD}") : self }
}

extension Duration {
    package var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
