/// Polygons of areas, and of divisions within them, in cells of an eighth of a degree, read in place.
///
///     header    number of the first division                           16 bytes, the rest zero
///     tiles     of ten degrees: the value that fills it, or its group  4 bytes each, 36 × 18
///     groups    of 10 × 10 squares of one degree: the value that fills it, or its block   4 bytes each
///     blocks    codes of 8 × 8 cells, one byte each; the values that the codes number, 4 bytes each; and
///               the records of the cells that a border crosses, padded to 4 bytes
///
/// Groups and blocks follow each other in the order of writing and are found by their offset in units of 4 bytes.
///
/// Regions below the first division are areas (countries). A point may lie in several areas and divisions. A cell
/// that no border crosses costs one to three loads. A record consists of 2-byte numbers: the counts of regions, turns
/// and chains, then the regions, turns and chains themselves. A region's top bit says whether the edges east of the
/// cell cross its lowest parallel an odd number of times. A turn is a latitude from which this is reversed, and for
/// which region. A chain is a run of whole edges that touch the cell: how many regions it bounds and how many points it
/// has, one byte for each region with its place in the record, and the points relative to the cell's south-west
/// corner. So the even-odd rule within a cell counts the same crossings as over all of a region's edges, and borders
/// that regions share are stored and examined once.
package struct BorderMap: Sendable {
    package struct Near: Equatable {
        package var region: UInt16
        package var metres: Double
    }

    static let headerSize = 16
    /// Cells along a side of a square, which is one degree.
    static let side = 8
    static let columns = 360 * side
    /// Squares along a side of a tile.
    static let tileSide = 10
    static let tileRows = 180 / tileSide
    static let tileColumns = 360 / tileSide
    static let rows = 180 * side
    /// Points are stored in units of 10⁻⁵ degrees, 1.1 m.
    static let unit = Int(IndexFormat.degreeScale) / 100_000
    static let cellUnits = 100_000 / side
    static let cellSize = cellUnits * unit

    /// Set in the value of a tile, square or cell that no border crosses; bits 16 to 25 are its area, 0 to 15 its
    /// division.
    static let filled: UInt32 = 1 << 31
    static let noArea: UInt16 = 1023
    static let nothing = filled(by: nil, nil)

    static let isInsideBelow: UInt16 = 1 << 15
    static let pointCountBits = 12
    static let mostPoints = 1 << pointCountBits - 1
    static let mostOwners = 15
    static let mostRegions = 128

    let section: ByteSection
    package let firstDivision: UInt16
    private static let blockStart = headerSize + tileRows * tileColumns * 4

    init(_ section: ByteSection, file: String) throws(GazetteerError) {
        self.section = section
        firstDivision = UInt16(truncatingIfNeeded: section.integer(at: 0, as: UInt32.self))
        guard section.count >= Self.blockStart else {
            throw GazetteerError(.corrupt, file: file, message: "its borders are damaged; rebuild the index")
        }
    }

    static func filled(by area: UInt16?, _ division: UInt16?) -> UInt32 {
        filled | UInt32(area ?? noArea) << 16 | UInt32(division ?? IndexFormat.none16)
    }

    static func row(of latitude: Int) -> Int {
        min(max((latitude + 90 * side * cellSize) / cellSize, 0), rows - 1)
    }

    static func column(of longitude: Int) -> Int {
        min(max((longitude + 180 * side * cellSize) / cellSize, 0), columns - 1)
    }

    static func south(ofRow row: Int) -> Int { row * cellSize - 90 * side * cellSize }

    static func west(ofColumn column: Int) -> Int { column * cellSize - 180 * side * cellSize }

    /// A point in the units of edges. The antimeridian is −180, and a pole is at that longitude.
    @inline(__always)
    package static func scaled(_ point: Coordinate) -> (x: Int, y: Int) {
        let y = (point.latitude * IndexFormat.degreeScale).nearestInteger
        let x = (point.longitude * IndexFormat.degreeScale).nearestInteger
        let turn = 180 * Int(IndexFormat.degreeScale)
        return (x == turn || abs(y) == turn / 2 ? -turn : x, y)
    }

    /// Finds the regions that enclose a point by the even-odd rule (Shimrat, 1962), in exact integers.
    @inline(__always)
    func spot(of point: Coordinate) -> Spot {
        let (x, y) = Self.scaled(point)
        let column = Self.column(of: x)
        let row = Self.row(of: y)
        let value = cell(column, row)
        guard value & Self.filled == 0 else { return Spot(map: self, value: value) }
        return spot(
            inRecord: recordOffset(value), x &- Self.west(ofColumn: column), y &- Self.south(ofRow: row))
    }

    func recordOffset(_ value: UInt32) -> Int { Self.blockStart &+ Int(value) &* 4 }

    private func spot(inRecord offset: Int, _ left: Int, _ below: Int) -> Spot {
        var record = Record(section, at: offset)
        var inside: UInt128 = 0
        for index in 0..<record.regionCount where record.region(index) & Self.isInsideBelow != 0 {
            inside |= 1 << UInt128(index)
        }
        for index in 0..<record.turnCount {
            let (latitude, region) = record.turn(index)
            if latitude &* Self.unit <= below { inside ^= 1 << UInt128(region & 127) }
        }
        while let chain = record.nextChain() {
            if crossesOddly(chain, left, below) {
                for index in 0..<chain.owners { inside ^= 1 << UInt128(record.owner(index, of: chain) & 127) }
            }
        }
        return Spot(map: self, value: 0, inside: inside, record: record)
    }

    /// Whether a ray from a point of the cell to the east crosses a chain an odd number of times.
    @inline(__always)
    private func crossesOddly(_ chain: Chain, _ x: Int, _ y: Int) -> Bool {
        var isOdd = false
        var (x1, y1) = self.point(chain.start, x, y)
        var offset = chain.start &+ 4
        while offset < chain.end {
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

    /// A point of a chain, relative to a point of the cell.
    @inline(__always)
    func point(_ offset: Int, _ x: Int, _ y: Int) -> (x: Int, y: Int) {
        let both = section.unchecked(at: offset, as: UInt32.self)
        return (
            Int(Int16(truncatingIfNeeded: both)) &* Self.unit &- x,
            Int(Int16(truncatingIfNeeded: both >> 16)) &* Self.unit &- y
        )
    }

    /// The number of a cell's tile, and of its square within the tile.
    @inline(__always)
    static func square(_ column: Int, _ row: Int) -> (tile: Int, inTile: Int) {
        let (east, north) = (column / side, row / side)
        return (
            north / tileSide &* tileColumns &+ east / tileSide,
            north % tileSide &* tileSide &+ east % tileSide
        )
    }

    @inline(__always)
    func cell(_ column: Int, _ row: Int) -> UInt32 {
        let number = Self.square(column, row)
        let tile: UInt32 = section.unchecked(at: Self.headerSize &+ number.tile &* 4)
        guard tile & Self.filled == 0 else { return tile }
        let square: UInt32 = section.integer(at: recordOffset(tile) &+ number.inTile &* 4)
        guard square & Self.filled == 0 else { return square }
        let block = recordOffset(square)
        let inSquare = row % Self.side &* Self.side &+ column % Self.side
        let code = Int(section.integer(at: block &+ inSquare, as: UInt8.self))
        return section.integer(at: block &+ Self.side &* Self.side &+ code &* 4)
    }
}

extension BorderMap {
    /// The regions that enclose a point.
    struct Spot {
        private let map: BorderMap
        /// The value of a cell that no border crosses; otherwise 0.
        private let value: UInt32
        /// One bit for each region, by its place in the record.
        private let inside: UInt128
        private let record: Record?

        init(map: BorderMap, value: UInt32, inside: UInt128 = 0, record: Record? = nil) {
            self.map = map
            self.value = value
            self.inside = inside
            self.record = record
        }

        /// The area; if several overlap, the one with the lowest number.
        var area: UInt16? {
            guard let record else {
                let area = UInt16(truncatingIfNeeded: value >> 16 & UInt32(BorderMap.noArea))
                return area == BorderMap.noArea ? nil : area
            }
            guard inside != 0 else { return nil }
            let region = record.region(inside.trailingZeroBitCount) & ~BorderMap.isInsideBelow
            return region < map.firstDivision ? region : nil
        }

        /// The division (numbered from 0) of a cell that no border crosses.
        @inline(__always)
        var onlyDivision: UInt16? {
            let division = UInt16(truncatingIfNeeded: value)
            return record != nil || division == IndexFormat.none16 ? nil : division
        }

        /// The first division (numbered from 0) that fits.
        func division(where fits: (UInt16) -> Bool) -> UInt16? {
            guard let record else {
                let division = UInt16(truncatingIfNeeded: value)
                return division != IndexFormat.none16 && fits(division) ? division : nil
            }
            var rest = inside
            while rest != 0 {
                let region = record.region(rest.trailingZeroBitCount) & ~BorderMap.isInsideBelow
                if region >= map.firstDivision, fits(region &- map.firstDivision) {
                    return region &- map.firstDivision
                }
                rest &= rest &- 1
            }
            return nil
        }
    }

    struct Chain {
        /// The offset of the regions' numbers.
        var ownerStart: Int
        var owners: Int
        /// The offset of the points.
        var start: Int
        var end: Int
    }

    /// Walks a record, and stops before damage would lead out of the section.
    struct Record {
        private let section: ByteSection
        private let start: Int
        let regionCount: Int
        let turnCount: Int
        private var cursor: Int
        private var chains: Int

        init(_ section: ByteSection, at offset: Int) {
            self.section = section
            start = offset &+ 6
            let regions = Int(section.integer(at: offset, as: UInt16.self))
            let turns = Int(section.integer(at: offset &+ 2, as: UInt16.self))
            cursor = start &+ regions &* 2 &+ turns &* 4
            let isSound = regions <= BorderMap.mostRegions && cursor <= section.count
            regionCount = isSound ? regions : 0
            turnCount = isSound ? turns : 0
            chains = isSound ? Int(section.integer(at: offset &+ 4, as: UInt16.self)) : 0
        }

        /// A region's number, including `isInsideBelow`.
        @inline(__always)
        func region(_ index: Int) -> UInt16 {
            index < regionCount ? section.unchecked(at: start &+ index &* 2) : IndexFormat.none16
        }

        @inline(__always)
        func turn(_ index: Int) -> (latitude: Int, region: Int) {
            let offset = start &+ regionCount &* 2 &+ index &* 4
            return (
                Int(section.unchecked(at: offset, as: UInt16.self)),
                Int(section.unchecked(at: offset &+ 2, as: UInt16.self))
            )
        }

        @inline(__always)
        func owner(_ index: Int, of chain: Chain) -> Int {
            Int(section.unchecked(at: chain.ownerStart &+ index, as: UInt8.self))
        }

        @inline(__always)
        mutating func nextChain() -> Chain? {
            guard chains > 0, cursor &+ 2 <= section.count else { return nil }
            chains &-= 1
            let counts = Int(section.unchecked(at: cursor, as: UInt16.self))
            let owners = counts >> BorderMap.pointCountBits
            let start = cursor &+ 2 &+ (owners &+ 1) & ~1
            let end = start &+ (counts & BorderMap.mostPoints) &* 4
            guard start < end, end <= section.count else { return nil }
            defer { cursor = end }
            return Chain(ownerStart: cursor &+ 2, owners: owners, start: start, end: end)
        }
    }
}
