import Glibc
import Synchronization

/// A renderer, or the zygote that forks renderers. Both are children of this process. Only the thread that owns it makes the
/// blocking calls; any thread may call `kill`.
///
/// The thread that starts the zygote must outlive both, because the kernel kills them when that thread ends.
final class RendererProcess: Sendable {
    private enum Life {
        case running
        case reaped(Ending)
    }

    /// What the kernel says about a process that has ended.
    struct Ending {
        /// It ran on until it was killed here, so its status says nothing.
        var wasKilledHere = false
        var status: CInt = 0
        var cpuSeconds = 0.0
        /// The part of ``cpuSeconds`` that the kernel took.
        var kernelSeconds = 0.0
        var peakBytes = 0
    }

    let executable: String
    let identifier: pid_t
    private let isZygote: Bool
    private let socket: MessageSocket
    private let errorOutput: CInt
    private let life = Mutex(Life.running)
    private let confinement = Mutex(Sandbox())
    /// The end of the child's standard error.
    private let diagnosticsTail = Mutex<[UInt8]>([])
    private static let diagnosticsLimit = 4096

    /// Takes our ends of the link.
    ///
    /// - Parameters:
    ///   - identifier: a child of this process that nothing else reaps.
    ///   - isZygote: whether it leads a process group, with all that it forks.
    init(executable: String, identifier: pid_t, isZygote: Bool, _ link: RendererLink) {
        self.executable = executable
        self.identifier = identifier
        self.isZygote = isZygote
        socket = MessageSocket(descriptor: link.socket)
        errorOutput = link.errorOutput
    }

    deinit {
        terminate()
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

    /// CPU time so far; 0 once the process is gone.
    private var cpuSeconds: Double {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(identifier, &clock) == 0, clock_gettime(clock, &time) == 0 else { return 0 }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
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
        let cpuLimit = cpuSeconds + Double(request.limits.cpuSeconds) + 3
        try send(request, descriptors: descriptors)
        return try receive(
            RenderReply.self, within: request.limits.wallClockSeconds, idle: request.limits.idleSeconds,
            cpuSeconds: cpuLimit)
    }

    func send(_ message: some Encodable, descriptors: [CInt]) throws(RendererError) {
        do throws(MessageSocket.Failure) { try socket.send(message, descriptors: descriptors) } catch {
            if case .closed = error.code { throw deathError() }
            terminate()
            throw RendererError(.protocolViolation, error.message)
        }
    }

    func receive<Message: Decodable>(
        _ type: Message.Type, within seconds: Double, idle idleLimit: Double = .infinity,
        cpuSeconds cpuLimit: Double = .infinity
    ) throws(RendererError) -> Message {
        var watch = ProgressWatch(process: identifier, cpuSeconds: cpuSeconds)
        while true {
            watch.look()
            let left = seconds - watch.seconds
            guard left > 0, watch.idleSeconds < idleLimit else { throw overdue(watch) }
            var items = [
                pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: errorOutput, events: Int16(POLLIN), revents: 0),
            ]
            let ready = poll(&items, 2, CInt(min(left * 1000 + 1, Self.longestPoll)))
            guard ready >= 0 else { continue }
            drainErrorOutput()
            if items[0].revents != 0 { break }
            // Its own limit is higher, and is met first only if many processors compute at once.
            guard cpuSeconds < cpuLimit else {
                terminate()
                throw RendererError(
                    .crashed(signal: SIGXCPU), "The renderer used more than its CPU time and was killed.",
                    diagnostics: diagnostics)
            }
            let isOver = items[1].revents & Int16(POLLHUP) != 0 || ready == 0 && hasEnded
            // It may have replied and ended since.
            if isOver, isGone { break }
            if isOver { throw deathError(cpuLimit: cpuLimit) }
        }
        do throws(MessageSocket.Failure) {
            let (reply, descriptors) = try socket.receive(type)
            for descriptor in descriptors { close(descriptor) }
            guard descriptors.isEmpty else {
                throw MessageSocket.Failure(code: .malformed, message: "It contains descriptors.")
            }
            return reply
        } catch {
            if case .closed = error.code { throw deathError(cpuLimit: cpuLimit) }
            terminate()
            throw RendererError(
                .protocolViolation, "The renderer's reply is invalid: \(error.message)",
                diagnostics: diagnostics)
        }
    }

    /// Kills a renderer that has not replied in time.
    private func overdue(_ watch: ProgressWatch) -> RendererError {
        let cpu = Self.tenths(cpuSeconds - watch.cpuSecondsBefore)
        let found = watch.isStarved(cpuSeconds: cpu)
        terminate()
        let seconds = "\(Self.tenths(watch.seconds)) s"
        return found
            ? RendererError(
                .starved,
                "The renderer was killed after \(seconds), of which this machine let it compute for \(cpu) s.",
                diagnostics: diagnostics)
            : RendererError(
                .deadline,
                "The renderer was killed because it did not reply within \(seconds); it computed for \(cpu) s of them.",
                diagnostics: diagnostics)
    }

    private static func tenths(_ seconds: Double) -> Double { (seconds * 10).rounded() / 10 }

    /// Milliseconds after which to look whether the process has ended although another one holds its descriptors.
    private static let longestPoll = 500.0

    private var hasEnded: Bool {
        life.withLock {
            guard case .running = $0 else { return true }
            return Self.state(of: identifier) == .ended
        }
    }

    enum ChildState { case running, ended, stranger }

    /// The state of a child that is not reaped yet.
    static func state(of identifier: pid_t) -> ChildState {
        var information = siginfo_t()
        guard waitid(P_PID, id_t(identifier), &information, WEXITED | WNOHANG | WNOWAIT) == 0 else {
            return .stranger
        }
        return information.si_signo == SIGCHLD ? .ended : .running
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

    /// - Parameter cpuLimit: seconds of CPU time at which the worker would have killed it.
    private func deathError(cpuLimit: Double = .infinity) -> RendererError {
        let ending = terminate()
        drainErrorOutput()
        guard !ending.wasKilledHere else {
            return RendererError(
                .protocolViolation, "The renderer closed its connection and went on, so it was killed.",
                diagnostics: diagnostics)
        }
        var signal = ending.status & 0x7F
        // The first process of a namespace ignores SIGXCPU, and meets the hard limit.
        if signal == SIGKILL, ending.cpuSeconds >= cpuLimit - 2 { signal = SIGXCPU }
        let status = (ending.status >> 8) & 0xFF
        let cpu = "after \(Self.tenths(ending.cpuSeconds)) s of CPU time"
        // What the kernel does for a process is much only if it keeps looking for memory.
        if signal == SIGXCPU, ending.kernelSeconds > ending.cpuSeconds / 2 {
            return RendererError(
                .starved,
                "The renderer was killed \(cpu), most of which the kernel took to find memory for it.",
                diagnostics: diagnostics)
        }
        return signal == 0
            ? RendererError(
                .exited(status: status), "The renderer exited with status \(status).",
                diagnostics: diagnostics)
            : RendererError(
                .crashed(signal: signal), "The renderer was killed by signal \(signal) \(cpu).",
                diagnostics: diagnostics)
    }

    /// Kills the process if it runs, and does nothing afterwards. Does not wait.
    func kill() { signal(SIGKILL) }

    /// Stops all threads of the process. It does nothing while it has no photo, not even if it has been taken over.
    func stop() { signal(SIGSTOP) }

    func resume() { signal(SIGCONT) }

    private func signal(_ number: CInt) {
        life.withLock {
            guard case .running = $0 else { return }
            // While it is not reaped, no other process has its number.
            _ = Glibc.kill(isZygote ? -identifier : identifier, number)
        }
    }

    /// Kills the process if it runs, and reaps it.
    @discardableResult
    func terminate() -> Ending {
        // A child that has closed its socket is about to exit. Its own status says more than SIGKILL, so wait for it: long
        // enough for a busy machine.
        for attempt in 0..<Self.patience {
            if let ending = reap(WNOHANG) { return ending }
            guard attempt < Self.patience - 1, isGone else { break }
            usleep(1000)
        }
        kill()
        var ending = reap(0) ?? Ending()
        ending.wasKilledHere = true
        return ending
    }

    /// Reaps the renderers that a zygote forked and did not report. Only for one that has ended, with no other renderer.
    func reapUnknown() {
        while waitpid(-identifier, nil, 0) > 0 || errno == EINTR {}
    }

    /// Milliseconds.
    private static let patience = 2000

    /// Reaps the process if it has ended, or when it ends if `options` are 0.
    private func reap(_ options: CInt) -> Ending? {
        life.withLock { life in
            if case .reaped(let earlier) = life { return earlier }
            // With a zygote ends what it has started.
            if isZygote, Self.state(of: identifier) == .ended { _ = Glibc.kill(-identifier, SIGKILL) }
            var ending = Ending()
            var usage = rusage()
            var result: pid_t
            repeat {
                result = wait4(identifier, &ending.status, options, &usage)
            } while result < 0 && errno == EINTR
            if result == 0 { return nil }
            ending.kernelSeconds = Self.seconds(usage.ru_stime)
            ending.cpuSeconds = Self.seconds(usage.ru_utime) + ending.kernelSeconds
            ending.peakBytes = usage.ru_maxrss * 1024
            life = .reaped(ending)
            return ending
        }
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1e6
    }
}
