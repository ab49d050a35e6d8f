import Imaging
import TestKit
import Testing

/// Packets as programs write them.
@Suite(.computing, .timeLimit(.minutes(15))) struct XMPTests {
    private static func packet(_ content: String, _ attributes: String = "") -> String {
        """
        <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
        <rdf:Description rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/" \(attributes)>\(content)</rdf:Description>
        </rdf:RDF></x:xmpmeta>
        <?xpacket end="w"?>
        """
    }

    private static let position =
        "<exif:GPSLatitude>46,30N</exif:GPSLatitude><exif:GPSLongitude>7,30E</exif:GPSLongitude>"
    private static let fix = GPSReading.valid(GPSFix(latitude: 46.5, longitude: 7.5), source: .xmp)

    private func report(_ packet: String) async throws -> PhotoReport {
        try await inspect(PhotoFixture.jpeg(width: 16, height: 16, xmp: packet))
    }

    @Test func thePositionIsReadFromElementsAndAttributes() async throws {
        #expect(try await report(Self.packet(Self.position)).gps == Self.fix)
        let attributes = #"exif:GPSLatitude="46,30N" exif:GPSLongitude="7,30E""#
        #expect(try await report(Self.packet("", attributes)).gps == Self.fix)
        #expect(try await report(Self.packet("<dc:x/>", attributes)).gps == Self.fix)
    }

    static let elsewhere = [
        // What the photo shows, and where it was made.
        #"""
        <Iptc4xmpExt:LocationShown xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/"><rdf:Bag>
        <rdf:li rdf:parseType="Resource">\(position)</rdf:li></rdf:Bag></Iptc4xmpExt:LocationShown>
        """#,
        #"""
        <Iptc4xmpExt:LocationCreated xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/"><rdf:Bag>
        <rdf:li exif:GPSLatitude="46,30N" exif:GPSLongitude="7,30E"/></rdf:Bag></Iptc4xmpExt:LocationCreated>
        """#,
        // Other photos that were put into this one.
        #"""
        <xmpMM:Pantry xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/"><rdf:Bag><rdf:li>
        <rdf:Description exif:GPSLatitude="46,30N" exif:GPSLongitude="7,30E"/></rdf:li></rdf:Bag></xmpMM:Pantry>
        """#,
        "<!-- \(position) -->", "<other:a xmlns:other='urn:other'><![CDATA[\(position)]]></other:a>",
        "<a:GPSLatitude xmlns:a='urn:a'>46,30N</a:GPSLatitude><a:GPSLongitude xmlns:a='urn:a'>7,30E</a:GPSLongitude>",
    ].map { $0.replacing("\\(position)", with: position) }

    @Test(arguments: elsewhere.indices)
    func aPositionElsewhereIsNotThePhotos(index: Int) async throws {
        let content = Self.elsewhere[index]
        #expect(try await report(Self.packet(content)).gps == .absent)
        // Its own one counts before and behind it.
        let own = "<exif:GPSLatitude>1,30N</exif:GPSLatitude><exif:GPSLongitude>2,30E</exif:GPSLongitude>"
        for both in [own + content, content + own] {
            #expect(
                try await report(Self.packet(both)).gps
                    == .valid(GPSFix(latitude: 1.5, longitude: 2.5), source: .xmp))
        }
    }

    @Test(arguments: ["xmp", "xap", "any"])
    func aPrefixMeansItsNamespace(prefix: String) async throws {
        let packet = Self.packet(
            "<\(prefix):CreateDate>2004-05-06T07:08:09+02:00</\(prefix):CreateDate>",
            #"xmlns:\#(prefix)="http://ns.adobe.com/xap/1.0/""#)
        let time = try await report(packet).captureTime
        #expect(time?.local == "2004-05-06T07:08:09" && time?.offsetMinutes == 120)
    }

    @Test(arguments: [
        "<!DOCTYPE x [<!ENTITY a 'aaaaaaaa'><!ENTITY b '&a;&a;&a;&a;'>]>",
        "<!DOCTYPE x SYSTEM 'file:///etc/passwd'>",
    ])
    func aDocumentTypeEndsThePacket(type: String) async throws {
        let packet = Self.packet(Self.position).replacing("<x:xmpmeta", with: type + "<x:xmpmeta")
        #expect(try await report(packet).gps == .absent)
    }

    @Test func aDamagedPacketHasWhatStandsBeforeTheDamage() async throws {
        let packet = Self.packet(Self.position)
        let end = try #require(packet.firstRange(of: "</rdf:RDF>")).lowerBound
        #expect(try await report(String(packet[..<end])).gps == Self.fix)
        #expect(try await report(packet + String(repeating: "\0", count: 100)).gps == Self.fix)
        #expect(try await report(packet.replacing("</exif:GPSLongitude>", with: "")).gps != Self.fix)
    }

    @Test func otherEncodingsAreRead() async throws {
        let packet = Self.packet(Self.position)
        for isBig in [false, true] {
            let bytes = packet.utf16.flatMap { unit -> [UInt8] in
                let pair = [UInt8(unit >> 8), UInt8(unit & 255)]
                return isBig ? pair : pair.reversed()
            }
            let mark: [UInt8] = isBig ? [0xFE, 0xFF] : [0xFF, 0xFE]
            let segment = PhotoFixture.segment(
                0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + mark + bytes)
            let photo = PhotoFixture.insert(segment, into: PhotoFixture.jpeg(width: 16, height: 16))
            #expect(try await inspect(photo).gps == Self.fix)
        }
    }

    @Test(arguments: [100, 100_000])
    func depthIsNoBomb(depth: Int) async throws {
        let deep = String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        let packet = Self.packet(Self.position + deep)
        let chunk = Array("XML:com.adobe.xmp\0".utf8) + [0, 0, 0, 0] + Array(packet.utf8)
        #expect(try await inspect(PhotoFixture.png(chunk: "iTXt", chunk)).gps == Self.fix)
    }
}
