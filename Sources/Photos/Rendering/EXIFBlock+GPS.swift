import Imaging

extension EXIFBlock {
    /// The position in an EXIF block (EXIF 2.32, section 4.6.6).
    static func gps(_ fields: EXIFFields) -> GPSReading {
        let hasLatitude = fields.has(.gps, 2)
        let hasLongitude = fields.has(.gps, 4)
        guard hasLatitude || hasLongitude else { return .absent }
        guard hasLatitude, hasLongitude else {
            return .invalid(reason: "The latitude or the longitude is missing.")
        }
        // A device without a fix may write empty tags.
        if isEmpty(fields, 2) && isEmpty(fields, 4) { return .absent }
        let latitude = degrees(fields, 2, limit: 90)
        let longitude = degrees(fields, 4, limit: 180)
        guard case .value(let north) = latitude else { return .invalid(reason: latitude.reason("latitude")) }
        guard case .value(let east) = longitude else {
            return .invalid(reason: longitude.reason("longitude"))
        }
        // Some devices without a fix write zeros and no letters.
        if north == 0, east == 0, fields.letter(.gps, 1) == nil, fields.letter(.gps, 3) == nil {
            return .absent
        }
        guard let southern = sign(fields, 1, positive: "N", negative: "S") else {
            return .invalid(reason: "The latitude has neither N nor S.")
        }
        guard let western = sign(fields, 3, positive: "E", negative: "W") else {
            return .invalid(reason: "The longitude has neither E nor W.")
        }
        // A signed number says it twice.
        guard north >= 0 || southern < 0, east >= 0 || western < 0 else {
            return .invalid(reason: "A negative coordinate has the letter of a positive one.")
        }
        // A text may have a letter of its own.
        for tag: UInt32 in [2, 4] {
            let letter = fields.text(.gps, tag).flatMap { CoordinateText($0).letter }
            guard letter == nil || letter == fields.letter(.gps, tag - 1) else {
                return .invalid(reason: "Two letters of a coordinate contradict each other.")
            }
        }
        var altitude = fields.numbers(.gps, 6)?.first ?? nil
        if let value = altitude, (fields.integer(.gps, 5) ?? 0) & 1 == 1 { altitude = -abs(value) }
        if let value = altitude, !(-12_000...100_000 ~= value) { altitude = nil }
        var accuracy = fields.numbers(.gps, 31)?.first ?? nil
        if let value = accuracy, !(0...20_000_000 ~= value) { accuracy = nil }
        var direction = fields.numbers(.gps, 17)?.first ?? nil
        if let value = direction, !(0...360 ~= value) { direction = nil }
        return GPSFix.reading(
            latitude: abs(north) * southern, longitude: abs(east) * western, altitude: altitude,
            accuracy: accuracy,
            direction: direction, source: .exif)
    }

    private enum Degrees {
        case value(Double)
        case unreadable
        case tooManyMinutes
        case outOfRange

        func reason(_ axis: String) -> String {
            switch self {
            case .outOfRange: "The \(axis) is out of range."
            case .tooManyMinutes: "The \(axis) has more than 60 minutes or seconds, or fewer than none."
            default: "The \(axis) is not one to three numbers."
            }
        }
    }

    /// The sum of degrees, minutes and seconds. Each may have decimals. Minutes and seconds of 0/0 mean that there are none. The
    /// degrees' sign is that of the sum.
    private static func degrees(_ fields: EXIFFields, _ tag: UInt32, limit: Double) -> Degrees {
        guard let numbers = fields.numbers(.gps, tag), numbers.first ?? nil != nil else { return .unreadable }
        let parts = numbers.indices.map { numbers[$0] ?? (fields.isZeroOverZero(.gps, tag, $0) ? 0 : nil) }
        guard let value = CoordinateText.degrees(parts) else { return .unreadable }
        guard value.isFinite else { return .tooManyMinutes }
        return abs(value) <= limit ? .value(value) : .outOfRange
    }

    private static func isEmpty(_ fields: EXIFFields, _ tag: UInt32) -> Bool {
        guard let numbers = fields.numbers(.gps, tag), !numbers.isEmpty else { return false }
        return numbers.indices.allSatisfy { fields.isZeroOverZero(.gps, tag, $0) }
    }

    private static func sign(
        _ fields: EXIFFields, _ tag: UInt32, positive: Character, negative: Character
    ) -> Double? {
        guard let first = fields.letter(.gps, tag) else { return nil }
        return first == positive ? 1 : first == negative ? -1 : nil
    }
}
