import ChildProcess
import Glibc
import Synchronization

/// A worker process of a trial.
final class TrialWorker: Sendable {
    private let process: Int32
    private let hasEnded = Mutex(false)

    /// - Parameter log: the file for what it says.
    init(_ command: ChildProgram, log: String) throws {
        let descriptor = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw ChaosError("cannot open \(log)") }
        defer { close(descriptor) }
        // In a session of its own: Ctrl-C is for the harness, which then ends the workers.
        process = try command.spawn(output: descriptor, errors: descriptor, ownSession: true)
    }

    /// Does nothing once the process has been reaped: its number may belong to another one.
    func send(_ signal: Int32) {
        hasEnded.withLock { if !$0 { kill(process, signal) } }
    }

    /// Whether it has ended by now.
    private func isOver() -> Bool {
        hasEnded.withLock { hasEnded in
            if !hasEnded { hasEnded = waitpid(process, nil, WNOHANG) == process }
            return hasEnded
        }
    }

    /// Lets it finish within `limit`, then kills it.
    ///
    /// - Returns: whether it finished by itself.
    func end(within limit: Duration) async -> Bool {
        let deadline = ContinuousClock.now + limit
        send(SIGCONT)
        send(SIGTERM)
        while !isOver() {
            if .now > deadline || Task.isCancelled {
                send(SIGKILL)
                while !isOver() { await Task.yield() }
                return false
            }
            try? await Task.sleep(for: .milliseconds(50))
        }
        return true
    }
}
