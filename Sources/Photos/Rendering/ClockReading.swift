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

    /// `2024:05:07 09:33:04`; other separators are allowed because cameras write them.
    ///
    /// Nil for a time that does not exist or is older than photography. A second of 60, which cameras write for a carry
    /// and for a leap second, becomes 59.
    init?(exif text: String) {
        let parts = text.prefix(19).split { !("0"..."9" ~= $0) }.map { Int($0) }
        guard parts.count == 6, text.prefix(4).allSatisfy({ "0"..."9" ~= $0 }),
            let year = parts[0], let month = parts[1], let day = parts[2], let hour = parts[3],
            let minute = parts[4], let second = parts[5], year >= 1826, second <= 60,
            let time = CivilTime(
                year: year, month: month, day: day, hour: hour, minute: minute, second: min(second, 59))
        else { return nil }
        self.init(time)
    }

    /// `2024-05-07T09:33:04.25+02:00` (XMP specification part 1, 8.2.1.2). Seconds, their decimals and the offset may be
    /// missing; a date alone is no time.
    ///
    /// - Returns: the reading, and the text of the offset.
    static func xmp(_ text: Substring) -> (reading: ClockReading, offset: String)? {
        let clock = text.prefix(16)
        let rest = text.dropFirst(16)
        guard clock.count == 16, clock.last != ":" else { return nil }
        guard rest.first == ":" else {
            return ClockReading(exif: clock + ":00").map { ($0, String(rest)) }
        }
        guard var reading = ClockReading(exif: String(text.prefix(19))), text.count >= 19 else { return nil }
        let (decimals, zone) = Self.rest(of: text.dropFirst(19))
        reading.microseconds = decimals.flatMap { microseconds(decimals: $0) } ?? 0
        return (reading, String(zone))
    }

    /// What may follow the seconds: their decimals, and the offset.
    static func rest(of text: Substring) -> (decimals: Substring?, zone: Substring) {
        guard text.first == "." else { return (nil, text) }
        let decimals = text.dropFirst().prefix { "0"..."9" ~= $0 }
        return (decimals, text.dropFirst(1 + decimals.count))
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
