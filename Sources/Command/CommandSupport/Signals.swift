import Glibc
import Threads

/// Signals as a stream of events.
///
/// The handler only writes a byte to a pipe. A separate thread reads it, so no other code runs in a handler,
/// no matter which thread the kernel picks for the signal.
package enum Signals {
    /// The write end and the read end, created before the handlers are installed.
    private static let pipeEnds: (write: Int32, read: Int32) = {
        var ends: [Int32] = [-1, -1]
        precondition(pipe(&ends) == 0, "cannot create a pipe for signals")
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[1], ends[0])
    }()

    /// Those that ask a process to stop. SIGHUP comes when its terminal is closed.
    private static let requests = [SIGTERM, SIGINT, SIGHUP]

    /// Handles the signals that ask a process to stop, and `others`, for the rest of the process's life. Call it once.
    ///
    /// A signal that is ignored, as SIGHUP after `nohup`, stays ignored.
    package static func stream(and others: [Int32] = []) -> AsyncStream<Int32> {
        let (stream, continuation) = AsyncStream<Int32>.makeStream()
        let descriptor = pipeEnds.read
        do {
            try startThread(named: "signals") { forward(from: descriptor, to: continuation) }
        } catch {
            preconditionFailure("\(error) to wait for signals")
        }
        for number in requests + others {
            var present = sigaction()
            guard sigaction(number, nil, &present) != 0 || !isIgnored(present) else { continue }
            signal(number) { number in
                let before = errno
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(Signals.pipeEnds.write, &byte, 1)
                errno = before
            }
        }
        return stream
    }

    private static func isIgnored(_ action: sigaction) -> Bool {
        unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }

    private static func forward(from descriptor: Int32, to continuation: AsyncStream<Int32>.Continuation) {
        var byte: UInt8 = 0
        while true {
            let count = read(descriptor, &byte, 1)
            if count == 1 { continuation.yield(Int32(byte)) } else if errno != EINTR { return }
        }
    }
}
