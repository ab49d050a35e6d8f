import Glibc

/// SIGTERM and SIGINT as a stream of events.
///
/// The signals are blocked in every thread and taken by one that waits for nothing else, so that no
/// code runs in a signal handler. Child processes inherit the mask: a Ctrl-C in the terminal reaches
/// renderers too, and must not kill them while the worker still finishes its jobs.
enum Signals {
    /// Must be called before any other thread exists, so that all inherit the mask.
    static func block() {
        var set = stopSignals
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    static func stream() -> AsyncStream<Int32> {
        let (stream, continuation) = AsyncStream<Int32>.makeStream()
        var thread = pthread_t()
        let box = Unmanaged.passRetained(Box(continuation))
        let made = pthread_create(
            &thread, nil,
            { argument in
                let continuation = Unmanaged<Box>.fromOpaque(argument!).takeRetainedValue().continuation
                var set = Signals.stopSignals
                while true {
                    var signal: Int32 = 0
                    guard sigwait(&set, &signal) == 0 else { continue }
                    if case .terminated = continuation.yield(signal) { return nil }
                }
            }, box.toOpaque())
        precondition(made == 0, "no thread could be made to wait for signals")
        pthread_detach(thread)
        return stream
    }

    private static var stopSignals: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        sigaddset(&set, SIGINT)
        return set
    }

    private final class Box {
        let continuation: AsyncStream<Int32>.Continuation
        init(_ continuation: AsyncStream<Int32>.Continuation) { self.continuation = continuation }
    }
}
