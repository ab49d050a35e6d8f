package import FoundationEssentials

/// `timestamptz`, in microseconds and UTC. `infinity` and years before 1 have no `Date` and are refused.
extension Date: PostgresEncodable, PostgresDecodable {
    package var postgresText: String? {
        get throws {
            // Nearest microsecond; the range is that of a four-digit year, which no sound date of ours leaves.
            let microseconds = (timeIntervalSinceReferenceDate * 1e6).rounded()
            guard (Timestamp.firstMicrosecond...Timestamp.lastMicrosecond).contains(microseconds) else {
                throw PostgresError(.encoding, "a date outside the years 1 to 9999 cannot be sent")
            }
            return Timestamp.text(microsecondsSince2001: Int64(microseconds))
        }
    }

    package init(postgresText: String) throws {
        let microseconds = try Timestamp.microsecondsSince2001(postgresText)
        self.init(timeIntervalSinceReferenceDate: Double(microseconds) / 1e6)
    }
}

/// PostgreSQL's ISO text of a point in time: `2024-02-29 12:34:56.789012+00`.
enum Timestamp {
    private static let microsecondsPerDay: Int64 = 86_400_000_000
    private static let reference = days(year: 2001, month: 1, day: 1)
    static let firstMicrosecond = Double((days(year: 1, month: 1, day: 1) - reference) * microsecondsPerDay)
    static let lastMicrosecond = Double(
        (days(year: 10_000, month: 1, day: 1) - reference) * microsecondsPerDay - 1)

    static func text(microsecondsSince2001 microseconds: Int64) -> String {
        var (day, time) = microseconds.quotientAndRemainder(dividingBy: microsecondsPerDay)
        if time < 0 {
            day -= 1
            time += microsecondsPerDay
        }
        let (year, month, dayOfMonth) = civil(days: day + reference)
        let seconds = time / 1_000_000
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2)) "
            + "\(padded(seconds / 3600, 2)):\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2))"
            + ".\(padded(time % 1_000_000, 6))+00"
    }

    static func microsecondsSince2001(_ text: String) throws(PostgresError) -> Int64 {
        if text == "infinity" || text == "-infinity" {
            throw PostgresError(.decoding, "holds \(text), which is not a date")
        }
        if text.hasSuffix(" BC") { throw PostgresError(.decoding, "holds a year before 1") }
        var scanner = Scanner(bytes: Array(text.utf8))
        guard let year = scanner.number(digits: 4...6), scanner.take("-"),
            let month = scanner.number(digits: 2...2), (1...12).contains(month), scanner.take("-"),
            let day = scanner.number(digits: 2...2), (1...31).contains(day), scanner.take(" "),
            let hour = scanner.number(digits: 2...2), hour < 24, scanner.take(":"),
            let minute = scanner.number(digits: 2...2), minute < 60, scanner.take(":"),
            let second = scanner.number(digits: 2...2), second < 60
        else { throw undecodable(Date.self) }
        let fraction = scanner.take(".") ? scanner.fraction(digits: 6) : 0
        guard let fraction else { throw undecodable(Date.self) }
        guard let offset = scanner.offset() else {
            throw PostgresError(.decoding, "holds a time without a time zone; select it as timestamptz")
        }
        guard scanner.isAtEnd else { throw undecodable(Date.self) }
        let seconds = hour * 3600 + minute * 60 + second - offset
        return (days(year: year, month: month, day: day) - reference) * microsecondsPerDay
            + seconds * 1_000_000 + fraction
    }

    /// Days from 1970-01-01 in the proleptic Gregorian calendar.
    /// Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The inverse of `days`. Source: as there, `civil_from_days`.
    private static func civil(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }

    private struct Scanner {
        let bytes: [UInt8]
        var position = 0

        var isAtEnd: Bool { position == bytes.count }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
            position += 1
            return true
        }

        mutating func number(digits: ClosedRange<Int>) -> Int64? {
            let start = position
            var value: Int64 = 0
            while position < bytes.count, position - start < digits.upperBound,
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position])
            {
                value = value * 10 + Int64(bytes[position] - UInt8(ascii: "0"))
                position += 1
            }
            return position - start >= digits.lowerBound ? value : nil
        }

        mutating func fraction(digits: Int) -> Int64? {
            let start = position
            guard var value = number(digits: 1...digits) else { return nil }
            for _ in (position - start)..<digits { value *= 10 }
            return value
        }

        /// `+HH`, `+HH:MM` or `+HH:MM:SS`, in seconds east of UTC.
        mutating func offset() -> Int64? {
            let sign: Int64 = take("+") ? 1 : take("-") ? -1 : 0
            guard sign != 0, var seconds = number(digits: 2...2).map({ $0 * 3600 }) else { return nil }
            if take(":") {
                guard let minutes = number(digits: 2...2) else { return nil }
                seconds += minutes * 60
            }
            if take(":") {
                guard let rest = number(digits: 2...2) else { return nil }
                seconds += rest
            }
            return sign * seconds
        }
    }
}
