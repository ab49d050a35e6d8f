package import JobQueue
import JobStore
package import Postgres
package import Telemetry

extension JobKind {
    package static let expire = JobKind("expire")
}

/// Expires posts whose time is over. Queues the erasure of those that expired or were removed long enough ago, and of those
/// that their uploaders deleted long ago and that nobody has reviewed since. Queues the moderation of posts that are hidden
/// by reports that may count less by now.
///
/// It works in batches, each in a short transaction, so that finished work is kept if it stops.
package struct ExpireHandler: JobHandler {
    private let erasure: ErasureStore
    private let moderation: ModerationStore
    private let log: Log
    private let batch: Int
    private let mostWeighed: Int

    /// - Parameter mostWeighed: how many posts one run weighs again. It is limited so that after a policy change, new
    ///   reports do not wait until all hidden posts are moderated.
    package init(pool: PostgresPool, log: Log, batch: Int = 500, mostWeighed: Int = 10_000) {
        erasure = ErasureStore(pool: pool)
        moderation = ModerationStore(pool: pool)
        self.log = log
        self.batch = batch
        self.mostWeighed = mostWeighed
    }

    package func run(_ job: ClaimedJob, trace: AttemptTrace) async throws -> Completion {
        trace.enter("expire")
        let expired = try await repeated { try await erasure.expire(atMost: $0) }
        trace.enter("erase")
        let erased =
            try await repeated { try await erasure.eraseUndecided(atMost: $0) }
            + repeated { try await erasure.eraseExpired(atMost: $0) }
            + repeated { try await erasure.eraseRemoved(atMost: $0) }
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

    /// Repeats a step until it finds no more posts. Its argument is the most posts to take.
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
