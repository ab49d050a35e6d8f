import Synchronization
import Threads

/// Calls `check` once a second on a thread of its own, until it is released.
///
/// The thread does not wait for a request: a key that was taken out of its file while nobody asked must not be accepted for
/// the next one, and a request must not wait for a disk.
final class KeyWatcher: Sendable {
    private final class Stop: Sendable {
        let wake = Semaphore()
        let isRequested = Atomic(false)
    }

    private let stop = Stop()

    init(_ check: @escaping @Sendable () -> Void) throws(ThreadError) {
        try startThread(named: "key-files", stackBytes: 1 << 20) { [stop] in
            while true {
                stop.wake.wait(milliseconds: 1000)
                if stop.isRequested.load(ordering: .acquiring) { return }
                check()
            }
        }
    }

    deinit {
        stop.isRequested.store(true, ordering: .releasing)
        stop.wake.signal()
    }
}
