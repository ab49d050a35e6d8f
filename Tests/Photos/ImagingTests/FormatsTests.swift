import Imaging
import TestKit
import Testing

/// Renditions in formats other than JPEG, and what each format keeps.
@Suite(.computing, .timeLimit(.minutes(15))) struct FormatsTests {
    private static let recipe = Recipe(
        name: "formats", version: 1,
        renditions: [
            RenditionSpec(
                name: "progressive", shape: .fit(longSide: 300), encoding: .jpeg(progressive: true)),
            RenditionSpec(name: "webp", shape: .fit(longSide: 300), encoding: .webp()),
            RenditionSpec(name: "avif", shape: .fit(longSide: 300), encoding: .avif()),
            RenditionSpec(name: "square", shape: .square(side: 100, crop: .attention), encoding: .webp()),
        ])

    private func expect(
        _ found: [Int], is colour: [Int], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let difference = zip(found, colour).map { abs($0 - $1) }.max() ?? 255
        #expect(
            difference <= 14 && found.count >= 3, "\(found), not \(colour)", sourceLocation: sourceLocation)
    }

    private func expectCorners(_ pixels: PhotoPixels, last: [Int] = [230, 220, 30]) {
        expect(pixels.colour(0.1, 0.1), is: [220, 30, 30])
        expect(pixels.colour(0.9, 0.1), is: [30, 200, 30])
        expect(pixels.colour(0.1, 0.9), is: [30, 30, 220])
        expect(pixels.colour(0.9, 0.9), is: last)
    }

    @Test func aPhotoComesOutInEveryFormat() async throws {
        let photo = try await render(
            PhotoFixture.jpeg(
                width: 600, height: 400, latitude: 47.4, longitude: 8.5, orientation: 6, comment: "CANARY"),
            recipe: Self.recipe)
        guard case .accepted(_, let images) = photo.verdict else {
            Issue.record("\(photo.verdict)")
            return
        }
        #expect(images.map(\.width) == [200, 200, 200, 100] && images.map(\.height) == [300, 300, 300, 100])
        try expectCorners(#require(PhotoPixels(jpeg: photo.outputs[0])))
        try expectCorners(#require(PhotoPixels(webp: photo.outputs[1])))
        try expectCorners(#require(PhotoPixels(avif: photo.outputs[2])))
        // More than one scan.
        #expect(
            photo.outputs[0].indices.dropLast().count { photo.outputs[0][$0...].starts(with: [0xFF, 0xDA]) }
                > 1)
    }

    @Test func transparencyIsKeptWhereTheFormatKeepsIt() async throws {
        let photo = try await render(
            PhotoFixture.png(width: 600, height: 400, hasAlpha: true), recipe: Self.recipe)
        let jpeg = try #require(PhotoPixels(jpeg: photo.outputs[0]))
        expectCorners(jpeg, last: [255, 255, 255])
        for pixels in [PhotoPixels(webp: photo.outputs[1]), PhotoPixels(avif: photo.outputs[2])] {
            let pixels = try #require(pixels)
            #expect(pixels.bands == 4)
            #expect(pixels.colour(0.9, 0.9)[3] < 8 && pixels.colour(0.1, 0.1)[3] > 247)
            expect(Array(pixels.colour(0.1, 0.1).prefix(3)), is: [220, 30, 30])
        }
    }

    @Test(arguments: ["gif", "webp"])
    func anAnimationKeepsItsFramesOnlyWhereTheRecipeSays(format: String) async throws {
        let recipe = Recipe(
            name: "animated", version: 1,
            renditions: [
                RenditionSpec(name: "moving", shape: .fit(longSide: 32), encoding: .webp(isAnimated: true)),
                RenditionSpec(name: "tile", shape: .square(side: 20), encoding: .webp(isAnimated: true)),
                RenditionSpec(name: "still", shape: .fit(longSide: 32), encoding: .webp()),
            ])
        let photo = try await render(PhotoFixture.animation(frames: 3, format: format), recipe: recipe)
        guard case .accepted(let report, let images) = photo.verdict else {
            Issue.record("\(photo.verdict)")
            return
        }
        #expect(report.frames == 3)
        #expect(images.map(\.width) == [32, 20, 32] && images.map(\.height) == [24, 20, 24])
        let structures = try photo.outputs.map { output in
            try output.withUnsafeBytes { try RenditionStructure(checking: $0, as: .webp) }
        }
        #expect(structures.map(\.frames) == [3, 3, 1])
        let moving = try #require(PhotoPixels(webp: photo.outputs[0]))
        #expect(moving.height == 72 && moving.delays == [70, 70, 70] && moving.loops == 3)
        // Frames have sharp edges: the first row of a frame shows nothing of the frame above.
        for (row, colour) in [
            (0, [220, 30, 30]), (23, [220, 30, 30]), (24, [30, 200, 30]), (48, [30, 30, 220]),
        ] {
            expect(Array(moving.colour(0.5, (Double(row) + 0.5) / 72).prefix(3)), is: colour)
        }
    }

    @Test func anAnimationThatWouldFillTheMemoryIsRefused() async throws {
        var limits = RenderLimits.patient
        limits.decodingBytes = 400_000
        let pool = RendererPool(executable: rendererPath!, size: 1, limits: limits)
        let recipe = Recipe(
            name: "animated", version: 1,
            renditions: [
                RenditionSpec(name: "moving", shape: .fit(longSide: 64), encoding: .webp(isAnimated: true))
            ])
        let few = try await render(
            PhotoFixture.animation(frames: 4, format: "gif"), recipe: recipe, pool: pool)
        #expect(few.rejection == nil)
        let many = try await render(
            PhotoFixture.animation(frames: 40, format: "gif"), recipe: recipe, pool: pool)
        #expect(many.rejection == .tooMuchMemory)
        await pool.shutdown()
    }

    @Test func aCutPhotoIsRenderedOnlyWhereThatIsAllowed() async throws {
        var limits = RenderLimits.patient
        limits.acceptsTruncated = true
        let pool = RendererPool(executable: rendererPath!, size: 1, limits: limits)
        let cut = PhotoFixture.truncated(PhotoFixture.jpeg(width: 800, height: 600), to: 0.6)
        let strict = try await render(cut)
        #expect(strict.rejection == .truncated)
        let lenient = try await render(cut, pool: pool)
        #expect(lenient.rejection == nil && lenient.report?.width == 800)
        let pixels = try #require(PhotoPixels(jpeg: lenient.outputs[0]))
        expect(pixels.colour(0.1, 0.1), is: [220, 30, 30])
        await pool.shutdown()
    }

    @Test func theCameraIsReadWithoutControlCharacters() async throws {
        let photo = try await render(
            PhotoFixture.jpeg {
                $0.set(.main, 0x010F, .ascii("Ap\u{7}ple"))
                $0.set(.main, 0x0110, .ascii(String(repeating: "x", count: 100)))
            })
        #expect(photo.report?.cameraMake == "Apple")
        #expect(photo.report?.cameraModel == String(repeating: "x", count: 64))
    }

    // MARK: - What may not be published

    private static func encoded(_ encoding: RenditionEncoding, hasAlpha: Bool = false) async throws -> [UInt8]
    {
        let recipe = Recipe(
            name: "one", version: 1,
            renditions: [RenditionSpec(name: "a", shape: .fit(longSide: 100), encoding: encoding)])
        let photo = try await render(
            PhotoFixture.png(width: 120, height: 90, hasAlpha: hasAlpha), recipe: recipe)
        return photo.outputs[0]
    }

    private func fault(_ bytes: [UInt8], _ format: RenditionEncoding.Format) -> RenditionStructure.Fault.Code?
    {
        do {
            _ = try bytes.withUnsafeBytes { try RenditionStructure(checking: $0, as: format) }
            return nil
        } catch {
            return (error as? RenditionStructure.Fault)?.code
        }
    }

    @Test(arguments: [false, true])
    func noPrefixNoTailAndNoBitOfAnotherFormatPasses(hasAlpha: Bool) async throws {
        for encoding in [RenditionEncoding.webp(), .avif()] {
            let clean = try await Self.encoded(encoding, hasAlpha: hasAlpha)
            #expect(fault(clean, encoding.format) == nil)
            for count in 0..<clean.count where fault(Array(clean.prefix(count)), encoding.format) == nil {
                Issue.record("\(encoding.format) of \(count) bytes")
            }
            let tail = fault(clean + [0], encoding.format)
            #expect(tail == .trailingBytes(1))
            for other in RenditionEncoding.Format.allCases where other != encoding.format {
                #expect(fault(clean, other) != nil)
            }
        }
    }

    @Test func aWebPWithMetadataFails() async throws {
        func chunk(_ name: String, _ payload: [UInt8]) -> [UInt8] {
            let size = withUnsafeBytes(of: UInt32(payload.count).littleEndian) { Array($0) }
            return Array(name.utf8) + size + payload + (payload.count % 2 == 1 ? [0] : [])
        }
        func file(_ chunks: [UInt8]) -> [UInt8] { chunk("RIFF", Array("WEBP".utf8) + chunks) }
        let picture = Array(try await Self.encoded(.webp()).dropFirst(12))
        func header(_ flags: UInt8) -> [UInt8] { chunk("VP8X", [flags, 0, 0, 0, 99, 0, 0, 74, 0, 0]) }
        #expect(fault(file(picture), .webp) == nil)
        #expect(fault(file(header(0) + picture), .webp) == nil)
        for (flag, name) in [(0x20, "ICCP"), (0x08, "EXIF"), (0x04, "XMP ")] as [(UInt8, String)] {
            let block = chunk(name, Array("CANARY".utf8))
            #expect(fault(file(header(flag) + picture + block), .webp) == .metadata(name))
            #expect(fault(file(header(0) + picture + block), .webp) == .metadata(name))
            #expect(fault(file(picture + block), .webp) == .metadata(name))
            #expect(fault(file(block + picture), .webp) == .metadata(name))
        }
        #expect(fault(file(header(1) + picture), .webp) == .malformed)
        #expect(fault(file(picture + picture), .webp) == .malformed)
        // A size other than the picture's, and a padding byte that is not zero.
        #expect(fault(file(chunk("VP8X", [0, 0, 0, 0, 98, 0, 0, 74, 0, 0]) + picture), .webp) == .malformed)
    }

    @Test func anAVIFWithMetadataFails() async throws {
        let clean = try await Self.encoded(.avif())
        func position(_ name: String) throws -> Int {
            try #require((0..<clean.count - 4).first { clean[$0..<$0 + 4].elementsEqual(name.utf8) })
        }
        // An unknown kind of item, an unknown kind of property, an extra box, and bytes that no item owns.
        var exif = clean
        let item = try position("av01")
        exif.replaceSubrange(item..<item + 4, with: Array("Exif".utf8))
        #expect(fault(exif, .avif) == .metadata("Exif"))
        var profile = clean
        let colours = try position("nclx")
        profile.replaceSubrange(colours..<colours + 4, with: Array("prof".utf8))
        #expect(fault(profile, .avif) == .metadata("colr prof"))
        var free = clean
        free += [0, 0, 0, 16] + Array("freeCANARY!!".utf8)
        #expect(fault(free, .avif) == .trailingBytes(16))
        var hidden = clean
        let data = try position("mdat") - 4
        let length = clean[data..<data + 4].reduce(0) { $0 << 8 | Int($1) } + 6
        hidden.replaceSubrange(
            data..<data + 4, with: withUnsafeBytes(of: UInt32(length).bigEndian) { Array($0) })
        #expect(fault(hidden + Array("CANARY".utf8), .avif) == .hiddenBytes(6))
        // The first unit of the AV1 data becomes a metadata unit (type 5).
        var metadata = clean
        let first = try position("mdat") + 4
        metadata[first] = 5 << 3 | 2
        #expect(fault(metadata, .avif) == .metadata("AV1 unit 5"))
    }

    @Test func aTableOfAJPEGHidesNothing() {
        let clean = PhotoFixture.jpeg(width: 40, height: 30)
        let table = PhotoFixture.segment(0xDD, [0, 0] + Array("CANARY".utf8))
        #expect(fault(PhotoFixture.insert(table, into: clean), .jpeg) == .hiddenBytes(6))
        let tables = PhotoFixture.segment(0xC4, [0] + [UInt8](repeating: 0, count: 16) + Array("CANARY".utf8))
        #expect(fault(PhotoFixture.insert(tables, into: clean), .jpeg) == .hiddenBytes(6))
    }
}
