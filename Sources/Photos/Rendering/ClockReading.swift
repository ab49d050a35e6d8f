import CivilCalendar
import FoundationEssentials
import Imaging
import PlainText

/// What a camera's clock showed, to the microsecond.
struct ClockReading {
    var time: CivilTime
    /// 0 to 999 999.
    var microseconds = 0

    init(_ time: CivilTime, microseconds: Int = 0) {
        (self.time, self.microseconds) = (time, microseconds)
    }

    /// A time as cameras and programs write it: `2024:05:07 09:33:04` in EXIF, `2024-05-07T09:33:04.25+02:00` in XMP (specification
    /// part 1, 8.2.1.2), `2024/5/7 9:33:04 PM`. Seconds may be missing; a date alone is no time.
    ///
    /// Nil for a time that does not exist or is older than photography. A second of 60, which cameras write for a carry
    /// and for a leap second, becomes 59.
    ///
    /// - Returns: the reading, and the offset from UTC in minutes, if it follows.
    static func read(_ text: some StringProtocol) -> (reading: ClockReading, offsetMinutes: Int?)? {
        // Some programs write the minus of typography.
        let text = String(text.prefix(64)).replacing("\u{2212}", with: "-").replacing("\u{2013}", with: "-")
        var rest = text[...].drop { $0.isWhitespace }
        guard let year = number(&rest, digits: 4...4), year >= 1826, separator(&rest) != nil,
            let month = number(&rest), separator(&rest) != nil, let day = number(&rest),
            let between = separator(&rest), var hour = number(&rest), let colon = separator(&rest),
            let minute = number(&rest)
        else { return nil }
        var second = 0
        var microseconds = 0
        // "T09+02:00" has no minutes.
        guard !colon.contains("+"), !colon.contains("-") || rest.first != ":" else { return nil }
        // A sign that does not separate hours and minutes, either, begins the offset.
        let mark = rest.prefix { !("0"..."9" ~= $0) }
        if mark == colon || mark.count < rest.count && !mark.contains(where: { "+-".contains($0) }) {
            rest.removeFirst(mark.count)
            guard let read = number(&rest) else { return nil }
            second = read
            if let point = rest.first, point == "." || point == "," {
                let decimals = rest.dropFirst().prefix { "0"..."9" ~= $0 }
                microseconds = Self.microseconds(decimals: decimals) ?? 0
                rest = rest.dropFirst(1 + decimals.count)
            }
        }
        // "p.m." is PM; "+1.0" is no offset.
        let dotless = zip(rest, " " + rest).filter { $0 != "." || "0"..."9" ~= $1 }.map(\.0)
        var zone = String(dotless.drop { $0.isWhitespace }).uppercased()
        // "p. m." is PM, and AMT a time zone.
        for half in ["A M", "P M"] where zone.hasPrefix(half) {
            zone.remove(at: zone.index(after: zone.startIndex))
        }
        // "9:33:04 P" is short for PM.
        if let first = zone.first, "AP".contains(first), zone.dropFirst().first?.isLetter != true {
            zone.insert("M", at: zone.index(after: zone.startIndex))
        }
        let half = halves.first { word, _ in
            between.contains(word)
                || zone.hasPrefix(word) && zone.dropFirst(word.count).first?.isLetter != true
        }
        if let half, zone.hasPrefix(half.word) { zone.removeFirst(half.word.count) }
        // Before the hour stands nothing else that has a meaning, except for the T of ISO 8601 and the day's own word.
        guard half != nil || between.allSatisfy({ !$0.isLetter || "Tt日일".contains($0) }) else { return nil }
        // Some programs write it behind 18:31, too.
        if let half, hour <= 12 { hour = hour % 12 + (half.isAfternoon ? 12 : 0) }
        guard second <= 60,
            let time = CivilTime(
                year: year, month: month, day: day, hour: hour, minute: minute, second: min(second, 59))
        else { return nil }
        return (ClockReading(time, microseconds: microseconds), offsetMinutes(zone))
    }

    /// The halves of the day as cameras name them: behind the time in English, before it in Chinese, Japanese and Korean.
    private static let halves: [(word: String, isAfternoon: Bool)] = [
        ("AM", false), ("PM", true), ("上午", false), ("下午", true), ("午前", false), ("午後", true), ("오전", false),
        ("오후", true),
    ]

    private static func number(_ text: inout Substring, digits: ClosedRange<Int> = 1...2) -> Int? {
        let number = text.prefix { "0"..."9" ~= $0 }
        guard digits ~= number.count else { return nil }
        text = text.dropFirst(number.count)
        return Int(number)
    }

    /// What stands between two numbers: at most five characters that are no digits.
    private static func separator(_ text: inout Substring) -> Substring? {
        let separator = text.prefix { !("0"..."9" ~= $0) }
        // Digits of other scripts belong to a number, which then is none.
        guard 1...5 ~= separator.count, !separator.contains(where: \.isNumber) else { return nil }
        text = text.dropFirst(separator.count)
        return separator
    }

    /// Minutes of `+05:30`, `+05:30:00`, `-0300`, `+2`, `UTC+2`, `+02:00[Europe/Berlin]`, `Z` or `UTC`; at most 14 hours.
    static func offsetMinutes(_ text: String) -> Int? {
        // Java's ZonedDateTime adds the name of the zone in square brackets.
        var text = text.prefix { $0 != "[" }.filter { !$0.isWhitespace }.uppercased()
        if ["Z", "UTC", "GMT"].contains(text) { return 0 }
        if text.hasPrefix("UTC") || text.hasPrefix("GMT") { text.removeFirst(3) }
        var parts = text.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
        if parts.count == 3, parts[2] == "00" { parts.removeLast() }
        let digits = parts.joined()
        guard let sign = text.first, sign == "+" || sign == "-", digits.allSatisfy({ "0"..."9" ~= $0 }),
            parts.count == 1
                ? [1, 2, 4].contains(digits.count)
                : parts.count == 2 && parts[1].count == 2 && 1...2 ~= parts[0].count,
            let number = Int(digits)
        else { return nil }
        let minutes = digits.count < 3 ? number * 60 : number / 100 * 60 + number % 100
        guard digits.count < 3 || number % 100 < 60, minutes <= 840 else { return nil }
        return sign == "-" ? -minutes : minutes
    }

    /// Decimals of a second, as EXIF's SubSecTime has them: `25` is a quarter. Further ones than the sixth are cut off.
    static func microseconds(decimals: some StringProtocol) -> Int? {
        guard !decimals.isEmpty, decimals.allSatisfy({ "0"..."9" ~= $0 }) else { return nil }
        let six = decimals.prefix(6)
        return Int(six + String(repeating: "0", count: 6 - six.count))
    }

    /// `2024-05-07T09:33:04`, with decimals if they are not 0.
    var text: String {
        guard microseconds > 0 else { return time.description }
        let decimals = microseconds.padded(to: 6)
        return time.description + "." + decimals[...decimals.lastIndex { $0 != "0" }!]
    }
}

extension CaptureTime {
    /// A time with the offset behind it, if there is one; nil if it is none.
    ///
    /// - Parameters:
    ///   - otherwiseOffset: the offset of a time that does not say it, in minutes.
    ///   - now: seconds since 1970; a time more than a day later is refused.
    static func plausible(_ text: String, otherwiseOffset: Int? = nil, now: Int) -> CaptureTime? {
        guard let (clock, zone) = ClockReading.read(text), clock.time.secondsSince1970 <= now + 86_400 else {
            return nil
        }
        let offset = zone ?? otherwiseOffset
        return CaptureTime(clock, offsetMinutes: offset, source: offset == nil ? nil : .offsetTag)
    }

    init(_ clock: ClockReading, offsetMinutes: Int?, source: OffsetSource?) {
        self.init(
            local: clock.text, offsetMinutes: offsetMinutes, offsetSource: source,
            instant: offsetMinutes.map {
                Date(
                    timeIntervalSince1970: Double(clock.time.secondsSince1970 - $0 * 60)
                        + Double(clock.microseconds) / 1e6)
            })
    }
}
