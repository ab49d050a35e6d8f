/// Runs `body` and cancels it when `limit` has passed.
///
/// Then throws `PostgresError` with code `timeout`, once `body` has returned: a connection whose server does not
/// respond to the cancel request is given up after a few seconds. Also throws what `body` throws; a pool that waited
/// for a server without a free connection throws the server's refusal.
@discardableResult
package func withDeadline<T: Sendable>(
    _ limit: Duration, _ body: @escaping @Sendable () async throws -> T
) async throws -> T {
    let end = ContinuousClock.now + limit
    return try await Deadline.$end.withValue(min(end, Deadline.end ?? end)) {
        try await withThrowingTaskGroup(of: T?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(until: end, clock: .continuous)
                return nil
            }
            defer { group.cancelAll() }
            if let value = try await group.next() ?? nil { return value }
            group.cancelAll()
            do {
                // It may have ended just now.
                if let value = try await group.next() ?? nil { return value }
            } catch is CancellationError {
            }
            throw PostgresError(.timeout, "the database did not respond within \(limit)")
        }
    }
}

/// The time limit of the running task, for those who can say what they waited for when it passed.
enum Deadline {
    @TaskLocal static var end: ContinuousClock.Instant?

    static var hasPassed: Bool { end.map { $0 <= .now } ?? false }
}
