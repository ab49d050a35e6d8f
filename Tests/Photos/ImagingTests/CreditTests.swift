import Imaging
import TestKit
import Testing

/// What renditions carry of credit, copyright and licence.
@Suite(.computing, .timeLimit(.minutes(15))) struct CreditTests {
    private static let encodings: [RenditionEncoding] = [
        .jpeg(), .jpeg(progressive: true), .webp(), .webp(isAnimated: true), .avif(),
    ]

    private static func recipe(keepsCredit: Bool) -> Recipe {
        Recipe(
            name: "credit", version: 1,
            renditions: encodings.enumerated().map { number, encoding in
                RenditionSpec(name: "r\(number)", shape: .fit(longSide: 100), encoding: encoding)
            }, keepsCredit: keepsCredit)
    }

    private static let packet = """
        <x:xmpmeta><rdf:Description photoshop:Credit="Agency &amp; Sons" xmpRights:WebStatement='https://example.org/l?a=1'>
        <dc:creator><rdf:Seq><rdf:li>Ann</rdf:li> <rdf:li>Bo &lt;b&gt;</rdf:li></rdf:Seq></dc:creator>
        <dc:rights><rdf:Alt><rdf:li xml:lang="x-default">&#169; XMP</rdf:li><rdf:li>second</rdf:li></rdf:Alt></dc:rights>
        <dc:title>CANARY</dc:title></rdf:Description></x:xmpmeta>
        """

    private func credit(
        _ bytes: [UInt8], _ format: RenditionEncoding.Format, keepsCredit: Bool
    ) throws -> PhotoCredit? {
        try bytes.withUnsafeBytes {
            try RenditionStructure(checking: $0, as: format, keepsCredit: keepsCredit).credit
        }
    }

    private static let sources: [[UInt8]] = [
        PhotoFixture.jpeg(width: 120, height: 90, latitude: 1, longitude: 2, xmp: packet),
        PhotoFixture.png(
            chunk: "iTXt", Array("XML:com.adobe.xmp\0".utf8) + [0, 0, 0, 0] + Array(packet.utf8),
            in: PhotoFixture.png(width: 120, height: 90, hasAlpha: true)),
    ]

    /// With and without transparency, in each format.
    @Test(arguments: sources)
    func isKeptOnlyWhereTheRecipeSaysSo(source: [UInt8]) async throws {
        let expected = PhotoCredit(
            creator: "Ann, Bo <b>", credit: "Agency & Sons", copyright: "© XMP",
            licence: "https://example.org/l?a=1")
        for isKept in [true, false] {
            let photo = try await render(source, recipe: Self.recipe(keepsCredit: isKept))
            #expect(photo.report?.credit == expected && photo.outputs.count == Self.encodings.count)
            for (bytes, encoding) in zip(photo.outputs, Self.encodings) {
                let text = String(decoding: bytes, as: UTF8.self)
                #expect(text.contains("© XMP") == isKept && !text.contains("CANARY"), "\(encoding)")
                #expect(try credit(bytes, encoding.format, keepsCredit: true) == (isKept ? expected : nil))
                let pixels =
                    switch encoding.format {
                    case .jpeg: PhotoPixels(jpeg: bytes)
                    case .webp: PhotoPixels(webp: bytes)
                    case .avif: PhotoPixels(avif: bytes)
                    }
                #expect(pixels?.width == 100 && pixels?.height == 75, "\(encoding)")
                guard isKept else { continue }
                #expect(throws: RenditionStructure.Fault.self, "\(encoding)") {
                    try credit(bytes, encoding.format, keepsCredit: false)
                }
            }
        }
    }

    /// Every byte of the packet and around it: another value is refused, or is another text of the same form.
    @Test func noByteOfThePacketIsFree() async throws {
        let photo = try await render(Self.sources[0], recipe: Self.recipe(keepsCredit: true))
        let own = try #require(photo.report?.credit)
        for (bytes, encoding) in zip(photo.outputs, Self.encodings) {
            let start = try #require(
                bytes.indices.first { bytes[$0...].starts(with: Array("<?xpacket".utf8)) })
            let end = try #require(
                bytes.indices.first { bytes[$0...].starts(with: Array("<?xpacket end=\"r\"?>".utf8)) })
            for at in start..<end + 19 {
                for value in [0, UInt8(ascii: "<"), 0xFF, bytes[at] ^ 0x20] where value != bytes[at] {
                    var changed = bytes
                    changed[at] = value
                    guard let found = try? credit(changed, encoding.format, keepsCredit: true) else {
                        continue
                    }
                    #expect(found != own, "byte \(at) is not part of the credit")
                }
            }
            for count in start..<bytes.count {
                #expect(throws: RenditionStructure.Fault.self) {
                    try credit(Array(bytes.prefix(count)), encoding.format, keepsCredit: true)
                }
            }
            #expect(throws: RenditionStructure.Fault.self) {
                try credit(bytes + [0], encoding.format, keepsCredit: true)
            }
        }
    }

    static let hostile: [(text: String, kept: String?)] = [
        ("]]> <x:xmpmeta <?xpacket end='w'?>", "]]> <x:xmpmeta <?xpacket end='w'?>"),
        ("</rdf:li></rdf:Alt></dc:rights><dc:title>x", "</rdf:li></rdf:Alt></dc:rights><dc:title>x"),
        ("&lol; &#0; &#xD800; &#38;", "&lol; &#0; &#xD800; &#38;"),
        ("a\u{1}\u{7F}\u{85}b\u{202E}c\u{2066}d\u{FEFF}e\u{E0041}f\u{E000}g\u{FFFF}h", "a bcdefgh"),
        ("  a \n\t b\u{2028}c ", "a b c"), ("\u{200B}\u{202A}", nil), (" ", nil),
        ("\u{645}\u{6CC}\u{200C}\u{62E}", "\u{645}\u{6CC}\u{200C}\u{62E}"),
        (String(repeating: "ÿØÿá", count: 7_000), String(repeating: "ÿØÿá", count: 125)),
        (String(repeating: "ab ", count: 300), String(repeating: "ab ", count: 166) + "ab"),
    ]

    /// In EXIF as it is, and in XMP with all that XML wants escaped.
    @Test(arguments: hostile.indices)
    func aHostileTextIsOneLineOfText(index: Int) async throws {
        let (text, kept) = Self.hostile[index]
        let escaped = text.unicodeScalars.map {
            $0.value < 0x20 ? "\($0)" : "&#x\(String($0.value, radix: 16));"
        }
        let packet = "<dc:rights><rdf:Alt><rdf:li>\(escaped.joined())</rdf:li></rdf:Alt></dc:rights>"
        var sources = [PhotoFixture.jpeg(width: 64, height: 48) { $0.set(.main, 0x8298, .ascii(text)) }]
        // XML has no way to write these two characters.
        if packet.utf8.count < 60_000, !text.contains("\u{1}") {
            sources.append(PhotoFixture.jpeg(width: 64, height: 48, xmp: packet))
        }
        for source in sources {
            let photo = try await render(source, recipe: Self.recipe(keepsCredit: true))
            #expect(photo.report?.credit?.copyright == kept)
            for (bytes, encoding) in zip(photo.outputs, Self.encodings) {
                #expect(try credit(bytes, encoding.format, keepsCredit: true)?.copyright == kept)
            }
        }
    }

    /// The default language comes first, but not all programs know that.
    @Test(arguments: ["x-default", "en"]) func aNoticeIsInTheDefaultLanguage(language: String) async throws {
        let packet =
            #"<dc:rights><rdf:Alt><rdf:li xml:lang="de">eins</rdf:li><rdf:li xml:lang="fr"/>"#
            + "<rdf:li xml:lang=\"\(language)\">one</rdf:li></rdf:Alt></dc:rights>"
        let report = try await inspect(PhotoFixture.jpeg(width: 16, height: 16, xmp: packet))
        #expect(report.credit?.copyright == (language == "en" ? "eins" : "one"))
    }

    @Test func aTextOfAMegabyteIsCut() async throws {
        let packet =
            "<x><dc:rights><rdf:Alt><rdf:li>" + String(repeating: "x", count: 1 << 20)
            + "</rdf:li></rdf:Alt></dc:rights></x>"
        let chunk = Array("XML:com.adobe.xmp\0".utf8) + [0, 0, 0, 0] + Array(packet.utf8)
        let photo = try await render(
            PhotoFixture.png(chunk: "iTXt", chunk), recipe: Self.recipe(keepsCredit: true))
        #expect(photo.report?.credit?.copyright == String(repeating: "x", count: 500))
        #expect(photo.outputs.allSatisfy { $0.count < 20_000 })
    }

    /// IPTC-IIM in JPEG: two by-lines, credit, and a copyright notice in ISO 8859-1. EXIF counts before it.
    @Test func iptcIsReadAndEXIFCountsBeforeIt() async throws {
        func set(_ number: UInt8, _ text: [UInt8]) -> [UInt8] {
            [0x1C, 2, number, 0, UInt8(text.count)] + text
        }
        let sets =
            set(80, Array("Ann".utf8)) + set(80, Array("Bo".utf8)) + set(110, Array("Agency".utf8))
            + set(116, [0xA9, 0x20, 0x4D, 0xFC])
        let resources =
            Array("Photoshop 3.0\0".utf8) + Array("8BIM".utf8) + [4, 3, 1, 65, 0, 0, 0, 1, 9, 0]
            + Array("8BIM".utf8) + [4, 4, 0, 0, 0, 0, 0, UInt8(sets.count)] + sets
        let segment = PhotoFixture.segment(0xED, resources)
        let plain = try await inspect(
            PhotoFixture.insert(segment, into: PhotoFixture.jpeg(width: 16, height: 16)))
        #expect(
            plain.credit
                == PhotoCredit(creator: "Ann, Bo", credit: "Agency", copyright: "© Mü", licence: nil))
        let both = PhotoFixture.jpeg(width: 16, height: 16) {
            $0.set(.main, 0x013B, .ascii("EXIF"))
            $0.set(.main, 0x8298, .raw(type: 2, count: 5, bytes: Array(" \0ed\0".utf8)))
        }
        let exif = try await inspect(PhotoFixture.insert(segment, into: both))
        #expect(exif.credit?.creator == "EXIF" && exif.credit?.copyright == "ed")
        for cut in 0..<resources.count {
            let damaged = PhotoFixture.segment(0xED, Array(resources.prefix(cut)))
            _ = try await inspect(
                PhotoFixture.insert(damaged, into: PhotoFixture.jpeg(width: 16, height: 16)))
        }
    }

    /// Where JPEG, PNG and WebP have manifests (C2PA 2.1, appendix A.3). Another kind of JUMBF box is none.
    @Test func aManifestOfC2PAIsNoted() async throws {
        let manifest = Array("JP\0\u{1}\0\0\0\u{1}\0\0\0\u{40}jumb\0\0\0\u{1E}jumdc2pa".utf8)
        let plain = PhotoFixture.jpeg(width: 16, height: 16)
        let jpeg = try await inspect(PhotoFixture.insert(PhotoFixture.segment(0xEB, manifest), into: plain))
        #expect(jpeg.stripped == ["C2PA"])
        let parts =
            PhotoFixture.segment(0xEB, manifest) + PhotoFixture.segment(0xEB, Array(manifest.prefix(16)))
        #expect(try await inspect(PhotoFixture.insert(parts, into: plain)).stripped == ["C2PA"])
        let other = try await inspect(
            PhotoFixture.insert(PhotoFixture.segment(0xEB, Array(manifest.dropLast(4))), into: plain))
        #expect(other.stripped == ["APP11"])
        #expect(try await inspect(PhotoFixture.png(chunk: "caBX", manifest)).stripped == ["C2PA"])
        var webp = PhotoFixture.webp() + Array("C2PA".utf8) + [2, 0, 0, 0, 1, 2]
        let size = webp.count - 8
        for index in 0..<4 { webp[4 + index] = UInt8(truncatingIfNeeded: size >> (8 * index)) }
        #expect(try await inspect(webp).stripped.contains("C2PA"))
    }

    private static func box(_ kind: String, _ content: [UInt8]) -> [UInt8] {
        let size = content.count + 8
        return (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) } + Array(kind.utf8) + content
    }

    private static func superbox(_ label: String, _ content: [UInt8]) -> [UInt8] {
        let type = Array("c2pa".utf8) + [UInt8](repeating: 0, count: 12)
        return box("jumb", box("jumd", type + [3] + Array(label.utf8) + [0]) + content)
    }

    /// A short text of CBOR.
    private static func text(_ text: String) -> [UInt8] { [0x78, UInt8(text.utf8.count)] + Array(text.utf8) }

    private static func store(_ claims: [(label: String, cbor: [UInt8])]) -> [UInt8] {
        let manifests = claims.enumerated().flatMap { number, claim in
            superbox(
                "urn:uuid:\(number)",
                superbox("c2pa.assertions", box("cbor", text("no claim")))
                    + superbox(claim.label, box("cbor", claim.cbor)))
        }
        return superbox("c2pa", manifests)
    }

    private static let firstClaim: [UInt8] =
        [0xA3] + text("alg") + [0x82, 1, 0xF6] + text("claim_generator") + text("Camera\u{7} 1.0") + text("x")
        + [0]
    private static let secondClaim: [UInt8] =
        [0xA2] + text("instanceID") + [0xC1, 0x44, 1, 2, 3, 4] + text("claim_generator_info") + [0x81, 0xA2]
        + text("version") + text("2") + text("name") + text("Editor")

    /// The last manifest is the active one.
    @Test(
        arguments: [
            ([("c2pa.claim", firstClaim)], "Camera 1.0"),
            ([("c2pa.claim", firstClaim), ("c2pa.claim.v2", secondClaim)], "Editor"),
            ([("c2pa.signature", firstClaim)], nil), ([("c2pa.claim", text("claim_generator"))], nil),
            // A map of 2⁶⁴ − 1 entries, and arrays in arrays.
            ([("c2pa.claim", [0xBB] + [UInt8](repeating: 255, count: 8) + text("a"))], nil),
            ([("c2pa.claim", [0xA1] + text("a") + [UInt8](repeating: 0x81, count: 5_000))], nil),
        ] as [([(label: String, cbor: [UInt8])], String?)])
    func theClaimGeneratorIsNoted(claims: [(label: String, cbor: [UInt8])], name: String?) async throws {
        let store = Self.store(claims)
        #expect(try await inspect(PhotoFixture.png(chunk: "caBX", store)).claimGenerator == name)
        // In two segments, of which the second repeats the first box's length and kind.
        let half = store.count / 2
        let start: [UInt8] = Array("JP".utf8) + [0, 1, 0, 0, 0, 1]
        let segments =
            PhotoFixture.segment(0xEB, start + store[..<half])
            + PhotoFixture.segment(0xEB, start + store[..<8] + store[half...])
        let jpeg = PhotoFixture.insert(segments, into: PhotoFixture.jpeg(width: 16, height: 16))
        #expect(try await inspect(jpeg).claimGenerator == name)
    }

    @Test func aCutManifestHarmsNothing() async throws {
        let store = Self.store([("c2pa.claim", Self.firstClaim), ("c2pa.claim.v2", Self.secondClaim)])
        for count in stride(from: 0, to: store.count, by: 7) {
            let report = try await inspect(PhotoFixture.png(chunk: "caBX", Array(store[..<count])))
            #expect(report.stripped == ["C2PA"] && report.claimGenerator != "Editor")
        }
    }

    @Test(arguments: [
        ("https://creativecommons.org/licenses/by/4.0/", true), ("HTTP://a", true),
        ("javascript:alert(1)", false),
        ("https://user@example.org/", false), ("https://", false), ("https:///x", false),
        ("https://example.org/a b", false), ("https://example.org/\"", false), ("https://exämple.org", false),
        ("https://a/" + String(repeating: "x", count: 500), false),
    ])
    func aLicenceIsAWebAddress(text: String, isKept: Bool) {
        let credit = PhotoCredit(creator: nil, credit: nil, copyright: nil, licence: text)
        #expect(credit?.licence == (isKept ? text : nil))
    }

    @Test(arguments: [
        #"<cc:license rdf:resource="https://a/b"/>"#, "<cc:license>https://a/b</cc:license>",
        #"<x cc:license = "https://a/b"/>"#, #"<xmpRights:WebStatement rdf:resource='https://a/b'/>"#,
    ])
    func aLicenceIsReadInItsForms(packet: String) async throws {
        let report = try await inspect(PhotoFixture.jpeg(width: 16, height: 16, xmp: packet))
        #expect(report.credit?.licence == "https://a/b")
    }
}
