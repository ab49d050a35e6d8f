import Imaging
import TestKit
import Testing

/// Whole photos through a real renderer process.
@Suite(.computing, .timeLimit(.minutes(15))) struct RenditionTests {
    private static let red = [220, 30, 30]
    private static let green = [30, 200, 30]
    private static let blue = [30, 30, 220]
    private static let yellow = [230, 220, 30]

    private func expect(
        _ pixels: PhotoPixels, _ x: Double, _ y: Double, _ colour: [Int],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let found = pixels.colour(x, y)
        let difference = zip(found, colour).map { abs($0 - $1) }.max() ?? 255
        #expect(difference <= 12, "\(found), not \(colour)", sourceLocation: sourceLocation)
    }

    private func expectCorners(_ jpeg: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) throws {
        let pixels = try #require(PhotoPixels(jpeg: jpeg), sourceLocation: sourceLocation)
        expect(pixels, 0.1, 0.1, Self.red, sourceLocation: sourceLocation)
        expect(pixels, 0.9, 0.1, Self.green, sourceLocation: sourceLocation)
        expect(pixels, 0.1, 0.9, Self.blue, sourceLocation: sourceLocation)
        expect(pixels, 0.9, 0.9, Self.yellow, sourceLocation: sourceLocation)
    }

    @Test func aPhotoComesOutInThreeRenditions() async throws {
        let photo = try await render(PhotoFixture.jpeg(width: 2400, height: 1800))
        guard case .accepted(let report, let images) = photo.verdict else {
            Issue.record("\(photo.verdict)")
            return
        }
        #expect(report.format == .jpeg && report.width == 2400 && report.height == 1800)
        #expect(images.map(\.name) == ["large", "medium", "square"])
        #expect(images.map(\.width) == [1920, 1080, 320])
        #expect(images.map(\.height) == [1440, 810, 320])
        #expect(images.map(\.bytes) == photo.outputs.map(\.count))
        for output in photo.outputs { try expectCorners(output) }
    }

    /// Noise is what the decoder's own halving changes most. The reference is one Lanczos reduction of all pixels.
    @Test func fullFidelityIsMadeFromAllPixels() async throws {
        let noise = PhotoFixture.noise(width: 400, height: 300)
        func difference(_ fidelity: [RenditionSpec.Fidelity]) async throws -> Double {
            let names = ["a", "b"]
            let recipe = Recipe(
                name: "two", version: 1,
                renditions: zip(names, fidelity).map { name, fidelity in
                    RenditionSpec(
                        name: name, shape: .fit(longSide: 180), encoding: .jpeg(quality: 100),
                        fidelity: fidelity)
                })
            let photo = try await render(noise, recipe: recipe)
            let found = try #require(PhotoPixels(jpeg: photo.outputs[0]))
            let best = try #require(FullDecode(noise, width: 180, height: 135))
            let sum = zip(found.samples, best.srgb.joined()).reduce(0) { $0 + abs(Double($1.0) - $1.1) }
            return sum / Double(found.samples.count)
        }
        let quick = try await difference([.quick, .quick])
        let full = try await difference([.full, .full])
        let shared = try await difference([.quick, .full])
        #expect(full < 3 && quick > 2 * full && shared == full, "\(quick) \(full) \(shared)")
    }

    @Test(arguments: 1...8)
    func everyOrientationComesOutUpright(orientation: Int) async throws {
        let photo = try await render(
            PhotoFixture.jpeg(width: 480, height: 360, orientation: orientation))
        let report = try #require(photo.report)
        #expect(report.orientation == orientation)
        #expect((report.width, report.height) == (orientation < 5 ? (480, 360) : (360, 480)))
        for output in photo.outputs { try expectCorners(output) }
    }

    @Test(arguments: [0, 9, 255])
    func anInvalidOrientationCountsAsUpright(orientation: Int) async throws {
        let photo = try await render(
            PhotoFixture.jpeg { $0.set(.main, 0x0112, .short(UInt16(orientation))) })
        #expect(photo.report?.orientation == 1)
        try expectCorners(photo.outputs[0])
    }

    @Test func aTIFFCompressedAsJPEGKeepsItsColours() async throws {
        try expectCorners(try await render(PhotoFixture.jpegTIFF(width: 300, height: 200)).outputs[0])
    }

    @Test func nothingIsEnlarged() async throws {
        let photo = try await render(PhotoFixture.png(width: 100, height: 60))
        guard case .accepted(_, let images) = photo.verdict else {
            Issue.record("\(photo.verdict)")
            return
        }
        #expect(images.map(\.width) == [100, 100, 60] && images.map(\.height) == [60, 60, 60])
    }

    @Test func aPanoramaKeepsEnoughForItsSquare() async throws {
        let photo = try await render(PhotoFixture.jpeg(width: 4000, height: 400))
        guard case .accepted(_, let images) = photo.verdict else {
            Issue.record("\(photo.verdict)")
            return
        }
        #expect(images.map(\.width) == [1920, 1080, 320] && images.map(\.height) == [192, 108, 320])
    }

    @Test func transparencyIsLaidOnWhite() async throws {
        let photo = try await render(PhotoFixture.png(width: 200, height: 200, hasAlpha: true))
        let pixels = try #require(PhotoPixels(jpeg: photo.outputs[0]))
        expect(pixels, 0.1, 0.1, Self.red)
        expect(pixels, 0.9, 0.9, [255, 255, 255])
    }

    @Test func aWebPIsRead() async throws {
        let photo = try await render(PhotoFixture.webp(width: 300, height: 200))
        #expect(photo.report?.format == .webp)
        try expectCorners(photo.outputs[0])
    }

    @Test func aProgressiveJPEGIsRead() async throws {
        let photo = try await render(PhotoFixture.jpeg(progressive: true))
        try expectCorners(photo.outputs[0])
    }

    @Test func displayP3IsConverted() async throws {
        let photo = try await render(PhotoFixture.jpeg(profile: "p3"))
        #expect(photo.report?.hasICCProfile == true)
        let pixels = try #require(PhotoPixels(jpeg: photo.outputs[0]))
        // Display P3 (220, 30, 30) lies outside sRGB: red rises to about 240, green falls to zero.
        let red = pixels.colour(0.1, 0.1)
        #expect(red[0] > 232 && red[1] < 14, "\(red)")
    }

    @Test func cmykComesOutAsRGB() async throws {
        let photo = try await render(PhotoFixture.cmykJPEG(width: 64, height: 64, ink: [0, 255, 255, 0]))
        let pixels = try #require(PhotoPixels(jpeg: photo.outputs[0]))
        let colour = pixels.colour(0.5, 0.5)
        #expect(pixels.bands == 3 && colour[0] > 180 && colour[1] < 90 && colour[2] < 90, "\(colour)")
    }

    @Test func noMetadataSurvives() async throws {
        let photo = try await render(
            PhotoFixture.jpeg(
                latitude: 48.2, longitude: 16.3, takenAt: "2024:05:07 09:33:04", caption: "CANARY-EXIF",
                comment: "CANARY-COMMENT", xmp: "<x>CANARY-XMP</x>", trailing: Array("CANARY-TAIL".utf8),
                profile: "p3"))
        #expect(
            photo.report?.stripped == ["EXIF", "GPS", "ICC", "XMP", "comment", "trailing data"])
        for output in photo.outputs {
            #expect(!String(decoding: output, as: UTF8.self).contains("CANARY"))
            _ = try output.withUnsafeBytes { try RenditionStructure(checking: $0, as: .jpeg) }
        }
    }

    @Test func aPhotoWithoutItsEndMarkerIsWhole() async throws {
        let photo = try await render(PhotoFixture.jpeg().dropLast(2))
        #expect(photo.rejection == nil)
    }

    @Test func inspectingWritesNothing() async throws {
        let file = ScratchFile(PhotoFixture.jpeg(latitude: 1, longitude: 2))
        let verdict = try await sharedPool.render(
            input: file.descriptor, outputs: [], recipe: .standard)
        guard case .accepted(let report, let images) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(images.isEmpty && report.width == 640)
    }

    @Test func aFullOutputIsAnErrorOfTheSystem() async throws {
        let input = ScratchFile(PhotoFixture.jpeg())
        let recipe = Recipe(
            name: "one", version: 1,
            renditions: [RenditionSpec(name: "a", shape: .fit(longSide: 100), encoding: .jpeg(quality: 80))])
        let full = OpenedFile("/dev/full")
        let error = await #expect(throws: RendererError.self) {
            try await sharedPool.render(input: input.descriptor, outputs: [full.descriptor], recipe: recipe)
        }
        #expect(error?.code == .outputFailed && error?.suspectsPhoto == false)
    }
}
