package import JobQueue
import JobStore
package import Postgres
package import Telemetry

/// Weighs the reports on a post and hides it where the policy in force says so.
package struct ModerateHandler: JobHandler {
    private let pool: PostgresPool
    private let log: Log

    package init(pool: PostgresPool, log: Log) {
        self.pool = pool
        self.log = log
    }

    package func run(_ job: ClaimedJob, trace: AttemptTrace) async throws -> Completion {
        trace.enter("moderate")
        let decision = try await pool.withTransaction { transaction in
            let decision: PostStore.Decision
            do {
                decision = try await PostStore.moderate(job.subject, in: transaction)
            } catch let error as PostError where error.code == .noPost(job.subject) {
                throw AttemptError.rejected("post_gone", "The reported post no longer exists.")
            }
            try await JobStore.end(job.lease, as: .succeeded, trace: trace, in: transaction)
            return decision
        }
        log.info(
            "post.moderated",
            job.logFields(trace) + [
                "post": .init(job.subject),
                "decision": .init(decision.verdict.rawValue), "reports": .init(decision.reports),
                "policy": .init(decision.policy.version),
            ])
        return .committed
    }
}
