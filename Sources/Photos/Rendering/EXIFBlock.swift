import CExif
import Glibc
import Imaging
import PlainText

/// An EXIF block, which libexif reads once into values.
struct EXIFBlock {
    var orientation = 1
    var gps = GPSReading.absent
    var originalTime: CaptureTime?
    var digitizedTime: CaptureTime?
    var changeTime: CaptureTime?
    var make: String?
    var model: String?
    var artist: String?
    var copyright: String?
    var hasGPS = false
    var hasMakerNote = false
    var hasThumbnail = false
    var fieldCount = 0

    /// - Parameter bytes: the block. Without a byte-order mark at its beginning, the result is nil.
    init?(_ bytes: [UInt8]) {
        guard let tiff = Self.tiff(in: bytes[...]), let short = Self.short(tiff),
            let data = exif_data_new()
        else { return nil }
        defer { exif_data_unref(data) }
        // By default libexif drops tags that it does not know and rewrites entries that break the specification.
        exif_data_unset_option(data, EXIF_DATA_OPTION_IGNORE_UNKNOWN_TAGS)
        exif_data_unset_option(data, EXIF_DATA_OPTION_FOLLOW_SPECIFICATION)
        // libexif reads 64 KiB at most, and its lengths are 32 bits wide.
        let block = Array("Exif\0\0".utf8) + short
        exif_data_load_data(data, block, UInt32(block.count))

        let fields = EXIFFields(data)
        if let stored = fields.integer(.main, 0x0112), 1...8 ~= stored { orientation = stored }
        hasGPS = fields.hasAny(.gps)
        hasMakerNote = fields.has(.exif, 0x927C)
        fieldCount = fields.count
        hasThumbnail = data.pointee.data != nil
        gps = Self.gps(fields)
        let now = Int(time(nil))
        originalTime = Self.captureTime(.original, fields, now: now)
        digitizedTime = Self.captureTime(.digitized, fields, now: now)
        changeTime = Self.captureTime(.changed, fields, now: now)
        make = fields.label(.main, 0x010F)
        model = fields.label(.main, 0x0110)
        artist = fields.longText(.main, 0x013B)
        copyright = fields.longText(.main, 0x8298)
    }
}

/// Typed access to the entries of an EXIF block.
struct EXIFFields {
    enum Directory { case main, exif, gps }

    private let data: UnsafeMutablePointer<ExifData>
    private let order: ExifByteOrder

    init(_ data: UnsafeMutablePointer<ExifData>) {
        self.data = data
        order = exif_data_get_byte_order(data)
    }

    /// The entries of all directories, those about the thumbnail included.
    var count: Int {
        let directories = data.pointee.ifd
        return [directories.0, directories.1, directories.2, directories.3, directories.4]
            .reduce(0) { $0 + Int($1?.pointee.count ?? 0) }
    }

    private func content(_ directory: Directory) -> UnsafeMutablePointer<ExifContent>? {
        switch directory {
        case .main: data.pointee.ifd.0
        case .exif: data.pointee.ifd.2
        case .gps: data.pointee.ifd.3
        }
    }

    private func entry(_ directory: Directory, _ tag: UInt32) -> ExifEntry? {
        guard let content = content(directory),
            let entry = exif_content_get_entry(content, ExifTag(rawValue: tag)), entry.pointee.data != nil
        else { return nil }
        return entry.pointee
    }

    func has(_ directory: Directory, _ tag: UInt32) -> Bool { entry(directory, tag) != nil }
    func hasAny(_ directory: Directory) -> Bool { (content(directory)?.pointee.count ?? 0) > 0 }

    private func bytes(_ entry: ExifEntry) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: entry.data, count: Int(entry.size))
    }

    /// The text up to the first NUL, without surrounding spaces; nil if there is none.
    func text(_ directory: Directory, _ tag: UInt32) -> String? {
        guard let entry = entry(directory, tag),
            entry.format == EXIF_FORMAT_ASCII || entry.format == EXIF_FORMAT_UNDEFINED
        else { return nil }
        let text = String(decoding: bytes(entry).prefix { $0 != 0 }.prefix(128), as: UTF8.self)
        let trimmed = text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
        return trimmed.isEmpty ? nil : String(trimmed)
    }

    /// A text of any length in UTF-8 or else Windows-1252; the first of several that NULs separate and that is more than
    /// spaces. (The notices of photographer and editor share a tag.)
    func longText(_ directory: Directory, _ tag: UInt32) -> String? {
        guard let entry = entry(directory, tag), entry.format == EXIF_FORMAT_ASCII else { return nil }
        let part = bytes(entry).split(separator: 0).first { $0.contains { $0 != 0x20 } }
        return part.map { IPTCBlock.text($0) }
    }

    func label(_ directory: Directory, _ tag: UInt32) -> String? {
        text(directory, tag).flatMap { Self.label($0) }
    }

    /// A text for display: at most 64 characters, without control characters. Nil if there are none.
    static func label(_ text: String) -> String? {
        let shown = text.unicodeScalars.filter { !$0.canSteerTerminal }
        guard !shown.isEmpty else { return nil }
        var label = String.UnicodeScalarView()
        label.append(contentsOf: shown.prefix(64))
        return String(label)
    }

    func integer(_ directory: Directory, _ tag: UInt32) -> Int? {
        guard let entry = entry(directory, tag), entry.components >= 1 else { return nil }
        switch entry.format {
        case EXIF_FORMAT_SHORT where entry.size >= 2: return Int(exif_get_short(entry.data, order))
        case EXIF_FORMAT_LONG where entry.size >= 4: return Int(exif_get_long(entry.data, order))
        case EXIF_FORMAT_SSHORT where entry.size >= 2: return Int(exif_get_sshort(entry.data, order))
        case EXIF_FORMAT_SLONG where entry.size >= 4: return Int(exif_get_slong(entry.data, order))
        case EXIF_FORMAT_BYTE where entry.size >= 1: return Int(entry.data[0])
        default: return nil
        }
    }

    /// The numbers of an entry, with nil for each rational whose denominator is zero.
    ///
    /// The standard has rationals. Some programs write whole or floating numbers, or a text ("52,00000,50", "46° 30' 15\" N").
    func numbers(_ directory: Directory, _ tag: UInt32) -> [Double?]? {
        guard let entry = entry(directory, tag) else { return nil }
        let count = min(Int(entry.components), 8)
        switch entry.format {
        case EXIF_FORMAT_RATIONAL where Int(entry.size) >= count * 8:
            return (0..<count).map { index in
                let value = exif_get_rational(entry.data + 8 * index, order)
                return value.denominator == 0 ? nil : Double(value.numerator) / Double(value.denominator)
            }
        case EXIF_FORMAT_SRATIONAL where Int(entry.size) >= count * 8:
            return (0..<count).map { index in
                let value = exif_get_srational(entry.data + 8 * index, order)
                return value.denominator == 0 ? nil : Double(value.numerator) / Double(value.denominator)
            }
        case EXIF_FORMAT_BYTE where Int(entry.size) >= count:
            return (0..<count).map { Double(entry.data[$0]) }
        case EXIF_FORMAT_SBYTE where Int(entry.size) >= count:
            return (0..<count).map { Double(Int8(bitPattern: entry.data[$0])) }
        case EXIF_FORMAT_SHORT where Int(entry.size) >= count * 2:
            return (0..<count).map { Double(exif_get_short(entry.data + 2 * $0, order)) }
        case EXIF_FORMAT_SSHORT where Int(entry.size) >= count * 2:
            return (0..<count).map { Double(exif_get_sshort(entry.data + 2 * $0, order)) }
        case EXIF_FORMAT_LONG where Int(entry.size) >= count * 4:
            return (0..<count).map { Double(exif_get_long(entry.data + 4 * $0, order)) }
        case EXIF_FORMAT_SLONG where Int(entry.size) >= count * 4:
            return (0..<count).map { Double(exif_get_slong(entry.data + 4 * $0, order)) }
        case EXIF_FORMAT_FLOAT where Int(entry.size) >= count * 4:
            return (0..<count).map {
                finite(Double(Float(bitPattern: exif_get_long(entry.data + 4 * $0, order))))
            }
        case EXIF_FORMAT_DOUBLE where Int(entry.size) >= count * 8:
            return (0..<count).map { index in
                let halves = exif_get_rational(entry.data + 8 * index, order)
                let (first, second) = (UInt64(halves.numerator), UInt64(halves.denominator))
                let isBig = order == EXIF_BYTE_ORDER_MOTOROLA
                return finite(Double(bitPattern: isBig ? first << 32 | second : second << 32 | first))
            }
        case EXIF_FORMAT_ASCII:
            return text(directory, tag).map { CoordinateText($0).numbers }
        default:
            return nil
        }
    }

    private func finite(_ number: Double) -> Double? { number.isFinite ? number : nil }

    /// The first letter of a text or of bytes, in capitals.
    func letter(_ directory: Directory, _ tag: UInt32) -> Character? {
        guard let entry = entry(directory, tag),
            [EXIF_FORMAT_ASCII, EXIF_FORMAT_BYTE, EXIF_FORMAT_UNDEFINED].contains(entry.format),
            let first = bytes(entry).first(where: { $0 != 0x20 && $0 != 0 })
        else { return nil }
        return Character(Unicode.Scalar(first)).uppercased().first
    }

    /// Whether the rational at `index` is 0/0, which means that it is not given.
    func isZeroOverZero(_ directory: Directory, _ tag: UInt32, _ index: Int) -> Bool {
        guard let entry = entry(directory, tag), Int(entry.size) >= (index + 1) * 8,
            entry.format == EXIF_FORMAT_RATIONAL || entry.format == EXIF_FORMAT_SRATIONAL
        else { return false }
        return bytes(entry)[(8 * index)..<(8 * index + 8)].allSatisfy { $0 == 0 }
    }
}
