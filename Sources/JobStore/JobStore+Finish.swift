package import JobQueue
package import Postgres

extension JobStore {
    /// Ends an attempt, in a transaction of its own.
    ///
    /// - Throws: ``QueueError`` with `leaseLost`; then nothing was written.
    package func end(_ lease: Lease, as outcome: Outcome) async throws {
        try await pool.withTransaction { try await Self.end(lease, as: outcome, in: $0) }
    }

    /// Ends an attempt within the caller's transaction, so that the job's result and its completion
    /// commit together.
    ///
    /// A finished job moves to history in the same statement. Nothing is written where the lease is
    /// no longer the job's.
    ///
    /// - Throws: ``QueueError`` with `leaseLost`, upon which the transaction must be rolled back.
    package static func end(
        _ lease: Lease, as outcome: Outcome, in transaction: PostgresConnection
    ) async throws {
        let state = JobState.running.after(outcome.event)!
        let rows =
            state.isFinished
            ? try await finish(lease, state: state, outcome: outcome, in: transaction)
            : try await sendBack(lease, state: state, outcome: outcome, in: transaction)
        guard rows.affected == 1 else { throw QueueError(.leaseLost(lease)) }
    }

    private static func finish(
        _ lease: Lease, state: JobState, outcome: Outcome, in transaction: PostgresConnection
    ) async throws -> PostgresRows {
        let crashed = outcome.reason?.code == "poison" ? 1 : 0
        let failed = outcome.event == .fail && crashed == 0 ? 1 : 0
        return try await transaction.query(
            """
            with done as (
                delete from darkroom.jobs
                where job_id = \(lease.job.rawValue) and lease = \(lease.token)
                returning *),
            attempt as (
                insert into darkroom.job_attempts (
                    job_id, attempt, lease, worker_id, outcome, reason, message, started_at, ended_at)
                select job_id, attempt, lease, worker_id, \(outcome.name)::darkroom.attempt_outcome,
                       \(outcome.reason?.code), \(outcome.reason?.message), leased_at, clock_timestamp()
                from done)
            insert into darkroom.finished_jobs (
                job_id, kind, state, priority, subject_id, fair_key, attempt, failures, crashes,
                reason, message, created_at, finished_at)
            select job_id, kind, \(state.rawValue)::darkroom.job_state, priority, subject_id, fair_key,
                   attempt, failures + \(failed), crashes + \(crashed),
                   \(outcome.reason?.code), \(outcome.reason?.message), created_at, clock_timestamp()
            from done
            """)
    }

    private static func sendBack(
        _ lease: Lease, state: JobState, outcome: Outcome, in transaction: PostgresConnection
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
                    job_id, attempt, lease, worker_id, outcome, reason, message, started_at, ended_at)
                select job_id, attempt, lease, worker_id, \(outcome.name)::darkroom.attempt_outcome,
                       \(outcome.reason?.code), \(outcome.reason?.message), leased_at, clock_timestamp()
                from held)
            update darkroom.jobs j
            set state = \(state.rawValue)::darkroom.job_state, lease = null, worker_id = null,
                leased_at = null, failures = j.failures + \(failures), crashes = j.crashes + \(crashes),
                run_at = clock_timestamp() + make_interval(secs => \(delay.inSeconds))
            from held where j.job_id = held.job_id
            """)
    }
}

extension Duration {
    var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
