package import CivilCalendar

extension CronExpression {
    /// The first matching minute after `time`.
    ///
    /// There is always one: each day of a month is each day of the week in some year. The rarest, 29 February on certain
    /// days of the week (`0 0 29 2 */6`), can be decades away.
    package func next(after time: CivilTime) -> CivilTime {
        let days = matchingDays(year: time.year, month: time.month)
        if days & 1 << time.day != 0, let (hour, minute) = nextTimeOfDay(after: time) {
            return CivilTime(unchecked: time.year, time.month, time.day, hour, minute)
        }
        var (year, month) = (time.year, time.month)
        var candidates = days.atLeast(time.day + 1)
        while candidates == 0 {
            (year, month) = nextMonth(after: month, of: year)
            candidates = matchingDays(year: year, month: month)
        }
        return CivilTime(
            unchecked: year, month, candidates.trailingZeroBitCount, hours.trailingZeroBitCount,
            minutes.trailingZeroBitCount)
    }

    /// Whether the job is due in the minute `time`.
    package func matches(_ time: CivilTime) -> Bool {
        minutes & 1 << time.minute != 0 && hours & 1 << time.hour != 0
            && matchingDays(year: time.year, month: time.month) & 1 << time.day != 0
    }

    private func nextTimeOfDay(after time: CivilTime) -> (hour: Int, minute: Int)? {
        if hours & 1 << time.hour != 0 {
            let left = minutes.atLeast(time.minute + 1)
            if left != 0 { return (time.hour, left.trailingZeroBitCount) }
        }
        let left = hours.atLeast(time.hour + 1)
        return left == 0 ? nil : (left.trailingZeroBitCount, minutes.trailingZeroBitCount)
    }

    private func nextMonth(after month: Int, of year: Int) -> (year: Int, month: Int) {
        let left = months.atLeast(month + 1)
        return left == 0 ? (year + 1, months.trailingZeroBitCount) : (year, left.trailingZeroBitCount)
    }

    /// The days of one month that match, bit n for day n.
    private func matchingDays(year: Int, month: Int) -> UInt64 {
        guard months & 1 << month != 0 else { return 0 }
        let first = Gregorian.weekday(year: year, month: month, day: 1)
        // The seven bits of the week, repeated for six weeks and shifted so that bit 1 is the weekday of the first.
        let weeks = (0..<6).reduce(0 as UInt64) { $0 | daysOfWeek << ($1 * 7) }
        let byWeekday = (weeks >> first) << 1
        let matching = eitherDayMatches ? daysOfMonth | byWeekday : daysOfMonth & byWeekday
        let existing = (1 << (Gregorian.days(inMonth: month, of: year) + 1)) - 2 as UInt64
        return matching & existing
    }
}

extension UInt64 {
    /// The set without the numbers below `lowest`, which is from 0 to 63.
    fileprivate func atLeast(_ lowest: Int) -> UInt64 { (self >> lowest) << lowest }
}
