import CivilCalendar
import Imaging

extension EXIFBlock {
    /// The tags of a time: when the light fell, when a film was scanned, when the file was last changed.
    struct TimeTags {
        var directory = EXIFFields.Directory.exif
        var time: UInt32
        var decimals: UInt32
        var offset: UInt32

        static let original = TimeTags(time: 0x9003, decimals: 0x9291, offset: 0x9011)
        static let digitized = TimeTags(time: 0x9004, decimals: 0x9292, offset: 0x9012)
        static let changed = TimeTags(directory: .main, time: 0x0132, decimals: 0x9290, offset: 0x9010)
    }

    /// A time with its offset, if it is plausible.
    ///
    /// - Parameter now: seconds since 1970; a time more than a day later is refused.
    static func captureTime(_ tags: TimeTags, _ fields: EXIFFields, now: Int) -> CaptureTime? {
        // Some programs write them into the main directory.
        func text(_ directory: EXIFFields.Directory, _ tag: UInt32) -> String? {
            fields.text(directory, tag) ?? fields.text(.main, tag)
        }
        guard let (reading, zone) = text(tags.directory, tags.time).flatMap(ClockReading.read),
            reading.time.secondsSince1970 <= now + 86_400
        else { return nil }
        var clock = reading
        // The standard has decimals and the offset in tags of their own. Some programs write an ISO 8601 time.
        if let decimals = text(.exif, tags.decimals).flatMap({
            ClockReading.microseconds(decimals: $0)
        }) {
            clock.microseconds = decimals
        }
        if let offset = zone ?? text(.exif, tags.offset).flatMap(ClockReading.offsetMinutes) {
            return CaptureTime(clock, offsetMinutes: offset, source: .offsetTag)
        }
        if tags.time == TimeTags.original.time, let offset = offsetFromGPS(fields, local: clock.time) {
            return CaptureTime(clock, offsetMinutes: offset, source: .gpsTimeStamp)
        }
        return CaptureTime(clock, offsetMinutes: nil, source: nil)
    }

    /// The offsets that are not whole hours and were in use since there is GPS, in minutes (IANA time zone database, from
    /// 1990 on).
    private static let brokenOffsets: Set<Int> = [
        -570, -510, -270, -210, -150, 210, 270, 330, 345, 390, 510, 525, 570, 630, 690, 765, 825,
    ]

    /// The local time minus the GPS time stamp, which is in UTC, if that is an offset of a time zone give or take two
    /// minutes of clock error.
    private static func offsetFromGPS(_ fields: EXIFFields, local: CivilTime) -> Int? {
        guard let date = fields.text(.gps, 29), let stamp = fields.numbers(.gps, 7), stamp.count == 3,
            let hour = stamp[0], let minute = stamp[1], let second = stamp[2], 0..<24 ~= hour,
            0..<60 ~= minute, 0..<61 ~= second,
            let utc = ClockReading.read("\(date.prefix(10)) \(Int(hour)):\(Int(minute)):\(Int(second))")?
                .reading
        else { return nil }
        let difference = local.secondsSince1970 - utc.time.secondsSince1970
        let minutes = Int((Double(difference) / 900).rounded()) * 15
        guard abs(difference - minutes * 60) <= 120,
            minutes % 60 == 0 ? -720...840 ~= minutes : brokenOffsets.contains(minutes)
        else { return nil }
        return minutes
    }
}
