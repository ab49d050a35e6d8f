import Synchronization
import Threads

/// A few threads that run blocking file calls, so that a slow disk never holds up Swift's tasks.
///
/// The threads mostly wait for flushes, which a file system does for many writers at once, so there are more threads
/// than cores. They live as long as the process.
final class FileThreads: Sendable {
    static let shared = FileThreads(count: 16)

    private let waiting = Mutex<[@Sendable () -> Void]>([])
    private let available = Semaphore()

    private init(count: Int) {
        let started = (0..<count).count { _ in
            (try? startThread(named: "files") { [self] in serve() }) != nil
        }
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
            available.signal()
        }
        return try result.get()
    }

    private func serve() {
        while true {
            available.wait()
            let work = waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            work?()
        }
    }
}
