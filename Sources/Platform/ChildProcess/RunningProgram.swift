import Glibc
import Synchronization
import Threads

/// A child process from its start to its reaping. One that nothing refers to any more is killed.
package final class RunningProgram: Sendable {
    package let process: Int32
    private let ending = Mutex<ChildProgram.Ending?>(nil)

    /// - Parameter process: a child of this process that nothing else reaps.
    init(_ process: Int32) { self.process = process }

    deinit {
        send(SIGKILL)
        _ = awaitEnd()
    }

    /// Does nothing once the process has been reaped: its number may belong to another one.
    package func send(_ signal: Int32) {
        ending.withLock { if $0 == nil { kill(process, signal) } }
    }

    /// Waits for the end on a separate thread.
    package func end() async throws -> ChildProgram.Ending { try await onThread { self.awaitEnd() } }

    /// Blocks until the process has ended, and reaps it.
    package func awaitEnd() -> ChildProgram.Ending {
        // Reaped only under the lock, so that no signal is sent to another process of the same number.
        var information = siginfo_t()
        while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        return ending.withLock { ending in
            if let ending { return ending }
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7F
            let own: ChildProgram.Ending =
                signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: signal)
            ending = own
            return own
        }
    }
}
