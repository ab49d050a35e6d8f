import CLinux
import Glibc

/// A counting semaphore for our own threads; a Swift task must never wait on it.
///
/// `@unchecked Sendable`: `sem_t` is made for concurrent use, and its address is fixed until `deinit`.
package final class Semaphore: @unchecked Sendable {
    private let handle = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    package init() { sem_init(handle, 0, 0) }

    deinit {
        sem_destroy(handle)
        handle.deallocate()
    }

    package func signal() { sem_post(handle) }

    package func wait() { while sem_wait(handle) != 0 {} }

    /// Returns after this time even without a signal.
    package func wait(milliseconds: CInt) { linux_wait_for_semaphore(handle, milliseconds) }
}
