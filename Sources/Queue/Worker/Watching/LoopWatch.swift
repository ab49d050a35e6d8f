import Synchronization

/// Tells that a loop stands still: the loop says when it turns, and anyone who asks is told how long ago that was.
final class LoopWatch: Sendable {
    /// Nil while the loop does not run.
    private let lastTurn = Mutex<ContinuousClock.Instant?>(nil)

    func turn() { lastTurn.withLock { $0 = .now } }

    /// The loop has ended, and need not turn any more.
    func end() { lastTurn.withLock { $0 = nil } }

    /// Since the last turn; nil for a loop that does not run.
    var sinceLastTurn: Duration? {
        lastTurn.withLock { $0 }.map { .now - $0 }
    }

    /// - Parameter limit: a loop of which no turn is seen for longer stands still.
    func check(_ name: String, limit: Duration) -> HealthReport.Check {
        guard let silence = sinceLastTurn, silence > limit else { return .init(name: name, fault: nil) }
        return .init(name: name, fault: "has stood still for \(silence.components.seconds) s")
    }
}
