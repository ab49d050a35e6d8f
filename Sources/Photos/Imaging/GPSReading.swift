/// What a photo's metadata says about where it was taken. A missing sign (N or S, E or W) is never guessed.
package enum GPSReading: Codable, Sendable, Hashable {
    /// There is neither a latitude nor a longitude.
    case absent
    /// There is a position, but it is not usable. The reason is a sentence.
    case invalid(reason: String)
    /// Exactly 0, 0: what devices without a fix write.
    case nullIsland
    case valid(GPSFix, source: Source)

    package enum Source: String, Codable, Sendable { case exif, xmp }
}

/// A position in WGS 84.
package struct GPSFix: Codable, Sendable, Hashable {
    /// Degrees, -90 to 90, north positive.
    package var latitude: Double
    /// Degrees, -180 to 180, east positive.
    package var longitude: Double
    /// Metres above sea level.
    package var altitude: Double?
    /// Horizontal positioning error in metres (`GPSHPositioningError`).
    package var accuracy: Double?
    /// Direction in which the camera pointed, degrees 0 to 360 (`GPSImgDirection`).
    package var direction: Double?

    package init(
        latitude: Double, longitude: Double, altitude: Double? = nil, accuracy: Double? = nil,
        direction: Double? = nil
    ) {
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
        self.accuracy = accuracy
        self.direction = direction
    }

    /// Classifies a pair of coordinates.
    package static func reading(
        latitude: Double, longitude: Double, altitude: Double? = nil, accuracy: Double? = nil,
        direction: Double? = nil, source: GPSReading.Source
    ) -> GPSReading {
        guard latitude.isFinite, longitude.isFinite else {
            return .invalid(reason: "A coordinate is not a finite number.")
        }
        guard abs(latitude) <= 90 else {
            return .invalid(reason: "The latitude is outside -90 to 90 degrees.")
        }
        guard abs(longitude) <= 180 else {
            return .invalid(reason: "The longitude is outside -180 to 180 degrees.")
        }
        if latitude == 0 && longitude == 0 { return .nullIsland }
        return .valid(
            GPSFix(
                latitude: latitude, longitude: longitude, altitude: altitude, accuracy: accuracy,
                direction: direction),
            source: source)
    }
}
