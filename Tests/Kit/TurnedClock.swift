import Synchronization

/// A time that passes only when a test turns it, for decisions that take their time as a dependency.
package final class TurnedClock: Sendable {
    private let instant = Mutex(ContinuousClock.now)

    package init() {}

    package var now: ContinuousClock.Instant { instant.withLock(\.self) }

    /// Returns the time after it.
    @discardableResult
    package func turn(by duration: Duration) -> ContinuousClock.Instant {
        instant.withLock { instant in
            instant += duration
            return instant
        }
    }
}
