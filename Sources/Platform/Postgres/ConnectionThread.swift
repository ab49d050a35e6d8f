import CLinux
import Glibc
import Synchronization
import Threads

/// A thread that runs one actor's jobs, so that waiting on a socket blocks nobody else.
///
/// The thread sleeps on an eventfd. A job that waits for a socket also polls this eventfd, so task cancellation
/// and new jobs wake it. After `stop()` the thread ends and the eventfd is closed.
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
        do {
            try startThread(named: "postgres", stackBytes: 1 << 20) { [self] in run() }
        } catch {
            throw PostgresError(.system, "no connection: \(error)")
        }
    }

    deinit { close(event) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
        wake()
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    /// Wakes the thread from `wait`. Safe from any thread.
    func wake() { eventfd_write(event, 1) }

    /// Whether more jobs wait behind the one that is running.
    var hasJobs: Bool { state.withLock { !$0.jobs.isEmpty } }

    /// Ends the thread when its last job has run.
    func stop() {
        state.withLock { $0.isStopping = true }
        wake()
    }

    /// Waits for `events` on `descriptor`. Call it only on this thread.
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
