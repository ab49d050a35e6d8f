import Glibc
import Synchronization

/// A few threads for calls that block in the file system, which Swift's shared threads must not.
///
/// `@unchecked Sendable`: the semaphore is made for use by several threads; the queue is in a `Mutex`.
final class IOThreads: @unchecked Sendable {
    /// As many as an ordinary disk serves well at once; work waits its turn.
    static let shared = IOThreads(count: 4)

    private let jobs = Mutex<[@Sendable () -> Void]>([])
    private let available: UnsafeMutablePointer<sem_t>

    private init(count: Int) {
        available = .allocate(capacity: 1)
        sem_init(available, 0, 0)
        for _ in 0..<count {
            var thread = pthread_t()
            let context = Unmanaged.passRetained(self)
            let made = pthread_create(
                &thread, nil,
                { context in
                    Unmanaged<IOThreads>.fromOpaque(context!).takeRetainedValue().work()
                    return nil
                }, context.toOpaque())
            precondition(made == 0, "no thread could be made for the file system")
            pthread_detach(thread)
        }
    }

    /// Runs `body` on one of the threads.
    func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            jobs.withLock { jobs in
                jobs.append { continuation.resume(with: Result { try body() }) }
            }
            sem_post(available)
        }
    }

    private func work() {
        while true {
            guard sem_wait(available) == 0 else { continue }
            let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            job?()
        }
    }
}
