/// Runs `body` on a new thread, so that blocking calls in it do not hold one of Swift's cooperative threads.
///
/// For rare work such as starting programs. Throws what `body` throws, or ``ThreadError``.
package func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
        do {
            try startThread(named: "blocking") { continuation.resume(with: Result(catching: body)) }
        } catch {
            continuation.resume(throwing: error)
        }
    }
}
