import Synchronization

/// Counts the turns of a duty that a worker leaves to others.
final class Skips: Sendable {
    private let skipped = Mutex(0)

    /// Whether `turns` turns have passed since the last that counted; the first one counts.
    func isOver(after turns: Int) -> Bool {
        skipped.withLock { skipped in
            defer { skipped += 1 }
            if skipped >= turns { skipped = 0 }
            return skipped == 0
        }
    }
}
