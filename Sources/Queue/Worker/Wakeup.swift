import Synchronization

/// A signal that one task waits for. A signal is kept while nobody waits; several signals count as one.
final class Wakeup: Sendable {
    private enum State {
        case quiet
        case signalled
        case awaited(CheckedContinuation<Void, Never>)
    }

    private let state = Mutex(State.quiet)

    func signal() {
        let waiter: CheckedContinuation<Void, Never>? = state.withLock { state in
            if case .awaited(let waiter) = state {
                state = .quiet
                return waiter
            }
            state = .signalled
            return nil
        }
        waiter?.resume()
    }

    /// Returns at the next signal, after `limit`, or when the task is cancelled, whichever comes first.
    func wait(atMost limit: Duration) async {
        await withTaskGroup { group in
            group.addTask {
                if (try? await Task.sleep(for: limit)) != nil { self.signal() }
            }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let ready = state.withLock { state in
                        if case .signalled = state {
                            state = .quiet
                            return true
                        }
                        state = .awaited(continuation)
                        return false
                    }
                    if ready { continuation.resume() }
                }
            } onCancel: {
                signal()
            }
            group.cancelAll()
        }
    }
}
