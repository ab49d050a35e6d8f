import Glibc
import Synchronization

/// A few threads that run blocking file calls, so that a slow disk never holds up Swift's tasks.
///
/// They mostly wait for flushes, which a file system does for many writers at once, so there are more than cores.
/// The threads live as long as the process and block every signal, so that a handler never runs on
/// them and a write beyond `RLIMIT_FSIZE` is an error (`EFBIG`) instead of the death of the process.
// `@unchecked`: the semaphore is made for concurrent use and never freed; `waiting` is a Mutex.
final class FileThreads: @unchecked Sendable {
    static let shared = FileThreads(count: 16)

    private let waiting = Mutex<[@Sendable () -> Void]>([])
    private let available: UnsafeMutablePointer<sem_t>

    private init(count: Int) {
        available = .allocate(capacity: 1)
        guard sem_init(available, 0, 0) == 0 else { fatalError("no semaphore for the file threads") }
        var everySignal = sigset_t()
        var previous = sigset_t()
        sigfillset(&everySignal)
        pthread_sigmask(SIG_SETMASK, &everySignal, &previous)
        let started = (0..<count).count { _ in startThread() }
        pthread_sigmask(SIG_SETMASK, &previous, nil)
        guard started > 0 else { fatalError("no thread for file access: raise the process limit") }
    }

    /// Runs `work` on one of the threads and waits for its result without blocking.
    func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws(MediaError) -> Value
    ) async throws(MediaError) -> Value {
        let result: Result<Value, MediaError> = await withCheckedContinuation { continuation in
            waiting.withLock { queue in
                queue.append { continuation.resume(returning: Result(catching: work)) }
            }
            sem_post(available)
        }
        return try result.get()
    }

    private func startThread() -> Bool {
        var thread = pthread_t()
        let me = Unmanaged.passRetained(self)
        let status = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<FileThreads>.fromOpaque(argument).takeRetainedValue().serve()
            }, me.toOpaque())
        guard status == 0 else {
            me.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    private func serve() -> Never {
        while true {
            while sem_wait(available) != 0 {}
            let work = waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            work?()
        }
    }
}
