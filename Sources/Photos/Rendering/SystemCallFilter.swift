import CFaults
import CLinux
import CSeccomp
import Glibc

/// Allows only the system calls that rendering needs.
///
/// Other calls fail with `EPERM` instead of killing the process: a library that probes for an optional file
/// goes on, and a harmless call of a newer libc does not fail a photo. They are counted, so that a photo is not blamed
/// for what the filter refused.
package struct SystemCallFilter {
    /// Why the filter could not be made or installed.
    package struct Failure: Error {
        let call: String
        let code: CInt
    }

    enum Process {
        /// May fork renderers, and do what they do to confine themselves.
        case zygote
        case renderer
    }

    private enum Condition {
        /// The bits `mask` of argument `index` equal `value`.
        case bits(index: UInt32, mask: UInt64, value: UInt64)
    }

    private static let always = [
        // Memory. Executable mappings stay allowed because liborc compiles the loops of libvips at run time.
        "mmap", "munmap", "mremap", "mprotect", "madvise", "brk",
        // How much there is: glibc asks before it sorts.
        "sysinfo",
        // The descriptors that it received.
        "read", "readv", "pread64", "preadv", "write", "writev", "pwrite64", "pwritev", "lseek", "fstat",
        "ftruncate",
        "fallocate", "close",
        // Its own threads.
        "futex", "set_robust_list", "rseq", "sched_yield", "sched_getaffinity", "gettid", "getpid", "exit",
        "exit_group",
        // Signals to itself, time, random numbers.
        "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "clock_gettime", "clock_getres",
        "clock_nanosleep", "nanosleep", "gettimeofday", "getrusage", "getrandom", "restart_syscall",
    ]

    /// What the zygote does to fork, and a renderer before it has a filter of its own.
    private static let toFork = [
        "clone", "dup2", "dup3", "prctl", "capset", "landlock_create_ruleset", "landlock_restrict_self",
        "seccomp",
    ]

    /// The instructions for the kernel.
    private let program: [UInt64]

    /// - Parameter socket: the only descriptor on which messages may be sent and received.
    init(for process: Process, socket: CInt) throws(Failure) {
        guard let filter = seccomp_init(seccomp_action_refuse) else {
            throw Failure(call: "seccomp_init", code: ENOMEM)
        }
        defer { seccomp_release(filter) }
        for name in Self.always { try Self.rule(filter, seccomp_action_allow, name) }
        for name in ["sendmsg", "recvmsg"] {
            try Self.rule(
                filter, seccomp_action_allow, name, .bits(index: 0, mask: .max, value: UInt64(socket)))
        }
        // Its flags lie in memory, which a filter cannot read.
        try Self.rule(filter, seccomp_action_unknown, "clone3")
        // Only its own limits.
        try Self.rule(filter, seccomp_action_allow, "prlimit64", .bits(index: 0, mask: .max, value: 0))
        switch process {
        case .zygote: for name in Self.toFork { try Self.rule(filter, seccomp_action_allow, name) }
        case .renderer:
            try Self.rule(
                filter, seccomp_action_allow, "clone",
                .bits(index: 0, mask: seccomp_clone_thread, value: seccomp_clone_thread))
            // libvips names each thread that it starts.
            try Self.rule(
                filter, seccomp_action_allow, "prctl",
                .bits(index: 0, mask: 0xFFFF_FFFF, value: seccomp_set_name))
        }
        program = try Self.instructions(of: filter)
    }

    /// Installs the filter for all present and future threads of the process.
    func install() throws(Failure) {
        guard faults_catch_refused_calls() == 0 else { throw Failure(call: "sigaction", code: errno) }
        guard linux_filter_calls(program, CInt(program.count)) == 0 else {
            throw Failure(call: "seccomp", code: errno)
        }
    }

    /// libseccomp writes the program only to a file.
    private static func instructions(of filter: scmp_filter_ctx) throws(Failure) -> [UInt64] {
        let file = linux_open_memory_file("filter")
        guard file >= 0 else { throw Failure(call: "memfd_create", code: errno) }
        defer { close(file) }
        try check("seccomp_export_bpf", seccomp_export_bpf(filter, file))
        let size = Int(linux_regular_file_size(file)) / MemoryLayout<UInt64>.stride
        var program = [UInt64](repeating: 0, count: size)
        let count = program.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, 0) }
        guard count == size * MemoryLayout<UInt64>.stride else { throw Failure(call: "pread", code: errno) }
        return program
    }

    private static func rule(
        _ filter: scmp_filter_ctx, _ action: UInt32, _ name: String, _ condition: Condition? = nil
    ) throws(Failure) {
        let number = seccomp_syscall_resolve_name(name)
        // Some architectures lack some of the calls.
        guard number >= 0 else { return }
        guard case .bits(let index, let mask, let value) = condition else {
            return try check(name, seccomp_rule_add_array(filter, action, number, 0, nil))
        }
        var comparison = scmp_arg_cmp(arg: index, op: SCMP_CMP_MASKED_EQ, datum_a: mask, datum_b: value)
        try check(name, seccomp_rule_add_array(filter, action, number, 1, &comparison))
    }

    private static func check(_ call: String, _ result: CInt) throws(Failure) {
        guard result == 0 else { throw Failure(call: call, code: -result) }
    }
}
