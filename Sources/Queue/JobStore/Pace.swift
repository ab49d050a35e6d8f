/// Limits the rate of a bulk operation, measured from its start.
package struct Pace: Sendable {
    /// Nil for no limit.
    package let perSecond: Double?
    private let start = ContinuousClock.now

    package init(perSecond: Double?) { self.perSecond = perSecond }

    /// Two pages per second, so that one page is a small burst.
    package func pageSize(atMost limit: Int) -> Int {
        guard let perSecond else { return limit }
        return max(1, min(limit, Int(perSecond / 2)))
    }

    /// When the next page may start after `count` jobs.
    package func due(after count: Int) -> ContinuousClock.Instant {
        guard let perSecond else { return start }
        return start + .seconds(Double(count) / perSecond)
    }
}
