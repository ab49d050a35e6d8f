extension HEIFFixture {
    /// A picture of equal tiles, as phones write large ones. All tiles share the bytes of one.
    ///
    /// - Parameters:
    ///   - side: that of a tile, in pixels.
    ///   - high: the height of a tile, if it is another one.
    ///   - parts: in how many parts the data of a tile are.
    ///   - entry: the version of the items' entries.
    ///   - turns: quarter turns anticlockwise.
    ///   - quality: of the tile, from 1 to 100.
    ///   - tilesTurn: whether these are written with each tile as well.
    ///   - recode: what becomes of the data of a tile.
    ///   - configure: what becomes of the decoder's configuration of the tiles, with its header.
    package static func grid(
        _ codec: Codec, width: Int, height: Int, side: Int = 512, high: Int? = nil, bits: Int = 8,
        hasAlpha: Bool = false, parts: Int = 1, entry: UInt8 = 2,
        turns: UInt8 = 0, quality: Int = 50,
        tilesTurn: Bool = false, recode: ([UInt8]) -> [UInt8] = { $0 },
        configure: ([UInt8]) -> [UInt8] = { $0 }
    ) -> [UInt8] {
        let file = PhotoFixture.pattern(
            width: side, height: high ?? side, bits: bits == 8 ? 8 : 16,
            suffix: codec.rawValue + "[Q=\(quality),strip,bitdepth=\(bits)]")
        let tile = recode(content(of: "mdat", in: file))
        let configuration = codec == .av1 ? "av1C" : "hvcC"
        let tall = high ?? side
        let (columns, rows) = ((width + side - 1) / side, (height + tall - 1) / tall)
        let layout = [0, 1, UInt8(rows - 1), UInt8(columns - 1)] + big(width, 4) + big(height, 4)
        let tiles = Array(2..<(2 + columns * rows))
        let alpha = tiles.last! + 1
        let grids = hasAlpha ? [1, alpha] : [1]
        let items = grids + tiles
        let properties = [
            fullBox("ispe", big(width, 4) + big(height, 4)),
            configure(box(configuration, content(of: configuration, in: file))),
            fullBox("ispe", big(side, 4) + big(tall, 4)),
            fullBox("pixi", [3, UInt8(bits), UInt8(bits), UInt8(bits)]),
            fullBox("auxC", Array("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0".utf8)),
            rotation(turns),
        ]
        let head = box("ftyp", Array((codec == .av1 ? "avif" : "heic").utf8) + big(0, 4) + Array("mif1".utf8))
        func meta(dataAt: Int) -> [UInt8] {
            var infos: [UInt8] = []
            var locations: [UInt8] = [0x44, 0x00] + big(items.count, 2)
            var associations = big(items.count, 4)
            for item in items {
                let isGrid = grids.contains(item)
                let type = isGrid ? "grid" : codec == .av1 ? "av01" : "hvc1"
                infos += box(
                    "infe",
                    [entry, 0, 0, 0] + big(item, entry == 2 ? 2 : 4) + [0, 0] + Array(type.utf8) + [0])
                let place = isGrid ? (dataAt, layout.count) : (dataAt + layout.count, tile.count)
                let count = isGrid ? 1 : parts
                locations += big(item, 2) + [0, 0] + big(count, 2)
                for part in 0..<count {
                    // All but the last have one byte.
                    locations += big(place.0 + part, 4) + big(part + 1 < count ? 1 : place.1 - part, 4)
                }
                let turn: [UInt8] = turns > 0 && (isGrid || tilesTurn) ? [6] : []
                let used: [UInt8] = (item == alpha ? [1, 5] : isGrid ? [1, 4] : [2, 3, 4]) + turn
                associations += big(item, 2) + [UInt8(used.count)] + used
            }
            let numbers = tiles.flatMap { big($0, 2) }
            var references = grids.flatMap { box("dimg", big($0, 2) + big(tiles.count, 2) + numbers) }
            if hasAlpha { references += box("auxl", big(alpha, 2) + big(1, 2) + big(1, 2)) }
            return fullBox(
                "meta",
                fullBox("hdlr", big(0, 4) + Array("pict".utf8) + big(0, 13)) + fullBox("pitm", big(1, 2))
                    + fullBox("iinf", big(items.count, 2) + infos) + fullBox("iref", references)
                    + fullBox("iloc", locations)
                    + box("iprp", box("ipco", properties.flatMap { $0 }) + fullBox("ipma", associations)))
        }
        let before = head.count + meta(dataAt: 0).count
        return head + meta(dataAt: before + 8) + box("mdat", layout + tile)
    }
}
