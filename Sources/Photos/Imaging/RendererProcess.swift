import CLinux
import FoundationEssentials
import Glibc
import Synchronization

/// One renderer child process. Only the thread that owns it makes the blocking calls; any thread may call `kill`.
///
/// The thread that starts the process must outlive it, because the kernel kills the child when that thread ends.
final class RendererProcess: Sendable {
    private enum Life {
        case running
        case reaped(status: CInt)
    }

    let identifier: pid_t
    private let socket: MessageSocket
    private let errorOutput: CInt
    private let life = Mutex(Life.running)
    private let confinement = Mutex(Sandbox())
    /// The end of the child's standard error.
    private let diagnosticsTail = Mutex<[UInt8]>([])
    private static let diagnosticsLimit = 4096

    private init(identifier: pid_t, socket: CInt, errorOutput: CInt) {
        self.identifier = identifier
        self.socket = MessageSocket(descriptor: socket)
        self.errorOutput = errorOutput
    }

    deinit {
        _ = terminate()
        close(socket.descriptor)
        close(errorOutput)
    }

    /// Starts `executable` and waits until it reports that it is ready.
    ///
    /// - Parameter requiresSandbox: whether to refuse a renderer that lacks a layer of its sandbox.
    static func start(
        executable: String, within seconds: Double, requiresSandbox: Bool
    ) throws(RendererError) -> RendererProcess {
        var pair: [CInt] = [-1, -1]
        let kind = CInt(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else { throw systemError("socketpair") }
        var pipes: [CInt] = [-1, -1]
        guard linux_open_pipe(&pipes) == 0 else {
            let error = systemError("pipe2")
            for end in pair { close(end) }
            throw error
        }
        defer {
            close(pair[1])
            close(pipes[1])
        }
        // The environment has only what libvips reads. The parent's process identifier lets the child notice
        // that its parent died before the death signal was set.
        let environment = ["LC_ALL=C", "VIPS_CONCURRENCY=1", "VIPS_BLOCK_UNTRUSTED=1", "MALLOC_ARENA_MAX=2"]
        let arguments = [executable, String(getpid())]
        var identifier: pid_t = 0
        let status = withCStrings(arguments) { argv in
            withCStrings(environment) { envp in
                linux_spawn_closed(executable, argv, envp, pair[1], pipes[1], &identifier)
            }
        }
        let process = RendererProcess(identifier: identifier, socket: pair[0], errorOutput: pipes[0])
        guard status == 0 else {
            process.life.withLock { $0 = .reaped(status: 0) }
            throw RendererError(
                .cannotStart, "Cannot start the renderer \(executable): \(String(cString: strerror(status)))."
            )
        }
        do throws(RendererError) {
            guard
                case .ready(RenderReply.protocolVersion, _, let sandbox) = try process.receive(
                    within: seconds)
            else {
                throw RendererError(
                    .cannotStart, "\(executable) is from another release: install both programs together.")
            }
            process.confinement.withLock { $0 = sandbox }
            if requiresSandbox, !sandbox.isComplete {
                throw RendererError(
                    .cannotStart,
                    "its sandbox is incomplete: \(sandbox.gaps.map(\.description).joined(separator: ", "))."
                )
            }
        } catch {
            process.terminate()
            throw RendererError(
                .cannotStart, "The renderer \(executable) did not become ready: \(error.message)",
                diagnostics: process.diagnostics)
        }
        return process
    }

    private static func systemError(_ call: String) -> RendererError {
        RendererError(.cannotStart, "\(call): \(String(cString: strerror(errno))).")
    }

    /// The sandbox that the child reports. It can be trusted because the child has not read a photo yet.
    var sandbox: Sandbox { confinement.withLock { $0 } }

    var diagnostics: String { diagnosticsTail.withLock { String(decoding: $0, as: UTF8.self) } }

    /// Resident memory in bytes, from `/proc`; nil once the process is gone.
    var residentBytes: Int? {
        guard let file = fopen("/proc/\(identifier)/statm", "re") else { return nil }
        defer { fclose(file) }
        var text = [UInt8](repeating: 0, count: 128)
        let count = fread(&text, 1, text.count, file)
        let fields = text[..<count].split(separator: UInt8(ascii: " "))
        guard fields.count > 1, let pages = Int(String(decoding: fields[1], as: UTF8.self)) else {
            return nil
        }
        return pages * Int(sysconf(CInt(_SC_PAGESIZE)))
    }

    /// Whether the child has died or closed its socket while idle.
    var isGone: Bool {
        var item = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
        // Unrequested data is treated like an end of file.
        return poll(&item, 1, 0) != 0
    }

    /// Sends one photo and waits for the reply. After any error the process is dead.
    func exchange(
        _ request: RenderRequest, descriptors: [CInt]
    ) throws(RendererError) -> RenderReply {
        do throws(MessageSocket.Failure) { try socket.send(request, descriptors: descriptors) } catch {
            if case .closed = error.code { throw deathError() }
            terminate()
            throw RendererError(.protocolViolation, error.message)
        }
        return try receive(within: request.limits.wallClockSeconds)
    }

    private func receive(within seconds: Double) throws(RendererError) -> RenderReply {
        let deadline = Self.monotonicSeconds + seconds
        while true {
            let left = deadline - Self.monotonicSeconds
            guard left > 0 else {
                terminate()
                throw RendererError(
                    .deadline, "The renderer did not reply within \(seconds) s and was killed.",
                    diagnostics: diagnostics)
            }
            var items = [
                pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: errorOutput, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&items, 2, CInt(min(left * 1000 + 1, 3_600_000))) >= 0 else { continue }
            drainErrorOutput()
            if items[0].revents != 0 { break }
            if items[1].revents & Int16(POLLHUP) != 0 { throw deathError() }
        }
        do throws(MessageSocket.Failure) {
            let (reply, descriptors) = try socket.receive(RenderReply.self)
            for descriptor in descriptors { close(descriptor) }
            guard descriptors.isEmpty else {
                throw MessageSocket.Failure(code: .malformed, message: "It contains descriptors.")
            }
            return reply
        } catch {
            if case .closed = error.code { throw deathError() }
            terminate()
            throw RendererError(
                .protocolViolation, "The renderer's reply is invalid: \(error.message)",
                diagnostics: diagnostics)
        }
    }

    private static var monotonicSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private func drainErrorOutput() {
        var chunk = [UInt8](repeating: 0, count: 4096)
        // Bounded, so that a child that writes endlessly cannot block this thread.
        for _ in 0..<64 {
            let count = read(errorOutput, &chunk, chunk.count)
            guard count > 0 else { return }
            diagnosticsTail.withLock {
                $0.append(contentsOf: chunk[..<count])
                $0.removeFirst(max(0, $0.count - Self.diagnosticsLimit))
            }
        }
    }

    private func deathError() -> RendererError {
        let status = terminate()
        drainErrorOutput()
        let signal = status & 0x7F
        return signal == 0
            ? RendererError(
                .exited(status: (status >> 8) & 0xFF),
                "The renderer exited with status \((status >> 8) & 0xFF).", diagnostics: diagnostics)
            : RendererError(
                .crashed(signal: signal), "The renderer was killed by signal \(signal).",
                diagnostics: diagnostics)
    }

    /// Kills the process if it runs, and does nothing afterwards. Does not wait.
    func kill() {
        life.withLock {
            if case .running = $0 { _ = Glibc.kill(identifier, SIGKILL) }
        }
    }

    /// Kills the process if it runs, and reaps it. Returns its own exit status if it ended before it was killed.
    @discardableResult
    func terminate() -> CInt {
        // A child that has closed its socket is about to exit. Its own status says more than SIGKILL, so wait a little.
        var status: CInt = 0
        for attempt in 0..<20 {
            let collected: Bool = life.withLock {
                if case .reaped(let earlier) = $0 {
                    status = earlier
                    return true
                }
                guard waitpid(identifier, &status, WNOHANG) == identifier else { return false }
                $0 = .reaped(status: status)
                return true
            }
            if collected { return status }
            guard attempt < 19, isGone else { break }
            usleep(1000)
        }
        kill()
        life.withLock {
            if case .reaped(let earlier) = $0 {
                status = earlier
                return
            }
            while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
            $0 = .reaped(status: status)
        }
        return status
    }
}

/// Calls `body` with a null-terminated array of C strings that live until it returns.
private func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
}
