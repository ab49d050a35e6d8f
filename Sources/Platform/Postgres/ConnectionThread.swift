import CLinux
import Glibc
import Synchronization

/// A thread of its own that runs one actor's jobs, so that waiting on a socket blocks nobody else.
///
/// The thread sleeps on an eventfd. A job that waits for a socket polls the same eventfd beside it, so task
/// cancellation and new jobs wake it. The thread ends, and the eventfd is closed, after `stop()`.
final class ConnectionThread: SerialExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isStopping = false
    }

    enum Wake {
        case ready(Int16)
        /// Something was enqueued, or `wake()` was called.
        case signalled
        case deadline
    }

    private let state = Mutex(State())
    private let event: Int32

    init() throws(PostgresError) {
        event = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard event >= 0 else {
            throw PostgresError(.system, "eventfd: \(String(cString: strerror(errno)))")
        }
        // Signals are for the program's main thread, but for those of a crash; the thread inherits this mask.
        var blocked = sigset_t()
        var previous = sigset_t()
        sigfillset(&blocked)
        for signal in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] { sigdelset(&blocked, signal) }
        pthread_sigmask(SIG_SETMASK, &blocked, &previous)
        defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, 1 << 20)
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self)
        let status = pthread_create(
            &thread, &attributes,
            { context in
                linux_set_thread_name("postgres")
                Unmanaged<ConnectionThread>.fromOpaque(context!).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard status == 0 else {
            context.release()
            throw PostgresError(.system, "no thread for a connection: \(String(cString: strerror(status)))")
        }
    }

    deinit { close(event) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
        wake()
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    /// Wakes the thread out of `wait`. Safe from any thread.
    func wake() { eventfd_write(event, 1) }

    /// Whether jobs wait for the one that is running.
    var hasJobs: Bool { state.withLock { !$0.jobs.isEmpty } }

    /// Ends the thread when its last job has run.
    func stop() {
        state.withLock { $0.isStopping = true }
        wake()
    }

    /// Waits for `events` on `descriptor`. Only on this thread.
    func wait(
        for descriptor: Int32, events: Int32, until deadline: ContinuousClock.Instant?
    ) throws(PostgresError) -> Wake {
        var descriptors = [
            pollfd(fd: event, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor, events: Int16(events), revents: 0),
        ]
        while true {
            var milliseconds: Int32 = -1
            if let deadline {
                let left = ContinuousClock.now.duration(to: deadline)
                if left <= .zero { return .deadline }
                // Rounded up: a wait that is too short would spin until the deadline.
                milliseconds = Int32(min(left / .milliseconds(1), 1e9).rounded(.up))
            }
            let count = poll(&descriptors, 2, milliseconds)
            if count < 0, errno != EINTR {
                throw PostgresError(.system, "poll: \(String(cString: strerror(errno)))")
            }
            if count > 0 {
                if descriptors[1].revents != 0 { return .ready(descriptors[1].revents) }
                drain()
                return .signalled
            }
        }
    }

    private func drain() {
        var value: eventfd_t = 0
        eventfd_read(event, &value)
    }

    private func run() {
        while true {
            let (job, isStopping) = state.withLock { state in
                (state.jobs.isEmpty ? nil : state.jobs.removeFirst(), state.isStopping)
            }
            if let job {
                job.runSynchronously(on: asUnownedSerialExecutor())
                continue
            }
            if isStopping { return }
            var idle = pollfd(fd: event, events: Int16(POLLIN), revents: 0)
            _ = poll(&idle, 1, -1)
            drain()
        }
    }
}
