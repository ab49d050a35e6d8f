package import FoundationEssentials

/// When a photo was taken, as far as its metadata can be believed.
package struct CaptureTime: Codable, Sendable, Hashable {
    package enum OffsetSource: String, Codable, Sendable {
        /// `OffsetTimeOriginal`, `OffsetTimeDigitized` or `OffsetTime`, or written into an XMP date.
        case offsetTag = "offset_tag"
        /// The difference of the local time to the GPS time stamp, which is UTC.
        case gpsTimeStamp = "gps_time_stamp"
    }

    /// The camera's clock: `2024-05-07T09:33:04`.
    package var local: String
    /// Minutes east of UTC, -840 to 840.
    package var offsetMinutes: Int?
    package var offsetSource: OffsetSource?
    /// Known if the offset is.
    package var instant: Date?

    package init(local: String, offsetMinutes: Int?, offsetSource: OffsetSource?, instant: Date?) {
        self.local = local
        self.offsetMinutes = offsetMinutes
        self.offsetSource = offsetSource
        self.instant = instant
    }
}

/// A date and time of day in the proleptic Gregorian calendar, without a time zone.
package struct CivilTime: Sendable, Hashable {
    package var year: Int
    package var month: Int
    package var day: Int
    package var hour: Int
    package var minute: Int
    package var second: Int

    /// Nil for what is not on the calendar. A second of 60 (written by cameras for a carry, and a
    /// leap second) is kept as 59.
    package init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        guard 1826...9999 ~= year, 1...12 ~= month, 0...23 ~= hour, 0...59 ~= minute, 0...60 ~= second
        else { return nil }
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard 1...lengths[month - 1] ~= day else { return nil }
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = min(second, 59)
    }

    /// Seconds since 1970-01-01T00:00:00, were this time UTC.
    ///
    /// Days by Howard Hinnant's `days_from_civil` (chrono-compatible low-level date algorithms).
    package var secondsSinceEpoch: Int {
        let y = month <= 2 ? year - 1 : year
        let era = y / 400
        let yearOfEra = y - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        return ((days * 24 + hour) * 60 + minute) * 60 + second
    }

    package var iso8601: String {
        func padded(_ number: Int, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
            + "T\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2))"
    }
}
