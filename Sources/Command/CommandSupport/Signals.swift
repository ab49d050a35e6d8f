import Glibc

/// Signals as a stream of events.
///
/// The handler only writes a byte to a pipe, which a thread reads that waits for nothing else: whichever
/// thread the kernel picks for a signal, no other code runs in a handler.
package enum Signals {
    /// The write end and the read end, made before the handlers are installed.
    private static let pipeEnds: (write: Int32, read: Int32) = {
        var ends: [Int32] = [-1, -1]
        precondition(pipe(&ends) == 0, "no pipe could be made for signals")
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[1], ends[0])
    }()

    /// Takes over these signals for the rest of the process's life; call it once.
    package static func stream(_ numbers: [Int32] = [SIGTERM, SIGINT]) -> AsyncStream<Int32> {
        let (stream, continuation) = AsyncStream<Int32>.makeStream()
        let box = Unmanaged.passRetained(Box(descriptor: pipeEnds.read, continuation: continuation))
        var thread = pthread_t()
        let made = pthread_create(
            &thread, nil,
            { argument in
                Unmanaged<Box>.fromOpaque(argument!).takeRetainedValue().forward()
                return nil
            }, box.toOpaque())
        precondition(made == 0, "no thread could be made to wait for signals")
        pthread_detach(thread)
        for number in numbers {
            signal(number) { number in
                let before = errno
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(Signals.pipeEnds.write, &byte, 1)
                errno = before
            }
        }
        return stream
    }

    private final class Box: Sendable {
        let descriptor: Int32
        let continuation: AsyncStream<Int32>.Continuation

        init(descriptor: Int32, continuation: AsyncStream<Int32>.Continuation) {
            self.descriptor = descriptor
            self.continuation = continuation
        }

        func forward() {
            var byte: UInt8 = 0
            while true {
                let count = read(descriptor, &byte, 1)
                if count == 1 { continuation.yield(Int32(byte)) } else if errno != EINTR { return }
            }
        }
    }
}
