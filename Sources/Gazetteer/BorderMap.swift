import Glibc

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

    private let section: ByteSection
    private let groupStart: Int
    private let squareStart: Int
    private let recordStart: Int

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
    private func point(_ offset: Int, _ x: Int, _ y: Int) -> (x: Int, y: Int) {
        let both = section.unchecked(at: offset, as: UInt32.self)
        return (
            Int(Int16(truncatingIfNeeded: both)) &* Self.unit &- x,
            Int(Int16(truncatingIfNeeded: both >> 16)) &* Self.unit &- y
        )
    }

    @inline(__always)
    private func cell(_ column: Int, _ row: Int) -> UInt32 {
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
    private struct Group {
        var region: UInt16
        /// Where the spans begin.
        var start: Int
        var spans: Int
        var chains: Int
    }

    /// Walks a record, and ends where one that is damaged would lead out of the section.
    private struct Record {
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

    /// A search for the nearest edge, in units of latitude.
    struct NearSearch {
        let shrink: Double
        let wanted: UInt16?
        var limit: Double
        var region: UInt16?

        static let metresPerUnit = Sphere.radius * .pi / 180 / IndexFormat.degreeScale

        init(_ point: Coordinate, within metres: Double, region: UInt16?) {
            shrink = max(cos(point.latitude * .pi / 180), 1e-6)
            wanted = region
            let reach = metres / Self.metresPerUnit
            limit = reach * reach
        }

        var near: Near? {
            region.map { Near(region: $0, metres: limit.squareRoot() * Self.metresPerUnit) }
        }

        /// Weighs an edge whose ends are given as seen from the point; of equally near ones the
        /// region of the lowest number counts.
        @inline(__always)
        mutating func weigh(_ x1: Int, _ y1: Int, _ x2: Int, _ y2: Int, _ region: UInt16) {
            let (x, y) = (Double(x1) * shrink, Double(y1))
            let (dx, dy) = (Double(x2 &- x1) * shrink, Double(y2 &- y1))
            let length = dx * dx + dy * dy
            let along = length > 0 ? min(max(-(x * dx + y * dy) / length, 0), 1) : 0
            let (px, py) = (x + along * dx, y + along * dy)
            let squared = px * px + py * py
            if squared < limit || (squared == limit && region < self.region ?? 0) {
                limit = squared
                self.region = region
            }
        }

        /// Whether nothing so far away can count any more; the margin is for rounding.
        @inline(__always)
        func isBeyond(_ east: Double, _ north: Double) -> Bool {
            let dx = east * shrink
            return dx * dx + north * north > limit * (1 + 1e-9)
        }
    }

    /// The region whose border is nearest to a point, within so many metres.
    ///
    /// Distances are measured on the plane that touches the sphere at the point's parallel, good to
    /// 0.1 % for tens of kilometres below 80 degrees of latitude.
    func nearest(to point: Coordinate, within metres: Double, region wanted: UInt16? = nil) -> Near? {
        let (x, y) = Self.scaled(point)
        let (column, row) = (Self.column(of: x), Self.row(of: y))
        var search = NearSearch(point, within: metres, region: wanted)
        weigh(row: row, 0, column, x, y, &search)
        var step = 1
        while true {
            let below = Double(y &- Self.south(ofRow: row &- step &+ 1))
            let above = Double(Self.south(ofRow: row &+ step) &- y)
            let goesDown = row &- step >= 0 && !search.isBeyond(0, below)
            let goesUp = row &+ step < Self.rows && !search.isBeyond(0, above)
            guard goesDown || goesUp else { return search.near }
            if goesDown { weigh(row: row &- step, below, column, x, y, &search) }
            if goesUp { weigh(row: row &+ step, above, column, x, y, &search) }
            step &+= 1
        }
    }

    /// Weighs the cells of a row that is `north` away, from the point's own column outwards.
    private func weigh(
        row: Int, _ north: Double, _ column: Int, _ x: Int, _ y: Int, _ search: inout NearSearch
    ) {
        guard !search.isBeyond(0, north) else { return }
        weigh(column, row, x, y, &search)
        var step = 1
        while step <= Self.columns / 2 {
            let west = Double(x &- Self.west(ofColumn: column &- step &+ 1))
            let east = Double(Self.west(ofColumn: column &+ step) &- x)
            let goesWest = !search.isBeyond(west, north)
            let goesEast = !search.isBeyond(east, north)
            guard goesWest || goesEast else { return }
            if goesWest { weigh(column &- step, row, x, y, &search) }
            if goesEast { weigh(column &+ step, row, x, y, &search) }
            step &+= 1
        }
    }

    /// Weighs the edges of a cell; columns go on across the antimeridian.
    @inline(__always)
    private func weigh(_ column: Int, _ row: Int, _ x: Int, _ y: Int, _ search: inout NearSearch) {
        let value = cell((column &+ Self.columns) % Self.columns, row)
        guard value & Self.filled == 0 else { return }
        let (left, below) = (x &- Self.west(ofColumn: column), y &- Self.south(ofRow: row))
        var record = Record(section, at: recordStart &+ Int(value) &* 4)
        while let group = record.nextGroup() {
            for _ in 0..<group.chains {
                guard let chain = record.nextChain() else { return }
                guard search.wanted == nil || search.wanted == group.region else { continue }
                var (x1, y1) = self.point(chain.lowerBound, left, below)
                var offset = chain.lowerBound &+ 4
                while offset < chain.upperBound {
                    let (x2, y2) = self.point(offset, left, below)
                    search.weigh(x1, y1, x2, y2, group.region)
                    (x1, y1) = (x2, y2)
                    offset &+= 4
                }
            }
        }
    }
}

extension BorderMap {
    /// An edge in `IndexFormat.degreeScale`.
    struct Edge: Hashable {
        var region: UInt16
        var x1: Int
        var y1: Int
        var x2: Int
        var y2: Int
    }

    /// Every edge of the map, once.
    func allEdges() -> Set<Edge> {
        var edges: Set<Edge> = []
        for row in 0..<Self.rows {
            for column in 0..<Self.columns {
                let value = cell(column, row)
                guard value & Self.filled == 0 else { continue }
                let (west, south) = (Self.west(ofColumn: column), Self.south(ofRow: row))
                var record = Record(section, at: recordStart + Int(value) * 4)
                while let group = record.nextGroup() {
                    for _ in 0..<group.chains {
                        guard let chain = record.nextChain() else { break }
                        let points = stride(from: chain.lowerBound, to: chain.upperBound, by: 4)
                            .map { point($0, -west, -south) }
                        for (start, end) in zip(points, points.dropFirst()) {
                            edges.insert(
                                Edge(
                                    region: group.region, x1: start.x, y1: start.y, x2: end.x, y2: end.y))
                        }
                    }
                }
            }
        }
        return edges
    }
}
