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
