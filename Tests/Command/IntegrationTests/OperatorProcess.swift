import ChildProcess
import FoundationEssentials
import Glibc
import JobQueue
import JobStore
import TestKit

/// A `darkroom` that runs in parallel to the test, which can signal it. Its output goes to a file or a pseudo-terminal.
final class OperatorProcess: Sendable {
    let program: RunningProgram
    private let path: String

    /// - Parameter database: the URL by which it connects to the database, if not the owner's.
    init(_ installation: Installation, database: String? = nil, _ arguments: String...) throws {
        path = "\(installation.root)/output-\(UUID().uuidString)"
        var command = installation.command(arguments)
        if let database { command.environment["DATABASE_URL"] = database }
        let output = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(output) }
        program = try command.start(output: output, errors: output)
    }

    func send(_ signal: Int32) { program.send(signal) }

    var text: String { String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self) }

    func end() async throws -> ChildProgram.Ending { try await program.end() }
}

/// A pseudo-terminal: the test reads from the other end what a child writes to `child`.
struct PseudoTerminal: ~Copyable {
    let child: Int32
    private let master: Int32

    init(columns: UInt16, lines: UInt16) throws {
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var isLocked: Int32 = 0
        var number: UInt32 = 0
        // TIOCSPTLCK and TIOCGPTN of ioctl_tty(2), macros that Swift cannot import.
        guard master >= 0, ioctl(master, 0x4004_5431, &isLocked) == 0,
            ioctl(master, 0x8004_5430, &number) == 0
        else { throw ChildProgramError("no pseudo-terminal: \(errno)") }
        child = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        _ = fcntl(master, F_SETFL, O_NONBLOCK)
        resize(columns: columns, lines: lines)
    }

    deinit {
        close(child)
        close(master)
    }

    func resize(columns: UInt16, lines: UInt16) {
        var size = winsize(ws_row: lines, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(master, UInt(TIOCSWINSZ), &size)
    }

    /// What it has written since the last call.
    func read() -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = Glibc.read(master, &chunk, chunk.count)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk[..<count]
        }
    }

    /// Reads until `isEnough` of everything written.
    func read(until isEnough: (String) -> Bool) async throws -> String {
        var text = ""
        while true {
            text += read()
            if isEnough(text) { return text }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}

/// Polls until the condition is true.
func until(_ isSo: () async throws -> Bool) async throws {
    while try await !isSo() { try await Task.sleep(for: .milliseconds(10)) }
}

extension QueueDatabase {
    /// Enqueues a job, which must be the only waiting one, and ends its only attempt.
    @discardableResult
    func finished(
        uploader: String = "ada", as outcome: Outcome, cause: String? = nil, trace: AttemptTrace? = nil
    ) async throws -> JobID {
        let job = try await enqueue(uploader: uploader)
        let claimed = try await claimOne()
        guard claimed.id == job else { throw ChildProgramError("\(claimed.id) was waiting before \(job)") }
        try await store.end(claimed.lease, as: outcome, cause: cause, trace: trace)
        return job
    }

    @discardableResult
    func failed(_ code: String, uploader: String = "ada", cause: String? = nil) async throws -> JobID {
        try await finished(
            uploader: uploader, as: .failed(Reason(code: code, message: "It was \(code).")), cause: cause)
    }
}
