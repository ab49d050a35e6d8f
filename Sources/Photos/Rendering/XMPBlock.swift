import CivilCalendar
import Imaging

/// The properties of an XMP packet.
struct XMPBlock {
    private let properties: [String: [String]]

    /// A damaged packet has the properties before its damage.
    ///
    /// - Parameters:
    ///   - extensions: packets with what did not fit into others, by the names that these have for them. One that is read is
    ///     removed.
    ///   - most: how many elements and attributes may still be read.
    init(_ packet: [UInt8], extensions: inout [String: [UInt8]], most: inout Int) {
        let own = XMPParser.properties(of: packet, most: &most)
        let others = own["xmpNote:HasExtendedXMP"]?.first.flatMap { extensions.removeValue(forKey: $0) }
        let more = others.map { XMPParser.properties(of: $0, most: &most) } ?? [:]
        properties = own.merging(more) { first, _ in first }
    }

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
        let (north, east) = (CoordinateText(latitude), CoordinateText(longitude))
        // A device without a fix may write empty texts, or zeros and no letters.
        let references = [
            letter("exif:GPSLatitudeRef"), letter("exif:GPSLongitudeRef"), north.letter, east.letter,
        ]
        if [north.numbers, east.numbers].joined().allSatisfy({ $0 == 0 }),
            references.allSatisfy({ $0 == nil }),
            [latitude, longitude].allSatisfy({ !$0.contains { !"0123456789,. ".contains($0) } })
        {
            return .absent
        }
        // A number without a sign is a positive one where another has a sign.
        let areSigned = north.isSigned || east.isSigned
        let northReference = letter("exif:GPSLatitudeRef")
        let eastReference = letter("exif:GPSLongitudeRef")
        guard north.letter == nil || northReference == nil || north.letter == northReference,
            east.letter == nil || eastReference == nil || east.letter == eastReference
        else { return .invalid(reason: "Two letters of the XMP position contradict each other.") }
        let southern = Self.sign(north.letter ?? northReference, positive: "N", negative: "S")
        let western = Self.sign(east.letter ?? eastReference, positive: "E", negative: "W")
        guard let northern = Self.degrees(north, southern, areSigned, in: latitude),
            let eastern = Self.degrees(east, western, areSigned, in: longitude)
        else { return .invalid(reason: "The XMP position is not like 26,34.951N.") }
        return GPSFix.reading(latitude: northern, longitude: eastern, source: .xmp)
    }

    var make: String? { values("tiff:Make").first.flatMap { EXIFFields.label($0) } }
    var model: String? { values("tiff:Model").first.flatMap { EXIFFields.label($0) } }

    /// When the light fell.
    static let original = ["exif:DateTimeOriginal", "photoshop:DateCreated"]
    /// When a film was scanned, or the file was made.
    static let digitized = ["exif:DateTimeDigitized", "xmp:CreateDate"]

    /// The first plausible one of times: `2017-05-29T17:19:21.25-04:00`, with or without decimals and offset.
    ///
    /// - Parameters:
    ///   - names: of the properties.
    ///   - now: seconds since 1970; a time more than a day later is refused.
    func time(_ names: [String], now: Int) -> CaptureTime? {
        for name in names {
            let named = Self.offsets[name].flatMap { values($0).first }
            if let value = values(name).first,
                let time = CaptureTime.plausible(
                    value, otherwiseOffset: named.flatMap(ClockReading.offsetMinutes), now: now)
            {
                return time
            }
        }
        return nil
    }

    /// Where the offset of a time is that does not say it (EXIF 2.32 for XMP).
    private static let offsets = [
        "exif:DateTimeOriginal": "exifEX:OffsetTimeOriginal",
        "exif:DateTimeDigitized": "exifEX:OffsetTimeDigitized",
    ]

    private func letter(_ name: String) -> Character? {
        values(name).first.flatMap { CoordinateText($0).letter }
    }

    /// 1 or -1, and 0 for a wrong letter; nil without one.
    private static func sign(_ letter: Character?, positive: Character, negative: Character) -> Double? {
        letter.map { $0 == positive ? 1 : $0 == negative ? -1 : 0 }
    }

    /// A coordinate with its sign; nil if that is unknown, or if sign and letter contradict each other.
    private static func degrees(
        _ coordinate: CoordinateText, _ sign: Double?, _ areSigned: Bool, in text: String
    ) -> Double? {
        guard let degrees = CoordinateText.degrees(coordinate.numbers), degrees.isFinite else { return nil }
        guard let sign else {
            // -46,30 may be 46.3 degrees.
            return areSigned && (coordinate.numbers.count != 2 || !text.contains(",")) ? degrees : nil
        }
        guard sign != 0, degrees >= 0 || sign < 0 else { return nil }
        return abs(degrees) * sign
    }
}
