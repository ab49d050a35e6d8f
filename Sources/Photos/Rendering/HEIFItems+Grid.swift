import Imaging

/// Grids (ISO/IEC 23008-12, 6.6.2.3).
extension HEIFItems {
    /// Whether the tiles of a grid that is drawn do not fill it, or have several sizes.
    ///
    /// libheif 1.15 shows what lies in memory where no tile is. A file may have thousands of grids and millions of associations, so
    /// all are looked through once.
    func hasGaps(_ properties: Properties) -> Bool {
        let grids = Set(drawn).filter { isKind("grid", $0) }
        let tiles = parts(ofEach: grids)
        let sizes = sizes(of: Set(tiles.values.joined()), properties)
        let copies = Set(drawn).filter { isKind("iden", $0) }
        let originals = parts(ofEach: copies)
        var said: [Int: Size] = [:]
        forFirstAssociations(of: grids.union(copies).union(originals.values.joined()), properties) {
            said[$0] = size($1, properties)
        }
        return grids.contains { !isFilled($0, tiles[$0] ?? [], sizes, said: said[$0]) }
            || originals.contains { copy, parts in parts.contains { said[$0] != said[copy] } }
    }

    /// Whether grids or copies consist of grids or copies. libheif 1.15 starts threads for each grid in a grid.
    func areNested(_ items: Set<Int>) -> Bool {
        parts(ofEach: items.filter(isDerived)).values.joined().contains(where: isDerived)
    }

    private func isKind(_ name: StaticString, _ item: Int) -> Bool {
        typeAt[item].map { bytes.has(name, at: $0) } ?? false
    }

    private func isDerived(_ item: Int) -> Bool { isKind("grid", item) || isKind("iden", item) }

    /// Those of items that have one size, and are neither cropped nor turned into another one.
    private func sizes(of items: Set<Int>, _ properties: Properties) -> [Int: Size] {
        var sizes: [Int: Size] = [:]
        let own = primary.map { Set(parts(of: $0)) } ?? []
        forFirstAssociations(of: items, properties) { item, associations in
            guard let size = size(associations, properties) else { return }
            let changes = Array(associations.compactMap { properties[$0] }.compactMap { transformation($0) })
            // Those of the picture are done with all of it.
            guard
                own.contains(item) && changes == transformations
                    || changes.allSatisfy({ keeps(size, $0) })
            else { return }
            sizes[item] = size
        }
        return sizes
    }

    private func keeps(_ size: Size, _ change: HEIFTransformation) -> Bool {
        switch change {
        case .rotate(let quarters): quarters % 2 == 0 || size.width == size.height
        case .mirror: true
        case .crop: false
        }
    }

    /// The size in pixels that an item's properties say; nil if they have none or several.
    func size(_ associations: some Sequence<Association>, _ properties: Properties) -> Size? {
        let boxes = associations.compactMap { properties[$0] }.filter { bytes.has("ispe", at: $0.header) }
        guard let box = boxes.first?.content, box.count >= 12, boxes.allSatisfy({ $0.content == box }),
            let width = bytes.big32(box.lowerBound + 4), let height = bytes.big32(box.lowerBound + 8)
        else { return nil }
        return Size(width: width, height: height)
    }

    private func isFilled(_ grid: Int, _ tiles: [Int], _ sizes: [Int: Size], said: Size?) -> Bool {
        let data = (extentsOf[grid] ?? []).prefix(12).flatMap { bytes.copy($0.prefix(12)) }
        guard data.count >= 8, data.count >= (data[1] & 1 == 1 ? 12 : 8) else { return false }
        func number(_ at: Int, _ size: Int) -> Int { data[at..<at + size].reduce(0) { $0 << 8 | Int($1) } }
        // Numbers of the picture's size have four bytes or two.
        let isLong = data[1] & 1 == 1
        let (width, height) = isLong ? (number(4, 4), number(8, 4)) : (number(4, 2), number(6, 2))
        guard said == Size(width: width, height: height), let tile = tiles.first.flatMap({ sizes[$0] }),
            tiles.allSatisfy({ sizes[$0].map { $0 == tile } ?? false })
        else { return false }
        let (rows, columns) = (Int(data[2]) + 1, Int(data[3]) + 1)
        // More than are needed would cost the more.
        return tile.width * columns >= width && tile.width * (columns - 1) < width
            && tile.height * rows >= height && tile.height * (rows - 1) < height
    }
}
