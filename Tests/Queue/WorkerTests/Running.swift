import Worker

/// Runs `workers` while `body` runs, then lets them finish.
///
/// A failing worker also ends `body`, which would otherwise wait forever.
/// - Throws: what a worker or `body` throws.
func running(_ workers: Worker..., body: @escaping @Sendable () async throws -> Void) async throws {
    try await withThrowingTaskGroup { group in
        for worker in workers { group.addTask { try await worker.run() } }
        group.addTask {
            defer { for worker in workers { worker.drain() } }
            try await body()
        }
        while try await group.next() != nil {}
    }
}
