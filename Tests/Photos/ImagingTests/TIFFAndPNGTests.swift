import Imaging
import TestKit
import Testing

/// What TIFF and PNG say in their own ways: extra values of a pixel, camera and time.
@Suite(.computing, .timeLimit(.minutes(15))) struct TIFFAndPNGTests {
    /// The fixture has the value 0x60 in every band: as transparency, it mixes the colours with white.
    @Test(arguments: [2, 4], [8, 16])
    func anExtraValueOfNoMeaningIsNotTransparency(bands: Int, bits: Int) async throws {
        for (meaning, level) in [(0, 96), (2, 195)] {
            let photo = try await render(
                PhotoFixture.oneStripTIFF(
                    width: 64, height: 64, bands: bands, bits: bits, extraSamples: meaning))
            let pixels = try #require(PhotoPixels(jpeg: photo.outputs[0]))
            for value in pixels.colour(0.5, 0.5) { #expect(abs(value - level) <= 2, "meaning \(meaning)") }
        }
    }

    private static func camera(_ exif: inout PhotoEXIF) {
        exif.set(.main, 0x010F, .ascii("Maker"))
        exif.set(.main, 0x0110, .ascii("Model 7"))
        exif.set(.exif, 0x9003, .ascii("2024:05:07 09:33:04"))
        exif.setPosition(latitude: 46.5, longitude: 7.5)
    }

    private func check(_ bytes: [UInt8], kinds: [String]) async throws {
        let report = try await inspect(bytes)
        #expect(report.cameraMake == "Maker" && report.cameraModel == "Model 7")
        #expect(report.captureTime?.local == "2024-05-07T09:33:04")
        #expect(report.gps == .valid(GPSFix(latitude: 46.5, longitude: 7.5), source: .exif))
        #expect(report.stripped == kinds)
    }

    @Test func aTIFFsCameraAndTimeAreRead() async throws {
        var exif = PhotoEXIF()
        Self.camera(&exif)
        let side: UInt16 = 16
        for (tag, value) in [
            (0x0100, side), (0x0101, side), (0x0102, 8), (0x0103, 1), (0x0106, 1), (0x0115, 1),
            (0x0116, side),
        ] as [(UInt16, UInt16)] {
            exif.set(.main, tag, .short(value))
        }
        exif.set(.main, 0x0117, .long(UInt32(side) * UInt32(side)))
        exif.set(.main, 0x0111, .long(0))
        // The pixels follow the directories.
        exif.set(.main, 0x0111, .long(UInt32(exif.block.count)))
        try await check(
            exif.block + [UInt8](repeating: 128, count: Int(side) * Int(side)), kinds: ["EXIF", "GPS"])
    }

    private static let block = {
        var exif = PhotoEXIF()
        camera(&exif)
        return exif.block
    }()

    /// As ImageMagick writes it: a name, the number of bytes, and lines of 72 digits.
    static func rawProfile(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        var text = Array("\n\(name)\n    \(bytes.count)\n".utf8)
        for (index, byte) in bytes.enumerated() {
            if index > 0, index % 36 == 0 { text.append(0x0A) }
            text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return text + [0x0A]
    }

    /// Texts that inflate to more than all metadata may have, each so short that the file is small.
    @Test(arguments: ["exif", "xmp"], [20, 4000])
    func whatInflatesToTooMuchIsRefused(kind: String, count: Int) async throws {
        let zeros = Array("\n\(kind)\n  520000\n".utf8) + [UInt8](repeating: 0x30, count: 1_040_000)
        let chunk = PhotoFixture.png(
            chunk: "zTXt", Array("Raw profile type \(kind)\0\0".utf8) + PhotoFixture.deflated(zeros))
        let plain = PhotoFixture.png()
        let bytes = chunk[33..<33 + chunk.count - plain.count]
        let photo = try await render(
            plain[..<33] + (0..<count).flatMap { _ in bytes } + plain[33...])
        #expect(photo.rejection == .metadataTooLarge)
    }

    private static let prefix = Array("Exif\0\0".utf8)
    static let chunks: [(name: String, payload: [UInt8])] = [
        ("eXIf", block), ("eXIf", prefix + block),
        (
            "zTXt",
            Array("Raw profile type exif\0\0".utf8)
                + PhotoFixture.deflated(rawProfile("exif", prefix + block))
        ),
        ("tEXt", Array("Raw profile type APP1\0".utf8) + rawProfile("generic profile", prefix + block)),
    ]

    @Test(arguments: chunks.indices)
    func aPNGsCameraAndTimeAreRead(index: Int) async throws {
        let chunk = Self.chunks[index]
        try await check(PhotoFixture.png(chunk: chunk.name, chunk.payload), kinds: ["EXIF", "GPS"])
    }

    @Test func aDamagedRawProfileIsAText() async throws {
        let whole = Self.rawProfile("exif", Self.prefix + Self.block)
        let short = Array(whole.dropLast(40))
        let letter = whole.dropLast(2) + [UInt8(ascii: "g"), 0x0A]
        let negative = Array("\nexif\n  -4\n".utf8)
        let endless = Array("\nexif\n  4611686018427387904\n00".utf8)
        for text in [short, Array(letter), negative, endless, Array("\nexif\n".utf8), []] {
            let report = try await inspect(
                PhotoFixture.png(chunk: "tEXt", Array("Raw profile type exif\0".utf8) + text))
            #expect(report.cameraMake == nil && report.stripped == ["text"])
        }
    }

    @Test(arguments: [1, 3, 4, 20]) func aRawProfileMayBeSomewhatShorterThanItSays(digits: Int) async throws {
        let text = Self.rawProfile("exif", Self.prefix + Self.block + [UInt8](repeating: 0, count: 16))
        let report = try await inspect(
            PhotoFixture.png(
                chunk: "tEXt", Array("Raw profile type exif\0".utf8) + text.dropLast(1 + digits) + [0x0A]))
        #expect(report.cameraMake != nil && report.stripped.contains("EXIF"))
    }

    @Test func theCameraIsReadFromXMPWhereEXIFHasNone() async throws {
        let packet = #"<rdf:Description tiff:Make="Maker" tiff:Model="Model\u{7} 7"/>"#
        let bare = try await inspect(PhotoFixture.jpeg(width: 16, height: 16, xmp: packet))
        #expect(bare.cameraMake == "Maker" && bare.cameraModel?.hasPrefix("Model") == true)
        let both = try await inspect(
            PhotoFixture.jpeg(width: 16, height: 16, xmp: packet) { $0.set(.main, 0x010F, .ascii("Other")) })
        #expect(both.cameraMake == "Other" && both.cameraModel?.hasPrefix("Model") == true)
    }
}
