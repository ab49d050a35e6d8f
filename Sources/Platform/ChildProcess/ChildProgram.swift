import CLinux
import Glibc

/// A program with its arguments, to run as a child process.
package struct ChildProgram: Sendable {
    /// An absolute path.
    package var executable: String
    package var arguments: [String]
    /// The whole environment of the child; nothing is inherited.
    package var environment: [String: String]
    package var workingDirectory: String

    package init(
        _ executable: String, _ arguments: [String] = [],
        environment: [String: String] = Self.plainEnvironment,
        workingDirectory: String = "/"
    ) {
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
        self.workingDirectory = workingDirectory
    }

    /// A fixed search path and locale, so that a program's behaviour and messages do not depend on the caller.
    package static let plainEnvironment = [
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8",
    ]

    package enum Ending: Sendable, Equatable, CustomStringConvertible {
        case exited(Int32)
        case killed(signal: Int32)

        package var description: String {
            switch self {
            case .exited(let status): "ended with \(status)"
            case .killed(let signal): "was killed by signal \(signal)"
            }
        }
    }

    package struct Output: Sendable {
        package var ending: Ending
        package var standardOutput: String
        package var standardError: String

        package var succeeded: Bool { ending == .exited(0) }
    }

    /// The absolute path of the program `name`, found in this process's `PATH` or the usual system folders.
    package static func find(_ name: String) -> String? {
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        return (path.split(separator: ":") + ["/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"])
            .lazy.filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }
}

/// A program could not be run or did not succeed.
package struct ChildProgramError: Error, Sendable, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}

extension ChildProgram {
    /// Runs the program to its end and returns its output.
    ///
    /// Its input is empty. The output is what was written by the time the program itself ended, even if a daemon that
    /// it left behind still holds the descriptors. Cancelling the task sends `SIGTERM` and awaits the end. Throws
    /// `ChildProgramError` if the program cannot be started and `CancellationError` if the task was cancelled.
    package func run() async throws -> Output {
        try Task.checkCancellation()
        let output = try CapturedOutput()
        let errors = try CapturedOutput()
        let program = try start(output: output.descriptor, errors: errors.descriptor)
        let ending = try await withTaskCancellationHandler {
            try await program.end()
        } onCancel: {
            program.send(SIGTERM)
        }
        try Task.checkCancellation()
        return Output(ending: ending, standardOutput: output.text(), standardError: errors.text())
    }

    /// Runs the program like `run`; throws `ChildProgramError` with its output if it does not exit with 0.
    @discardableResult
    package func runSuccessfully() async throws -> Output {
        let output = try await run()
        guard output.succeeded else {
            let said = (output.standardError + output.standardOutput)
                .split(whereSeparator: \.isNewline).suffix(8).joined(separator: " | ")
            throw ChildProgramError("\(executable) \(output.ending): \(said)")
        }
        return output
    }

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - descriptors: further descriptors for the child, keyed by their number there.
    ///   - ownSession: whether the child gets a new session, out of reach of this terminal's signals.
    package func start(
        output: Int32? = nil, errors: Int32? = nil, descriptors: [Int32: Int32] = [:],
        ownSession: Bool = false
    ) throws -> RunningProgram {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        for (number, descriptor) in [(Int32(1), output), (2, errors)] {
            if let descriptor {
                posix_spawn_file_actions_adddup2(&actions, descriptor, number)
            } else {
                posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_WRONLY, 0)
            }
        }
        for (number, descriptor) in descriptors {
            posix_spawn_file_actions_adddup2(&actions, descriptor, number)
        }
        // Keeps the child from inheriting descriptors that lack the close-on-exec flag.
        linux_spawn_close_from(&actions, max(2, descriptors.keys.max() ?? 2) + 1)
        linux_spawn_change_directory(&actions, workingDirectory)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A child must not inherit the signals that this thread blocks or this process ignores.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        // POSIX_SPAWN_SETSID, which glibc's headers show to GNU sources only.
        let setSession: Int32 = ownSession ? 0x80 : 0
        posix_spawnattr_setflags(
            &attributes, Int16(Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF) | setSession))

        var argv = ([executable] + arguments).map { strdup($0) } + [nil]
        var envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in argv + envp { free(text) } }
        var process = pid_t()
        let status = posix_spawn(&process, executable, &actions, &attributes, &argv, &envp)
        guard status == 0 else { throw ChildProgramError("cannot start \(executable): \(errorText(status))") }
        return RunningProgram(process)
    }
}

/// An unnamed temporary file that a child writes to: unlike a pipe it never fills up and needs no reader.
private struct CapturedOutput: ~Copyable {
    let descriptor: Int32

    init() throws {
        var template = Array("/tmp/darkroom-output-XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else {
            throw ChildProgramError("no temporary file in /tmp: \(errorText(errno))")
        }
        unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit { close(descriptor) }

    func text() -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = pread(descriptor, &chunk, chunk.count, off_t(bytes.count))
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk[..<count]
        }
    }
}

private func errorText(_ number: Int32) -> String { String(cString: strerror(number)) }
