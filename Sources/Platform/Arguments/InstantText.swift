import CivilCalendar
import FoundationEssentials

/// Parses ISO 8601 instants.
enum InstantText {
    struct Fault: Error { let message: String }

    private static let form = "write it like 2026-05-01T12:00:00+02:00"

    /// Returns the instant that `text` names. The fault's message completes a sentence.
    static func date(from text: String) throws(Fault) -> Date {
        var rest = Array(text.utf8)[...]
        guard let year = number(&rest, 4), take(&rest, "-"), let month = number(&rest, 2), take(&rest, "-"),
            let day = number(&rest, 2)
        else { throw Fault(message: "is not a time; \(form)") }
        guard take(&rest, "T", "t", " "), let hour = number(&rest, 2), take(&rest, ":"),
            let minute = number(&rest, 2)
        else { throw Fault(message: "has no time of day; \(form)") }
        var second = 0
        var fraction = 0.0
        if take(&rest, ":") {
            guard let whole = number(&rest, 2) else { throw Fault(message: "is not a time; \(form)") }
            second = whole
            if take(&rest, ".") {
                let digits = rest.prefix { isDigit($0) }
                guard !digits.isEmpty, let part = Double("0." + String(decoding: digits, as: UTF8.self))
                else {
                    throw Fault(message: "is not a time; \(form)")
                }
                fraction = part
                rest = rest.dropFirst(digits.count)
            }
        }
        guard year >= 1, (1...12).contains(month), day >= 1, day <= Gregorian.days(inMonth: month, of: year),
            hour < 24,
            minute < 60,
            second < 60
        else { throw Fault(message: "is not a real date or time; \(form)") }
        let seconds =
            Gregorian.days(year: year, month: month, day: day) * 86_400 + hour * 3600 + minute * 60 + second
        let offset = try offset(&rest)
        return Date(timeIntervalSince1970: Double(seconds - offset) + fraction)
    }

    /// Seconds east of UTC.
    private static func offset(_ rest: inout ArraySlice<UInt8>) throws(Fault) -> Int {
        if rest.isEmpty {
            throw Fault(message: "has no offset from UTC; end it with Z or with one such as +02:00")
        }
        if take(&rest, "Z", "z"), rest.isEmpty { return 0 }
        let isWest = rest.first == UInt8(ascii: "-")
        guard take(&rest, "+", "-"), let hours = number(&rest, 2) else {
            throw Fault(message: "is not a time; \(form)")
        }
        let hasColon = take(&rest, ":")
        var minutes = 0
        if hasColon || !rest.isEmpty {
            guard let value = number(&rest, 2) else { throw Fault(message: "is not a time; \(form)") }
            minutes = value
        }
        guard rest.isEmpty, minutes < 60, hours * 60 + minutes <= 18 * 60 else {
            throw Fault(message: "has an impossible offset from UTC; \(form)")
        }
        return (isWest ? -1 : 1) * (hours * 3600 + minutes * 60)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func take(_ rest: inout ArraySlice<UInt8>, _ accepted: Unicode.Scalar...) -> Bool {
        guard let first = rest.first, accepted.contains(Unicode.Scalar(first)) else { return false }
        rest.removeFirst()
        return true
    }

    private static func number(_ rest: inout ArraySlice<UInt8>, _ count: Int) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ isDigit($0) }) else { return nil }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}
