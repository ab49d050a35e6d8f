import CLibPQ
import CLinux
import Glibc
import Synchronization

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
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, 1 << 18)
        var started = pthread_t()
        let context = Unmanaged.passRetained(self)
        let status = pthread_create(
            &started, &attributes,
            { context in
                linux_set_thread_name("postgres-cancel")
                Unmanaged<CancelRequest>.fromOpaque(context!).takeRetainedValue().send()
                return nil
            }, context.toOpaque())
        if status != 0 {
            context.release()
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
