import Glibc

/// A counting semaphore for threads of our own; never waited on from a Swift task.
///
/// `@unchecked Sendable`: `sem_t` is made for concurrent use, and its address is fixed until `deinit`.
final class Semaphore: @unchecked Sendable {
    private let handle = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(handle, 0, 0) }

    deinit {
        sem_destroy(handle)
        handle.deallocate()
    }

    func signal() { sem_post(handle) }

    func wait() { while sem_wait(handle) != 0 {} }
}

/// Runs `body` on a new detached thread.
func startThread(_ body: @escaping @Sendable () -> Void) {
    final class Box {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    let argument = Unmanaged.passRetained(Box(body)).toOpaque()
    let status = pthread_create(
        &thread, nil,
        { argument in
            Unmanaged<Box>.fromOpaque(argument!).takeRetainedValue().body()
            return nil
        }, argument)
    precondition(status == 0, "pthread_create: \(status)")
    pthread_detach(thread)
}
