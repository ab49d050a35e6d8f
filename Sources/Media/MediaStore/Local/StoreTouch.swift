import CLinux
import Glibc
import Synchronization

/// Sees in another process whether the disk of a store responds to writing.
///
/// A call that writes to a frozen disk waits until the disk is thawed. Nothing ends such a call, not even SIGKILL, and no
/// process ends while one of its threads is in one. So a child makes the first call: if it does not return, only the
/// child waits. At most one child waits at a time.
final class StoreTouch: Sendable {
    /// Longer than a busy disk takes to flush a few bytes, and less than the limit of a probe.
    static let patience = Duration.seconds(8)

    private let child = Mutex<pid_t?>(nil)

    func requireResponse(of root: String) async throws(MediaError) {
        let deadline = ContinuousClock.now + Self.patience
        start(root)
        var pause = Duration.milliseconds(1)
        while isWaiting() {
            guard .now < deadline, (try? await Task.sleep(for: pause)) != nil else { throw .noResponse }
            pause = min(pause * 2, .milliseconds(50))
        }
    }

    private func start(_ root: String) {
        child.withLock { child in
            guard child == nil else { return }
            let started = linux_start_touching(
                "\(root)/\(MediaTree.renditions.rawValue)",
                "\(root)/\(StoreMarker.path)")
            // Without a child nothing is known; the calls themselves will say what is wrong.
            if started > 0 { child = started }
        }
    }

    /// Reaps the child if it has ended.
    private func isWaiting() -> Bool {
        child.withLock { child in
            guard let process = child else { return false }
            guard waitpid(process, nil, WNOHANG) != 0 else { return true }
            child = nil
            return false
        }
    }
}
