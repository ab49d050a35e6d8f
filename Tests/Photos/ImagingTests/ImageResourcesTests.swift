import Imaging
import TestKit
import Testing

/// Photoshop's image resources, which may have a photo's IPTC, EXIF and XMP.
@Suite(.computing, .timeLimit(.minutes(15))) struct ImageResourcesTests {
    private enum Home: CaseIterable {
        case jpeg, jpegInTwoSegments, tiff, png8BIM, pngIPTC

        func photo(_ resources: [UInt8]) -> [UInt8] {
            switch self {
            case .jpeg: ImageResourcesTests.jpeg([resources])
            case .jpegInTwoSegments:
                ImageResourcesTests.jpeg([
                    Array(resources.prefix(resources.count / 2)),
                    Array(resources.dropFirst(resources.count / 2)),
                ])
            case .tiff: TIFFPages([.init(entries: [TIFFPages.bytes(0x8649, resources)])]).bytes
            case .png8BIM, .pngIPTC:
                PhotoFixture.png(
                    chunk: "tEXt",
                    Array("Raw profile type \(self == .png8BIM ? "8bim" : "iptc")\0".utf8)
                        + TIFFAndPNGTests.rawProfile("8bim", resources))
            }
        }
    }

    private static func jpeg(_ parts: [[UInt8]]) -> [UInt8] {
        let segments = parts.flatMap { PhotoFixture.segment(0xED, Array("Photoshop 3.0\0".utf8) + $0) }
        return PhotoFixture.insert(segments, into: PhotoFixture.jpeg(width: 16, height: 16))
    }

    private static func resource(
        _ kind: UInt16, _ data: [UInt8], name: String = "", isPadded: Bool = true
    ) -> [UInt8] {
        func big(_ value: Int, _ size: Int) -> [UInt8] {
            (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let label = [UInt8(name.utf8.count)] + Array(name.utf8) + (name.utf8.count % 2 == 0 ? [0] : [])
        return Array("8BIM".utf8) + big(Int(kind), 2) + label + big(data.count, 4) + data
            + (isPadded && data.count % 2 == 1 ? [0] : [])
    }

    private static let packet = Array(
        #"<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="46,30N" exif:GPSLongitude="7,30E"/></rdf:RDF></x:xmpmeta>"#
            .utf8)
    private static let credit: [UInt8] = [0x1C, 2, 110, 0, 3] + Array("ABC".utf8)
    private static let block: [UInt8] = {
        var exif = PhotoEXIF()
        exif.set(.main, 0x010F, .ascii("Acme"))
        exif.setPosition(latitude: 1.5, longitude: 2.5)
        return exif.block
    }()

    private static func isThere(_ reading: GPSReading, _ latitude: Double) -> Bool {
        guard case .valid(let fix, _) = reading else { return false }
        return abs(fix.latitude - latitude) < 1e-6
    }

    @Test(arguments: Home.allCases, [true, false]) private func areRead(home: Home, isPadded: Bool)
        async throws
    {
        let other = Self.resource(0x03ED, [1, 2, 3], name: "resolution", isPadded: isPadded)
        let resources =
            other + Self.resource(0x0404, Self.credit, isPadded: isPadded)
            + Self.resource(
                0x0424, Self.packet + (Self.packet.count % 2 == 0 ? [0x20] : []), isPadded: isPadded)
            + other
        let report = try await inspect(home.photo(resources))
        #expect(report.credit?.credit == "ABC")
        #expect(report.gps == .valid(GPSFix(latitude: 46.5, longitude: 7.5), source: .xmp))
        let exif = try await inspect(home.photo(other + Self.resource(0x0422, Self.block) + other))
        #expect(Self.isThere(exif.gps, 1.5) && exif.cameraMake == "Acme")
        #expect(exif.stripped.contains("EXIF") && exif.stripped.contains("GPS"))
    }

    /// A program that changed the photo may have left old ones, before or behind the segment that it wrote.
    @Test(arguments: [true, false]) func thePhotosOwnEXIFCountsBeforeThem(isBehind: Bool) async throws {
        var exif = PhotoEXIF()
        exif.setPosition(latitude: 30.5, longitude: 2.5)
        let own = PhotoFixture.segment(0xE1, Array("Exif\0\0".utf8) + exif.block)
        let old = PhotoFixture.segment(
            0xED, Array("Photoshop 3.0\0".utf8) + Self.resource(0x0422, Self.block))
        let photo = PhotoFixture.insert(
            isBehind ? old + own : own + old, into: PhotoFixture.jpeg(width: 16, height: 16))
        let report = try await inspect(photo)
        #expect(Self.isThere(report.gps, 30.5) && report.cameraMake == "Acme")
    }

    /// Programs leave a cut block beside the whole one.
    @Test(arguments: [true, false]) func aBlockOfIPTCDoesNotHideAnother(isFirst: Bool) async throws {
        let stub: [UInt8] = [0x1C, 2, 0, 0, 2, 0, 4]
        let (other, own) = isFirst ? (stub, Self.credit) : (Self.credit, stub)
        let page = TIFFPages.Page(entries: [
            TIFFPages.bytes(0x83BB, other), TIFFPages.bytes(0x8649, Self.resource(0x0404, own)),
        ])
        let report = try await inspect(TIFFPages([page]).bytes)
        #expect(report.credit?.credit == "ABC" && report.stripped.contains("IPTC"))
        let segments = [other, own].map { Self.resource(0x0404, $0) }
        #expect(try await inspect(Self.jpeg(segments)).credit?.credit == "ABC")
    }

    /// Other programs than Photoshop sign their resources with other letters.
    @Test(arguments: ["AgHg", "DCSR", "MeSa", "PHUT"]) func resourcesOfOtherProgramsHideNone(
        signature: String
    )
        async throws
    {
        let other = Array(signature.utf8) + Self.resource(0x0404, [1, 2, 3]).dropFirst(4)
        let report = try await inspect(Self.jpeg([other + Self.resource(0x0404, Self.credit)]))
        #expect(report.credit?.credit == "ABC")
    }

    private static func set(_ record: UInt8, _ number: UInt8, _ text: String) -> [UInt8] {
        [0x1C, record, number, 0, UInt8(text.utf8.count)] + Array(text.utf8)
    }

    @Test func aPNGMayHaveThePlainBlock() async throws {
        let text =
            Array("Raw profile type iptc\0".utf8) + TIFFAndPNGTests.rawProfile("iptc", Self.credit)
        #expect(try await inspect(PhotoFixture.png(chunk: "tEXt", text)).credit?.credit == "ABC")
    }

    /// Programs write the block as numbers of four bytes, in the order of the file's own.
    @Test func aTIFFMayHaveTheBlockAsNumbers() async throws {
        let block = Self.credit + Self.set(2, 116, "©")
        let padded = block + [UInt8](repeating: 0, count: (4 - block.count % 4) % 4)
        let numbers = stride(from: 0, to: padded.count, by: 4).flatMap { padded[$0..<$0 + 4].reversed() }
        for bytes in [padded, numbers] {
            let page = TIFFPages.Page(entries: [TIFFPages.bytes(0x83BB, bytes)])
            let credit = try await inspect(TIFFPages([page]).bytes).credit
            #expect(credit?.credit == "ABC" && credit?.copyright == "©")
        }
    }

    @Test(arguments: 1...5) func aSetMayHaveALongLength(bytes: Int) async throws {
        let long =
            [0x1C, 8, 10, 0x80, UInt8(bytes)] + HEIFFixture.big(300, bytes)
            + [UInt8](repeating: 7, count: 300)
        let report = try await inspect(Self.jpeg([Self.resource(0x0404, long + Self.credit)]))
        // No length has five bytes.
        #expect((report.credit?.credit == "ABC") == (bytes < 5 && bytes > 1))
        for cut in 0..<8 {
            _ = try await inspect(Self.jpeg([Self.resource(0x0404, Array(long.prefix(cut)))]))
        }
    }

    @Test func emptyByLinesAreNone() async throws {
        let sets =
            Self.set(2, 80, "") + Self.set(2, 80, "Bob") + Self.set(2, 80, " ") + Self.set(2, 80, "Ann")
        #expect(try await inspect(Self.jpeg([Self.resource(0x0404, sets)])).credit?.creator == "Bob, Ann")
    }

    /// Data set 1:90 says that texts are in UTF-8; then a wrong byte is only that.
    @Test(arguments: [true, false]) func oneWrongByteDoesNotChangeTheOthers(isStated: Bool) async throws {
        let stated = isStated ? [0x1C, 1, 90, 0, 3, 0x1B, 0x25, 0x47] as [UInt8] : []
        let text = Array("Zoë ".utf8) + [0xFF]
        let set: [UInt8] = [0x1C, 2, 110, 0, UInt8(text.count)] + text
        let credit = try await inspect(Self.jpeg([Self.resource(0x0404, stated + set)])).credit?.credit
        #expect(credit == (isStated ? "Zoë \u{FFFD}" : "ZoÃ« ÿ"))
    }

    @Test(
        arguments: [
            ("20240507", "093304+0200", "2024-05-07T09:33:04", 120),
            ("20240507", "093304-0330", "2024-05-07T09:33:04", -210),
            ("20240507", "093304", "2024-05-07T09:33:04", nil),
            ("2024:05:07", "09:33:04+02:00", "2024-05-07T09:33:04", 120),
            ("20240507", "", nil, nil), ("", "093304", nil, nil), ("20240500", "093304", nil, nil),
            ("20240507", "253304", nil, nil), ("99990507", "093304", nil, nil), ("2024", "093304", nil, nil),
        ] as [(String, String, String?, Int?)])
    func timesAreRead(date: String, clock: String, local: String?, offset: Int?) async throws {
        for (dateSet, clockSet) in [(55, 60), (62, 63)] as [(UInt8, UInt8)] {
            let sets = Self.set(2, dateSet, date) + Self.set(2, clockSet, clock)
            let time = try await inspect(Self.jpeg([Self.resource(0x0404, sets)])).captureTime
            #expect(time?.local == local && time?.offsetMinutes == offset, "\(date) \(clock)")
        }
        let both =
            Self.set(2, 62, "20000101") + Self.set(2, 63, "101010") + Self.set(2, 55, date)
            + Self.set(2, 60, clock)
        let first = try await inspect(Self.jpeg([Self.resource(0x0404, both)])).captureTime
        #expect(first?.local == local ?? "2000-01-01T10:10:10")
    }

    @Test func textsMayBeInWindows1252() async throws {
        let letters: [UInt8] = [0x8A, 0xE1, 0x80, 0x9F]
        let set: [UInt8] = [0x1C, 2, 110, 0, UInt8(letters.count)] + letters
        #expect(try await inspect(Self.jpeg([Self.resource(0x0404, set)])).credit?.credit == "Šá€Ÿ")
    }

    @Test(arguments: Home.allCases) private func cutResourcesDoNoHarm(home: Home) async throws {
        let whole = Self.resource(0x0404, Self.credit) + Self.resource(0x0422, Self.block)
        for length in 0..<whole.count where length < 40 || length % 7 == 0 {
            let report = try await inspect(home.photo(Array(whole.prefix(length))))
            #expect(report.gps == .absent && (report.credit == nil) == (length < 20), "\(length)")
        }
    }
}
