package import JobQueue
import JobStore
package import Postgres
package import Telemetry

/// Ends posts whose time is over, and has those erased that have been over for long enough.
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
        if expired + erased > 0 {
            log.info(
                "posts.expired",
                job.logFields(trace) + ["expired": .init(expired), "to_erase": .init(erased)])
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
