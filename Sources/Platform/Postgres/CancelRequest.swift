import CLibPQ
import Glibc
import Synchronization
import Threads

/// One request to cancel, over a connection of its own and on a thread of its own.
///
/// libpq waits for the server to close that connection, without a limit: where the network swallows everything, until
/// TCP gives it up. Nobody else has to wait so long.
///
/// `@unchecked Sendable`: `canceller` is used by the request's thread only, and freed when nobody has the request.
final class CancelRequest: @unchecked Sendable {
    private let canceller: OpaquePointer
    private let thread: ConnectionThread
    private let ended = Atomic(false)

    /// Takes over `canceller`, sends the request, and wakes `thread` when the server has acted on it.
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
        // A request that fails is not reported: the caller's grace period covers it.
        var text = [CChar](repeating: 0, count: 256)
        _ = PQcancel(canceller, &text, Int32(text.count))
        ended.store(true, ordering: .releasing)
        thread.wake()
    }
}
