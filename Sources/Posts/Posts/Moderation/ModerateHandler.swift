package import JobQueue
import JobStore
package import Postgres
package import Telemetry

extension JobKind {
    package static let moderate = JobKind("moderate")
    package static let moderateComment = JobKind("moderate_comment")
}

/// Weighs the reports on a post or comment, and hides it or shows it again according to the policy in force.
package struct ModerateHandler: JobHandler {
    private let pool: PostgresPool
    private let log: Log

    package init(pool: PostgresPool, log: Log) {
        self.pool = pool
        self.log = log
    }

    package func run(_ job: ClaimedJob, trace: AttemptTrace) async throws -> Completion {
        trace.enter("moderate")
        let kind: ModeratedKind = job.kind == .moderateComment ? .comment : .post
        let decision: ModerationStore.Decision
        do {
            decision = try await pool.withTransaction { transaction in
                let decision = try await ModerationStore.moderate(job.subject, as: kind, in: transaction)
                try await JobStore.end(job.lease, as: .succeeded, trace: trace, in: transaction)
                return decision
            }
        } catch let error as PostError where error.code == .noPost(job.subject) {
            // The report was committed after the post's erasure had looked for reports.
            try await ErasureStore(pool: pool).eraseLeftovers(of: job.subject)
            throw AttemptError.rejected("post_gone", "The reported post no longer exists.")
        } catch let error as PostError where error.code == .noComment(job.subject) {
            throw AttemptError.rejected("comment_gone", "The reported comment no longer exists.")
        }
        log.info(
            "\(kind.rawValue).moderated",
            job.logFields(trace) + [kind.rawValue: .init(job.subject)] + decision.logFields)
        return .committed
    }
}

extension ModerationStore.Decision {
    fileprivate var logFields: Log.Fields {
        switch self {
        case .gone(let state): ["state": .init(state.rawValue)]
        case .decided(let verdict, let policy):
            [
                "decision": .init(verdict.action.rawValue), "cause": .init(verdict.cause.rawValue),
                "reports": .init(verdict.evidence.count), "score": .number(verdict.score),
                "threshold": .number(verdict.threshold), "policy": .init(policy),
            ]
        }
    }
}
