import Imaging
import TestKit
import Testing

/// Which items of a HEIF file are shown, and which files have none that can be.
@Suite(.computing, .timeLimit(.minutes(15))) struct HEIFStructureTests {
    @Test(arguments: HEIFFixture.Codec.allCases) func overlaysAreRefused(codec: HEIFFixture.Codec)
        async throws
    {
        let grid = HEIFFixture.grid(codec, width: 600, height: 400)
        #expect(try await render(grid).rejection == nil)
        let overlay = HEIFFixture.replacing(Array("grid".utf8), by: Array("iovl".utf8), in: grid)
        #expect(try await render(overlay).rejection == .unsupportedFormat)
    }

    /// The grid is its own first tile.
    @Test func aCircleOfPartsIsRefused() async throws {
        let grid = HEIFFixture.grid(.hevc, width: 600, height: 400)
        let circle = HEIFFixture.replacing(
            Array("dimg".utf8) + [0, 1, 0, 2, 0, 2], by: Array("dimg".utf8) + [0, 1, 0, 2, 0, 1], in: grid)
        #expect(circle != grid)
        #expect(try await render(circle).rejection == .unsupportedFormat)
    }

    /// Items that the primary one does not consist of, whatever they are.
    @Test(arguments: HEIFFixture.Codec.allCases) func whatIsNotShownIsNotRead(codec: HEIFFixture.Codec)
        async throws
    {
        let plain = HEIFFixture(codec)
        var beside: [HEIFFixture] = [plain, plain, plain]
        beside[0].metadata = [.init("iovl", [0, 0])]
        beside[1].hasSecondPicture = true
        beside[2].tail = HEIFFixture.fullBox(
            "meta", HEIFFixture.fullBox("hdlr", HEIFFixture.big(0, 4) + Array("pict".utf8)))
        for file in beside { try await expect(file.bytes, isShownAs: plain.bytes) }
        // The picture says to be the other one's thumbnail.
        let second = beside[1].bytes
        let reference = HEIFFixture.fullBox("iref", HEIFFixture.box("thmb", [0, 1, 0, 1, 0, 2]))
        try await expect(HEIFFixture.inserting(reference, into: ["meta"], of: second), isShownAs: plain.bytes)
    }

    @Test(arguments: HEIFFixture.Codec.allCases, [1, 2, 3] as [UInt8])
    func tilesMayRepeatTheTurnOfTheirGrid(codec: HEIFFixture.Codec, turns: UInt8) async throws {
        let expected = try await render(HEIFFixture.grid(codec, width: 600, height: 400, turns: turns))
        let photo = try await render(
            HEIFFixture.grid(codec, width: 600, height: 400, turns: turns, tilesTurn: true))
        #expect(expected.rejection == nil && photo.outputs == expected.outputs)
        #expect(photo.report?.width == (turns == 2 ? 600 : 400))
    }

    /// The decoder shows what lies in memory where no tile is.
    @Test(arguments: HEIFFixture.Codec.allCases) func aGridWithGapsIsRefused(codec: HEIFFixture.Codec)
        async throws
    {
        let grid = HEIFFixture.grid(codec, width: 600, height: 400)
        let tile = Array("infe".utf8) + [2, 0, 0, 0, 0, 2, 0, 0]
        for (old, new) in [
            // Tiles that are too small, of several sizes or of no size, or more than there is room for.
            (HEIFFixture.size(512, 512), HEIFFixture.size(256, 512)),
            (HEIFFixture.size(512, 512), HEIFFixture.size(512, 256)),
            ([0, 1, 0, 1] + HEIFFixture.size(600, 400), [0, 1, 0, 1] + HEIFFixture.size(500, 400)),
            ([0, 2, 3, 2, 3, 4], [0, 2, 3, 2, 1, 4]), ([0, 2, 3, 2, 3, 4], [0, 2, 3, 2, 2, 4]),
            // Two items of one number.
            (Array("infe".utf8) + [2, 0, 0, 0, 0, 3], Array("infe".utf8) + [2, 0, 0, 0, 0, 2]),
        ] {
            let changed = HEIFFixture.replacing(old, by: new, in: grid)
            #expect(changed != grid)
            #expect(try await render(changed).detail == HEIFFixture.contradiction, "\(old) \(new)")
        }
        let coded = tile + Array((codec == .av1 ? "av01" : "hvc1").utf8)
        let ofGrids = HEIFFixture.replacing(coded, by: tile + Array("grid".utf8), in: grid)
        #expect(try await render(ofGrids).rejection == .unsupportedFormat)
        let twice = HEIFFixture.replacing([0, 2, 3, 2, 3, 4], by: [0, 2, 3, 2, 3, 3], in: grid)
        #expect(try await render(twice).rejection == nil && twice != grid)
        // The alpha channel consists of the picture's grid.
        let withAlpha = HEIFFixture.grid(codec, width: 600, height: 400, hasAlpha: true)
        #expect(try await render(withAlpha).rejection == nil)
        let part = Array("dimg".utf8) + [0, 4, 0, 2, 0]
        let nested = HEIFFixture.replacing(part + [2], by: part + [1], in: withAlpha)
        #expect(try await render(nested).rejection != nil && nested != withAlpha)
    }

    /// Thousands of grids, and millions of associations before that of their tile. A renderer that looks through all of them for
    /// each grid takes more time than a photo has.
    @Test func manyGridsCostNoMoreThanOne() async throws {
        let grids = 2_400
        let layout = [0, 1, 0, 0] + HEIFFixture.size(64, 64)
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
            let properties = HEIFFixture.box("ipco", HEIFFixture.fullBox("ispe", HEIFFixture.size(64, 64)))
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

    @Test func anAlphaChannelIsMadeAsItsPicture() async throws {
        let grid = HEIFFixture.grid(.av1, width: 600, height: 400, hasAlpha: true)
        let alpha = Array("infe".utf8) + [2, 0, 0, 0, 0, 4, 0, 0]
        let copy = HEIFFixture.replacing(
            alpha + Array("grid".utf8), by: alpha + Array("iden".utf8), in: grid)
        #expect(copy != grid)
        #expect(try await render(copy).rejection == .unsupportedFormat)
    }

    /// libheif joins all references of an item.
    @Test(arguments: HEIFFixture.Codec.allCases) func aGridHasAsManyTilesAsItSays(codec: HEIFFixture.Codec)
        async throws
    {
        let grid = HEIFFixture.grid(codec, width: 600, height: 400)
        let more = try HEIFFixture.inserting(
            HEIFFixture.box("dimg", [0, 1, 0, 1, 0, 3]), into: ["meta", "iref"], of: grid)
        #expect(try await render(more).detail == HEIFFixture.contradiction)
    }

    @Test(arguments: HEIFFixture.Codec.allCases) func dataBehindTheEndAreMissing(codec: HEIFFixture.Codec)
        async throws
    {
        var file = HEIFFixture.grid(codec, width: 600, height: 400)
        let locations = try #require(file.indices.first { file[$0...].starts(with: Array("iloc".utf8)) })
        // Entries have 14 bytes, and a tile's length ends the second one.
        file[locations + 12 + 2 * 14 - 1] &+= 1
        file[locations + 12 + 2 * 14 - 3] &+= 1
        #expect(try await render(file).rejection == .truncated)
    }

    /// The decoder draws the alpha channel for the picture, and the picture for the alpha channel.
    @Test(arguments: HEIFFixture.Codec.allCases) func noAlphaChannelIsMadeOfThePicture(
        codec: HEIFFixture.Codec
    ) async throws {
        var file = HEIFFixture(codec)
        file.addAlpha()
        let alpha = Array("infe".utf8) + [2, 0, 0, 0, 0, 2, 0, 0]
        let kind = Array((codec == .av1 ? "av01" : "hvc1").utf8)
        let copy = HEIFFixture.replacing(alpha + kind, by: alpha + Array("iden".utf8), in: file.bytes)
        let circle = try HEIFFixture.inserting(
            HEIFFixture.box("dimg", [0, 2, 0, 1, 0, 1]), into: ["meta", "iref"], of: copy)
        #expect(try await render(circle).detail == HEIFFixture.contradiction)
    }

    /// What lies behind such a box is not read, and the decoder does not get it.
    @Test(arguments: ["pitm", "iinf", "iref", "iloc", "iprp", "ipco"], [0, 1])
    func boxesOfOtherLengthsAreRefused(name: String, length: UInt8) async throws {
        var file = HEIFFixture.grid(.av1, width: 600, height: 400)
        let at = try #require(file.indices.first { file[$0...].starts(with: Array(name.utf8)) })
        file.replaceSubrange(at - 4..<at, with: [0, 0, 0, length])
        #expect(try await render(file).rejection == .corrupt)
    }

    @Test func theMetaBoxMayHaveALengthOf64Bits() async throws {
        let grid = HEIFFixture.grid(.av1, width: 600, height: 400)
        let at = try #require(grid.indices.first { grid[$0...].starts(with: Array("meta".utf8)) })
        var file = try HEIFFixture.inserting([UInt8](repeating: 0, count: 8), into: ["meta"], of: grid)
        let length = file[at - 4..<at].reduce(0) { $0 << 8 | Int($1) }
        file.removeSubrange(at - 4 + length - 8..<at - 4 + length)
        file.insert(contentsOf: HEIFFixture.big(length, 8), at: at + 4)
        file.replaceSubrange(at - 4..<at, with: [0, 0, 0, 1])
        try await expect(file, isShownAs: grid)
    }

    /// The first box of a kind counts, and the first ten thousand in a box.
    @Test(arguments: HEIFFixture.Codec.allCases) func whatStandsBehindIsNotRead(codec: HEIFFixture.Codec)
        async throws
    {
        let grid = HEIFFixture.grid(codec, width: 600, height: 400)
        let free = HEIFFixture.box("free", [])
        let many = Array([[UInt8]](repeating: free, count: 10_001).joined())
        for (box, path) in [
            (HEIFFixture.fullBox("iloc", [0x44, 0, 0, 0]), ["meta"]), (many, ["meta", "iprp", "ipco"]),
            (many, ["meta"]), (many, ["meta", "iprp"]),
            (HEIFFixture.fullBox("ipma", HEIFFixture.big(1, 4) + [0, 2, 1, 1]), ["meta", "iprp"]),
            (
                HEIFFixture.box("infe", [2, 0, 0, 0, 0, 2, 0, 0] + Array("grid".utf8) + [0]),
                ["meta", "iinf"]
            ),
        ] {
            try await expect(HEIFFixture.inserting(box, into: path, of: grid), isShownAs: grid)
        }
        let cut = HEIFFixture.replacing(
            Array("iloc".utf8) + [0, 0, 0, 0, 0x44, 0, 0, 3],
            by: Array("iloc".utf8) + [0, 0, 0, 0, 0x44, 0, 0, 9], in: grid)
        #expect(cut != grid)
        try await expect(cut, isShownAs: grid)
    }

    /// The decoder's file has the data of each item, however many bytes they share.
    @Test(arguments: HEIFFixture.Codec.allCases) func itemsShareAllOfTheirDataOrNone(codec: HEIFFixture.Codec)
        async throws
    {
        let grid = HEIFFixture.grid(codec, width: 600, height: 400)
        let locations = try #require(grid.indices.first { grid[$0...].starts(with: Array("iloc".utf8)) })
        // Those of the second tile begin one byte later.
        var file = grid
        let at = locations + 12 + 2 * 14 + 9
        file[at] &+= 1
        file[at + 4] &-= 1
        #expect(try await render(file).detail == HEIFFixture.contradiction)
    }

    /// Parts of an item's data may take no bytes: 100 million of them fit into 10 KB.
    @Test(arguments: [1, 20_000]) func partsOfNoBytesCostNothing(items: Int) async throws {
        var places: [UInt8] = []
        for item in 1...items { places += HEIFFixture.big(item, 2) + [0, 0, 0xFF, 0xFF] }
        let grid = HEIFFixture.grid(.av1, width: 600, height: 400)
        let count = HEIFFixture.big(items, 2)
        let empty = HEIFFixture.fullBox("iloc", [0, 0] + count + places)
        let file = try HEIFFixture.inserting(
            empty, into: ["meta"],
            of: HEIFFixture.replacing(Array("iloc".utf8), by: Array("free".utf8), in: grid),
            keepsData: false)
        #expect(try await render(file).detail == HEIFFixture.contradiction)
    }

    @Test(arguments: HEIFFixture.Codec.allCases) func whatIsNotDrawnMayHaveGaps(codec: HEIFFixture.Codec)
        async throws
    {
        let sound = HEIFFixture.grid(codec, width: 600, height: 400, hasAlpha: true)
        // The alpha channel has the second tile twice, and then one that is no tile.
        let gap = HEIFFixture.replacing(
            Array("dimg".utf8) + [0, 4, 0, 2, 0, 2, 0, 3], by: Array("dimg".utf8) + [0, 4, 0, 2, 0, 2, 0, 9],
            in: sound)
        #expect(gap != sound)
        #expect(try await render(gap).detail == HEIFFixture.contradiction)
        for kind in ["urn:com:apple:photo:2020:aux:hdrgainmap\0", "urn:mpeg:hevc:2015:auxid:2\0"] {
            let alpha = Array("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0".utf8)
            let other = Array(kind.utf8) + [UInt8](repeating: 0, count: alpha.count - kind.utf8.count)
            let photo = try await render(HEIFFixture.replacing(alpha, by: other, in: gap))
            #expect(photo.rejection == nil && photo.report?.width == 600, "\(kind) \(photo.verdict)")
        }
    }

    @Test(arguments: HEIFFixture.Codec.allCases, [0, 1, 2, 3] as [UInt8])
    func aTileIsNotTurnedByItself(codec: HEIFFixture.Codec, turns: UInt8) async throws {
        let wide = HEIFFixture.grid(
            codec, width: 500, height: 400, high: 400, turns: turns, tilesTurn: true)
        // Those of the picture itself are done with the whole.
        #expect(try await render(wide).rejection == nil)
        guard turns > 0 else { return }
        // The picture itself is not turned.
        let own = HEIFFixture.replacing([0, 1, 3, 1, 4, 6], by: [0, 1, 3, 1, 4, 4], in: wide)
        #expect(own != wide)
        #expect(try await render(own).rejection == .unsupportedFormat)
    }

    /// libheif reads the entry of an item in any later version.
    @Test(arguments: HEIFFixture.Codec.allCases, [3, 4, 255] as [UInt8]) func anItemsEntryMayHaveAnyVersion(
        codec: HEIFFixture.Codec, version: UInt8
    ) async throws {
        let file = HEIFFixture.grid(codec, width: 512, height: 512, entry: version)
        #expect(try await render(file).rejection == nil)
        var lying = file
        for at in file.indices.dropLast(7) where file[at...].starts(with: HEIFFixture.size(512, 512)) {
            lying.replaceSubrange(at..<at + 8, with: HEIFFixture.size(64, 64))
        }
        #expect(try await render(lying).detail == HEIFFixture.contradiction)
    }

    /// Its size is said in three places.
    @Test func aGridHasTheSizeThatItSays() async throws {
        let file = HEIFFixture.grid(.av1, width: 600, height: 400)
        #expect(try await render(file).rejection == nil)
        // The grid's data say it once more, behind the properties.
        let at = try #require(
            file.indices.last { file[$0...].starts(with: [0, 1, 0, 1] + HEIFFixture.size(600, 400)) })
        let other = Array(file[..<(at + 4)]) + HEIFFixture.size(600, 399) + file[(at + 12)...]
        #expect(try await render(other).detail == HEIFFixture.contradiction)
    }

    @Test(arguments: HEIFFixture.Codec.allCases) func onlyThePrimaryHasAlpha(codec: HEIFFixture.Codec)
        async throws
    {
        let grid = HEIFFixture.grid(codec, width: 600, height: 400, hasAlpha: true)
        #expect(try await render(grid).rejection == nil)
        // The alpha channel is that of the first tile.
        let tile = HEIFFixture.replacing(
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
        #expect(try await render(file).detail == HEIFFixture.contradiction)
    }

    /// libheif takes a count of two thousand million for none.
    @Test(arguments: [0x80, 0x01]) func associationsMayBeFewerThanTheySay(high: UInt8) async throws {
        let grid = HEIFFixture.grid(.av1, width: 600, height: 400)
        var file = grid
        let at = try #require(file.indices.first { file[$0...].starts(with: Array("ipma".utf8)) })
        file[at + 8] = high
        try await expect(file, isShownAs: grid)
    }

    @Test func dataMayLieInTheDescription() async throws {
        let grid = HEIFFixture.grid(.av1, width: 600, height: 400)
        let locations = try #require(grid.indices.first { grid[$0...].starts(with: Array("iloc".utf8)) })
        func number(_ at: Int, _ file: [UInt8]) -> Int { file[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
        // The first entry, of 14 bytes, is that of the grid.
        let (from, length) = (number(locations + 18, grid), number(locations + 22, grid))
        let data = Array(grid[from..<from + length])
        var file = try HEIFFixture.inserting(HEIFFixture.box("free", data), into: ["meta"], of: grid)
        let moved = try #require(file.indices.first { file[$0...].starts(with: data) })
        #expect(moved < number(locations + 18, file))
        file.replaceSubrange(locations + 18..<locations + 22, with: HEIFFixture.big(moved, 4))
        try await expect(file, isShownAs: grid)
    }

    /// libheif reads some of these lists otherwise than they are written.
    @Test(arguments: 0..<4) func oddLocationsHideNothing(way: Int) async throws {
        var block = PhotoEXIF()
        block.set(.main, 0x010F, .ascii("camera"))
        let exif = HEIFFixture.Metadata("Exif", [0, 0, 0, 0] + block.block, isInside: true)
        var file = HEIFFixture(.av1)
        file.metadata = [exif]
        let sound = file.bytes
        #expect(try await inspect(sound).cameraMake == "camera")
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
        guard way > 1 else {
            #expect(try await render(bytes).rejection != nil)
            return
        }
        try await expect(bytes, isShownAs: sound)
        #expect(try await inspect(bytes).cameraMake == nil)
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
}
