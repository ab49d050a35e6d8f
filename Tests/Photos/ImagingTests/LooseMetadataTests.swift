import Imaging
import TestKit
import Testing

/// Metadata as programs write it, where the standard has something else.
@Suite(.computing, .timeLimit(.minutes(15))) struct LooseMetadataTests {
    static let fix = GPSReading.valid(GPSFix(latitude: 46.5, longitude: 7.5), source: .xmp)
    private static let position = #"exif:GPSLatitude="46,30N" exif:GPSLongitude="7,30E""#
    private static let namespace = #"xmlns:exif="http://ns.adobe.com/exif/1.0/""#

    private static func packet(_ descriptions: String) -> String {
        #"<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">"#
            + descriptions + "</rdf:RDF></x:xmpmeta>"
    }

    static let plain = packet(
        #"<rdf:Description rdf:about="" \#(namespace) \#(position)/>"#)

    private func report(xmp bytes: [UInt8]) async throws -> PhotoReport {
        let segment = PhotoFixture.segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + bytes)
        return try await inspect(
            PhotoFixture.insert(segment, into: PhotoFixture.jpeg(width: 16, height: 16)))
    }

    private static let readable: [[UInt8]] =
        [
            // Latin-1, with and without a declaration that says so; zeros, and a declaration that is not at the beginning.
            Array("<?xml version='1.0' encoding='windows-1252'?>".utf8) + Array(plain.utf8),
            [0] + Array(plain.utf8), [0, 0, 0x0A] + Array(plain.utf8),
            Array("<?xpacket begin=''?>\n<?xml version='1.0'?>".utf8) + Array(plain.utf8),
        ]
        + [[0xE9], [0xEF, 0xBF, 0xBF], [0xEF, 0xBF, 0xBE], [0xED, 0xA0, 0x80], [0x01]].map { text in
            Array("<x:xmpmeta xmlns:x='adobe:ns:meta/' x:xmptk='".utf8) + text + Array("'".utf8)
                + plain.utf8.dropFirst("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"".utf8.count)
        }
        + [
            #"<rdf:Description \#(namespace)><exif:GPSLatitude rdf:value="46,30N"/><exif:GPSLongitude rdf:value="7,30E"/></rdf:Description>"#,
            #"<rdf:Description><GPSLatitude xmlns="http://ns.adobe.com/exif/1.0/">46,30N</GPSLatitude><GPSLongitude xmlns="http://ns.adobe.com/exif/1.0/">7,30E</GPSLongitude></rdf:Description>"#,
            #"<rdf:Description xmlns:exif="http://ns.adobe.com/exif/1.0" \#(position)/>"#,
            #"<rdf:Description rdf:about="uuid:1" \#(namespace) \#(position)/>"#,
        ].map { Array(packet($0).utf8) }

    @Test(arguments: readable.indices) func aPacketThatIsNotQuiteXMLIsRead(index: Int) async throws {
        #expect(try await report(xmp: Self.readable[index]).gps == Self.fix)
    }

    /// Some programs leave out the zero behind the segment's header.
    @Test func theHeaderMayEndWithoutAZero() async throws {
        let segment = PhotoFixture.segment(
            0xE1, Array("http://ns.adobe.com/xap/1.0/".utf8) + Array(Self.plain.utf8))
        let photo = PhotoFixture.insert(segment, into: PhotoFixture.jpeg(width: 16, height: 16))
        #expect(try await inspect(photo).gps == Self.fix)
    }

    @Test(arguments: [
        "Smith & Sons", "a&b;c", "&nbsp;&", "&amp;&lt;&#65;&#x41; &", "a < b", "1<2", "<<<3", "<- & ->",
    ])
    func aLoneAmpersandOrAngleIsOne(text: String) async throws {
        let packet = Self.packet(
            #"<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" \#(Self.namespace)><dc:creator>\#(text)</dc:creator>"#
                + "<exif:GPSLatitude>46,30N</exif:GPSLatitude><exif:GPSLongitude>7,30E</exif:GPSLongitude></rdf:Description>"
        )
        let report = try await report(xmp: Array(packet.utf8))
        #expect(report.gps == Self.fix)
        let shown = text.replacing("&amp;", with: "&").replacing("&lt;", with: "<").replacing(
            "&#65;", with: "A"
        )
        .replacing("&#x41;", with: "A")
        #expect(report.credit?.creator == shown)
    }

    /// The position is in the part that does not fit into one segment.
    @Test func whatIsInFurtherSegmentsIsRead() async throws {
        let id = "0123456789ABCDEF0123456789ABCDEF"
        let more = Array(
            Self.packet(
                #"<rdf:Description \#(Self.namespace) xmlns:dc="http://purl.org/dc/elements/1.1/" \#(Self.position)>"#
                    + "<dc:description>\(String(repeating: "x", count: 150_000))</dc:description></rdf:Description>"
            ).utf8)
        let size = 65_000
        let parts = stride(from: 0, to: more.count, by: size).map { at in
            (at, Array(more[at..<min(at + size, more.count)]))
        }
        func photo(_ parts: [(Int, [UInt8])], id named: String = id, total: Int = more.count) -> [UInt8] {
            let packet = Self.packet(
                #"<rdf:Description xmlns:xmpNote="http://ns.adobe.com/xmp/note/" xmpNote:HasExtendedXMP="\#(named)"/>"#
            )
            let segments = parts.flatMap { at, data in
                PhotoFixture.segment(
                    0xE1,
                    Array("http://ns.adobe.com/xmp/extension/\0\(id)".utf8) + HEIFFixture.big(total, 4)
                        + HEIFFixture.big(at, 4) + data)
            }
            let first = PhotoFixture.segment(
                0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array(packet.utf8))
            return PhotoFixture.insert(first + segments, into: PhotoFixture.jpeg(width: 16, height: 16))
        }
        try #require(parts.count == 3)
        for whole in [parts, parts.reversed(), parts + parts] {
            #expect(try await inspect(photo(whole)).gps == Self.fix)
        }
        // Incomplete, of another packet, or not as long as it says.
        for other in [
            photo(Array(parts.dropLast())), photo(Array(parts.dropFirst())), photo([]),
            photo(parts, id: "X" + id.dropFirst()), photo(parts, total: more.count + 1),
        ] {
            #expect(try await inspect(other).gps == .absent)
        }
    }

    /// The last of the packets has the position. Each of the others names the same extension, which is as long as all may be.
    @Test func anExtensionIsReadOnce() async throws {
        let id = String(repeating: "A", count: 32)
        let more = Array(Self.packet(String(repeating: "<a/>", count: 60_000)).utf8)
        let name = Self.packet(
            #"<rdf:Description xmlns:xmpNote="http://ns.adobe.com/xmp/note/" xmpNote:HasExtendedXMP="\#(id)"/>"#
        )
        let packets = (Array(repeating: name, count: 7) + [Self.plain]).flatMap {
            PhotoFixture.segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array($0.utf8))
        }
        let segments = stride(from: 0, to: more.count, by: 65_000).flatMap { at in
            PhotoFixture.segment(
                0xE1,
                Array("http://ns.adobe.com/xmp/extension/\0\(id)".utf8) + HEIFFixture.big(more.count, 4)
                    + HEIFFixture.big(at, 4) + more[at..<min(at + 65_000, more.count)])
        }
        let photo = PhotoFixture.insert(packets + segments, into: PhotoFixture.jpeg(width: 16, height: 16))
        #expect(try await inspect(photo).gps == Self.fix)
    }

    /// Expat ends an empty element although it was told to stop.
    @Test func aPacketMayEndAtItsFirstElement() async throws {
        func chunk(_ packet: String, in png: [UInt8] = PhotoFixture.png()) -> [UInt8] {
            PhotoFixture.png(
                chunk: "iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0".utf8) + Array(packet.utf8), in: png)
        }
        let attributes = (0..<200_001).map { " a\($0)=''" }.joined()
        #expect(try await inspect(chunk("<a\(attributes)/>")).gps == .absent)
        // Chunks are put before those that are there.
        let long = "<a>" + String(repeating: "<b/>", count: 200_000) + "</a>"
        #expect(try await inspect(chunk(long, in: chunk("<a/>"))).gps == .absent)
        #expect(try await inspect(chunk(long, in: chunk(Self.plain))).gps == .absent)
        #expect(try await inspect(chunk(Self.plain, in: chunk(long))).gps == Self.fix)
    }

    /// The namespace of an element that has ended is not that of the next one.
    @Test func aNamespaceEndsWithItsElement() async throws {
        let inner =
            #"<dc:a xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:exif="urn:other"><dc:b xmlns:exif="urn:third"/></dc:a>"#
        let text = Self.packet(
            #"<rdf:Description \#(Self.namespace)>\#(inner)<exif:GPSLatitude>46,30N</exif:GPSLatitude><exif:GPSLongitude>7,30E</exif:GPSLongitude></rdf:Description>"#
        )
        #expect(try await report(xmp: Array(text.utf8)).gps == Self.fix)
    }

    /// The masks of a photo editor may stand before the position. What is more than any program writes is not read to its end.
    @Test(arguments: [true, false], [(150_000, true), (250_000, false)])
    func manyPropertiesHideNoPosition(areOfOneElement: Bool, _ given: (count: Int, isRead: Bool)) async throws
    {
        let others =
            areOfOneElement
            ? (0..<given.count).map { #" dc:a\#($0)="""# }.joined()
            : String(repeating: #"<a b="" c=""/>"#, count: given.count / 3)
        let names = #"\#(Self.namespace) xmlns:dc="http://purl.org/dc/elements/1.1/""#
        let packet = Self.packet(
            areOfOneElement
                ? "<rdf:Description \(names)\(others)/><rdf:Description \(names) \(Self.position)/>"
                : "<rdf:Description \(names)>\(others)</rdf:Description><rdf:Description \(names) \(Self.position)/>"
        )
        let chunk = Array("XML:com.adobe.xmp\0\0\0\0\0".utf8) + Array(packet.utf8)
        let report = try await inspect(PhotoFixture.png(chunk: "iTXt", chunk))
        #expect(report.gps == (given.isRead ? Self.fix : .absent))
    }

    /// A renderer that reads the rest again for each of them takes all the time that a photo has.
    @Test(arguments: ["<?xml ", "\u{FFFF}", "\u{FFFE}<?xml"])
    func manyDeclarationsCostNoMoreThanOne(mark: String) async throws {
        let packet = "a" + String(repeating: mark, count: 4_000_000 / mark.utf8.count)
        let chunk = Array("XML:com.adobe.xmp\0\0\0\0\0".utf8) + Array(packet.utf8)
        let photo = try await render(PhotoFixture.png(chunk: "iTXt", chunk))
        #expect(photo.report?.gps == .absent, "\(photo.verdict)")
    }

    @Test func oneWrongByteSpoilsNoOtherLetter() async throws {
        let packet = Self.packet(
            #"<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" \#(Self.namespace) \#(Self.position)><dc:creator>Zoë 東京 ?!</dc:creator></rdf:Description>"#
        )
        let wrong = packet.utf8.map { [0x3F: 0xE9, 0x21: 0x8A][$0] ?? $0 }
        let report = try await report(xmp: wrong)
        #expect(report.gps == Self.fix && report.credit?.creator == "Zoë 東京 éŠ")
    }

    @Test(arguments: [#"rdf:nodeID="a""#, ##"rdf:about="#a""##, #"rdf:ID="a""#])
    func aNodeThatAnotherOneRefersToIsNotThePhoto(attribute: String) async throws {
        let shown = #"<rdf:Description \#(attribute) \#(Self.namespace) \#(Self.position)/>"#
        #expect(try await report(xmp: Array(Self.packet(shown).utf8)).gps == .absent)
        let own =
            #"<rdf:Description rdf:about="" \#(Self.namespace) exif:GPSLatitude="1,30N" exif:GPSLongitude="2,30E"/>"#
        for both in [own + shown, shown + own] {
            #expect(
                try await report(xmp: Array(Self.packet(both).utf8)).gps
                    == .valid(GPSFix(latitude: 1.5, longitude: 2.5), source: .xmp))
        }
    }

    @Test(arguments: [
        ("0", "0", true), ("0.0", "0.0", true), ("", "", true), ("0,0", "0,0.000", true),
        ("0,0N", "0,0E", false),
        ("0", "1", false), ("x", "y", false),
    ])
    func zerosWithoutLettersAreNoFix(latitude: String, longitude: String, isAbsent: Bool) async throws {
        let packet = Self.packet(
            #"<rdf:Description \#(Self.namespace) exif:GPSLatitude="\#(latitude)" exif:GPSLongitude="\#(longitude)"/>"#
        )
        #expect(try await (report(xmp: Array(packet.utf8)).gps == .absent) == isAbsent)
    }

    @Test func nullIslandDoesNotHideAPosition() async throws {
        let photo = PhotoFixture.jpeg(width: 16, height: 16, latitude: 0, longitude: 0, xmp: Self.plain)
        #expect(try await inspect(photo).gps == Self.fix)
    }

    private func small(_ change: (inout PhotoEXIF) -> Void) -> [UInt8] {
        PhotoFixture.jpeg(width: 16, height: 16, change: change)
    }

    private static func signed(_ numbers: [(Int32, Int32)]) -> PhotoEXIF.Value {
        .raw(
            type: 10, count: UInt32(numbers.count),
            bytes: numbers.flatMap { pair in
                [pair.0, pair.1].flatMap { number in
                    (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
                }
            })
    }

    @Test(
        arguments: [
            ([(46, 1), (30, 1), (0, 1)], 46.5), ([(-46, 1), (-30, 1), (0, 1)], -46.5),
            ([(0, 1), (-30, 1), (0, 1)], -0.5),
            ([(46, 1), (29, 1), (6001, 100)], 46.5), ([(0, 1), (2790, 1), (0, 1)], 46.5),
            ([(0, 1), (0, 1), (167_400, 1)], 46.5), ([(46, 1), (0, 1), (1_800, 1)], 46.5),
            // These may be anything.
            ([(46, 1), (75, 1), (0, 1)], nil), ([(46, 1), (-30, 1), (0, 1)], nil),
            ([(46, 1), (30, 1), (61, 1)], nil), ([(46, 1), (0, 1), (3_601, 1)], nil),
            ([(0, 1), (5_500, 1), (0, 1)], nil),
        ] as [([(Int32, Int32)], Double?)])
    func degreesMayBeWrittenInOneUnit(parts: [(Int32, Int32)], expected: Double?) async throws {
        let reading = try await inspect(
            small {
                $0.set(.gps, 1, .ascii((expected ?? 1) < 0 ? "S" : "N"))
                $0.set(.gps, 2, Self.signed(parts))
                $0.set(.gps, 3, .ascii("E"))
                $0.set(.gps, 4, Self.signed([(7, 1), (30, 1), (0, 1)]))
            }
        ).gps
        guard let expected else {
            if case .invalid = reading {} else { Issue.record("\(reading)") }
            return
        }
        guard case .valid(let fix, .exif) = reading else {
            Issue.record("\(reading)")
            return
        }
        #expect(abs(fix.latitude - expected) < 1e-5)
    }

    @Test func anEmptyPositionOfOneNumberIsNone() async throws {
        let photo = small {
            $0.set(.gps, 2, .rationals([(0, 0)]))
            $0.set(.gps, 4, .rationals([(0, 0)]))
        }
        #expect(try await inspect(photo).gps == .absent)
    }

    @Test func aTimeMayBeInTheMainDirectoryOrOfNoType() async throws {
        let text = "2024:05:07 09:33:04"
        let bytes = Array(text.utf8) + [0]
        for photo in [
            small {
                $0.set(.main, 0x9003, .ascii(text))
                $0.set(.main, 0x9011, .ascii("+02:00"))
            },
            small {
                $0.set(.exif, 0x9003, .raw(type: 7, count: UInt32(bytes.count), bytes: bytes))
                $0.set(.exif, 0x9011, .raw(type: 7, count: 9, bytes: Array("+02:00:00".utf8)))
            },
        ] {
            let time = try await inspect(photo).captureTime
            #expect(time?.local == "2024-05-07T09:33:04" && time?.offsetMinutes == 120)
        }
    }

    @Test func anOffsetOfXMPMayStandByItself() async throws {
        let packet = Self.packet(
            #"<rdf:Description \#(Self.namespace) xmlns:x="http://cipa.jp/exif/1.0/" exif:DateTimeOriginal="2024-05-07T09:33:04" x:OffsetTimeOriginal="+02:00"/>"#
        )
        let time = try await report(xmp: Array(packet.utf8)).captureTime
        #expect(time?.local == "2024-05-07T09:33:04" && time?.offsetMinutes == 120)
    }

    @Test(arguments: ["2024-05-07T09+02:00", "2024-05-07T09-02:00", "2024-05-07T0９:33", "2024-05-07"])
    func whatHasNoMinutesIsNoTime(text: String) async throws {
        let packet = Self.packet(
            #"<rdf:Description \#(Self.namespace) exif:DateTimeOriginal="\#(text)"/>"#)
        #expect(try await report(xmp: Array(packet.utf8)).captureTime == nil)
    }
}
