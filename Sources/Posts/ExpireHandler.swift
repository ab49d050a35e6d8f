package import JobQueue
import JobStore
package import Postgres
package import Telemetry

/// Ends posts whose time is over, has those erased that have been over for long enough, and those moderated that reports
/// have hidden and whose reports may count less by now.
///
/// In batches, each a short transaction, so that what was done stays done if it is stopped.
package struct ExpireHandler: JobHandler {
    private let pool: PostgresPool
    private let log: Log
    private let batch: Int

    package init(pool: PostgresPool, log: Log, batch: Int = 500) {
        self.pool = pool
        self.log = log
        self.batch = batch
    }

    package func run(_ job: ClaimedJob, trace: AttemptTrace) async throws -> Completion {
        let store = PostStore(pool: pool)
        trace.enter("expire")
        let expired = try await repeated { try await store.expire(atMost: batch) }
        trace.enter("erase")
        let erased = try await repeated { try await store.eraseExpired(atMost: batch) }
        trace.enter("weigh")
        let weighed = try await repeated { try await store.weighAgain(atMost: batch) }
        if expired + erased + weighed > 0 {
            log.info(
                "posts.expired",
                job.logFields(trace) + [
                    "expired": .init(expired), "to_erase": .init(erased), "to_weigh": .init(weighed),
                ])
        }
        return .left
    }

    private func repeated(_ step: () async throws -> Int) async throws -> Int {
        var total = 0
        while true {
            try Task.checkCancellation()
            let done = try await step()
            if done == 0 { return total }
            total += done
        }
    }
}
