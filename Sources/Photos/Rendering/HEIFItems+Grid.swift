import Imaging

/// Grids (ISO/IEC 23008-12, 6.6.2.3).
extension HEIFItems {
    /// Whether the primary item is a grid that its tiles do not fill, or whose tiles have several sizes. The decoder leaves
    /// such a part black.
    func gridHasGaps(_ properties: Properties) -> Bool {
        guard isTiled, let primary, let data = data(of: primary), data.count >= 8 else { return false }
        let at = data.lowerBound
        // Numbers of the picture's size have four bytes or two.
        let isLong = bytes[at + 1] & 1 == 1
        guard let width = isLong ? bytes.big32(at + 4) : bytes.big16(at + 4),
            let height = isLong ? bytes.big32(at + 8) : bytes.big16(at + 6)
        else { return false }
        var sizes: Set<[Int?]> = []
        forFirstAssociations(of: Set(parts(of: primary)), properties) { _, associations in
            let sizeBoxes = associations.compactMap { properties[$0] }.filter {
                bytes.has("ispe", at: $0.header)
            }
            if let content = sizeBoxes.first?.content, content.count >= 12 {
                sizes.insert([bytes.big32(content.lowerBound + 4), bytes.big32(content.lowerBound + 8)])
            }
        }
        guard let tile = sizes.first, let tileWidth = tile[0], let tileHeight = tile[1] else { return false }
        let (rows, columns) = (Int(bytes[at + 2]) + 1, Int(bytes[at + 3]) + 1)
        return sizes.count > 1 || tileWidth * columns < width || tileHeight * rows < height
    }
}
