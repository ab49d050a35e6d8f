import CivilCalendar
import Imaging

/// Looks up properties of an XMP packet by name, without an XML parser, so that no entities are
/// expanded and nothing is fetched.
struct XMPBlock {
    let text: String

    init(_ bytes: [UInt8]) { text = String(decoding: bytes, as: UTF8.self) }

    var gps: GPSReading {
        let latitude = property("exif:GPSLatitude")
        let longitude = property("exif:GPSLongitude")
        guard latitude != nil || longitude != nil else { return .absent }
        guard let latitude, let longitude else {
            return .invalid(reason: "The latitude or the longitude is missing.")
        }
        guard let north = Self.degrees(latitude, positive: "N", negative: "S"),
            let east = Self.degrees(longitude, positive: "E", negative: "W")
        else { return .invalid(reason: "The XMP position does not have the form 26,34.951N.") }
        return GPSFix.reading(latitude: north, longitude: east, source: .xmp)
    }

    var make: String? { property("tiff:Make").flatMap { EXIFFields.label(String($0)) } }
    var model: String? { property("tiff:Model").flatMap { EXIFFields.label(String($0)) } }

    /// The first plausible time of creation: `2017-05-29T17:19:21.25-04:00`, with or without decimals and offset.
    ///
    /// - Parameter now: seconds since 1970; a time more than a day later is refused.
    func captureTime(now: Int) -> CaptureTime? {
        for name in [
            "exif:DateTimeOriginal", "photoshop:DateCreated", "exif:DateTimeDigitized", "xmp:CreateDate",
        ] {
            guard let value = property(name), let (clock, zone) = ClockReading.xmp(value),
                clock.time.secondsSince1970 <= now + 86_400
            else { continue }
            let offset = EXIFBlock.offsetMinutes(zone)
            return CaptureTime(clock, offsetMinutes: offset, source: offset == nil ? nil : .offsetTag)
        }
        return nil
    }

    /// The value of a property, which has its usual prefix and is an attribute or an element.
    private func property(_ name: String) -> Substring? {
        let utf8 = text.utf8
        var rest = utf8[...]
        let key = Array(name.utf8)
        while let start = rest.firstIndex(of: key[0]) {
            rest = rest[start...]
            guard rest.starts(with: key) else {
                rest = rest.dropFirst()
                continue
            }
            let after = rest.dropFirst(key.count).drop {
                $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09
            }
            rest = rest.dropFirst(key.count)
            switch after.first {
            case UInt8(ascii: "="):
                let value = after.dropFirst().drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
                guard let quote = value.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
                else {
                    continue
                }
                return Substring(value.dropFirst().prefix(64).prefix { $0 != quote })
            case UInt8(ascii: ">"):
                return Substring(after.dropFirst().prefix(64).prefix { $0 != UInt8(ascii: "<") })
            default:
                continue
            }
        }
        return nil
    }

    /// `26,34.951N` or `26,34,57.06N` (XMP specification part 2, GPSCoordinate).
    static func degrees(_ value: Substring, positive: Character, negative: Character) -> Double? {
        let trimmed = value.filter { $0 != " " && $0 != "\n" && $0 != "\r" && $0 != "\t" }
        guard let last = trimmed.last?.uppercased().first, last == positive || last == negative else {
            return nil
        }
        let parts = trimmed.dropLast().split(separator: ",", omittingEmptySubsequences: false).map {
            Double($0)
        }
        guard 2...3 ~= parts.count, let degrees = parts[0], let minutes = parts[1], 0...180 ~= degrees,
            0..<60 ~= minutes
        else { return nil }
        var seconds = 0.0
        if parts.count == 3 {
            guard let third = parts[2], 0...60 ~= third else { return nil }
            seconds = third
        }
        let value = degrees + minutes / 60 + seconds / 3600
        return last == negative ? -value : value
    }
}
