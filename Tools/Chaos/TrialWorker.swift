import ChildProcess
import Glibc

/// A worker process of a trial.
struct TrialWorker: Sendable {
    private let program: RunningProgram

    var process: Int32 { program.process }

    /// - Parameters:
    ///   - log: the file for what it says.
    ///   - appends: whether to keep what an earlier worker has written there.
    init(_ command: ChildProgram, log: String, appends: Bool = false) throws {
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (appends ? O_APPEND : O_TRUNC)
        let descriptor = open(log, flags, 0o600)
        guard descriptor >= 0 else { throw ChaosError("cannot open \(log)") }
        defer { close(descriptor) }
        // In a session of its own: Ctrl-C is for the harness, which then ends the workers.
        program = try command.start(output: descriptor, errors: descriptor, ownSession: true)
    }

    func send(_ signal: Int32) { program.send(signal) }

    /// Waits until it has ended, for whatever reason.
    func awaitEnd() async { _ = try? await program.end() }

    /// Lets it finish within `limit`, then kills it.
    ///
    /// - Returns: whether it finished by itself.
    func end(within limit: Duration) async -> Bool {
        send(SIGCONT)
        send(SIGTERM)
        let killing = Task { [program] in
            try await Task.sleep(for: limit)
            program.send(SIGKILL)
        }
        defer { killing.cancel() }
        let ending = try? await withTaskCancellationHandler {
            try await program.end()
        } onCancel: {
            program.send(SIGKILL)
        }
        return ending != nil && ending != .killed(signal: SIGKILL)
    }
}
