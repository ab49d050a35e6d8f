import Glibc
import Synchronization
import Threads

/// Writes lines to a descriptor on a thread of its own, so that a reader who stops reading does not stop the work.
///
/// Each line is a single `write`, if the descriptor takes it whole, so lines of different writers do not mix. Lines that
/// find the backlog full are dropped. When there is room again, a line says how many. At the end of the process the
/// backlog is written, within a second.
final class LineWriter: Sendable {
    private let backlog: Backlog

    /// - Parameter notice: makes the line that tells of dropped lines from their number.
    init(descriptor: CInt, notice: @escaping @Sendable (Int) -> String) {
        let backlog = Backlog()
        self.backlog = backlog
        Backlog.writeAtExit(backlog)
        do {
            try startThread(named: "log", stackBytes: 128 << 10) {
                backlog.drain(to: descriptor, notice: notice)
            }
        } catch {
            // Then nothing is logged.
            backlog.end()
        }
    }

    deinit { backlog.end() }

    func write(_ line: String) { backlog.append(line) }

    /// Blocks until everything is written, or `limit` is over.
    func flush(within limit: Duration) { backlog.flush(within: limit) }
}

private final class Backlog: Sendable {
    private struct State {
        var lines: [String] = []
        var bytes = 0
        var dropped = 0
        var isWriting = false
        var hasEnded = false

        var isEmpty: Bool { lines.isEmpty && dropped == 0 && !isWriting }
    }

    /// Some thousands of lines.
    private static let capacity = 1 << 20

    private let state = Mutex(State())
    private let wake = Semaphore()

    func append(_ line: String) {
        let isFirst = state.withLock { state in
            guard !state.hasEnded else { return false }
            let isFirst = state.lines.isEmpty
            if state.bytes + line.utf8.count <= Self.capacity {
                state.lines.append(line)
                state.bytes += line.utf8.count
            } else {
                state.dropped += 1
            }
            return isFirst
        }
        if isFirst { wake.signal() }
    }

    func end() {
        state.withLock { $0.hasEnded = true }
        wake.signal()
    }

    /// Writes what comes until the end.
    func drain(to descriptor: CInt, notice: (Int) -> String) {
        while true {
            wake.wait()
            while let (lines, dropped) = take() {
                for line in lines { Self.write(line, to: descriptor) }
                if dropped > 0 { Self.write(notice(dropped), to: descriptor) }
            }
            if state.withLock({ $0.hasEnded && $0.isEmpty }) { return }
        }
    }

    private func take() -> (lines: [String], dropped: Int)? {
        state.withLock { state in
            state.isWriting = false
            guard !state.isEmpty else { return nil }
            defer { state = State(isWriting: true, hasEnded: state.hasEnded) }
            return (state.lines, state.dropped)
        }
    }

    private static func write(_ line: String, to descriptor: CInt) {
        var line = line
        line.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)[...]
            while !rest.isEmpty {
                let count = Glibc.write(
                    descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count >= 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EAGAIN {
                    // The descriptor does not block, perhaps because another process wants it so.
                    var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    poll(&ready, 1, -1)
                } else if errno != EINTR {
                    // Nobody can read it.
                    return
                }
            }
        }
    }

    func flush(within limit: Duration) {
        let deadline = ContinuousClock.now + limit
        while !state.withLock(\.isEmpty), .now < deadline { usleep(500) }
    }

    private struct Weak: Sendable { weak let backlog: Backlog? }

    private static let living = Mutex<[Weak]>([])
    private static let atExit: Void = {
        atexit { for one in Backlog.living.withLock(\.self) { one.backlog?.flush(within: .seconds(1)) } }
    }()

    static func writeAtExit(_ backlog: Backlog) {
        _ = atExit
        living.withLock { living in
            living.removeAll { $0.backlog == nil }
            living.append(Weak(backlog: backlog))
        }
    }
}
