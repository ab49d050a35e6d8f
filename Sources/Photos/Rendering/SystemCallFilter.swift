import CLinux
import CSeccomp
import Glibc

/// The system calls that rendering needs, and no others.
///
/// What is not listed fails with `EPERM` instead of killing the process: a library that probes for a file it
/// could do without goes on, and a newer libc's harmless call costs no photo.
enum SystemCallFilter {
    /// Why it could not be installed.
    struct Failure: Error {
        let call: String
        let code: CInt
    }

    private enum Condition {
        /// Of argument `index`, the bits of `mask` are `value`.
        case bits(index: UInt32, mask: UInt64, value: UInt64)
    }

    private static let always = [
        // Memory. Executable mappings stay allowed: liborc compiles the loops of libvips while it runs.
        "mmap", "munmap", "mremap", "mprotect", "madvise", "brk",
        // Descriptors that it was given.
        "read", "readv", "pread64", "preadv", "write", "writev", "pwrite64", "pwritev", "lseek", "fstat",
        "ftruncate",
        "fallocate", "close",
        // Threads of its own.
        "futex", "set_robust_list", "rseq", "sched_yield", "sched_getaffinity", "gettid", "getpid", "exit",
        "exit_group",
        // Signals to itself, time, chance.
        "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "clock_gettime", "clock_getres",
        "clock_nanosleep", "nanosleep", "gettimeofday", "getrusage", "getrandom", "restart_syscall",
    ]

    /// For all threads of the process, now and later.
    ///
    /// - Parameter socket: the only descriptor on which messages may be sent and received.
    static func install(socket: CInt) throws(Failure) {
        guard let filter = seccomp_init(seccomp_action_refuse) else {
            throw Failure(call: "seccomp_init", code: ENOMEM)
        }
        defer { seccomp_release(filter) }
        for name in always { try rule(filter, seccomp_action_allow, name) }
        for name in ["sendmsg", "recvmsg"] {
            try rule(filter, seccomp_action_allow, name, .bits(index: 0, mask: .max, value: UInt64(socket)))
        }
        try rule(
            filter, seccomp_action_allow, "clone",
            .bits(index: 0, mask: seccomp_clone_thread, value: seccomp_clone_thread))
        // Its flags lie in memory, where no filter can look.
        try rule(filter, seccomp_action_unknown, "clone3")
        // Its own limits only, and its own threads.
        try rule(filter, seccomp_action_allow, "prlimit64", .bits(index: 0, mask: .max, value: 0))
        try rule(
            filter, seccomp_action_allow, "tgkill", .bits(index: 0, mask: .max, value: UInt64(getpid())))
        try check("seccomp_attr_set", seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1))
        try check("seccomp_load", seccomp_load(filter))
    }

    private static func rule(
        _ filter: scmp_filter_ctx, _ action: UInt32, _ name: String, _ condition: Condition? = nil
    ) throws(Failure) {
        let number = seccomp_syscall_resolve_name(name)
        // Not every architecture has every call.
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
