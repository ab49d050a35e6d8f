/// Polygons of regions in cells of an eighth of a degree, read in place.
///
///     header    counts of groups of squares, and of squares            16 bytes, the last 8 zero
///     tiles     of ten degrees: what fills it, or its group            4 bytes each, 36 × 18
///     groups    of 10 × 10 squares: what fills it, or its cells        400 bytes each
///     squares   of 8 × 8 cells: what fills it, or its record           256 bytes each
///     records   polygons that cross a cell                             2-byte numbers, padded to 4
///
/// A cell that no border crosses costs one to three loads. A record has, for each region in order: its
/// number, the counts of spans and chains, the spans, and for each chain a count and points. A chain
/// is a run of edges that touch the cell, whole, with points relative to the cell's south-west corner;
/// a span is a range of latitudes in which the edges east of the cell cross a parallel an odd number
/// of times. So the even-odd rule in a cell counts the same crossings as over all of the region's edges.
struct BorderMap: Sendable {
    struct Near: Equatable {
        var region: UInt16
        var metres: Double
    }

    static let headerSize = 16
    /// Cells along a side of a square, which is one degree.
    static let side = 8
    static let columns = 360 * side
    static let rows = 180 * side
    /// Set in the value of a tile, square or cell that one region, or none, fills.
    static let filled: UInt32 = 1 << 31
    /// Points are stored in units of 10⁻⁵ degrees, 1.1 m.
    static let unit = Int(IndexFormat.degreeScale) / 100_000
    static let cellUnits = 100_000 / side
    static let cellSize = cellUnits * unit

    let section: ByteSection
    private let groupStart: Int
    private let squareStart: Int
    let recordStart: Int

    init(_ section: ByteSection, file: String) throws(GazetteerError) {
        self.section = section
        let groups = Int(section.integer(at: 0, as: UInt32.self))
        let squares = Int(section.integer(at: 4, as: UInt32.self))
        groupStart = Self.headerSize + 36 * 18 * 4
        squareStart = groupStart + groups * 100 * 4
        recordStart = squareStart + squares * Self.side * Self.side * 4
        guard section.count >= recordStart else {
            throw GazetteerError(.corrupt, file: file, message: "its borders are damaged; rebuild the index")
        }
    }

    static func row(of latitude: Int) -> Int {
        min(max((latitude + 90 * side * cellSize) / cellSize, 0), rows - 1)
    }

    static func column(of longitude: Int) -> Int {
        min(max((longitude + 180 * side * cellSize) / cellSize, 0), columns - 1)
    }

    static func south(ofRow row: Int) -> Int { row * cellSize - 90 * side * cellSize }

    static func west(ofColumn column: Int) -> Int { column * cellSize - 180 * side * cellSize }

    static func scaled(_ point: Coordinate) -> (x: Int, y: Int) {
        (
            Int((point.longitude * IndexFormat.degreeScale).rounded()),
            Int((point.latitude * IndexFormat.degreeScale).rounded())
        )
    }

    /// The region whose border encloses a point: the even-odd rule (Shimrat, 1962), in exact integers.
    ///
    /// Of overlapping regions the lowest number is answered.
    func region(containing point: Coordinate) -> UInt16? {
        let (x, y) = Self.scaled(point)
        let column = Self.column(of: x)
        let row = Self.row(of: y)
        let value = cell(column, row)
        if value & Self.filled != 0 {
            let region = UInt16(truncatingIfNeeded: value)
            return region == IndexFormat.none16 ? nil : region
        }
        let (left, below) = (x &- Self.west(ofColumn: column), y &- Self.south(ofRow: row))
        var record = Record(section, at: recordStart &+ Int(value) &* 4)
        while let group = record.nextGroup() {
            var isInside = false
            for span in 0..<group.spans {
                let low = Int(section.unchecked(at: group.start &+ span &* 4, as: UInt16.self))
                let high = Int(section.unchecked(at: group.start &+ span &* 4 &+ 2, as: UInt16.self))
                if low &* Self.unit <= below, below < high &* Self.unit { isInside.toggle() }
            }
            for _ in 0..<group.chains {
                guard let chain = record.nextChain() else { return nil }
                if crossesOddly(chain, left, below) { isInside.toggle() }
            }
            if isInside { return group.region }
        }
        return nil
    }

    /// Whether a ray from a point of the cell to the east crosses a chain an odd number of times.
    @inline(__always)
    private func crossesOddly(_ chain: Range<Int>, _ x: Int, _ y: Int) -> Bool {
        var isOdd = false
        var (x1, y1) = self.point(chain.lowerBound, x, y)
        var offset = chain.lowerBound &+ 4
        while offset < chain.upperBound {
            let (x2, y2) = self.point(offset, x, y)
            if (y1 > 0) != (y2 > 0) {
                let left = (0 &- x1) &* (y2 &- y1)
                let right = (x2 &- x1) &* (0 &- y1)
                if y2 > y1 ? left < right : left > right { isOdd.toggle() }
            }
            (x1, y1) = (x2, y2)
            offset &+= 4
        }
        return isOdd
    }

    /// A point of a chain, seen from a point of the cell.
    @inline(__always)
    func point(_ offset: Int, _ x: Int, _ y: Int) -> (x: Int, y: Int) {
        let both = section.unchecked(at: offset, as: UInt32.self)
        return (
            Int(Int16(truncatingIfNeeded: both)) &* Self.unit &- x,
            Int(Int16(truncatingIfNeeded: both >> 16)) &* Self.unit &- y
        )
    }

    @inline(__always)
    func cell(_ column: Int, _ row: Int) -> UInt32 {
        let (east, north) = (column / Self.side, row / Self.side)
        let tile: UInt32 = section.integer(at: Self.headerSize &+ (north / 10 &* 36 &+ east / 10) &* 4)
        guard tile & Self.filled == 0 else { return tile }
        let inGroup = Int(tile) &* 100 &+ north % 10 &* 10 &+ east % 10
        let square: UInt32 = section.integer(at: groupStart &+ inGroup &* 4)
        guard square & Self.filled == 0 else { return square }
        let inSquare = row % Self.side &* Self.side &+ column % Self.side
        return section.integer(
            at: squareStart &+ (Int(square) &* Self.side &* Self.side &+ inSquare) &* 4)
    }
}

extension BorderMap {
    struct Group {
        var region: UInt16
        /// Where the spans begin.
        var start: Int
        var spans: Int
        var chains: Int
    }

    /// Walks a record, and ends where one that is damaged would lead out of the section.
    struct Record {
        private let section: ByteSection
        private var cursor: Int
        private var groups: Int

        @inline(__always)
        init(_ section: ByteSection, at offset: Int) {
            self.section = section
            groups = Int(section.integer(at: offset, as: UInt16.self))
            cursor = offset &+ 2
        }

        @inline(__always)
        mutating func nextGroup() -> Group? {
            guard groups > 0, cursor &+ 6 <= section.count else { return nil }
            groups &-= 1
            let group = Group(
                region: section.unchecked(at: cursor), start: cursor &+ 6,
                spans: Int(section.unchecked(at: cursor &+ 2, as: UInt16.self)),
                chains: Int(section.unchecked(at: cursor &+ 4, as: UInt16.self)))
            cursor = group.start &+ group.spans &* 4
            return cursor <= section.count ? group : nil
        }

        /// The bytes of a chain's points.
        @inline(__always)
        mutating func nextChain() -> Range<Int>? {
            guard cursor &+ 2 <= section.count else { return nil }
            let start = cursor &+ 2
            let end = start &+ Int(section.unchecked(at: cursor, as: UInt16.self)) &* 4
            guard start < end, end <= section.count else { return nil }
            cursor = end
            return start..<end
        }
    }
}
