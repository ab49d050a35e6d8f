import CLinux
import Glibc

extension RendererProcess {
    /// Starts `executable` as a zygote.
    static func spawn(_ executable: String) throws(RendererError) -> RendererProcess {
        let link = try RendererLink(executable)
        // The environment has only what libvips reads, and how the C library gets memory: in large pages, from one heap that
        // is not given back. A renderer starts without memory, and small pages would cost it a tenth of its time. No small pieces
        // are kept for the next call, since those come with what was in them, whatever `mallopt` says (M_PERTURB).
        let environment = [
            "LC_ALL=C", "VIPS_CONCURRENCY=1", "VIPS_BLOCK_UNTRUSTED=1",
            "GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.arena_max=1"
                + ":glibc.malloc.mmap_threshold=4194304:glibc.malloc.trim_threshold=4294967296"
                + ":glibc.malloc.tcache_count=0",
        ]
        // The parent's process identifier lets the child notice that its parent died before the death signal was set.
        let arguments = [executable, String(getpid())]
        var identifier: pid_t = 0
        let status = withCStrings(arguments) { argv in
            withCStrings(environment) { envp in
                linux_spawn_closed(
                    executable, argv, envp, link.theirSocket, link.theirErrorOutput, &identifier)
            }
        }
        link.closeTheirs()
        guard status == 0 else {
            link.closeOurs()
            throw RendererLink.failure(executable, status)
        }
        return RendererProcess(executable: executable, identifier: identifier, isZygote: true, link)
    }

    /// Has this zygote fork a renderer, without waiting. After an error, the zygote is of no use.
    ///
    /// - Parameter photos: how many the renderer will get.
    func order(photos: Int) throws(RendererError) -> RendererLink {
        let link = try RendererLink(executable)
        do throws(RendererError) {
            try send(RendererOrder(photos: photos), descriptors: [link.theirSocket, link.theirErrorOutput])
        } catch {
            link.closeTheirs()
            link.closeOurs()
            throw refusal(error, by: self)
        }
        link.closeTheirs()
        return link
    }

    /// Waits until the renderer of the oldest order is ready. After an error, the zygote is of no use.
    ///
    /// - Parameter requiresSandbox: whether to refuse a renderer that lacks a required layer of its sandbox.
    func await(
        _ link: RendererLink, within seconds: Double, requiresSandbox: Bool
    ) throws(RendererError) -> RendererProcess {
        let latest: RendererProcess
        let reply: RenderReply
        do throws(RendererError) { latest = try born(link, within: seconds) } catch {
            link.closeOurs()
            throw refusal(error, by: self)
        }
        do throws(RendererError) { reply = try latest.receive(RenderReply.self, within: seconds) } catch {
            throw refusal(error, by: latest)
        }
        guard case .ready(RenderReply.protocolVersion, _, let sandbox) = reply else {
            throw RendererError(
                .cannotStart,
                "The renderer \(executable) is from another release: install both programs together.")
        }
        latest.note(sandbox)
        if requiresSandbox, !sandbox.isComplete {
            throw RendererError(
                .unconfined,
                "The renderer \(executable) was refused because its sandbox is incomplete: "
                    + "\(sandbox.gaps.map(\.description).joined(separator: ", ")). Use a kernel (Linux 5.13 or newer) "
                    + "and a container runtime that allow it, or do without --require-sandbox.",
                diagnostics: latest.diagnostics)
        }
        return latest
    }

    private func born(_ link: RendererLink, within seconds: Double) throws(RendererError) -> RendererProcess {
        let birth = try receive(RendererBirth.self, within: seconds)
        guard Self.state(of: birth.process) != .stranger else {
            throw RendererError(.protocolViolation, "It did not fork a renderer.")
        }
        return RendererProcess(executable: executable, identifier: birth.process, isZygote: false, link)
    }

    private func refusal(_ error: RendererError, by process: RendererProcess) -> RendererError {
        RendererError(
            .cannotStart,
            "The renderer \(executable) did not start: \(Self.lowercasingFirst(error.message)) "
                + Self.advice(for: error.code, executable),
            diagnostics: process.diagnostics)
    }

    /// What to do about a program that started but did not become ready.
    private static func advice(for code: RendererError.Code, _ executable: String) -> String {
        switch code {
        case .exited(127):
            "If shared libraries are missing, 'ldd \(executable)' names them: install their packages."
        case .exited: "Install darkroom and darkroom-renderer of the same release."
        case .crashed(signal: SIGKILL):
            "If the kernel killed it for its memory, 'journalctl --dmesg' says so: give it more."
        case .deadline, .starved:
            "Look for what keeps this machine busy, and make sure that it is darkroom-renderer."
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
