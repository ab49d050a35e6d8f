import CLinux
import Glibc

extension RendererProcess {
    /// Starts `executable`, which is not ready yet: see ``awaitReady(within:requiresSandbox:)``.
    static func spawn(_ executable: String) throws(RendererError) -> RendererProcess {
        var pair: [CInt] = [-1, -1]
        let kind = CInt(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else { throw failure(executable, errno) }
        var pipes: [CInt] = [-1, -1]
        guard linux_open_pipe(&pipes) == 0 else {
            let error = errno
            for end in pair { close(end) }
            throw failure(executable, error)
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
        // At once: while the parent holds the child's ends, it does not see that the child has gone.
        close(pair[1])
        close(pipes[1])
        guard status == 0 else {
            close(pair[0])
            close(pipes[0])
            throw failure(executable, status)
        }
        return RendererProcess(
            executable: executable, identifier: identifier, socket: pair[0], errorOutput: pipes[0])
    }

    /// Waits until the process reports that it is ready. After any error the process is dead.
    ///
    /// - Parameter requiresSandbox: whether to refuse a renderer that lacks a layer of its sandbox.
    func awaitReady(within seconds: Double, requiresSandbox: Bool) throws(RendererError) {
        let reply: RenderReply
        do throws(RendererError) { reply = try receive(within: seconds) } catch {
            throw RendererError(
                .cannotStart,
                "The renderer \(executable) did not start: \(Self.lowercasingFirst(error.message)) "
                    + Self.advice(for: error.code, executable),
                diagnostics: diagnostics)
        }
        guard case .ready(RenderReply.protocolVersion, _, let sandbox) = reply else {
            terminate()
            throw RendererError(
                .cannotStart,
                "The renderer \(executable) is from another release: install both programs together.")
        }
        note(sandbox)
        if requiresSandbox, !sandbox.isComplete {
            terminate()
            throw RendererError(
                .unconfined,
                "The renderer \(executable) was refused because its sandbox is incomplete: "
                    + "\(sandbox.gaps.map(\.description).joined(separator: ", ")). Use a kernel (Linux 5.13 or newer) "
                    + "and a container runtime that allow it, or do without --require-sandbox.",
                diagnostics: diagnostics)
        }
    }

    /// The error of a program that the system did not start.
    private static func failure(_ executable: String, _ number: CInt) -> RendererError {
        let advice =
            switch number {
            case ENOENT, ENOTDIR:
                "Install darkroom-renderer there, or set DARKROOM_RENDERER to its path."
            case EACCES, EPERM: "Make it executable for this user: chmod a+rx \(executable)"
            case ENOEXEC, ELIBBAD: "It is not a program for this machine: install the one of this release."
            case EMFILE, ENFILE: "Raise the limit of open files: ulimit -n, or LimitNOFILE under systemd."
            default: "Free memory, or raise the limit of processes: ulimit -u, or TasksMax under systemd."
            }
        return RendererError(
            .cannotStart,
            "The renderer \(executable) cannot be started: \(String(cString: strerror(number))). \(advice)")
    }

    /// What to do about a program that started but did not become ready.
    private static func advice(for code: RendererError.Code, _ executable: String) -> String {
        switch code {
        case .exited(127):
            "If shared libraries are missing, 'ldd \(executable)' names them: install their packages."
        case .exited: "Install darkroom and darkroom-renderer of the same release."
        case .crashed: "If the kernel killed it for its memory, 'journalctl --dmesg' says so: give it more."
        case .deadline: "Look for what keeps this machine busy, and make sure that it is darkroom-renderer."
        default: "Make sure that it is the darkroom-renderer of this release."
        }
    }

    private static func lowercasingFirst(_ sentence: String) -> String {
        sentence.prefix(1).lowercased() + sentence.dropFirst()
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
