import PlainText

/// A calendar date and a time of day, without a time zone.
package struct CivilTime: Hashable, Sendable {
    package let year: Int
    /// 1 to 12.
    package let month: Int
    /// From 1.
    package let day: Int
    /// 0 to 23.
    package let hour: Int
    /// 0 to 59.
    package let minute: Int
    /// 0 to 59.
    package let second: Int

    /// Nil if there is no such day or second, or if the year is outside 1 to 9999.
    package init?(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
        guard (1...9999).contains(year), (1...12).contains(month),
            (1...Gregorian.days(inMonth: month, of: year)).contains(day), (0...23).contains(hour),
            (0...59).contains(minute), (0...59).contains(second)
        else { return nil }
        self.init(unchecked: year, month, day, hour, minute, second)
    }

    /// For values that are known to be valid; any year is allowed.
    package init(
        unchecked year: Int, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int, _ second: Int = 0
    ) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
    }
}

extension CivilTime: Comparable, CustomStringConvertible {
    package static func < (first: CivilTime, second: CivilTime) -> Bool {
        (first.year, first.month, first.day, first.hour, first.minute, first.second)
            < (second.year, second.month, second.day, second.hour, second.minute, second.second)
    }

    /// `2024-02-29T07:30:05`, as ISO 8601 writes it.
    package var description: String { "\(date)T\(clock)" }

    /// `2024-02-29`.
    package var date: String { "\(year.padded(to: 4))-\(month.padded(to: 2))-\(day.padded(to: 2))" }

    /// `07:30:05`.
    package var clock: String { "\(hour.padded(to: 2)):\(minute.padded(to: 2)):\(second.padded(to: 2))" }
}

extension CivilTime {
    private static let secondsPerDay = 86_400

    /// Seconds from 1970-01-01T00:00:00 on the same clock, as if it were never set forward or back.
    package var secondsSince1970: Int {
        Gregorian.days(year: year, month: month, day: day) * Self.secondsPerDay + hour * 3600 + minute * 60
            + second
    }

    package init(secondsSince1970 seconds: Int) {
        let day = Gregorian.floored(seconds, by: Self.secondsPerDay)
        let time = seconds - day * Self.secondsPerDay
        let date = Gregorian.date(days: day)
        self.init(unchecked: date.year, date.month, date.day, time / 3600, time / 60 % 60, time % 60)
    }
}
