import CLinux
import Glibc
package import Imaging

/// Sandboxes the processes: first the zygote, which must still load libraries and fork, then each renderer further, before
/// it sees a photo. What is once forbidden stays forbidden, also in everything that the process starts.
package struct Confinement {
    /// What is in force.
    package private(set) var sandbox = Sandbox()
    private let layers: Set<Sandbox.Layer>
    private var filter: SystemCallFilter?

    /// - Parameter layers: those to apply; for tests, which try each alone.
    package init(_ layers: Set<Sandbox.Layer> = Set(Sandbox.Layer.allCases)) {
        self.layers = layers
        for layer in Sandbox.Layer.allCases where !layers.contains(layer) {
            sandbox.lacks(layer, "not applied")
        }
    }

    /// Call before any thread is started, because these layers apply only to threads started after it.
    ///
    /// - Throws: `RendererError` with `cannotStart` if a layer that every kernel has is refused.
    package mutating func holdZygote() throws(RendererError) {
        if !layers.isDisjoint(with: [.namespaces, .threads]) { leaveOthers() }
        guard !layers.isEmpty else { return }
        // Landlock and filters need it too.
        guard linux_give_up_privileges(ownsNamespaces ? 1 : 0) == 0 else { throw failure("no_new_privs") }
        if layers.contains(.noNewPrivileges) { sandbox.active.append(.noNewPrivileges) }
        if layers.contains(.landlock) { holdFiles() }
        if layers.contains(.limits) { try holdResources() }
    }

    /// Call when the libraries are loaded.
    package mutating func filterZygote(socket: CInt) {
        guard layers.contains(.seccomp) else { return }
        do throws(SystemCallFilter.Failure) {
            filter = try SystemCallFilter(for: .renderer, socket: socket)
            try SystemCallFilter(for: .zygote, socket: socket).install()
            sandbox.active.append(.seccomp)
        } catch {
            sandbox.lacks(.seccomp, "\(error.call): \(String(cString: strerror(error.code)))")
        }
    }

    /// Call in a renderer.
    package func holdRenderer() throws(RendererError) {
        guard !layers.isEmpty else { return }
        if sandbox.active.contains(.noNewPrivileges) {
            guard linux_forbid_tracing() == 0 else { throw failure("prctl") }
        }
        guard linux_give_up_privileges(0) == 0 else { throw failure("capset") }
        // A domain of its own, so that it can do nothing to the zygote and to other renderers either.
        if sandbox.active.contains(.landlock), linux_landlock(nil, 0) != 0 { throw failure("Landlock") }
        if sandbox.active.contains(.threads) { try limit(__RLIMIT_NPROC, Self.mostThreads) }
        guard sandbox.active.contains(.seccomp) else { return }
        do throws(SystemCallFilter.Failure) { try filter?.install() } catch {
            throw RendererError(.cannotStart, "\(error.call): \(String(cString: strerror(error.code))).")
        }
    }

    /// Sets the limits for one photo. Limits on memory and files can only be lowered after the first photo.
    ///
    /// - Parameter isLast: whether no other photo follows, so that no limit needs to be raised again.
    package func apply(_ limits: RenderLimits, isLast: Bool) throws(RendererError) {
        guard sandbox.active.contains(.limits) else { return }
        try limit(RLIMIT_AS, limits.addressSpaceBytes)
        try limit(RLIMIT_FSIZE, limits.outputBytes)
        // CPU time counts from the start of the process, and virtual machines count up to an eighth too much. The decoder is told to
        // stop before this limit, and the worker looks as well: only its verdict says what the photo cost.
        let used = Int(clock()) / Int(CLOCKS_PER_SEC)
        try limit(RLIMIT_CPU, (used + limits.cpuSeconds) * 5 / 4 + 5, keepHard: !isLast)
    }

    /// Threads of a renderer and its zygote together.
    package static let mostThreads = 32

    /// Whether renderers can be forked into a namespace of processes.
    package var ownsNamespaces: Bool { sandbox.active.contains(.namespaces) }

    /// Call when a renderer cannot be forked into a namespace of processes.
    package mutating func shareProcesses(because cause: CInt) {
        sandbox.active.removeAll { $0 == .namespaces }
        sandbox.lacks(.namespaces, String(cString: strerror(cause)))
    }

    private mutating func leaveOthers() {
        let isUser = linux_leave_root() == 0
        let refusal = String(cString: strerror(errno))
        let isAlone = linux_own_namespaces() == 0
        let cause = String(cString: strerror(errno))
        if layers.contains(.namespaces) {
            if isAlone { sandbox.active.append(.namespaces) } else { sandbox.lacks(.namespaces, cause) }
        }
        guard layers.contains(.threads) else { return }
        // Outside of an own user namespace, the kernel counts all processes of the user; and it never limits root's.
        if isUser, isAlone {
            sandbox.active.append(.threads)
        } else {
            sandbox.lacks(.threads, isAlone ? refusal : cause)
        }
    }

    private mutating func holdFiles() {
        let result = withCStrings(["/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime"]) {
            linux_landlock($0, CInt($0.count))
        }
        if result == 0 {
            sandbox.active.append(.landlock)
        } else {
            sandbox.lacks(.landlock, String(cString: strerror(errno)))
        }
    }

    private mutating func holdResources() throws(RendererError) {
        // Exceeding the file size limit must fail the write, not kill the process.
        signal(SIGXFSZ, SIG_IGN)
        signal(SIGPIPE, SIG_IGN)
        try limit(RLIMIT_CORE, 0)
        try limit(RLIMIT_NOFILE, 64)
        sandbox.active.append(.limits)
    }

    private func limit(
        _ resource: __rlimit_resource, _ value: Int, keepHard: Bool = false
    ) throws(RendererError) {
        let which = __rlimit_resource_t(resource.rawValue)
        var current = rlimit()
        guard getrlimit(which, &current) == 0 else { throw failure("getrlimit") }
        let bounded = min(rlim_t(value), current.rlim_max)
        current.rlim_cur = bounded
        if !keepHard { current.rlim_max = bounded }
        guard setrlimit(which, &current) == 0 else { throw failure("setrlimit") }
    }

    private func failure(_ call: String) -> RendererError {
        RendererError(.cannotStart, "\(call): \(String(cString: strerror(errno))).")
    }
}

/// Calls `body` with C strings that live until it returns.
private func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafePointer<CChar>?]) -> Result
) -> Result {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies.map { UnsafePointer($0) })
}
