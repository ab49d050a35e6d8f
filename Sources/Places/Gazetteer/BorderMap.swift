/// Polygons of areas, of divisions within them, and of time zones, in cells of an eighth of a degree, read in place.
///
///     header    numbers of the first division and the first zone, offset of the fillings,
///               and whether there are areas or divisions, and zones     4 bytes each
///     tiles     of ten degrees: the value that fills it, or its group  4 bytes each, 36 × 18
///     groups    of 10 × 10 squares of one degree: the value that fills it, or its block   4 bytes each
///     blocks    codes of 8 × 8 cells, one byte each; the values that the codes number, 3 bytes each; and
///               the records of the cells that a border crosses
///     fillings  area, division and zone, or `none16`, of cells that no border crosses     8 bytes each, the rest zero
///
/// Groups, blocks and fillings are found by their offset behind the tiles, and records by their offset in their block.
///
/// Regions are numbered: areas (countries), divisions, zones. A point may lie in several of each. A cell
/// that no border crosses costs two to four loads. A record consists of the counts of regions, turns and chains as
/// varints, then the regions and turns, 2 bytes each, and the chains. A region's top bit says whether the edges east of
/// the cell cross its lowest parallel an odd number of times. A turn is a latitude from which this is reversed, in its low
/// bits, and for which region. A chain is a run of whole edges that touch the cell: in one byte how many regions it bounds
/// and how many points it has, one byte for each region with its place in the record, and the points relative to the cell's
/// south-west corner, 12 bits for each coordinate. So the even-odd rule within a cell counts the same crossings as over all
/// of a region's edges, and borders that regions share are stored and examined once, such as those of a country and its
/// time zone.
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
    /// Points are stored in units of 1.25 · 10⁻⁴ degrees, 14 m, so that those of edges that touch a cell need 12 bits.
    static let unitsPerDegree = 8_000
    static let unit = Int(IndexFormat.degreeScale) / unitsPerDegree
    static let cellUnits = unitsPerDegree / side
    static let cellSize = cellUnits * unit
    static let pointSize = 3
    static let coordinateBits = 12
    /// Added to the coordinates of points, which may lie outside of the cell.
    static let pointBias = (1 << coordinateBits - cellUnits) / 2

    /// Set in the value of a tile, square or cell that no border crosses; the other bits are the number of its filling.
    static let filled: UInt32 = 1 << 31
    /// The same in the values of a block's cells.
    static let filledInBlock: UInt32 = 1 << 23
    static let blockValueSize = 3
    /// The first filling: no region.
    static let nothing = filled

    /// What fills a cell that no border crosses; `none16` where nothing does.
    struct Filling: Hashable {
        static let size = 8

        var area = IndexFormat.none16
        var division = IndexFormat.none16
        var zone = IndexFormat.none16
    }

    static let isInsideBelow: UInt16 = 1 << 15
    static let turnBits = 10
    /// The number of a chain's points less two in the low bits, and that of its owners less one.
    static let pointCountBits = 5
    static let mostPoints = 1 << pointCountBits + 1
    static let mostOwners = 1 << (8 - pointCountBits)
    static let mostRegions = 64

    let section: ByteSection
    private let firstDivision: UInt16
    private let firstZone: UInt16
    private let fillings: Int
    let hasAreas: Bool
    let hasZones: Bool
    private static let blockStart = headerSize + tileRows * tileColumns * 4

    /// Bits of the header's last number.
    enum Has {
        static let areas: UInt32 = 1
        static let zones: UInt32 = 2
    }

    init(_ section: ByteSection, file: String) throws(GazetteerError) {
        self.section = section
        firstDivision = UInt16(truncatingIfNeeded: section.integer(at: 0, as: UInt32.self))
        firstZone = UInt16(truncatingIfNeeded: section.integer(at: 4, as: UInt32.self))
        fillings = Self.blockStart + Int(section.integer(at: 8, as: UInt32.self))
        let has: UInt32 = section.integer(at: 12)
        hasAreas = has & Has.areas != 0
        hasZones = has & Has.zones != 0
        guard section.count >= Self.blockStart else {
            throw GazetteerError(.corrupt, file: file, message: "its borders are damaged; rebuild the index")
        }
    }

    @inline(__always)
    package func isArea(_ region: UInt16) -> Bool { region < firstDivision }

    /// The division (numbered from 0) of a region; nil if it is an area or a zone.
    @inline(__always)
    package func division(ofRegion region: UInt16) -> UInt16? {
        region >= firstDivision && region < firstZone ? region &- firstDivision : nil
    }

    @inline(__always)
    fileprivate func zone(ofRegion region: UInt16) -> UInt16? {
        region >= firstZone ? region &- firstZone : nil
    }

    @inline(__always)
    func filling(_ value: UInt32) -> Filling {
        let all: UInt64 = section.integer(at: fillings &+ Int(value & ~Self.filled) &* Filling.size)
        return Filling(
            area: UInt16(truncatingIfNeeded: all), division: UInt16(truncatingIfNeeded: all >> 16),
            zone: UInt16(truncatingIfNeeded: all >> 32))
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
        guard value & Self.filled == 0 else { return Spot(map: self, filling: filling(value)) }
        return spot(
            inRecord: recordOffset(value), x &- Self.west(ofColumn: column), y &- Self.south(ofRow: row))
    }

    func recordOffset(_ value: UInt32) -> Int { Self.blockStart &+ Int(value) }

    private func spot(inRecord offset: Int, _ left: Int, _ below: Int) -> Spot {
        var record = Record(section, at: offset)
        var inside: UInt64 = 0
        for index in 0..<record.regionCount where record.region(index) & Self.isInsideBelow != 0 {
            inside |= 1 << UInt64(index)
        }
        for index in 0..<record.turnCount {
            let (latitude, region) = record.turn(index)
            if latitude &* Self.unit <= below { inside ^= 1 << UInt64(region & 63) }
        }
        while let chain = record.nextChain() {
            if crossesOddly(chain, left, below) {
                for index in 0..<chain.owners { inside ^= 1 << UInt64(record.owner(index, of: chain) & 63) }
            }
        }
        return Spot(map: self, filling: Filling(), inside: inside, record: record)
    }

    /// Whether a ray from a point of the cell to the east crosses a chain an odd number of times.
    @inline(__always)
    private func crossesOddly(_ chain: Chain, _ x: Int, _ y: Int) -> Bool {
        var isOdd = false
        var (x1, y1) = self.point(chain.start, x, y)
        var offset = chain.start &+ Self.pointSize
        while offset < chain.end {
            let (x2, y2) = self.point(offset, x, y)
            if (y1 > 0) != (y2 > 0) {
                let left = (0 &- x1) &* (y2 &- y1)
                let right = (x2 &- x1) &* (0 &- y1)
                if y2 > y1 ? left < right : left > right { isOdd.toggle() }
            }
            (x1, y1) = (x2, y2)
            offset &+= Self.pointSize
        }
        return isOdd
    }

    /// A point of a chain, relative to a point of the cell.
    @inline(__always)
    func point(_ offset: Int, _ x: Int, _ y: Int) -> (x: Int, y: Int) {
        let both = Int(section.unchecked(at: offset, as: UInt32.self))
        let mask = 1 << Self.coordinateBits - 1
        return (
            (both & mask &- Self.pointBias) &* Self.unit &- x,
            (both >> Self.coordinateBits & mask &- Self.pointBias) &* Self.unit &- y
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
        // What is read beyond the value belongs to the next one, to a record or to the fillings.
        let value: UInt32 = section.integer(
            at: block &+ Self.side &* Self.side &+ code &* Self.blockValueSize)
        let rest = value & (Self.filledInBlock &- 1)
        return value & Self.filledInBlock != 0 ? Self.filled | rest : square &+ rest
    }
}

extension BorderMap {
    /// The regions that enclose a point.
    struct Spot {
        private let map: BorderMap
        /// Of a cell that no border crosses.
        private let filling: Filling
        /// One bit for each region, by its place in the record.
        private let inside: UInt64
        private let record: Record?

        init(map: BorderMap, filling: Filling, inside: UInt64 = 0, record: Record? = nil) {
            self.map = map
            self.filling = filling
            self.inside = inside
            self.record = record
        }

        /// The area; if several overlap, the one with the lowest number.
        var area: UInt16? {
            guard let record else { return Self.some(filling.area) }
            guard inside != 0 else { return nil }
            let region = record.region(inside.trailingZeroBitCount) & ~BorderMap.isInsideBelow
            return map.isArea(region) ? region : nil
        }

        /// The time zone; if several overlap, the one with the lowest number.
        var zone: UInt16? {
            record == nil ? Self.some(filling.zone) : first { map.zone(ofRegion: $0) }
        }

        /// The division (numbered from 0) of a cell that no border crosses.
        @inline(__always)
        var onlyDivision: UInt16? { record == nil ? Self.some(filling.division) : nil }

        /// The first division (numbered from 0) that fits.
        func division(where fits: (UInt16) -> Bool) -> UInt16? {
            guard record == nil else {
                return first { region in
                    map.division(ofRegion: region).flatMap { fits($0) ? $0 : nil }
                }
            }
            return onlyDivision.flatMap { fits($0) ? $0 : nil }
        }

        @inline(__always)
        private static func some(_ number: UInt16) -> UInt16? { number == IndexFormat.none16 ? nil : number }

        /// The first that is made of a region around the point.
        @inline(__always)
        private func first(_ made: (UInt16) -> UInt16?) -> UInt16? {
            guard let record else { return nil }
            var rest = inside
            while rest != 0 {
                let region = record.region(rest.trailingZeroBitCount) & ~BorderMap.isInsideBelow
                if let found = made(region) { return found }
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
            var next = offset
            let regions = section.varint(&next)
            let turns = section.varint(&next)
            let chains = section.varint(&next)
            start = next
            cursor = start &+ (regions &+ turns) &* 2
            let isSound = regions <= BorderMap.mostRegions && cursor <= section.count
            regionCount = isSound ? regions : 0
            turnCount = isSound ? turns : 0
            self.chains = isSound ? chains : 0
        }

        /// A region's number, including `isInsideBelow`.
        @inline(__always)
        func region(_ index: Int) -> UInt16 {
            index < regionCount ? section.unchecked(at: start &+ index &* 2) : IndexFormat.none16
        }

        @inline(__always)
        func turn(_ index: Int) -> (latitude: Int, region: Int) {
            let both = Int(
                section.unchecked(at: start &+ (regionCount &+ index) &* 2, as: UInt16.self))
            return (both & (1 << BorderMap.turnBits &- 1), both >> BorderMap.turnBits)
        }

        @inline(__always)
        func owner(_ index: Int, of chain: Chain) -> Int {
            Int(section.unchecked(at: chain.ownerStart &+ index, as: UInt8.self))
        }

        @inline(__always)
        mutating func nextChain() -> Chain? {
            guard chains > 0, cursor < section.count else { return nil }
            chains &-= 1
            let counts = Int(section.unchecked(at: cursor, as: UInt8.self))
            let owners = counts >> BorderMap.pointCountBits &+ 1
            let start = cursor &+ 1 &+ owners
            let end = start &+ (counts & (1 << BorderMap.pointCountBits &- 1) &+ 2) &* BorderMap.pointSize
            // Points are read by 4 bytes.
            guard end < section.count else { return nil }
            defer { cursor = end }
            return Chain(ownerStart: cursor &+ 1, owners: owners, start: start, end: end)
        }
    }
}
