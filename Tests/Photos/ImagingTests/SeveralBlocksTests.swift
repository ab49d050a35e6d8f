import Imaging
import TestKit
import Testing

/// Photos with several blocks of EXIF or packets of XMP: programs add their own, and not always behind the camera's.
@Suite(.computing, .timeLimit(.minutes(15))) struct SeveralBlocksTests {
    private static func packet(_ attributes: String, _ content: String = "") -> String {
        #"<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:tiff="http://ns.adobe.com/tiff/1.0/" \#(attributes)>\#(content)</rdf:Description></rdf:RDF></x:xmpmeta>"#
    }

    private static let named = packet(#"tiff:Make="Acme""#)
    private static let located = packet(
        #"tiff:Make="Other" exif:GPSLatitude="46,30N" exif:GPSLongitude="7,30E""#)
    private static let fix = GPSReading.valid(GPSFix(latitude: 46.5, longitude: 7.5), source: .xmp)

    private static let namedBlock: PhotoEXIF = {
        var exif = PhotoEXIF()
        exif.set(.main, 0x010F, .ascii("Acme"))
        exif.set(.main, 0x0112, .short(3))
        return exif
    }()
    private static let locatedBlock: PhotoEXIF = {
        var exif = PhotoEXIF()
        exif.set(.main, 0x010F, .ascii("Other"))
        exif.set(.main, 0x0112, .short(6))
        exif.set(.exif, 0x9003, .ascii("2024:05:07 09:33:04"))
        exif.setPosition(latitude: 46.5, longitude: 7.5)
        return exif
    }()

    private static func isThere(_ reading: GPSReading) -> Bool {
        guard case .valid(let fix, .exif) = reading else { return false }
        return abs(fix.latitude - 46.5) < 1e-6 && abs(fix.longitude - 7.5) < 1e-6
    }

    private static func jpeg(_ segments: [UInt8]) -> [UInt8] {
        PhotoFixture.insert(segments, into: PhotoFixture.jpeg(width: 16, height: 16))
    }
    private static func segment(_ exif: PhotoEXIF) -> [UInt8] {
        PhotoFixture.segment(0xE1, Array("Exif\0\0".utf8) + exif.block)
    }
    private static func segment(xmp packet: String) -> [UInt8] {
        PhotoFixture.segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array(packet.utf8))
    }

    /// A WebP with one more chunk.
    private static func webp(_ file: [UInt8], _ name: String, _ bytes: [UInt8]) -> [UInt8] {
        func little(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        let body =
            file[8...] + Array(name.utf8) + little(bytes.count) + bytes + (bytes.count % 2 == 1 ? [0] : [])
        return Array("RIFF".utf8) + little(body.count) + body
    }

    private static let exifPhotos: [(name: String, photo: [UInt8])] = {
        let block = locatedBlock.block
        let raw = TIFFAndPNGTests.rawProfile("exif", Array("Exif\0\0".utf8) + block)
        var heic = HEIFFixture(.hevc)
        heic.metadata = [namedBlock, locatedBlock].map { .init("Exif", [0, 0, 0, 0] + $0.block) }
        return [
            ("JPEG", jpeg(segment(namedBlock) + segment(locatedBlock))),
            (
                "PNG",
                PhotoFixture.png(
                    chunk: "eXIf", namedBlock.block,
                    in: PhotoFixture.png(chunk: "tEXt", Array("Raw profile type exif\0".utf8) + raw))
            ),
            ("WebP", webp(MetadataPlacement.webpEXIF.photo(namedBlock), "EXIF", block)),
            ("HEIC", heic.bytes),
        ]
    }()

    @Test(arguments: exifPhotos.indices) func whatABlockLacksIsReadFromTheNext(index: Int) async throws {
        let (name, photo) = Self.exifPhotos[index]
        let report = try await inspect(photo)
        #expect(Self.isThere(report.gps), "\(name)")
        #expect(report.captureTime?.local == "2024-05-07T09:33:04", "\(name)")
        // In the PNG, the raw profile comes first.
        if name != "PNG" { #expect(report.cameraMake == "Acme", "\(name)") }
        if name == "JPEG" { #expect(report.orientation == 3) }
    }

    private static let xmpPhotos: [[UInt8]] = {
        var avif = HEIFFixture(.av1)
        avif.metadata = [named, located].map { .init("mime", kind: "application/rdf+xml", Array($0.utf8)) }
        let keyword = Array("XML:com.adobe.xmp\0\0\0\0\0".utf8)
        let png = PhotoFixture.png(chunk: "iTXt", keyword + Array(located.utf8))
        return [
            jpeg(segment(xmp: named) + segment(xmp: located)),
            PhotoFixture.png(chunk: "iTXt", keyword + Array(named.utf8), in: png),
            webp(MetadataPlacement.webpXMP.photo(packet: named), "XMP ", Array(located.utf8)),
            avif.bytes,
        ]
    }()

    @Test(arguments: xmpPhotos.indices) func whatAPacketLacksIsReadFromTheNext(index: Int) async throws {
        let report = try await inspect(Self.xmpPhotos[index])
        #expect(report.gps == Self.fix)
        #expect(index == 1 || report.cameraMake == "Acme")
    }

    /// Half of a position is of no use, and two halves may be of two places.
    @Test func aPositionIsOfOneBlock() async throws {
        let north = Self.packet(#"exif:GPSLatitude="1,30N""#)
        let east = Self.packet(#"exif:GPSLongitude="2,30E""#)
        let halves = try await inspect(Self.jpeg(Self.segment(xmp: north) + Self.segment(xmp: east)))
        guard case .invalid = halves.gps else {
            Issue.record("\(halves.gps)")
            return
        }
        let whole = Self.segment(xmp: north) + Self.segment(xmp: Self.located)
        #expect(try await inspect(Self.jpeg(whole)).gps == Self.fix)
        // The first whole one counts, and EXIF before XMP.
        var other = PhotoEXIF()
        other.setPosition(latitude: 1.5, longitude: 2.5)
        let both = Self.segment(xmp: Self.located) + Self.segment(Self.locatedBlock) + Self.segment(other)
        #expect(Self.isThere(try await inspect(Self.jpeg(both)).gps))
    }

    @Test(arguments: [20, 100, 1_000]) func aBlockMayTakeManyShortSegments(size: Int) async throws {
        let block = Self.locatedBlock.block
        let segments = stride(from: 0, to: block.count, by: size).flatMap { at in
            PhotoFixture.segment(0xE1, Array("Exif\0\0".utf8) + block[at..<min(at + size, block.count)])
        }
        #expect(Self.isThere(try await inspect(Self.jpeg(segments)).gps))
    }

    /// All packets together may cost what one may.
    @Test(arguments: [(60_000, true), (120_000, false)])
    func packetsShareTheirLimit(count: Int, isRead: Bool) async throws {
        let long = Self.packet("", String(repeating: "<a/>", count: count))
        var photo = PhotoFixture.png(width: 16, height: 16)
        // A chunk is put before those that are there.
        for packet in [Self.located, long, long] {
            let chunk = Array("XML:com.adobe.xmp\0\0\0\0\0".utf8) + Array(packet.utf8)
            photo = PhotoFixture.png(chunk: "iTXt", chunk, in: photo)
        }
        #expect(try await inspect(photo).gps == (isRead ? Self.fix : .absent))
    }

    @Test func onlyTheFirstBlocksAreRead() async throws {
        let others = [[UInt8]](repeating: Self.segment(Self.namedBlock), count: 1_000).flatMap { $0 }
        #expect(try await inspect(Self.jpeg(others + Self.segment(Self.locatedBlock))).gps == .absent)
    }

    @Test func aPacketOfAGIFMayStandInOrdinaryBlocks() async throws {
        let bytes = Array(Self.located.utf8)
        let blocks = stride(from: 0, to: bytes.count, by: 255).flatMap { at in
            [UInt8(min(255, bytes.count - at))] + bytes[at..<min(at + 255, bytes.count)]
        }
        let extensionBlock = [0x21, 0xFF, 0x0B] + Array("XMP DataXMP".utf8) + blocks + [0]
        let gif = PhotoFixture.flatGIF(width: 16, height: 16).dropLast() + extensionBlock + [0x3B]
        #expect(try await inspect(Array(gif)).gps == Self.fix)
    }

    @Test func aWebPMayHaveTheHeaderOfAJPEGsPacket() async throws {
        let packet = "http://ns.adobe.com/xap/1.0/\0" + Self.located
        #expect(try await inspect(MetadataPlacement.webpXMP.photo(packet: packet)).gps == Self.fix)
    }

    @Test(arguments: [(1, 1), (3, 2), (4, 4), (8, 2), (9, 4)])
    func anOrientationMayHaveAnyWholeType(type: UInt16, width: Int) async throws {
        let photo = PhotoFixture.jpeg(width: 16, height: 16) {
            $0.set(
                .main, 0x0112,
                .raw(type: type, count: 1, bytes: [6] + [UInt8](repeating: 0, count: width - 1)))
        }
        #expect(try await inspect(photo).orientation == 6)
    }
}
