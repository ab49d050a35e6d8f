import CivilCalendar
import FoundationEssentials
import Imaging

extension EXIFBlock {
    /// The first plausible one of DateTimeOriginal, DateTimeDigitized and DateTime, with its offset.
    ///
    /// - Parameter now: seconds since 1970; a time more than a day later is refused.
    static func captureTime(_ fields: EXIFFields, now: Int) -> CaptureTime? {
        let sources: [(EXIFFields.Directory, UInt32, UInt32)] = [
            (.exif, 0x9003, 0x9011), (.exif, 0x9004, 0x9012), (.main, 0x0132, 0x9010),
        ]
        for (directory, tag, offsetTag) in sources {
            guard let text = fields.text(directory, tag), let local = civilTime(text),
                local.secondsSince1970 <= now + 86_400
            else { continue }
            var offset = fields.text(.exif, offsetTag).flatMap(offsetMinutes)
            var source: CaptureTime.OffsetSource? = offset == nil ? nil : .offsetTag
            if offset == nil, tag == 0x9003, let derived = offsetFromGPS(fields, local: local) {
                offset = derived
                source = .gpsTimeStamp
            }
            return CaptureTime(local, offsetMinutes: offset, source: source)
        }
        return nil
    }

    /// `2024:05:07 09:33:04`; other separators are allowed because cameras write them.
    ///
    /// Nil for a time that does not exist or is older than photography. A second of 60, which cameras write for a carry
    /// and for a leap second, becomes 59.
    static func civilTime(_ text: String) -> CivilTime? {
        let parts = text.prefix(19).split { !("0"..."9" ~= $0) }.map { Int($0) }
        guard parts.count == 6, text.prefix(4).allSatisfy({ "0"..."9" ~= $0 }),
            let year = parts[0], let month = parts[1], let day = parts[2], let hour = parts[3],
            let minute = parts[4], let second = parts[5], year >= 1826, second <= 60
        else { return nil }
        return CivilTime(
            year: year, month: month, day: day, hour: hour, minute: minute, second: min(second, 59))
    }

    /// Minutes of `+05:30`, `-0300` or `Z`; at most 14 hours.
    static func offsetMinutes(_ text: String) -> Int? {
        if text == "Z" { return 0 }
        let digits = text.dropFirst().filter { $0 != ":" }
        guard let first = text.first, first == "+" || first == "-", digits.count == 4,
            digits.allSatisfy({ "0"..."9" ~= $0 }), let number = Int(digits)
        else { return nil }
        let minutes = number / 100 * 60 + number % 100
        guard number % 100 < 60, minutes <= 840 else { return nil }
        return first == "-" ? -minutes : minutes
    }

    /// The local time minus the GPS time stamp, which is in UTC, if that is a plausible offset: at most 14 hours, and a
    /// multiple of 15 minutes give or take two minutes of clock error.
    private static func offsetFromGPS(_ fields: EXIFFields, local: CivilTime) -> Int? {
        guard let date = fields.text(.gps, 29), let stamp = fields.numbers(.gps, 7), stamp.count == 3,
            let hour = stamp[0], let minute = stamp[1], let second = stamp[2], 0..<24 ~= hour,
            0..<60 ~= minute, 0..<61 ~= second,
            let utc = civilTime("\(date.prefix(10)) \(Int(hour)):\(Int(minute)):\(Int(second))")
        else { return nil }
        let difference = local.secondsSince1970 - utc.secondsSince1970
        let quarters = (Double(difference) / 900).rounded()
        guard abs(quarters) <= 56, abs(Double(difference) - quarters * 900) <= 120 else { return nil }
        return Int(quarters) * 15
    }
}

extension CaptureTime {
    init(_ local: CivilTime, offsetMinutes: Int?, source: OffsetSource?) {
        self.init(
            local: local.description, offsetMinutes: offsetMinutes, offsetSource: source,
            instant: offsetMinutes.map {
                Date(timeIntervalSince1970: Double(local.secondsSince1970 - $0 * 60))
            })
    }
}
