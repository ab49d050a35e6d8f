/// How often something may happen: `burst` times at once, and then `count` times per `period`.
package struct RateLimit: Hashable, Sendable {
    /// Nanoseconds after which one more is allowed.
    let interval: Int64
    /// Nanoseconds after which a key that was used up is full again.
    let capacity: Int64

    /// - Parameters:
    ///   - count: 1 or more.
    ///   - period: a nanosecond per `count` or more, at most 30 days.
    ///   - burst: 1 to 1,000,000; `count` if nil.
    package init(_ count: Int, per period: Duration, burst: Int? = nil) {
        let burst = burst ?? count
        precondition(count >= 1 && (1...1_000_000).contains(burst) && period <= .seconds(30 * 86_400))
        interval = period.wholeNanoseconds / Int64(count)
        precondition(interval >= 1)
        capacity = interval * Int64(burst)
    }
}

extension Duration {
    /// Cut to whole nanoseconds. For durations of less than 292 years.
    var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
