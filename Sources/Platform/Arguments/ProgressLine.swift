import PlainText
import Synchronization

/// Shows progress on one line of a terminal, or as an occasional line of a log.
///
/// On a terminal the line is rewritten at most ten times a second. Elsewhere a plain line appears once at least two
/// seconds have passed since the last one. The counts shown are always those of the latest `update`.
package final class ProgressLine: Sendable {
    private let state: Mutex<ProgressState>
    private let start = ContinuousClock.now
    private let descriptor: Int32

    package init(label: String, descriptor: Int32 = 2) {
        self.descriptor = descriptor
        state = Mutex(ProgressState(label: label, isTerminal: Terminal.isTerminal(descriptor)))
    }

    /// Reports how much is done; a `total` of 0 or less means unknown. Ignored after `finish`.
    package func update(done: Int, total: Int, note: String) {
        // Written under the lock, so that lines of several callers do not mix.
        state.withLock { state in
            let text = state.update(
                done: done, total: total, note: note, at: .now - start, width: Terminal.width(of: descriptor))
            if let text { Terminal.write(text, to: descriptor) }
        }
    }

    /// Writes the last line once, with the counts of the latest update and `text`.
    package func finish(_ text: String) {
        state.withLock { state in
            let last = state.finish(text, at: .now - start, width: Terminal.width(of: descriptor))
            if let last { Terminal.write(last, to: descriptor) }
        }
    }
}

/// Decides what a progress line writes and when. Times count from the start.
struct ProgressState: Sendable {
    private enum Phase {
        case running(lastWritten: Duration?)
        case finished
    }

    private let label: String
    private let isTerminal: Bool
    private var phase = Phase.running(lastWritten: nil)
    private var done = 0
    private var total = 0

    init(label: String, isTerminal: Bool) {
        self.label = label
        self.isTerminal = isTerminal
    }

    mutating func update(done: Int, total: Int, note: String, at now: Duration, width: Int?) -> String? {
        guard case .running(let lastWritten) = phase else { return nil }
        self.done = done
        self.total = total
        // A terminal shows the first update at once; a log waits, so that short work leaves one line.
        let isDue =
            isTerminal
            ? lastWritten.map { now - $0 >= .milliseconds(100) } ?? true
            : now - (lastWritten ?? .zero) >= .seconds(2)
        guard isDue else { return nil }
        phase = .running(lastWritten: now)
        return framed(line(note, at: now), width: width)
    }

    mutating func finish(_ text: String, at now: Duration, width: Int?) -> String? {
        guard case .running = phase else { return nil }
        phase = .finished
        return framed(line(text, at: now), width: width) + (isTerminal ? "\n" : "")
    }

    /// `photos 120/4000  60.0/s  0:02  note`; the rate is rounded down.
    private func line(_ note: String, at now: Duration) -> String {
        let (seconds, attoseconds) = now.components
        let elapsed = Double(seconds) + Double(attoseconds) * 1e-18
        let tenths = elapsed > 0 ? min(Double(max(0, done)) / elapsed * 10, 1e12) : 0
        let rate = Int(tenths)
        let minutes = seconds / 60
        let clock =
            minutes < 60
            ? "\(minutes):\((seconds % 60).padded(to: 2))"
            : "\(minutes / 60):\((minutes % 60).padded(to: 2)):\((seconds % 60).padded(to: 2))"
        let count = total > 0 ? "\(done)/\(total)" : "\(done)"
        let line = "\(label) \(count)  \(rate / 10).\(rate % 10)/s  \(clock)"
        return Terminal.printable(note.isEmpty ? line : "\(line)  \(note)")
    }

    private func framed(_ line: String, width: Int?) -> String {
        guard isTerminal else { return line + "\n" }
        // One column narrower than the terminal: a full line would wrap and could not be rewritten.
        return "\r" + truncated(line, to: max(1, (width ?? 80) - 1)) + "\u{1B}[K"
    }
}
