import CLinux
import Glibc

extension RendererProcess {
    /// Starts `executable` as a zygote.
    static func spawn(_ executable: String) throws(RendererError) -> RendererProcess {
        let link = try RendererLink(executable)
        // The environment has only what libvips reads. The parent's process identifier lets the child notice
        // that its parent died before the death signal was set.
        let environment = ["LC_ALL=C", "VIPS_CONCURRENCY=1", "VIPS_BLOCK_UNTRUSTED=1", "MALLOC_ARENA_MAX=2"]
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

    /// Has this zygote fork a renderer, and waits until that is ready. After an error, the zygote is of no use.
    ///
    /// - Parameters:
    ///   - photos: how many it will get.
    ///   - requiresSandbox: whether to refuse a renderer that lacks a required layer of its sandbox.
    func fork(
        photos: Int, within seconds: Double, requiresSandbox: Bool
    ) throws(RendererError) -> RendererProcess {
        var latest = self
        let reply: RenderReply
        do throws(RendererError) {
            latest = try born(photos: photos, within: seconds)
            reply = try latest.receive(RenderReply.self, within: seconds)
        } catch {
            throw RendererError(
                .cannotStart,
                "The renderer \(executable) did not start: \(Self.lowercasingFirst(error.message)) "
                    + Self.advice(for: error.code, executable),
                diagnostics: latest.diagnostics)
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

    /// The renderer that this zygote forks.
    private func born(photos: Int, within seconds: Double) throws(RendererError) -> RendererProcess {
        let link = try RendererLink(executable)
        do throws(RendererError) {
            try send(RendererOrder(photos: photos), descriptors: [link.theirSocket, link.theirErrorOutput])
        } catch {
            link.closeTheirs()
            link.closeOurs()
            throw error
        }
        link.closeTheirs()
        do throws(RendererError) {
            let birth = try receive(RendererBirth.self, within: seconds)
            guard Self.state(of: birth.process) != .stranger else {
                throw RendererError(.protocolViolation, "It did not fork a renderer.")
            }
            return RendererProcess(
                executable: executable, identifier: birth.process, isZygote: false, link)
        } catch {
            link.closeOurs()
            throw error
        }
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
