import Imaging
import TestKit
import Testing

/// What the decoders draw wrongly, or at any cost, if they are let.
@Suite(.computing, .timeLimit(.minutes(15))) struct DecoderLimitsTests {
    private static func replacing(_ old: [UInt8], by new: [UInt8], in bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for at in bytes.indices.dropLast(old.count) where bytes[at...].starts(with: old) {
            bytes.replaceSubrange(at..<at + old.count, with: new)
            break
        }
        return bytes
    }

    @Test(arguments: HEIFFixture.Codec.allCases) func overlaysAreRefused(codec: HEIFFixture.Codec)
        async throws
    {
        let grid = HEIFFixture.grid(codec, width: 600, height: 400)
        #expect(try await render(grid).rejection == nil)
        let overlay = Self.replacing(Array("grid".utf8), by: Array("iovl".utf8), in: grid)
        #expect(try await render(overlay).rejection == .unsupportedFormat)
    }

    /// The grid is its own first tile.
    @Test func aCircleOfPartsIsRefused() async throws {
        let grid = HEIFFixture.grid(.hevc, width: 600, height: 400)
        let circle = Self.replacing(
            Array("dimg".utf8) + [0, 1, 0, 2, 0, 2], by: Array("dimg".utf8) + [0, 1, 0, 2, 0, 1], in: grid)
        #expect(circle != grid)
        #expect(try await render(circle).rejection == .metadataTooLarge)
    }

    @Test(arguments: [(0, 0x00, false), (0, 0x80, true), (6, 0x00, true), (8, 0x80, true)])
    func coloursThatTheDecoderMistakesAreRefused(matrix: UInt8, range: UInt8, isRead: Bool) async throws {
        var photo = HEIFFixture(.av1)
        photo.add(HEIFFixture.box("colr", Array("nclx".utf8) + [0, 1, 0, 13, 0, matrix, range]))
        #expect(try await render(photo.bytes).rejection == (isRead ? nil : .unsupportedFormat))
    }

    @Test(arguments: [0, 1]) func whatNoFrameOfAGIFCoversIsWhite(frameCount: Int) async throws {
        var gif = PhotoFixture.flatGIF(width: 32, height: 32, frames: 1 + frameCount)
        gif.replaceSubrange(6..<10, with: [96, 0, 64, 0])
        let photo = try await render(gif)
        #expect(photo.report?.frames == 1 + frameCount)
        let pixels = try #require(PhotoPixels(jpeg: photo.outputs[0]))
        for value in pixels.colour(0.8, 0.8) { #expect(value > 250) }
        for value in pixels.colour(0.1, 0.1) { #expect(abs(value - 120) < 4) }
    }

    @Test(arguments: [[0], [0, 0, 0x3B], Array("text".utf8)] as [[UInt8]])
    func whatIsNoBlockBehindAFrameEndsAGIF(rest: [UInt8]) async throws {
        let gif = PhotoFixture.flatGIF(width: 32, height: 32).dropLast() + rest
        #expect(try await render(Array(gif)).rejection == nil)
    }

    /// What the decoder reads as the kind of an item need not be what this program reads.
    @Test(arguments: HEIFFixture.Codec.allCases) func overlaysAreRefusedWhereverTheyStand(
        codec: HEIFFixture.Codec
    ) async throws {
        var file = HEIFFixture(codec)
        file.metadata = [.init("iovl", [0, 0])]
        #expect(try await render(file.bytes).rejection == .unsupportedFormat)
    }

    @Test(arguments: HEIFFixture.Codec.allCases) func aSecondMetaBoxIsRefused(codec: HEIFFixture.Codec)
        async throws
    {
        var file = HEIFFixture(codec)
        file.tail = HEIFFixture.box("free", [0, 0, 0, 0])
        #expect(try await render(file.bytes).rejection == nil)
        file.tail = HEIFFixture.fullBox(
            "meta", HEIFFixture.fullBox("hdlr", HEIFFixture.big(0, 4) + Array("pict".utf8)))
        #expect(try await render(file.bytes).rejection == .corrupt)
    }

    @Test(arguments: HEIFFixture.Codec.allCases, [1, 2, 3] as [UInt8])
    func tilesMayRepeatTheTurnOfTheirGrid(codec: HEIFFixture.Codec, turns: UInt8) async throws {
        let expected = try await render(HEIFFixture.grid(codec, width: 600, height: 400, turns: turns))
        let photo = try await render(
            HEIFFixture.grid(codec, width: 600, height: 400, turns: turns, tilesTurn: true))
        #expect(expected.rejection == nil && photo.outputs == expected.outputs)
        #expect(photo.report?.width == (turns == 2 ? 600 : 400))
    }

    private static func size(_ width: Int, _ height: Int) -> [UInt8] {
        HEIFFixture.big(width, 4) + HEIFFixture.big(height, 4)
    }

    private static let contradiction = "Its items contradict each other."

    /// The decoder shows what lies in memory where no tile is.
    @Test(arguments: HEIFFixture.Codec.allCases) func aGridWithGapsIsRefused(codec: HEIFFixture.Codec)
        async throws
    {
        let grid = HEIFFixture.grid(codec, width: 600, height: 400)
        let tile = Array("infe".utf8) + [2, 0, 0, 0, 0, 2, 0, 0]
        for (old, new) in [
            // Tiles that are too small, of several sizes, of no size, or grids themselves.
            (Self.size(512, 512), Self.size(256, 512)), (Self.size(512, 512), Self.size(512, 256)),
            ([0, 2, 3, 2, 3, 4], [0, 2, 3, 2, 1, 4]), ([0, 2, 3, 2, 3, 4], [0, 2, 3, 2, 2, 4]),
            ([0, 2, 3, 2, 3, 4], [0, 2, 3, 2, 3, 3]),
            (tile + Array((codec == .av1 ? "av01" : "hvc1").utf8), tile + Array("grid".utf8)),
            // Two items of one number.
            (Array("infe".utf8) + [2, 0, 0, 0, 0, 3], Array("infe".utf8) + [2, 0, 0, 0, 0, 2]),
        ] {
            let changed = Self.replacing(old, by: new, in: grid)
            #expect(changed != grid)
            #expect(try await render(changed).detail == Self.contradiction, "\(old) \(new)")
        }
        // The alpha channel consists of the picture's grid.
        let withAlpha = HEIFFixture.grid(codec, width: 600, height: 400, hasAlpha: true)
        #expect(try await render(withAlpha).rejection == nil)
        let part = Array("dimg".utf8) + [0, 4, 0, 2, 0]
        let nested = Self.replacing(part + [2], by: part + [1], in: withAlpha)
        #expect(try await render(nested).rejection != nil && nested != withAlpha)
    }

    /// Thousands of grids, and millions of associations before that of their tile. A renderer that looks through all of them for
    /// each grid takes more time than a photo has.
    @Test func manyGridsCostNoMoreThanOne() async throws {
        let grids = 2_400
        let layout = [0, 1, 0, 0] + Self.size(64, 64)
        // The first item is the photo, the second one the tile of all, and the others are auxiliary images of the photo.
        let items = Array(1...grids + 1)
        var associations = HEIFFixture.big(2_000_001, 4)
        for _ in 0..<2_000_000 { associations += [0xFF, 0xF0, 0] }
        associations += [0, 2, 1, 1]
        func meta(dataAt: Int) -> [UInt8] {
            var (infos, places, references): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
            for item in items {
                let number = HEIFFixture.big(item, 2)
                let kind = Array((item == 2 ? "hvc1" : "grid").utf8)
                infos += HEIFFixture.box("infe", [2, 0, 0, 0] + number + [0, 0] + kind + [0])
                places +=
                    number + [0, 0, 0, 1] + HEIFFixture.big(dataAt, 4) + HEIFFixture.big(layout.count, 4)
                if item != 2 { references += HEIFFixture.box("dimg", number + [0, 1, 0, 2]) }
                if item > 2 { references += HEIFFixture.box("auxl", number + [0, 1, 0, 1]) }
            }
            let count = HEIFFixture.big(items.count, 2)
            let properties = HEIFFixture.box("ipco", HEIFFixture.fullBox("ispe", Self.size(64, 64)))
            return HEIFFixture.fullBox(
                "meta",
                HEIFFixture.fullBox("pitm", [0, 1]) + HEIFFixture.fullBox("iinf", count + infos)
                    + HEIFFixture.fullBox("iref", references)
                    + HEIFFixture.fullBox("iloc", [0x44, 0] + count + places)
                    + HEIFFixture.box("iprp", properties + HEIFFixture.fullBox("ipma", associations)))
        }
        let head = HEIFFixture.box("ftyp", Array("heic".utf8) + [0, 0, 0, 0] + Array("mif1".utf8))
        let file =
            head + meta(dataAt: head.count + meta(dataAt: 0).count + 8) + HEIFFixture.box("mdat", layout)
        #expect(try await render(file).rejection == .corrupt)
    }

    /// The decoder reads lengths of 64 bits, this program does not.
    @Test(arguments: ["meta", "pitm", "iinf", "iref", "iloc", "iprp", "ipco"], [0, 1])
    func boxesOfOtherLengthsAreRefused(name: String, length: UInt8) async throws {
        var file = HEIFFixture.grid(.av1, width: 600, height: 400)
        let at = try #require(file.indices.first { file[$0...].starts(with: Array(name.utf8)) })
        file.replaceSubrange(at - 4..<at, with: [0, 0, 0, length])
        let photo = try await render(file)
        #expect(photo.rejection != nil)
        if name != "meta" { #expect(photo.detail == Self.contradiction) }
    }

    /// A tile says that it is larger than it is. What the decoder needs for small pictures is memory that was used before.
    @Test(arguments: HEIFFixture.Codec.allCases) func noMemoryIsShown(codec: HEIFFixture.Codec) async throws {
        var lying = HEIFFixture.grid(codec, width: 64, height: 64, side: 64)
        for at in lying.indices.dropLast(7) where lying[at...].starts(with: Self.size(64, 64)) {
            lying.replaceSubrange(at..<at + 8, with: Self.size(180, 180))
        }
        let expected = try await render(lying)
        try #require(expected.rejection == nil, "\(expected.verdict)")
        for seed in 0..<8 {
            _ = try await render(PhotoFixture.jpeg(width: 200 + 10 * seed, height: 180))
            #expect(try await render(lying).outputs == expected.outputs)
        }
    }

    /// Metadata may have any text.
    @Test(arguments: HEIFFixture.Codec.allCases) func aTextIsNoOverlay(codec: HEIFFixture.Codec) async throws
    {
        var exif = PhotoEXIF()
        exif.set(.main, 0x010F, .ascii("iovl camera"))
        var file = HEIFFixture(codec)
        file.metadata = [.init("Exif", [0, 0, 0, 0] + exif.block, isInside: true)]
        #expect(try await inspect(file.bytes).cameraMake == "iovl camera")
    }

    /// What says something of the colours stands before them, and once: libpng ignores the rest.
    @Test(arguments: [true, false]) func aPNGsColoursAreSaidOnceAndEarly(hasPalette: Bool) async throws {
        let plain = PhotoFixture.png(of: [120, 90, 60], hasPalette: hasPalette, before: [])
        func gamma(_ value: Int) -> [UInt8] {
            Array(PhotoFixture.png(chunk: "gAMA", HEIFFixture.big(value, 4), in: plain)[33..<49])
        }
        func with(_ chunks: [UInt8], at place: Int) -> [UInt8] {
            Array(plain[..<place]) + chunks + plain[place...]
        }
        let (linear, ordinary) = (gamma(100_000), gamma(45_455))
        let early = try await render(with(linear, at: 33)).outputs
        let expected = try await render(plain).outputs
        #expect(early != expected && !early.isEmpty)
        let data = try #require(plain.indices.first { plain[$0...].starts(with: Array("IDAT".utf8)) }) - 4
        let late = try await render(with(linear, at: plain.count - 12)).outputs
        #expect(late == expected)
        let behindPalette = try await render(with(linear, at: data)).outputs
        #expect(behindPalette == (hasPalette ? expected : early))
        let twice = try await render(with(linear + ordinary, at: 33)).outputs
        #expect(twice == early)
    }
}
