package import JobQueue
import JobStore
package import Postgres

/// Takes its time over a job, and tells a file when it starts and ends.
///
/// It commits a result with the end of jobs with an even subject, like the handlers of photos, and leaves the other ends
/// to the worker. Every fourth job has its transaction open for half of its time, so that gaps begin in it.
package struct ChaosHandler: JobHandler {
    private let pool: PostgresPool
    private let jobTime: Duration
    private let events: JobEvents

    package init(pool: PostgresPool, jobTime: Duration, events: JobEvents) {
        self.pool = pool
        self.jobTime = jobTime
        self.events = events
    }

    static let table = "create table public.results (job_id bigint not null)"

    package func run(_ job: ClaimedJob, trace: AttemptTrace) async throws -> Completion {
        events.note(.started, job.lease)
        defer { events.note(.ended, job.lease) }
        let transactionTime = job.subject.isMultiple(of: 4) ? jobTime / 2 : .zero
        try await Task.sleep(for: jobTime - transactionTime)
        guard job.subject.isMultiple(of: 2) else { return .endedByBatch }
        try await pool.withTransaction { transaction in
            try await transaction.query(
                "insert into public.results (job_id) values (\(job.lease.job.rawValue))")
            try await JobStore.end(job.lease, as: .succeeded, trace: trace, in: transaction)
            try await Task.sleep(for: transactionTime)
        }
        return .committed
    }
}
