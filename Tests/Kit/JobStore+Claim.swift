package import JobQueue
package import JobStore
import Synchronization

extension JobStore {
    /// Claims jobs; of all kinds that the queue has had, if none are given.
    package func claim(
        limit: Int, worker: WorkerID, queue: String = "default", kinds: [JobKind]? = nil,
        startingAt starts: [Lane: Int64] = [:], takesSuspect: Bool = true
    ) async throws -> [ClaimedJob] {
        let all = try await queues().first { $0.name == queue }?.kinds ?? []
        return try await claim(
            as: nextClaim(of: worker), limit: limit, queue: queue, kinds: kinds ?? all, startingAt: starts,
            takesSuspect: takesSuspect
        ).jobs
    }
}

private let lastClaim = Mutex<Int64>(0)

/// A token that no claim of this process has had.
package func nextClaim(of worker: WorkerID) -> ClaimToken {
    ClaimToken(
        worker,
        claim: lastClaim.withLock { last in
            last += 1
            return last
        })
}
