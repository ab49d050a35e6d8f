import Imaging

/// Grids (ISO/IEC 23008-12, 6.6.2.3).
extension HEIFItems {
    private typealias Size = (width: Int, height: Int)

    /// Whether the tiles of a grid that is drawn do not fill it, have several sizes, or are not coded pictures themselves.
    ///
    /// libheif 1.15 shows what lies in memory where no tile is, and starts threads for each grid in a grid. A file may have
    /// thousands of grids and millions of associations, so all are looked through once.
    func hasGaps(_ properties: Properties) -> Bool {
        let derived = Set(drawn).filter(isDerived)
        let tiles = parts(ofEach: derived)
        let all = Set(tiles.values.joined())
        guard !all.contains(where: isDerived) else { return true }
        let sizes = sizes(of: all, properties)
        return derived.contains { isKind("grid", $0) && !isFilled($0, tiles[$0] ?? [], sizes) }
    }

    private func isKind(_ name: StaticString, _ item: Int) -> Bool {
        typeAt[item].map { bytes.has(name, at: $0) } ?? false
    }

    private func isDerived(_ item: Int) -> Bool { isKind("grid", item) || isKind("iden", item) }

    /// Those of items that have one size and are not cropped.
    private func sizes(of items: Set<Int>, _ properties: Properties) -> [Int: Size] {
        var sizes: [Int: Size] = [:]
        forFirstAssociations(of: items, properties) { item, associations in
            let boxes = Array(associations.compactMap { properties[$0] })
            let own = boxes.filter { bytes.has("ispe", at: $0.header) }.map(\.content)
            guard own.count == 1, own[0].count >= 12,
                !boxes.contains(where: { bytes.has("clap", at: $0.header) }),
                let width = bytes.big32(own[0].lowerBound + 4),
                let height = bytes.big32(own[0].lowerBound + 8)
            else { return }
            sizes[item] = (width, height)
        }
        return sizes
    }

    private func isFilled(_ grid: Int, _ tiles: [Int], _ sizes: [Int: Size]) -> Bool {
        guard let extents = extentsOf[grid], extents.count == 1, extents[0].count >= 8 else { return false }
        let at = extents[0].lowerBound
        // Numbers of the picture's size have four bytes or two.
        let isLong = bytes[at + 1] & 1 == 1
        guard let width = isLong ? bytes.big32(at + 4) : bytes.big16(at + 4),
            let height = isLong ? bytes.big32(at + 8) : bytes.big16(at + 6),
            let tile = tiles.first.flatMap({ sizes[$0] }),
            tiles.allSatisfy({ sizes[$0].map { $0 == tile } ?? false })
        else { return false }
        let (rows, columns) = (Int(bytes[at + 2]) + 1, Int(bytes[at + 3]) + 1)
        return tile.width * columns >= width && tile.height * rows >= height
    }
}
