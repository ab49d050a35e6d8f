import Imaging

/// Grids (ISO/IEC 23008-12, 6.6.2.3).
extension HEIFItems {
    /// Whether the tiles of a grid that is drawn do not fill it, have several sizes, or are not coded pictures themselves.
    ///
    /// libheif 1.15 shows what lies in memory where no tile is, and starts threads for each grid in a grid.
    func hasGaps(_ properties: Properties) -> Bool {
        Set(drawn(most: Self.mostBoxes)).contains { item in
            let (isGrid, isIdentity) = (isKind("grid", item), isKind("iden", item))
            guard isGrid || isIdentity else { return false }
            let areCoded = parts(of: item).allSatisfy { !isKind("grid", $0) && !isKind("iden", $0) }
            return !areCoded || isGrid && !isFilled(item, properties)
        }
    }

    private func isKind(_ name: StaticString, _ item: Int) -> Bool {
        typeAt[item].map { bytes.has(name, at: $0) } ?? false
    }

    private func isFilled(_ grid: Int, _ properties: Properties) -> Bool {
        guard let extents = extentsOf[grid], extents.count == 1, extents[0].count >= 8 else { return false }
        let at = extents[0].lowerBound
        // Numbers of the picture's size have four bytes or two.
        let isLong = bytes[at + 1] & 1 == 1
        guard let width = isLong ? bytes.big32(at + 4) : bytes.big16(at + 4),
            let height = isLong ? bytes.big32(at + 8) : bytes.big16(at + 6)
        else { return false }
        let tiles = Set(parts(of: grid))
        var sizes: [Int: (width: Int, height: Int)] = [:]
        forFirstAssociations(of: tiles, properties) { item, associations in
            let boxes = Array(associations.compactMap { properties[$0] })
            let own = boxes.filter { bytes.has("ispe", at: $0.header) }.map(\.content)
            guard own.count == 1, own[0].count >= 12,
                !boxes.contains(where: { bytes.has("clap", at: $0.header) }),
                let width = bytes.big32(own[0].lowerBound + 4),
                let height = bytes.big32(own[0].lowerBound + 8)
            else { return }
            sizes[item] = (width, height)
        }
        guard let tile = sizes.values.first, sizes.count == tiles.count,
            sizes.values.allSatisfy({ $0 == tile })
        else { return false }
        let (rows, columns) = (Int(bytes[at + 2]) + 1, Int(bytes[at + 3]) + 1)
        return tile.width * columns >= width && tile.height * rows >= height
    }
}
