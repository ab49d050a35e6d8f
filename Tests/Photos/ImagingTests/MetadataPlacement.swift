import TestKit

/// A place in which a file can have an EXIF block or an XMP packet.
enum MetadataPlacement: String, CaseIterable, Sendable {
    case jpegEXIF, pngEXIF, pngEXIFWithMark, pngRawEXIF, pngPlainRawEXIF, webpEXIF, webpEXIFWithMark, tiffEXIF
    case heicEXIF, heicEXIFInside, avifEXIF
    case jpegXMP, pngXMP, pngRawXMP, webpXMP, tiffXMP, gifXMP, heicXMP, avifXMP

    static let exif = allCases.filter { $0.rawValue.contains("EXIF") }
    static let xmp = allCases.filter { $0.rawValue.contains("XMP") }

    /// Where exiftool finds what is there: it finds no item in the meta box of a HEIC, and no mark in a WebP (12.57).
    var ofReference: Self { [.heicEXIFInside, .webpEXIFWithMark].contains(self) ? .jpegEXIF : self }

    var suffix: String { String(rawValue.prefix(while: \.isLowercase)) }

    /// A photo with an EXIF block there.
    func photo(_ exif: PhotoEXIF, isBigEndian: Bool = false) -> [UInt8] {
        let block = exif.block(isBigEndian: isBigEndian)
        let marked = Array("Exif\0\0".utf8) + block
        return switch self {
        case .pngEXIF: PhotoFixture.png(chunk: "eXIf", block, in: Self.png)
        case .pngEXIFWithMark: PhotoFixture.png(chunk: "eXIf", marked, in: Self.png)
        case .pngRawEXIF: Self.png(rawProfile: "exif", marked, isDeflated: true)
        case .pngPlainRawEXIF: Self.png(rawProfile: "APP1", marked, isDeflated: false)
        case .webpEXIF: Self.webp(flag: 0x08, "EXIF", block)
        case .webpEXIFWithMark: Self.webp(flag: 0x08, "EXIF", marked)
        case .tiffEXIF: Self.tiff(exif, isBigEndian)
        case .heicEXIF: Self.heif(.hevc, .init("Exif", [0, 0, 0, 0] + block))
        case .heicEXIFInside: Self.heif(.hevc, .init("Exif", [0, 0, 0, 6] + marked, isInside: true))
        case .avifEXIF: Self.heif(.av1, .init("Exif", [0, 0, 0, 0] + block))
        default: PhotoFixture.insert(PhotoFixture.segment(0xE1, marked), into: Self.jpeg)
        }
    }

    /// A photo with an XMP packet there.
    func photo(packet: String) -> [UInt8] {
        let bytes = Array(packet.utf8)
        let keyword = Array("XML:com.adobe.xmp\0".utf8) + [0, 0, 0, 0]
        let item = HEIFFixture.Metadata("mime", kind: "application/rdf+xml", bytes)
        switch self {
        case .pngXMP: return PhotoFixture.png(chunk: "iTXt", keyword + bytes, in: Self.png)
        case .pngRawXMP: return Self.png(rawProfile: "xmp", bytes, isDeflated: true)
        case .webpXMP: return Self.webp(flag: 0x04, "XMP ", bytes)
        case .tiffXMP:
            var exif = PhotoEXIF()
            exif.set(.main, 0x02BC, .raw(type: 1, count: UInt32(bytes.count), bytes: bytes))
            return Self.tiff(exif, false)
        case .gifXMP:
            // The packet stands there as it is. The trailer leads whoever skips blocks to its end (XMP part 3, 1.1.2).
            let trailer = [0x01] + stride(from: UInt8(0xFF), to: 0, by: -1) + [0x00, 0x00]
            let extensionBlock = [0x21, 0xFF, 0x0B] + Array("XMP DataXMP".utf8) + bytes + trailer
            return Self.gif.dropLast() + extensionBlock + [0x3B]
        case .heicXMP: return Self.heif(.hevc, item)
        case .avifXMP: return Self.heif(.av1, item)
        default:
            let mark = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
            return PhotoFixture.insert(PhotoFixture.segment(0xE1, mark + bytes), into: Self.jpeg)
        }
    }

    private static let jpeg = PhotoFixture.jpeg(width: 16, height: 16)
    private static let png = PhotoFixture.png(width: 16, height: 16)
    private static let gif = PhotoFixture.flatGIF(width: 16, height: 16)
    /// The chunk of the picture alone.
    private static let webp: [UInt8] = {
        let file = PhotoFixture.webp(width: 16, height: 16)
        var at = 12
        while !file[at...].starts(with: Array("VP8L".utf8)) { at += 8 + (Int(file[at + 4]) + 1) / 2 * 2 }
        return Array(file[at..<at + 8 + (Int(file[at + 4]) + 1) / 2 * 2])
    }()
    private static let heic = HEIFFixture(.hevc)
    private static let avif = HEIFFixture(.av1)

    private static func png(rawProfile name: String, _ bytes: [UInt8], isDeflated: Bool) -> [UInt8] {
        let text = TIFFAndPNGTests.rawProfile(name, bytes)
        let keyword = Array("Raw profile type \(name)\0".utf8)
        return isDeflated
            ? PhotoFixture.png(chunk: "zTXt", keyword + [0] + PhotoFixture.deflated(text), in: png)
            : PhotoFixture.png(chunk: "tEXt", keyword + text, in: png)
    }

    private static func heif(_ codec: HEIFFixture.Codec, _ item: HEIFFixture.Metadata) -> [UInt8] {
        var file = codec == .hevc ? heic : avif
        file.metadata = [item]
        return file.bytes
    }

    private static func webp(flag: UInt8, _ name: String, _ bytes: [UInt8]) -> [UInt8] {
        func little(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (8 * $0) & 255) } }
        func chunk(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
            Array(name.utf8) + little(bytes.count) + bytes + (bytes.count % 2 == 1 ? [0] : [])
        }
        let body =
            Array("WEBP".utf8) + chunk("VP8X", [flag, 0, 0, 0, 15, 0, 0, 15, 0, 0]) + webp
            + chunk(name, bytes)
        return Array("RIFF".utf8) + little(body.count) + body
    }

    /// A grey picture of 16 × 16 pixels, whose first directory also has the entries of `exif`.
    private static func tiff(_ exif: PhotoEXIF, _ isBigEndian: Bool) -> [UInt8] {
        var exif = exif
        let entries: [(UInt16, UInt32)] = [
            (0x0100, 16), (0x0101, 16), (0x0102, 8), (0x0103, 1), (0x0106, 1), (0x0115, 1), (0x0116, 16),
            (0x0117, 256), (0x0111, 0),
        ]
        for (tag, value) in entries {
            exif.set(.main, tag, [0x0111, 0x0117].contains(tag) ? .long(value) : .short(UInt16(value)))
        }
        exif.set(.main, 0x0111, .long(UInt32(exif.block.count)))
        return exif.block(isBigEndian: isBigEndian) + [UInt8](repeating: 128, count: 256)
    }
}
