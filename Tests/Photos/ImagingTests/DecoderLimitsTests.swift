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
            // Tiles that are too small, of several sizes or of no size, or more than there is room for.
            (Self.size(512, 512), Self.size(256, 512)), (Self.size(512, 512), Self.size(512, 256)),
            ([0, 1, 0, 1] + Self.size(600, 400), [0, 1, 0, 1] + Self.size(500, 400)),
            ([0, 2, 3, 2, 3, 4], [0, 2, 3, 2, 1, 4]), ([0, 2, 3, 2, 3, 4], [0, 2, 3, 2, 2, 4]),
            // Two items of one number.
            (Array("infe".utf8) + [2, 0, 0, 0, 0, 3], Array("infe".utf8) + [2, 0, 0, 0, 0, 2]),
        ] {
            let changed = Self.replacing(old, by: new, in: grid)
            #expect(changed != grid)
            #expect(try await render(changed).detail == Self.contradiction, "\(old) \(new)")
        }
        let coded = tile + Array((codec == .av1 ? "av01" : "hvc1").utf8)
        let ofGrids = Self.replacing(coded, by: tile + Array("grid".utf8), in: grid)
        #expect(try await render(ofGrids).rejection == .unsupportedFormat)
        let twice = Self.replacing([0, 2, 3, 2, 3, 4], by: [0, 2, 3, 2, 3, 3], in: grid)
        #expect(try await render(twice).rejection == nil && twice != grid)
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

    /// A file with a box at the end of one that lies in others.
    private static func inserting(
        _ box: [UInt8], into path: [String], of file: [UInt8], keepsData: Bool = true
    ) throws -> [UInt8] {
        var file = file
        var (from, end) = (0, 0)
        for name in path {
            let at = try #require(
                file.indices.dropFirst(from).first { file[$0...].starts(with: Array(name.utf8)) })
            let length = file[at - 4..<at].reduce(0) { $0 << 8 | Int($1) }
            file.replaceSubrange(at - 4..<at, with: HEIFFixture.big(length + box.count, 4))
            (from, end) = (at + 4, at - 4 + length)
        }
        file.insert(contentsOf: box, at: end)
        guard keepsData else { return file }
        // The data lie behind it.
        let locations = try #require(file.indices.first { file[$0...].starts(with: Array("iloc".utf8)) })
        var at = locations + 12
        for _ in 0..<(Int(file[locations + 10]) << 8 | Int(file[locations + 11])) {
            let offset = file[at + 6..<at + 10].reduce(0) { $0 << 8 | Int($1) }
            file.replaceSubrange(at + 6..<at + 10, with: HEIFFixture.big(offset + box.count, 4))
            at += 14
        }
        return file
    }

    /// The decoder takes the first one, and all properties.
    @Test(arguments: HEIFFixture.Codec.allCases) func whatIsNotReadWholeIsRefused(codec: HEIFFixture.Codec)
        async throws
    {
        let grid = HEIFFixture.grid(codec, width: 600, height: 400)
        let free = HEIFFixture.box("free", [])
        let locations = HEIFFixture.fullBox("iloc", [0x44, 0, 0, 0])
        let harmless = try Self.inserting(free, into: ["meta", "iprp", "ipco"], of: grid)
        #expect(try await render(harmless).rejection == nil)
        for (box, path) in [
            (locations, ["meta"]),
            (Array([[UInt8]](repeating: free, count: 10_001).joined()), ["meta", "iprp", "ipco"]),
            (Array([[UInt8]](repeating: free, count: 10_001).joined()), ["meta"]),
            (Array([[UInt8]](repeating: free, count: 10_001).joined()), ["meta", "iprp"]),
        ] {
            let photo = try await render(try Self.inserting(box, into: path, of: grid))
            #expect(photo.detail == Self.contradiction, "\(path)")
        }
        let cut = Self.replacing(
            Array("iloc".utf8) + [0, 0, 0, 0, 0x44, 0, 0, 3],
            by: Array("iloc".utf8) + [0, 0, 0, 0, 0x44, 0, 0, 9], in: grid)
        #expect(try await render(cut).detail == Self.contradiction)
    }

    /// Parts of an item's data may take no bytes: 100 million of them fit into 10 KB.
    @Test(arguments: [1, 20_000]) func partsOfNoBytesCostNothing(items: Int) async throws {
        var places: [UInt8] = []
        for item in 1...items { places += HEIFFixture.big(item, 2) + [0, 0, 0xFF, 0xFF] }
        let grid = HEIFFixture.grid(.av1, width: 600, height: 400)
        let count = HEIFFixture.big(items, 2)
        let empty = HEIFFixture.fullBox("iloc", [0, 0] + count + places)
        let file = try Self.inserting(
            empty, into: ["meta"], of: Self.replacing(Array("iloc".utf8), by: Array("free".utf8), in: grid),
            keepsData: false)
        #expect(try await render(file).detail == Self.contradiction)
    }

    @Test(arguments: HEIFFixture.Codec.allCases) func whatIsNotDrawnMayHaveGaps(codec: HEIFFixture.Codec)
        async throws
    {
        let sound = HEIFFixture.grid(codec, width: 600, height: 400, hasAlpha: true)
        // The alpha channel has the second tile twice, and then one that is no tile.
        let gap = Self.replacing(
            Array("dimg".utf8) + [0, 4, 0, 2, 0, 2, 0, 3], by: Array("dimg".utf8) + [0, 4, 0, 2, 0, 2, 0, 9],
            in: sound)
        #expect(gap != sound)
        #expect(try await render(gap).detail == Self.contradiction)
        for kind in ["urn:com:apple:photo:2020:aux:hdrgainmap\0", "urn:mpeg:hevc:2015:auxid:2\0"] {
            let alpha = Array("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0".utf8)
            let other = Array(kind.utf8) + [UInt8](repeating: 0, count: alpha.count - kind.utf8.count)
            let photo = try await render(Self.replacing(alpha, by: other, in: gap))
            #expect(photo.rejection == nil && photo.report?.width == 600, "\(kind) \(photo.verdict)")
        }
    }

    /// What lies at the ends of tiles that are turned is no part of any.
    @Test(arguments: HEIFFixture.Codec.allCases, [0, 1, 2, 3] as [UInt8])
    func aTurnedTileHasItsSidesExchanged(codec: HEIFFixture.Codec, turns: UInt8) async throws {
        let wide = HEIFFixture.grid(
            codec, width: 500, height: 400, high: 400, turns: turns, tilesTurn: true)
        // Those of the picture itself are done with the whole.
        #expect(try await render(wide).rejection == nil)
        guard turns > 0 else { return }
        // The picture itself is not turned.
        let own = Self.replacing([0, 1, 3, 1, 4, 6], by: [0, 1, 3, 1, 4, 4], in: wide)
        #expect(own != wide)
        #expect(try await render(own).detail == (turns == 2 ? nil : Self.contradiction))
    }

    /// A decoder makes room for what the coded data say, draws larger tiles over each other, and smaller ones with gaps.
    @Test(arguments: HEIFFixture.Codec.allCases, [511, 513, 64, 2_000]) func aTileHasTheSizeThatItSays(
        codec: HEIFFixture.Codec, side: Int
    ) async throws {
        let file = HEIFFixture.grid(codec, width: 512, height: 512)
        var lying = file
        for at in file.indices.dropLast(7) where file[at...].starts(with: Self.size(512, 512)) {
            lying.replaceSubrange(at..<at + 8, with: Self.size(side, side))
        }
        #expect(try await render(file).rejection == nil)
        #expect(try await render(lying).detail == Self.contradiction)
    }

    /// libheif reads the entry of an item in any later version.
    @Test(arguments: HEIFFixture.Codec.allCases, [3, 4, 255] as [UInt8]) func anItemsEntryMayHaveAnyVersion(
        codec: HEIFFixture.Codec, version: UInt8
    ) async throws {
        let file = HEIFFixture.grid(codec, width: 512, height: 512, entry: version)
        #expect(try await render(file).rejection == nil)
        var lying = file
        for at in file.indices.dropLast(7) where file[at...].starts(with: Self.size(512, 512)) {
            lying.replaceSubrange(at..<at + 8, with: Self.size(64, 64))
        }
        #expect(try await render(lying).detail == Self.contradiction)
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
        #expect(photo.detail == (isRefused ? Self.contradiction : nil), "\(photo.verdict)")
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
        for at in file.indices.dropLast(7) where file[at...].starts(with: Self.size(256, 256)) {
            file.replaceSubrange(at..<at + 8, with: Self.size(side, side))
        }
        let photo = try await render(file)
        #expect(photo.detail == (isRefused ? Self.contradiction : nil), "\(photo.verdict)")
        guard !isRefused else { return }
        let plain = try await render(HEIFFixture.grid(.av1, width: 500, height: 500, side: 256))
        #expect(photo.outputs == plain.outputs && !photo.outputs.isEmpty)
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
        #expect(try await render(file.bytes).detail == Self.contradiction)
    }

    /// A decoder decodes all pictures of an item, to show one.
    @Test(arguments: HEIFFixture.Codec.allCases, [(4, false), (5, true), (0, true)])
    func anItemHasFewPictures(codec: HEIFFixture.Codec, pictures: (count: Int, areRefused: Bool)) async throws
    {
        var file = HEIFFixture(codec)
        file.picture = Array([[UInt8]](repeating: file.picture, count: pictures.count).joined())
        let photo = try await render(file.bytes)
        #expect(photo.detail == (pictures.areRefused ? Self.contradiction : nil), "\(photo.verdict)")
    }

    /// Its size is said in three places.
    @Test func aGridHasTheSizeThatItSays() async throws {
        let file = HEIFFixture.grid(.av1, width: 600, height: 400)
        #expect(try await render(file).rejection == nil)
        // The grid's data say it once more, behind the properties.
        let at = try #require(
            file.indices.last { file[$0...].starts(with: [0, 1, 0, 1] + Self.size(600, 400)) })
        let other = Array(file[..<(at + 4)]) + Self.size(600, 399) + file[(at + 12)...]
        #expect(try await render(other).detail == Self.contradiction)
    }

    @Test(arguments: HEIFFixture.Codec.allCases) func onlyThePrimaryHasAlpha(codec: HEIFFixture.Codec)
        async throws
    {
        let grid = HEIFFixture.grid(codec, width: 600, height: 400, hasAlpha: true)
        #expect(try await render(grid).rejection == nil)
        // The alpha channel is that of the first tile.
        let tile = Self.replacing(
            Array("auxl".utf8) + [0, 4, 0, 1, 0, 1], by: Array("auxl".utf8) + [0, 4, 0, 1, 0, 2], in: grid)
        #expect(tile != grid)
        #expect(try await render(tile).rejection == .unsupportedFormat)
    }

    /// The decoder reads on where the numbers end that a reference counts.
    @Test(arguments: 0..<4) func referencesHaveNoRoom(way: Int) async throws {
        let grid = HEIFFixture.grid(.av1, width: 600, height: 400)
        let at = try #require(grid.indices.first { grid[$0...].starts(with: Array("dimg".utf8)) })
        var file = grid
        switch way {
        case 0: file[at + 7] -= 1
        case 1: file.replaceSubrange(at - 4..<at, with: HEIFFixture.big(0x7FFF_FFFF, 4))
        case 2: file.replaceSubrange(at - 4..<at, with: HEIFFixture.big(4, 4))
        default: file.replaceSubrange(at..<at + 4, with: Array("uuid".utf8))
        }
        #expect(try await render(file).detail == Self.contradiction)
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

    /// The decoder takes a count of two thousand million for none.
    @Test(arguments: [0x80, 0x01]) func associationsAreAsManyAsTheySay(high: UInt8) async throws {
        var file = HEIFFixture.grid(.av1, width: 600, height: 400)
        let at = try #require(file.indices.first { file[$0...].starts(with: Array("ipma".utf8)) })
        file[at + 8] = high
        #expect(try await render(file).detail == Self.contradiction)
    }

    /// The decoder gets other references than the file has, and data that lie among them would be other data.
    @Test func noDataLieInTheDescription() async throws {
        let grid = HEIFFixture.grid(.av1, width: 600, height: 400)
        let locations = try #require(grid.indices.first { grid[$0...].starts(with: Array("iloc".utf8)) })
        func number(_ at: Int, _ file: [UInt8]) -> Int { file[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
        // The first entry, of 14 bytes, is that of the grid.
        let (from, length) = (number(locations + 32, grid), number(locations + 36, grid))
        let data = Array(grid[from..<from + length])
        var file = try Self.inserting(HEIFFixture.box("free", data), into: ["meta"], of: grid)
        #expect(try await render(file).rejection == nil)
        let moved = try #require(file.indices.first { file[$0...].starts(with: data) })
        #expect(moved < from)
        for entry in 1...2 {
            let at = locations + 18 + 14 * entry
            file.replaceSubrange(at..<at + 4, with: HEIFFixture.big(moved, 4))
        }
        #expect(try await render(file).detail == Self.contradiction)
    }

    /// libheif reads some lists of locations otherwise than they are written.
    @Test(arguments: 0..<4) func locationsThatTheDecoderReadsOtherwiseAreRefused(way: Int) async throws {
        let exif = HEIFFixture.Metadata("Exif", [0, 0, 0, 0] + PhotoEXIF().block, isInside: true)
        var file = HEIFFixture(.av1)
        file.metadata = [exif]
        let sound = file.bytes
        #expect(try await render(sound).rejection == nil)
        // Version 1: the widths, the count, and entries of 16 bytes.
        let at = try #require(sound.indices.first { sound[$0...].starts(with: Array("iloc".utf8)) })
        #expect(sound[at + 4..<at + 12] == [1, 0, 0, 0, 0x44, 0, 0, 2])
        var bytes = sound
        switch way {
        case 0: bytes[at + 9] = 0x04
        case 1: bytes[at + 8] = 0x24
        case 2: bytes.replaceSubrange(at + 28..<at + 30, with: bytes[at + 12..<at + 14])
        // Its data end one byte behind those of the meta box.
        default: bytes[at + 43] += 1
        }
        #expect(try await render(bytes).detail == Self.contradiction)
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

    /// The decoder joins the parts of an item's data before it reads them.
    @Test(arguments: HEIFFixture.Codec.allCases) func itsDataMayBeInParts(codec: HEIFFixture.Codec)
        async throws
    {
        for (side, isRefused) in [(512, false), (64, true)] {
            var file = HEIFFixture.grid(codec, width: 512, height: 512, parts: 2)
            for at in file.indices.dropLast(7) where file[at...].starts(with: Self.size(512, 512)) {
                file.replaceSubrange(at..<at + 8, with: Self.size(side, side))
            }
            #expect((try await render(file).rejection == .corrupt) == isRefused)
        }
    }

    @Test(arguments: HEIFFixture.Codec.allCases) func aPicturesCodedSizeCountsForItsLimits(
        codec: HEIFFixture.Codec
    ) async throws {
        var file = HEIFFixture(codec, width: 640, height: 480)
        var limits = RenderLimits.patient
        limits.pixels = 640 * 479
        let pool = RendererPool(executable: rendererPath!, size: 1, limits: limits)
        #expect(try await render(file.bytes, pool: pool).rejection == .tooManyPixels)
        file.properties[1] = HEIFFixture.fullBox("ispe", Self.size(64, 64))
        #expect(try await render(file.bytes, pool: pool).rejection == .tooManyPixels)
        await pool.shutdown()
    }

    /// What is missing in coded data is drawn with memory that was used before, and no error is told.
    @Test func noMemoryIsShown() async throws {
        let whole = HEIFFixture(.hevc, width: 64, height: 64)
        let length = try #require(whole.bytes.count > 400 ? whole.bytes.count : nil)
        var compared = 0
        for place in stride(from: length / 2, to: length - 8, by: max(1, length / 40)) {
            var damaged = whole.bytes
            for at in place..<length { damaged[at] = 0x55 }
            let expected = try await render(damaged)
            guard expected.rejection == nil else { continue }
            compared += 1
            for seed in 0..<3 {
                _ = try await render(PhotoFixture.jpeg(width: 200 + 10 * seed, height: 180))
                #expect(try await render(damaged).outputs == expected.outputs, "\(place)")
            }
        }
        #expect(compared > 5)
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
