import Imaging
import TestKit
import Testing

/// Pictures that are coded otherwise than their file says.
@Suite(.computing, .timeLimit(.minutes(15))) struct HEIFCodedDataTests {
    /// A decoder makes room for what the coded data say, draws larger tiles over each other, and smaller ones with gaps.
    @Test(arguments: HEIFFixture.Codec.allCases, [511, 513, 64, 2_000]) func aTileHasTheSizeThatItSays(
        codec: HEIFFixture.Codec, side: Int
    ) async throws {
        let file = HEIFFixture.grid(codec, width: 512, height: 512)
        var lying = file
        for at in file.indices.dropLast(7) where file[at...].starts(with: HEIFFixture.size(512, 512)) {
            lying.replaceSubrange(at..<at + 8, with: HEIFFixture.size(side, side))
        }
        #expect(try await render(file).rejection == nil)
        #expect(try await render(lying).detail == HEIFFixture.contradiction)
    }

    /// The decoder joins the parts of an item's data before it reads them.
    @Test(arguments: HEIFFixture.Codec.allCases) func itsDataMayBeInParts(codec: HEIFFixture.Codec)
        async throws
    {
        for (side, isRefused) in [(512, false), (64, true)] {
            var file = HEIFFixture.grid(codec, width: 512, height: 512, parts: 2)
            for at in file.indices.dropLast(7) where file[at...].starts(with: HEIFFixture.size(512, 512)) {
                file.replaceSubrange(at..<at + 8, with: HEIFFixture.size(side, side))
            }
            #expect((try await render(file).rejection == .corrupt) == isRefused)
        }
    }

    /// What the configuration begins, the decoder reads to its end in the data; and a header that ends early may hide a larger picture.
    @Test(
        arguments: [
            ([0x7A, 3], true), ([0x78], true), ([0x0A, 1, 0xFF], true), ([0x7A, 1, 0x80], false),
            ([0x7A], true), ([0x7A, 0x81], true), ([0x7E, 0], true),
        ]
            as [([UInt8], Bool)])
    func aConfigurationIsWhole(units: [UInt8], isRefused: Bool) async throws {
        var file = HEIFFixture(.av1)
        let property = file.properties[0]
        file.properties[0] = HEIFFixture.box("av1C", Array(property[8...]) + units)
        let photo = try await render(file.bytes)
        #expect(photo.detail == (isRefused ? HEIFFixture.contradiction : nil), "\(photo.verdict)")
    }

    /// A frame of AV1 may have a size of its own, up to what the bits of the sequence's size say.
    @Test(
        arguments: [
            (8, 256, nil, false), (16, 256, nil, false), (16, 256, 256, false), (8, 250, 256, true),
            (8, 256, 250, true), (16, 256, 2_000, true),
        ] as [(Int, Int, Int?, Bool)])
    func aTilesFrameHasTheSizeThatItSays(bits: Int, side: Int, own: Int?, isRefused: Bool) async throws {
        var file = HEIFFixture.grid(.av1, width: 500, height: 500, side: 256) {
            HEIFFixture.video($0, fieldBits: bits, size: (side, side), own: own.map { ($0, $0) })
        }
        for at in file.indices.dropLast(7) where file[at...].starts(with: HEIFFixture.size(256, 256)) {
            file.replaceSubrange(at..<at + 8, with: HEIFFixture.size(side, side))
        }
        let photo = try await render(file)
        #expect(photo.detail == (isRefused ? HEIFFixture.contradiction : nil), "\(photo.verdict)")
        guard !isRefused else { return }
        let plain = try await render(HEIFFixture.grid(.av1, width: 500, height: 500, side: 256))
        #expect(photo.outputs == plain.outputs && !photo.outputs.isEmpty)
    }

    @Test(arguments: [(16, nil), (8, 200), (16, 200)] as [(Int, Int?)])
    func aPicturesFrameMayHaveASizeOfItsOwn(bits: Int, own: Int?) async throws {
        let side = own ?? 256
        var file = HEIFFixture(.av1, width: side, height: side)
        file.picture = HEIFFixture.video(
            file.picture, fieldBits: bits, size: (256, 256), own: own.map { ($0, $0) })
        let photo = try await render(file.bytes)
        #expect(photo.rejection == nil, "\(photo.verdict)")
        let plain = try await render(HEIFFixture(.av1, width: side, height: side).bytes)
        #expect(photo.outputs == plain.outputs)
    }

    /// Of several layers, decoders show one or another.
    @Test func aTileHasNoLayers() async throws {
        func layer(_ number: Int, _ data: [UInt8], own: Int?) -> [UInt8] {
            HEIFFixture.video(
                data, fieldBits: 8, size: (256, 256), own: own.map { ($0, $0) }, layers: 2, layer: number)
        }
        let low = layer(0, HEIFFixture(.av1, width: 128, height: 128).picture, own: 128)
        func layers(_ data: [UInt8]) -> [UInt8] {
            let top = layer(1, data, own: nil)
            // Both are of one moment and one sequence.
            return low + top.dropFirst(4 + Int(top[3]))
        }
        let tiled = HEIFFixture.grid(.av1, width: 500, height: 500, side: 256, recode: layers)
        #expect(try await render(tiled).rejection == .unsupportedFormat)
        let plain = HEIFFixture(.av1, width: 256, height: 256)
        var layered = plain
        layered.picture = layers(plain.picture)
        let photo = try await render(layered.bytes)
        let expected = try await render(plain.bytes)
        #expect(photo.outputs == expected.outputs && !photo.outputs.isEmpty)
        // The decoder has both.
        var limits = RenderLimits.patient
        for (room, isRefused) in [(256 * 256 * 6, false), (256 * 256 * 6 - 1, true)] {
            limits.decodingBytes = 256 * 256 * 10 + 256 * 256 + room
            let pool = RendererPool(executable: rendererPath!, size: 1, limits: limits)
            let verdict = try await render(layered.bytes, pool: pool)
            #expect(verdict.rejection == (isRefused ? .tooMuchMemory : nil), "\(verdict.verdict)")
            await pool.shutdown()
        }
    }

    /// dav1d takes a redundant header for one if there is no other before it.
    @Test func aRedundantHeaderIsRead() async throws {
        let file = HEIFFixture.grid(.av1, width: 500, height: 500, side: 256) { data in
            let other = HEIFFixture.video(data, fieldBits: 8, size: (250, 250), own: nil)
            let sequence = other.prefix(4 + Int(other[3]))
            let header = other[sequence.endIndex...].dropFirst().drop { $0 > 127 }.dropFirst().prefix(40)
            return sequence + [7 << 3 | 2, 40] + header + data.dropFirst(2)
        }
        #expect(try await render(file).rejection == .unsupportedFormat)
    }

    /// The decoder copies from the alpha of a tile what the tile has.
    @Test(arguments: HEIFFixture.Codec.allCases, [64, 128]) func alphaHasTheSizeThatItSays(
        codec: HEIFFixture.Codec, side: Int
    ) async throws {
        var file = HEIFFixture(codec, width: 96, height: 96)
        file.addAlpha()
        #expect(try await render(file.bytes).rejection == nil)
        file.alpha = HEIFFixture(codec, width: side, height: side).picture
        // What codes its size beside its data says the other one.
        if codec == .hevc { file.properties[4] = HEIFFixture(codec, width: side, height: side).properties[0] }
        #expect(try await render(file.bytes).detail == HEIFFixture.contradiction)
    }

    /// What is coded and not shown takes room as well.
    @Test(arguments: [
        (96, 96, false), (144, 96, false), (160, 96, true), (96, 160, true), (16_384, 16_384, true),
    ])
    func littleOfAPartIsCutOff(width: Int, height: Int, isRefused: Bool) async throws {
        let size = (width: 96, height: 96)
        var file = HEIFFixture(.hevc, width: 96, height: 96)
        file.addAlpha()
        let plain = file.bytes
        file.properties[4] = HEIFFixture.configuration(
            file.properties[4], HEIFFixture.Sequence(coded: (width, height), shown: size))
        let photo = try await render(file.bytes)
        #expect(photo.detail == (isRefused ? HEIFFixture.contradiction : nil), "\(photo.verdict)")
        if (width, height) == size { try await expect(file.bytes, isShownAs: plain) }
    }

    @Test(arguments: HEIFFixture.Codec.allCases) func allTilesOfAGridCountForItsLimits(
        codec: HEIFFixture.Codec
    ) async throws {
        let file = HEIFFixture.grid(codec, width: 64, height: 520)
        var limits = RenderLimits.patient
        for (pixels, isRefused) in [(512 * 1024, false), (512 * 1024 - 1, true)] {
            limits.pixels = pixels
            let pool = RendererPool(executable: rendererPath!, size: 1, limits: limits)
            let photo = try await render(file, pool: pool)
            #expect(photo.rejection == (isRefused ? .tooManyPixels : nil), "\(photo.verdict)")
            await pool.shutdown()
        }
    }

    /// A decoder decodes all pictures of an item, to show one.
    @Test(arguments: HEIFFixture.Codec.allCases, [0, 1, 2, 4])
    func anItemHasOnePicture(codec: HEIFFixture.Codec, pictures: Int) async throws {
        let isSound = pictures == 1
        var file = HEIFFixture(codec, width: 96, height: 96)
        file.addAlpha()
        let (picture, alpha) = (file.picture, file.alpha)
        file.picture = Array([[UInt8]](repeating: picture, count: pictures).joined())
        let photo = try await render(file.bytes)
        #expect(photo.detail == (isSound ? nil : HEIFFixture.contradiction), "\(photo.verdict)")
        guard pictures > 0 else { return }
        file.picture = picture
        file.alpha = Array([[UInt8]](repeating: alpha, count: pictures).joined())
        let other = try await render(file.bytes)
        #expect(other.detail == (isSound ? nil : HEIFFixture.contradiction), "\(other.verdict)")
    }

    @Test func otherLayersOfHEVCAreLeftOut() async throws {
        let plain = HEIFFixture(.hevc)
        var file = plain
        // Behind four bytes of length: the first layer becomes the second one.
        var layer = file.picture
        layer[5] |= 8
        file.picture += layer
        try await expect(file.bytes, isShownAs: plain.bytes)
    }

    /// The decoder makes room for what the configuration says.
    @Test(arguments: [(16, 1), (16, 3), (17, 2)] as [(Int, UInt8)]) func aConfigurationSaysHowAPictureIsCoded(
        place: Int, bits: UInt8
    ) async throws {
        var file = HEIFFixture(.hevc)
        file.properties[0][8 + place] ^= bits
        #expect(try await render(file.bytes).detail == HEIFFixture.contradiction)
    }

    /// The decoder does not draw colours that are pictures of their own, nor values of several depths. Grey has no other depth.
    @Test(
        arguments: [
            (1, nil, 8, 8, false), (1, nil, 8, 10, true), (1, nil, 10, 8, true), (0, nil, 8, 10, false),
            (0, nil, 8, 8, false), (3, false, 8, 8, false), (3, true, 8, 8, true),
        ] as [(Int, Bool?, Int, Int, Bool)])
    func coloursAreCodedAlike(
        chroma: Int, areSeparate: Bool?, brightness: Int, colours: Int, isRefused: Bool
    ) async throws {
        var file = HEIFFixture(.hevc, width: 64, height: 64)
        var sequence = HEIFFixture.Sequence(coded: (64, 64), shown: (64, 64))
        sequence.chroma = chroma
        sequence.hasSeparateColours = areSeparate
        sequence.depths = (brightness, colours)
        file.properties[0] = HEIFFixture.configuration(file.properties[0], sequence)
        let photo = try await render(file.bytes)
        #expect((photo.detail == HEIFFixture.contradiction) == isRefused, "\(photo.verdict)")
    }

    /// The estimate of memory has one value a pixel for it, as deep as a colour.
    @Test(
        arguments: [
            (.av1, 8, "subsample-mode=off"), (.av1, 8, "Q=80"), (.hevc, 8, "Q=80"),
            (.hevc, 10, "bitdepth=10"),
        ] as [(HEIFFixture.Codec, Int, String)])
    func anAlphaChannelIsCodedAsItsPicture(codec: HEIFFixture.Codec, bits: Int, options: String) async throws
    {
        let encoded = PhotoFixture.pattern(
            width: 96, height: 96, bits: bits > 8 ? 16 : 8, suffix: codec.rawValue + "[strip,\(options)]")
        let other = HEIFFixture(codec, of: encoded, width: 96, height: 96, bits: bits)
        #expect(try await render(other.bytes).rejection == nil)
        var file = HEIFFixture(codec, width: 96, height: 96)
        file.addAlpha()
        file.alpha = other.picture
        file.properties[4] = other.properties[0]
        let photo = try await render(file.bytes)
        let detail = "An alpha channel is coded otherwise than its picture."
        #expect(photo.detail == (options == "Q=80" ? nil : detail), "\(photo.verdict)")
    }

    /// The decoder has up to four tiles at once beside the whole picture.
    @Test(arguments: HEIFFixture.Codec.allCases) func largeTilesTakeMemory(codec: HEIFFixture.Codec)
        async throws
    {
        let file = HEIFFixture.grid(codec, width: 1_024, height: 1_024)
        var limits = RenderLimits.patient
        let most = 1_024 * 1_024 * 13 / 2 + 1_024 * 256 + 4 * 512 * 512 * 6
        for (bytes, isRefused) in [(most, false), (most - 1, true)] {
            limits.decodingBytes = bytes
            let pool = RendererPool(executable: rendererPath!, size: 1, limits: limits)
            let photo = try await render(file, pool: pool)
            #expect(photo.rejection == (isRefused ? .tooMuchMemory : nil), "\(photo.verdict)")
            await pool.shutdown()
        }
    }

    /// Tiles that share their data are decoded one by one, of which a small file may have thousands.
    @Test(arguments: [(12_000, false), (14_000, true)])
    func sharedDataCostWhatTheyAreDecodedTo(padding: Int, isRefused: Bool) async throws {
        let file = HEIFFixture.grid(.av1, width: 64 * 70, height: 64 * 70, side: 64) { data in
            // A unit of padding, with its length in two bytes.
            let unit = [0x7A, UInt8(padding & 127) | 128, UInt8(padding >> 7)]
            return data + unit + [UInt8](repeating: 0, count: padding)
        }
        let photo = try await render(file)
        #expect(photo.detail == (isRefused ? HEIFFixture.contradiction : nil), "\(photo.verdict)")
    }
}
