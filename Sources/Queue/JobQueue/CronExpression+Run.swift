import CivilCalendar

/// A time in which the clocks of a zone keep the same offset from UTC.
package struct ClockSpan: Sendable {
    /// Seconds to add to UTC for the civil time.
    package let offset: Int
    /// The instant at which the clocks may change, in seconds since 1970 UTC.
    package let end: Int

    package init(offset: Int, end: Int) {
        self.offset = offset
        self.end = end
    }
}

extension CronExpression {
    /// The first run later than `now`, in whole seconds since 1970 UTC.
    ///
    /// - Parameter span: the span of the zone's clocks from an instant on.
    package func firstRun(
        after now: Int, span: (Int) async throws -> ClockSpan
    ) async rethrows -> Int {
        // No clock goes back by more than a day, so two days show which civil times occurred before.
        var start = now - 2 * 86_400
        // The latest civil time whose runs are over.
        var reached = Int.min
        while true {
            let span = try await span(start)
            let last = span.end - 1
            if followsElapsedTime { reached = start - 1 + span.offset }
            if start <= now { reached = max(reached, min(now, last) + span.offset) }
            let match = next(after: CivilTime(secondsSince1970: reached)).secondsSince1970
            // A civil time that the clocks skipped is due as soon as they have changed.
            let run = max(match - span.offset, start)
            if run <= last { return run }
            reached = max(reached, last + span.offset)
            start = span.end
        }
    }
}
