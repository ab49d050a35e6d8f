/// A minute on the clock and calendar of some place, which says nothing of its time zone.
///
/// Gregorian, also before the calendar was introduced ("proleptic").
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

    /// Nil where there is no such day or minute, or the year is not from 1 to 9999.
    package init?(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0) {
        guard (1...9999).contains(year), (1...12).contains(month),
            (1...Self.days(inMonth: month, of: year)).contains(day), (0...23).contains(hour),
            (0...59).contains(minute)
        else { return nil }
        self.init(unchecked: year, month, day, hour, minute)
    }

    init(unchecked year: Int, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
    }
}

extension CivilTime: Comparable, CustomStringConvertible {
    package static func < (first: CivilTime, second: CivilTime) -> Bool {
        (first.year, first.month, first.day, first.hour, first.minute)
            < (second.year, second.month, second.day, second.hour, second.minute)
    }

    /// `2024-02-29 07:30`.
    package var description: String {
        func padded(_ number: Int, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return
            "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2)) \(padded(hour, 2)):\(padded(minute, 2))"
    }
}

extension CivilTime {
    private static let minutesPerDay = 1440

    /// Minutes from 1970-01-01 00:00 of the same clock, were it never set forward or back.
    package var minutesSince1970: Int {
        Self.days(year: year, month: month, day: day) * Self.minutesPerDay + hour * 60 + minute
    }

    package init(minutesSince1970 minutes: Int) {
        let day = Self.floored(minutes, by: Self.minutesPerDay)
        let time = minutes - day * Self.minutesPerDay
        let date = Self.civil(days: day)
        self.init(unchecked: date.year, date.month, date.day, time / 60, time % 60)
    }

    package func adding(minutes: Int) -> CivilTime {
        CivilTime(minutesSince1970: minutesSince1970 + minutes)
    }

    /// 0 for Sunday to 6 for Saturday.
    package var weekday: Int { Self.weekday(year: year, month: month, day: day) }

    static func weekday(year: Int, month: Int, day: Int) -> Int {
        // 1970-01-01 was a Thursday.
        let shifted = days(year: year, month: month, day: day) + 4
        return shifted - floored(shifted, by: 7) * 7
    }

    static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 1970-01-01.
    /// Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`.
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = floored(shifted, by: 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The inverse of `days`. Source: as there, `civil_from_days`.
    private static func civil(days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = floored(shifted, by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    /// The quotient rounded down, where `/` rounds towards zero.
    private static func floored(_ dividend: Int, by divisor: Int) -> Int {
        (dividend >= 0 ? dividend : dividend - (divisor - 1)) / divisor
    }
}
