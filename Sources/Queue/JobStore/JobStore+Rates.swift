package import FoundationEssentials
import Postgres

/// The queue's counters at one moment. Rates are differences between two of them.
package struct QueueCounters: Sendable {
    /// By the database's clock.
    package let at: Date
    /// Job numbers used since the database was created. A repeated idempotency key also uses one; a replay does not.
    package let numbersDrawn: Int64
    package let running: Int
    /// Attempt ends are counted up to this time: a little before ``at``, so that none is still uncommitted.
    package let endsUntil: Date
    /// Attempts that ended since the previous counters, in any way; 0 in the first.
    package let attemptsEnded: Int
    /// Jobs that finished since the previous counters; 0 in the first.
    package let jobsFinished: Int
}

/// Jobs per second between two ``QueueCounters``.
package struct QueueRates: Sendable {
    /// New job numbers.
    package let enqueued: Double
    /// Attempts that ended, plus the growth in running jobs: every attempt that began is one of the two.
    package let claimed: Double
    /// Jobs that finished, in any state.
    package let finished: Double

    /// Nil if no time has passed.
    package init?(from earlier: QueueCounters, to later: QueueCounters) {
        let seconds = later.at.timeIntervalSince(earlier.at)
        let endSeconds = later.endsUntil.timeIntervalSince(earlier.endsUntil)
        guard seconds > 0, endSeconds > 0 else { return nil }
        enqueued = Double(later.numbersDrawn - earlier.numbersDrawn) / seconds
        finished = Double(later.jobsFinished) / endSeconds
        let begun =
            Double(later.attemptsEnded) / endSeconds + Double(later.running - earlier.running) / seconds
        claimed = max(0, begun)
    }
}

extension JobStore {
    /// Reads the counters.
    ///
    /// Running jobs are at the heads of the lanes: a claim moves its lane's virtual time to the last slot that it took, so
    /// no job beyond it runs.
    ///
    /// - Parameter earlier: the previous counters; attempts that ended since are counted.
    package func counters(since earlier: QueueCounters? = nil) async throws -> QueueCounters {
        let rows = try await pool.query(
            """
            with clock as materialized (
                select clock_timestamp() as now, clock_timestamp() - interval '250 milliseconds' as until),
            heads as materialized (
                select lane, coalesce(pg_sequence_last_value(position), 1) as reached from darkroom.lanes),
            ended as (
                select lease is not null as had_attempt, true as is_finished
                from darkroom.finished_jobs, clock
                where finished_at > \(earlier?.endsUntil)::timestamptz and finished_at <= clock.until
                union all
                select true, false from darkroom.job_attempts, clock
                where ended_at > \(earlier?.endsUntil)::timestamptz and ended_at <= clock.until)
            select now, until,
                   (select case when is_called then last_value else 0 end from darkroom.jobs_job_id_seq) as drawn,
                   (select count(*) from heads h join darkroom.jobs j
                        on j.lane = h.lane and j.waits_for is null and j.slot <= h.reached
                    where j.lease is not null) as running,
                   (select count(*) from ended where had_attempt) as attempts,
                   (select count(*) from ended where is_finished) as jobs
            from clock
            """)
        guard let row = rows.first else { throw PostgresError(.decoding, "no row for the counters") }
        return QueueCounters(
            at: try row.decode("now", as: Date.self), numbersDrawn: try row.decode("drawn", as: Int64.self),
            running: try row.decode("running", as: Int.self),
            endsUntil: try row.decode("until", as: Date.self),
            attemptsEnded: try row.decode("attempts", as: Int.self),
            jobsFinished: try row.decode("jobs", as: Int.self))
    }
}
