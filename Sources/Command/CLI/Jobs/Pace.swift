/// Limits the rate of a bulk operation, measured from its start.
struct Pace {
    /// Nil for no limit.
    let perSecond: Double?
    private let start = ContinuousClock.now

    init(perSecond: Double?) { self.perSecond = perSecond }

    /// Two pages per second, so that one page is a small burst.
    func pageSize(atMost limit: Int) -> Int {
        guard let perSecond else { return limit }
        return max(1, min(limit, Int(perSecond / 2)))
    }

    /// When the next page may start after `count` jobs.
    func due(after count: Int) -> ContinuousClock.Instant {
        guard let perSecond else { return start }
        return start + .seconds(Double(count) / perSecond)
    }
}
