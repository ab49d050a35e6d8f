package import JobQueue
package import Postgres

extension JobStore {
    /// Ends attempts as succeeded, many in one statement, for jobs whose work leaves nothing else in the
    /// database.
    ///
    /// - Returns: the leases that are no longer their job's, for which nothing was written.
    package func complete(_ leases: [Lease]) async throws -> [Lease] {
        let rows = try await pool.query(
            """
            select darkroom.complete_jobs(
                \(leases.map(\.job.rawValue))::bigint[], \(leases.map(\.token))::bigint[]) as stale
            """)
        return try rows.first?.decode("stale", as: [Int].self).map { leases[$0 - 1] } ?? []
    }

    /// Ends an attempt, in a transaction of its own.
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
    /// A finished job moves to history in the same statement. Nothing is written where the lease is
    /// no longer the job's.
    ///
    /// - Parameters:
    ///   - cause: the error behind the outcome, for an engineer.
    ///   - trace: the stages that the attempt went through.
    /// - Throws: ``QueueError`` with `leaseLost`, upon which the transaction must be rolled back.
    package static func end(
        _ lease: Lease, as outcome: Outcome, cause: String? = nil, trace: AttemptTrace? = nil,
        in transaction: PostgresConnection
    ) async throws {
        let state = JobState.running.after(outcome.event)!
        let rows =
            state.isFinished
            ? try await finish(lease, state: state, outcome, cause, trace, in: transaction)
            : try await sendBack(lease, state: state, outcome, cause, trace, in: transaction)
        guard let row = rows.first else { throw QueueError(.leaseLost(lease)) }
        if let key = try row.decode("running_key", as: Int64?.self) {
            try await transaction.query("select darkroom.unpark(\([key])::bigint[])")
        }
    }

    private static func finish(
        _ lease: Lease, state: JobState, _ outcome: Outcome, _ cause: String?, _ trace: AttemptTrace?,
        in transaction: PostgresConnection
    ) async throws -> PostgresRows {
        let crashed = outcome.reason?.code == "poison" ? 1 : 0
        let failed = outcome.event == .fail && crashed == 0 ? 1 : 0
        return try await transaction.query(
            """
            with done as (
                delete from darkroom.jobs
                where job_id = \(lease.job.rawValue) and lease = \(lease.token)
                returning *),
            kept as (
                insert into darkroom.finished_jobs (
                    job_id, kind, state, lane, subject_id, fair_key, attempt, failures, crashes, lease, worker_id,
                    reason, message, cause, verdict, stages, created_at, started_at, finished_at)
                select job_id, kind, \(state.rawValue)::darkroom.job_state, lane, subject_id, fair_key,
                       attempt, failures + \(failed), crashes + \(crashed), lease, worker_id,
                       \(outcome.reason?.code), \(outcome.reason?.message), \(cause), \(trace?.verdict),
                       \(stages(trace))::darkroom.stage_time[], created_at, leased_at, clock_timestamp()
                from done)
            select running_key from done
            """)
    }

    private static func sendBack(
        _ lease: Lease, state: JobState, _ outcome: Outcome, _ cause: String?, _ trace: AttemptTrace?,
        in transaction: PostgresConnection
    ) async throws -> PostgresRows {
        let (failures, crashes, delay): (Int, Int, Duration) =
            switch outcome {
            case .retry(_, let delay): (1, 0, delay)
            case .snoozed(_, let delay): (0, 0, delay)
            case .crashed: (0, 1, .zero)
            default: (0, 0, .zero)
            }
        return try await transaction.query(
            """
            with held as (
                select * from darkroom.jobs
                where job_id = \(lease.job.rawValue) and lease = \(lease.token)
                for update),
            attempt as (
                insert into darkroom.job_attempts (
                    job_id, attempt, lease, worker_id, outcome, reason, message, cause, verdict, stages,
                    started_at, ended_at)
                select job_id, attempt, lease, worker_id, \(outcome.name)::darkroom.attempt_outcome,
                       \(outcome.reason?.code), \(outcome.reason?.message), \(cause), \(trace?.verdict),
                       \(stages(trace))::darkroom.stage_time[], leased_at, clock_timestamp()
                from held),
            back as (
                update darkroom.jobs j
                set lease = null, worker_id = null, leased_at = null, running_key = null, stage = null,
                    waits_for = \(state == .scheduled ? "time" : nil)::darkroom.job_wait,
                    slot = greatest(j.slot, darkroom.virtual_time(j.lane)),
                    failures = (j.failures + \(failures))::smallint,
                    crashes = (j.crashes + \(crashes))::smallint,
                    run_at = clock_timestamp() + make_interval(secs => \(delay.inSeconds))
                from held where j.job_id = held.job_id)
            select running_key from held
            """)
    }

    /// The text of a `darkroom.stage_time[]`. Stages are our own words, without quotes or commas.
    private static func stages(_ trace: AttemptTrace?) -> String? {
        guard let stages = trace?.stages, !stages.isEmpty else { return nil }
        let rows = stages.map { "\"(\($0.stage),\($0.duration.inSeconds * 1000))\"" }
        return "{\(rows.joined(separator: ","))}"
    }
}

extension Duration {
    package var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
