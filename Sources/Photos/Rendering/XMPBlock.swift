import CivilCalendar
import Imaging

/// The properties of an XMP packet.
struct XMPBlock {
    private let properties: [String: [String]]

    /// A damaged packet has the properties before its damage.
    init(_ bytes: [UInt8]) { properties = XMPParser.properties(of: bytes) }

    /// The texts of a property: one, or those of its list. At most 16; empty if there is no such property.
    ///
    /// - Parameter name: with its usual prefix, whatever that of the packet is.
    func values(_ name: String) -> [String] { properties[name] ?? [] }

    var gps: GPSReading {
        let latitude = values("exif:GPSLatitude").first
        let longitude = values("exif:GPSLongitude").first
        guard latitude != nil || longitude != nil else { return .absent }
        guard let latitude, let longitude else {
            return .invalid(reason: "The latitude or the longitude is missing.")
        }
        guard let north = Self.degrees(latitude, positive: "N", negative: "S"),
            let east = Self.degrees(longitude, positive: "E", negative: "W")
        else { return .invalid(reason: "The XMP position does not have the form 26,34.951N.") }
        return GPSFix.reading(latitude: north, longitude: east, source: .xmp)
    }

    var make: String? { values("tiff:Make").first.flatMap { EXIFFields.label($0) } }
    var model: String? { values("tiff:Model").first.flatMap { EXIFFields.label($0) } }

    /// The first plausible time of creation: `2017-05-29T17:19:21.25-04:00`, with or without decimals and offset.
    ///
    /// - Parameter now: seconds since 1970; a time more than a day later is refused.
    func captureTime(now: Int) -> CaptureTime? {
        for name in [
            "exif:DateTimeOriginal", "photoshop:DateCreated", "exif:DateTimeDigitized", "xmp:CreateDate",
        ] {
            guard let value = values(name).first, let (clock, zone) = ClockReading.xmp(value.prefix(64)),
                clock.time.secondsSince1970 <= now + 86_400
            else { continue }
            let offset = EXIFBlock.offsetMinutes(zone)
            return CaptureTime(clock, offsetMinutes: offset, source: offset == nil ? nil : .offsetTag)
        }
        return nil
    }

    /// `26,34.951N`, `26,34,57.06N` (XMP specification part 2, GPSCoordinate) or `26.5825N`, which some programs write.
    static func degrees(_ text: String, positive: Character, negative: Character) -> Double? {
        let trimmed = text.prefix(64).filter { $0 != " " && $0 != "\n" && $0 != "\r" && $0 != "\t" }
        guard let last = trimmed.last?.uppercased().first, last == positive || last == negative else {
            return nil
        }
        let parts = trimmed.dropLast().split(separator: ",", omittingEmptySubsequences: false).map {
            Double($0)
        }
        guard 1...3 ~= parts.count, let degrees = parts[0], 0...180 ~= degrees else { return nil }
        let smaller = parts.dropFirst().compactMap { $0 }
        guard smaller.count == parts.count - 1, smaller.allSatisfy({ 0...60 ~= $0 }) else { return nil }
        let value = degrees + (smaller.first ?? 0) / 60 + (smaller.count > 1 ? smaller[1] : 0) / 3600
        return last == negative ? -value : value
    }
}
