import Synchronization
import Threads

/// A few threads that run blocking file calls, so that a slow disk never holds up Swift's tasks.
///
/// The threads mostly wait for flushes, which a file system does for many writers at once, so there are more threads
/// than cores. They live as long as the process.
package final class FileThreads: Sendable {
    static let shared = FileThreads(count: sharedCount)
    /// How many threads all stores of the process have, each with at most so many directories open.
    package static let sharedCount = 16
    package static let directoriesAtOnce = 3

    private let waiting = Mutex<[@Sendable () -> Void]>([])
    private let available = Semaphore()

    package init(count: Int) {
        let started = (0..<count).count { _ in
            (try? startThread(named: "files") { [self] in serve() }) != nil
        }
        guard started > 0 else { fatalError("no thread for file access: raise the process limit") }
    }

    /// Longer than a healthy disk takes to flush a photo, however busy it is. A frozen one never returns.
    static let patience = Duration.seconds(60)

    /// Runs `work` on one of the threads and waits for its result without blocking.
    ///
    /// A call that does not return keeps its thread, and its result is dropped.
    ///
    /// - Throws: what `work` throws, and `noResponse` if the task is cancelled or `patience` passes first.
    package func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws(MediaError) -> Value
    ) async throws(MediaError) -> Value {
        let reply = Reply<Value>()
        let timer = Task {
            try await Task.sleep(for: Self.patience)
            reply.send(.failure(.noResponse))
        }
        defer { timer.cancel() }
        let result: Result<Value, MediaError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                reply.wait(with: continuation)
                waiting.withLock { queue in
                    queue.append {
                        // Nobody waits for it any more.
                        guard !reply.isSent else { return }
                        reply.send(Result(catching: work))
                    }
                }
                available.signal()
            }
        } onCancel: {
            reply.send(.failure(.noResponse))
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

/// The first result that arrives, for one who waits for it.
private final class Reply<Value: Sendable>: Sendable {
    private typealias Continuation = CheckedContinuation<Result<Value, MediaError>, Never>
    private enum State {
        case early
        case awaited(Continuation)
        case sent(Result<Value, MediaError>?)
    }

    private let state = Mutex(State.early)

    var isSent: Bool {
        state.withLock { if case .sent = $0 { true } else { false } }
    }

    func wait(with continuation: CheckedContinuation<Result<Value, MediaError>, Never>) {
        let early: Result<Value, MediaError>? = state.withLock { state in
            if case .sent(let result) = state { return result }
            state = .awaited(continuation)
            return nil
        }
        if let early { continuation.resume(returning: early) }
    }

    /// Hands the result over: the waiter then holds the only reference to it, and a file that it drops is closed at once.
    func send(_ result: consuming Result<Value, MediaError>) {
        let early = copy result
        let waiter: Continuation? = state.withLock { state in
            switch state {
            case .early:
                state = .sent(early)
                return nil
            case .awaited(let waiter):
                state = .sent(nil)
                return waiter
            case .sent: return nil
            }
        }
        _ = consume early
        waiter?.resume(returning: consume result)
    }
}
