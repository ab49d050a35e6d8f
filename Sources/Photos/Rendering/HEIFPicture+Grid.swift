import Imaging

/// Grids (ISO/IEC 23008-12, 6.6.2.3) and copies.
extension HEIFPicture {
    /// Refuses grids that their tiles do not fill, or whose tiles have several sizes, and copies of another size.
    ///
    /// libheif 1.15 shows what lies in memory where no tile is.
    ///
    /// - Parameter data: those that the items' places mean.
    static func checkGrids(_ items: [Item], _ data: UnsafeRawBufferPointer) throws(PhotoRejection) {
        for item in items where item.kind.isDerived {
            let parts = item.parts.map { items[$0].size }
            guard let size = item.size, let part = parts.first, let part, parts.allSatisfy({ $0 == part }),
                item.kind == .copy ? parts.count == 1 && part == size : isFilled(item, size, part, data)
            else { throw contradiction }
        }
    }

    private static func isFilled(
        _ grid: Item, _ size: Size, _ tile: Size, _ data: UnsafeRawBufferPointer
    ) -> Bool {
        let at = grid.data.lowerBound
        guard grid.data.count >= 8 else { return false }
        // Numbers of the picture's size have four bytes or two.
        let isLong = data[at + 1] & 1 == 1
        guard !isLong || grid.data.count >= 12,
            let width = isLong ? data.big32(at + 4) : data.big16(at + 4),
            let height = isLong ? data.big32(at + 8) : data.big16(at + 6),
            size == Size(width: width, height: height)
        else { return false }
        let (rows, columns) = (Int(data[at + 2]) + 1, Int(data[at + 3]) + 1)
        // More than are needed would cost the more.
        return grid.parts.count == rows * columns
            && tile.width * columns >= width && tile.width * (columns - 1) < width
            && tile.height * rows >= height && tile.height * (rows - 1) < height
    }
}
