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

    let executable: String
    let identifier: pid_t
    private let socket: MessageSocket
    private let errorOutput: CInt
    private let life = Mutex(Life.running)
    private let confinement = Mutex(Sandbox())
    /// The end of the child's standard error.
    private let diagnosticsTail = Mutex<[UInt8]>([])
    private static let diagnosticsLimit = 4096

    /// - Parameter identifier: a child of this process that nothing else reaps; see ``spawn(_:)``.
    init(executable: String, identifier: pid_t, socket: CInt, errorOutput: CInt) {
        self.executable = executable
        self.identifier = identifier
        self.socket = MessageSocket(descriptor: socket)
        self.errorOutput = errorOutput
    }

    deinit {
        _ = terminate()
        close(socket.descriptor)
        close(errorOutput)
    }

    /// The sandbox that the child reports. It can be trusted because the child has not read a photo yet.
    var sandbox: Sandbox { confinement.withLock { $0 } }

    func note(_ sandbox: Sandbox) { confinement.withLock { $0 = sandbox } }

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

    func receive(within seconds: Double) throws(RendererError) -> RenderReply {
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
            let ready = poll(&items, 2, CInt(min(left * 1000 + 1, Self.longestPoll)))
            guard ready >= 0 else { continue }
            drainErrorOutput()
            if items[0].revents != 0 { break }
            if items[1].revents & Int16(POLLHUP) != 0 || ready == 0 && hasEnded { throw deathError() }
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

    /// Milliseconds after which to look whether the process has ended although another one holds its descriptors.
    private static let longestPoll = 500.0

    private var hasEnded: Bool {
        life.withLock {
            guard case .running = $0 else { return true }
            var information = siginfo_t()
            return waitid(P_PID, id_t(identifier), &information, WEXITED | WNOHANG | WNOWAIT) == 0
                && information.si_signo == SIGCHLD
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
