import CLinux
import Glibc

/// The system could not create a thread.
package struct ThreadError: Error, Sendable, CustomStringConvertible {
    let errorNumber: CInt

    package var description: String { "cannot create a thread: \(String(cString: strerror(errorNumber)))" }
}

/// Runs `body` on a new detached thread.
///
/// It blocks all signals except those of a crash: signal handlers run on the program's other threads, and a write
/// beyond `RLIMIT_FSIZE` fails with `EFBIG` instead of killing the process.
///
/// - Parameters:
///   - name: at most 15 bytes, for `top -H` and `ps -L`.
///   - stackBytes: nil for the system's default.
package func startThread(
    named name: String, stackBytes: Int? = nil, _ body: @escaping @Sendable () -> Void
) throws(ThreadError) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
    if let stackBytes { pthread_attr_setstacksize(&attributes, stackBytes) }
    // A new thread inherits the signal mask of its creator.
    var blocked = sigset_t()
    var previous = sigset_t()
    sigfillset(&blocked)
    for signal in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] { sigdelset(&blocked, signal) }
    pthread_sigmask(SIG_SETMASK, &blocked, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
    let work = Unmanaged.passRetained(ThreadWork(name, body))
    var thread = pthread_t()
    let status = pthread_create(
        &thread, &attributes,
        { context in
            let work = Unmanaged<ThreadWork>.fromOpaque(context!).takeRetainedValue()
            linux_set_thread_name(work.name)
            work.body()
            return nil
        }, work.toOpaque())
    guard status == 0 else {
        work.release()
        throw ThreadError(errorNumber: status)
    }
}

private final class ThreadWork: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(_ name: String, _ body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}
