import CLinux
import Glibc

/// Runs `body` on a new thread, so that what blocks in it does not hold one of Swift's cooperative threads.
///
/// For rare work such as starting programs. Throws what `body` throws, or `CommandError` where the system has no
/// thread to give.
package func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
        let work = Unmanaged.passRetained(ThreadWork { continuation.resume(with: Result(catching: body)) })
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        let status = pthread_create(
            &thread, &attributes,
            { context in
                Unmanaged<ThreadWork>.fromOpaque(context!).takeRetainedValue().body()
                return nil
            }, work.toOpaque())
        if status != 0 {
            work.release()
            continuation.resume(throwing: CommandError("no thread: \(errorText(status))"))
        }
    }
}

private final class ThreadWork: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

func errorText(_ number: Int32) -> String { String(cString: strerror(number)) }
