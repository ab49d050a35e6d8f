/// How fast an order goes on, reckoned from its start.
struct Pace {
    /// Nil for as fast as it goes.
    let perSecond: Double?
    private let start = ContinuousClock.now

    init(perSecond: Double?) { self.perSecond = perSecond }

    /// Two pages a second, so that a page is not much of a burst.
    func pageSize(atMost limit: Int) -> Int {
        guard let perSecond else { return limit }
        return max(1, min(limit, Int(perSecond / 2)))
    }

    /// When the next may follow after `count`.
    func due(after count: Int) -> ContinuousClock.Instant {
        guard let perSecond else { return start }
        return start + .seconds(Double(count) / perSecond)
    }
}
