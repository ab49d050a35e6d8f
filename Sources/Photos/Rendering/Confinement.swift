import CLinux
import Glibc
package import Imaging

/// Sandboxes the process, in two steps because the libraries must open files first.
package enum Confinement {
    /// Call before any thread is started, because Landlock applies only to threads started after it.
    ///
    /// - Throws: `RendererError` with `cannotStart` if a layer that every kernel has is refused.
    package static func begin(_ sandbox: inout Sandbox) throws(RendererError) {
        try forbidPrivileges(&sandbox)
        holdFiles(&sandbox)
        try holdResources(&sandbox)
    }

    /// Call when the libraries are loaded and have compiled their code. Applies to all threads and cannot be undone.
    package static func finish(_ sandbox: inout Sandbox, socket: CInt) {
        do throws(SystemCallFilter.Failure) {
            try SystemCallFilter.install(socket: socket)
            sandbox.active.append(.seccomp)
        } catch {
            sandbox.gaps.append(
                Sandbox.Gap(layer: .seccomp, cause: "\(error.call): \(String(cString: strerror(error.code)))")
            )
        }
    }

    package static func forbidPrivileges(_ sandbox: inout Sandbox) throws(RendererError) {
        guard linux_give_up_privileges() == 0 else { throw failure("no_new_privs") }
        sandbox.active.append(.noNewPrivileges)
    }

    package static func holdFiles(_ sandbox: inout Sandbox) {
        let result = withCStrings(["/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime"]) {
            linux_landlock($0, CInt($0.count))
        }
        if result == 0 {
            sandbox.active.append(.landlock)
        } else {
            sandbox.gaps.append(Sandbox.Gap(layer: .landlock, cause: String(cString: strerror(errno))))
        }
    }

    package static func holdResources(_ sandbox: inout Sandbox) throws(RendererError) {
        // Exceeding the file size limit must fail the write, not kill the process.
        signal(SIGXFSZ, SIG_IGN)
        signal(SIGPIPE, SIG_IGN)
        try limit(RLIMIT_CORE, 0)
        try limit(RLIMIT_NOFILE, 64)
        // There is no limit on processes: the kernel counts all processes of the user, and decoders use threads.
        sandbox.active.append(.limits)
    }

    /// Sets the limits for one photo. Limits on memory and files can only be lowered after the first photo.
    package static func apply(_ limits: RenderLimits) throws(RendererError) {
        try limit(RLIMIT_AS, limits.addressSpaceBytes)
        try limit(RLIMIT_FSIZE, limits.outputBytes)
        // CPU time counts from the start of the process. The decoder is told to stop before this limit.
        let used = Int(clock()) / Int(CLOCKS_PER_SEC)
        try limit(RLIMIT_CPU, used + limits.cpuSeconds + 2, keepHard: true)
    }

    private static func limit(
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

    private static func failure(_ call: String) -> RendererError {
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
