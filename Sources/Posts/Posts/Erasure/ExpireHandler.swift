package import JobQueue
import JobStore
package import Postgres
package import Telemetry

extension JobKind {
    package static let expire = JobKind("expire")
}

/// Ends posts whose time is over, has those erased that have been over for long enough, and those moderated that reports
/// have hidden and whose reports may count less by now.
///
/// In batches, each a short transaction, so that what was done stays done if it is stopped.
package struct ExpireHandler: JobHandler {
    private let pool: PostgresPool
    private let log: Log
    private let batch: Int
    private let mostWeighed: Int

    /// - Parameter mostWeighed: how many posts are weighed again by one run, so that after a change of the policy the
    ///   moderation of what is reported then does not wait behind all that is hidden.
    package init(pool: PostgresPool, log: Log, batch: Int = 500, mostWeighed: Int = 10_000) {
        self.pool = pool
        self.log = log
        self.batch = batch
        self.mostWeighed = mostWeighed
    }

    package func run(_ job: ClaimedJob, trace: AttemptTrace) async throws -> Completion {
        let erasure = ErasureStore(pool: pool)
        let moderation = ModerationStore(pool: pool)
        trace.enter("expire")
        let expired = try await repeated { try await erasure.expire(atMost: $0) }
        trace.enter("erase")
        let erased = try await repeated { try await erasure.eraseExpired(atMost: $0) }
        trace.enter("weigh")
        let weighed = try await repeated(upTo: mostWeighed) { try await moderation.weighAgain(atMost: $0) }
        if expired + erased + weighed > 0 {
            log.info(
                "posts.expired",
                job.logFields(trace) + [
                    "expired": .init(expired), "to_erase": .init(erased), "to_weigh": .init(weighed),
                ])
        }
        return .endedByBatch
    }

    /// Repeats a step, which is told how many posts to take at most, until it has done none.
    private func repeated(
        upTo most: Int = .max, _ step: (_ atMost: Int) async throws -> Int
    ) async throws -> Int {
        var total = 0
        while total < most {
            try Task.checkCancellation()
            let done = try await step(min(batch, most - total))
            if done == 0 { break }
            total += done
        }
        return total
    }
}
