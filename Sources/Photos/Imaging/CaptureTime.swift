package import FoundationEssentials

/// When a photo was taken, as far as its metadata can be trusted.
package struct CaptureTime: Codable, Sendable, Hashable {
    package enum OffsetSource: String, Codable, Sendable {
        /// `OffsetTimeOriginal`, `OffsetTimeDigitized` or `OffsetTime`, or the offset in an XMP date.
        case offsetTag = "offset_tag"
        /// The difference between the local time and the GPS time stamp, which should be in UTC. Some devices copy their
        /// clock into it, so an offset of 0 must be compared with the place's time zone.
        case gpsTimeStamp = "gps_time_stamp"
    }

    /// The camera's clock: `2024-05-07T09:33:04`, or with up to six decimals of the second if they are known and not 0.
    package var local: String
    /// Minutes east of UTC, -840 to 840.
    package var offsetMinutes: Int?
    package var offsetSource: OffsetSource?
    /// Nil if the offset is unknown.
    package var instant: Date?

    package init(local: String, offsetMinutes: Int?, offsetSource: OffsetSource?, instant: Date?) {
        self.local = local
        self.offsetMinutes = offsetMinutes
        self.offsetSource = offsetSource
        self.instant = instant
    }
}
