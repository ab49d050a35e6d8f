import CivilCalendar
package import FoundationEssentials
import PlainText

/// `timestamptz`, in microseconds and UTC. `infinity` and years before 1 have no `Date` and are refused.
extension Date: PostgresEncodable, PostgresDecodable {
    package var postgresText: String? {
        get throws {
            // Rounds to the nearest microsecond. The range is that of four-digit years, enough for all our dates.
            let microseconds = (timeIntervalSinceReferenceDate * 1e6).rounded()
            guard
                (PostgresTimestamp.firstMicrosecond...PostgresTimestamp.lastMicrosecond).contains(
                    microseconds)
            else {
                throw PostgresError(.encoding, "a date outside the years 1 to 9999 cannot be sent")
            }
            return PostgresTimestamp.text(microsecondsSince2001: Int(microseconds))
        }
    }

    package init(postgresText: String) throws {
        let microseconds = try PostgresTimestamp.microsecondsSince2001(postgresText)
        self.init(timeIntervalSinceReferenceDate: Double(microseconds) / 1e6)
    }
}

/// PostgreSQL's ISO text of a point in time: `2024-02-29 12:34:56.789012+00`.
enum PostgresTimestamp {
    private static let microsecondsPerDay = 86_400_000_000
    private static let reference = Gregorian.days(year: 2001, month: 1, day: 1)
    static let firstMicrosecond = Double(
        (Gregorian.days(year: 1, month: 1, day: 1) - reference) * microsecondsPerDay)
    static let lastMicrosecond = Double(
        (Gregorian.days(year: 10_000, month: 1, day: 1) - reference) * microsecondsPerDay - 1)

    static func text(microsecondsSince2001 microseconds: Int) -> String {
        let seconds = Gregorian.floored(microseconds, by: 1_000_000)
        let time = CivilTime(secondsSince1970: seconds + reference * 86_400)
        return "\(time.date) \(time.clock).\((microseconds - seconds * 1_000_000).padded(to: 6))+00"
    }

    static func microsecondsSince2001(_ text: String) throws(PostgresError) -> Int {
        if text == "infinity" || text == "-infinity" {
            throw PostgresError(.decoding, "has \(text), which is not a date")
        }
        if text.hasSuffix(" BC") { throw PostgresError(.decoding, "has a year before 1") }
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
            throw PostgresError(.decoding, "has a time without a time zone; select it as timestamptz")
        }
        guard scanner.isAtEnd else { throw undecodable(Date.self) }
        let seconds = hour * 3600 + minute * 60 + second - offset
        return (Gregorian.days(year: year, month: month, day: day) - reference) * microsecondsPerDay
            + seconds * 1_000_000 + fraction
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

        mutating func number(digits: ClosedRange<Int>) -> Int? {
            let start = position
            var value: Int = 0
            while position < bytes.count, position - start < digits.upperBound,
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position])
            {
                value = value * 10 + Int(bytes[position] - UInt8(ascii: "0"))
                position += 1
            }
            return position - start >= digits.lowerBound ? value : nil
        }

        mutating func fraction(digits: Int) -> Int? {
            let start = position
            guard var value = number(digits: 1...digits) else { return nil }
            for _ in (position - start)..<digits { value *= 10 }
            return value
        }

        /// `+HH`, `+HH:MM` or `+HH:MM:SS`, in seconds east of UTC.
        mutating func offset() -> Int? {
            let sign: Int = take("+") ? 1 : take("-") ? -1 : 0
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
