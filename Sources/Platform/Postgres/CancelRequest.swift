import CLibPQ
import Glibc
import Synchronization
import Threads

/// One request to cancel, over a separate connection and on a separate thread.
///
/// libpq waits without a limit for the server to close that connection. If the network drops everything, it waits until
/// TCP gives up. Nobody else has to wait that long.
///
/// `@unchecked Sendable`: only the request's thread uses `canceller`, and it is freed when nobody holds the request.
final class CancelRequest: @unchecked Sendable {
    private let canceller: OpaquePointer
    private let thread: ConnectionThread
    private let ended = Atomic(false)

    /// Takes ownership of `canceller`, sends the request, and wakes `thread` when the server has acted on it.
    init(owning canceller: OpaquePointer, waking thread: ConnectionThread) {
        self.canceller = canceller
        self.thread = thread
        start()
    }

    deinit { PQfreeCancel(canceller) }

    /// Whether the request can no longer reach the server.
    var hasEnded: Bool { ended.load(ordering: .acquiring) }

    private func start() {
        do {
            try startThread(named: "postgres-cancel", stackBytes: 1 << 18) { [self] in send() }
        } catch {
            ended.store(true, ordering: .releasing)
        }
    }

    private func send() {
        // A failed request is not reported: the caller's grace period covers it.
        var text = [CChar](repeating: 0, count: 256)
        _ = PQcancel(canceller, &text, Int32(text.count))
        ended.store(true, ordering: .releasing)
        thread.wake()
    }
}
