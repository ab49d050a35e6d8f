import Synchronization

/// Detects that a loop hangs: the loop reports each turn, and others can ask how long ago the last one was.
final class LoopWatch: Sendable {
    /// Nil while the loop does not run.
    private let lastTurn = Mutex<ContinuousClock.Instant?>(nil)

    func turn() { lastTurn.withLock { $0 = .now } }

    /// Reports that the loop has ended and makes no more turns.
    func end() { lastTurn.withLock { $0 = nil } }

    /// Time since the last turn; nil for a loop that does not run.
    var sinceLastTurn: Duration? {
        lastTurn.withLock { $0 }.map { .now - $0 }
    }

    /// - Parameter limit: a loop without a turn for longer than this hangs.
    func check(_ name: String, limit: Duration) -> HealthReport.Check {
        guard let silence = sinceLastTurn, silence > limit else { return .init(name: name, fault: nil) }
        return .init(name: name, fault: "has made no progress for \(silence.components.seconds) s")
    }
}
