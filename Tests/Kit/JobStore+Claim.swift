package import JobQueue
package import JobStore

extension JobStore {
    /// Claims jobs of all kinds that the queue has had.
    package func claim(
        limit: Int, worker: WorkerID, queue: String = "default", startingAt starts: [Lane: Int64] = [:]
    ) async throws -> [ClaimedJob] {
        let kinds = try await queues().first { $0.name == queue }?.kinds ?? []
        return try await claim(limit: limit, worker: worker, queue: queue, kinds: kinds, startingAt: starts)
    }
}
