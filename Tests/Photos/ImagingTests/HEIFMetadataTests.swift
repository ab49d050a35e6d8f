import Imaging
import TestKit
import Testing

/// EXIF and XMP as items of HEIC and AVIF files, as programs write them.
@Suite(.computing, .timeLimit(.minutes(15))) struct HEIFMetadataTests {
    private static let block: [UInt8] = {
        var exif = PhotoEXIF()
        exif.setPosition(latitude: 46.5, longitude: 7.5)
        return exif.block
    }()
    private static let mark = Array("Exif\0\0".utf8)

    /// The standard has four bytes with the number of bytes between them and the block.
    static let exif: [(String, [UInt8])] = [
        ("as the standard says", [0, 0, 0, 0] + block), ("behind the mark", [0, 0, 0, 6] + mark + block),
        ("behind a mark that is not counted", [0, 0, 0, 0] + mark + block), ("with no offset", block),
        ("with no offset, behind the mark", mark + block),
        ("as a segment of a JPEG", [0, 0, 0, 0] + PhotoFixture.segment(0xE1, mark + block)),
        ("as a segment of a JPEG that is counted", [0, 0, 0, 10] + PhotoFixture.segment(0xE1, mark + block)),
        ("with an offset that leads nowhere", [0, 0, 0xFF, 0xFF] + block),
    ]

    /// The decoder copies the data of each item.
    @Test(arguments: ["Exif", "mime"]) func manyItemsWithTheSameDataCountEachForItself(type: String)
        async throws
    {
        var file = HEIFFixture(.av1)
        let data = [UInt8](repeating: 0, count: 1 << 20)
        let kind = type == "mime" ? "application/rdf+xml" : nil
        file.metadata = (0..<9000).map { .init(type, kind: kind, data, isShared: $0 > 0) }
        #expect(try await render(file.bytes).rejection == .metadataTooLarge)
    }

    /// The decoder searches all items for each.
    @Test(arguments: [(4998, nil), (5000, .metadataTooLarge)] as [(Int, PhotoRejection.Code?)])
    func thereMayBeFiveThousandItems(others: Int, rejection: PhotoRejection.Code?) async throws {
        var file = HEIFFixture(.hevc)
        file.metadata = (0..<others).map { .init("mime", kind: "text/plain", [0x20], isShared: $0 > 0) }
        let photo = try await render(file.bytes)
        #expect(photo.rejection == rejection, "\(photo.verdict)")
    }

    @Test(arguments: HEIFFixture.Codec.allCases, exif.indices)
    func thePositionIsRead(codec: HEIFFixture.Codec, index: Int) async throws {
        let (name, data) = Self.exif[index]
        for isInside in [false, true] {
            var file = HEIFFixture(codec)
            file.metadata = [.init("Exif", data, isInside: isInside)]
            let report = try await inspect(file.bytes)
            #expect(report.gps == .valid(GPSFix(latitude: 46.5, longitude: 7.5), source: .exif), "\(name)")
            #expect(report.stripped == ["EXIF", "GPS"])
        }
    }

    private static let packet = """
        <rdf:Description exif:GPSLatitude="46,30N" exif:GPSLongitude="7,30E"/>
        """

    @Test(
        arguments: HEIFFixture.Codec.allCases,
        ["", "<?xpacket begin='\u{FEFF}' id='W5M0MpCehiHzreSzNTczkc9d'?>", "<?xml version='1.0'?>\n"])
    func thePacketIsRead(codec: HEIFFixture.Codec, before: String) async throws {
        for isInside in [false, true] {
            var file = HEIFFixture(codec)
            let kind = "application/rdf+xml"
            file.metadata = [
                .init("mime", kind: "text/plain", Array("<x/>".utf8)),
                .init("mime", kind: kind, Array((before + Self.packet).utf8), isInside: isInside),
            ]
            let report = try await inspect(file.bytes)
            #expect(report.gps == .valid(GPSFix(latitude: 46.5, longitude: 7.5), source: .xmp))
            #expect(report.stripped == ["GPS", "XMP"])
        }
    }

    @Test(arguments: [
        [0x12], [0, 0, 0, 1], [UInt8](repeating: 0x41, count: 100), [0, 0, 0, 9, 0x6D, 0x6F, 0x6F, 0x76],
    ])
    func bytesBehindTheLastBoxAreNoDamage(bytes: [UInt8]) async throws {
        for codec in HEIFFixture.Codec.allCases {
            let file = HEIFFixture(codec).bytes
            let photo = try await render(file + bytes)
            #expect(try await photo.outputs == render(file).outputs, "\(photo.verdict)")
            #expect(photo.report?.stripped == ["trailing data"])
            #expect(try await render(file.dropLast(10) + []).rejection == .truncated)
        }
    }
}
