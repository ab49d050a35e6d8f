import CLinux
import Glibc
import Imaging

/// What the kernel holds the renderer to.
enum Confinement {
    /// For the life of the process; after the libraries are loaded.
    static func enter() throws(RendererError) {
        guard linux_set_no_new_privileges() == 0 else { throw failure("no_new_privs") }
        // Exceeding the file size limit must be an error of the write, not a death.
        signal(SIGXFSZ, SIG_IGN)
        signal(SIGPIPE, SIG_IGN)
        try limit(RLIMIT_CORE, 0)
        try limit(RLIMIT_NOFILE, 64)
        // No limit on processes: the kernel counts all those of the user, and decoders use threads.
    }

    /// For one photo.
    static func apply(_ limits: RenderLimits) throws(RendererError) {
        try limit(RLIMIT_AS, limits.addressSpaceBytes, keepHard: true)
        try limit(RLIMIT_FSIZE, limits.outputBytes, keepHard: true)
        // CPU time counts from the start of the process. The decoder is asked to stop first.
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
