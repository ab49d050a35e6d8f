/// Cells of an eighth of a degree in which a place may contradict the polygons around a point, read in place.
///
/// They are few, and all other cells can skip that search. Each tile of ten degrees has the number of its bits in 2
/// bytes, counted from 1, or 0 for none. Then each tile with bits has a bit for each cell, row by row.
struct ContestedCells: Sendable {
    private static let tileCount = BorderMap.tileRows * BorderMap.tileColumns
    private static let tileCells = BorderMap.tileSide * BorderMap.side
    private static let bitBytes = tileCells * tileCells / 8

    let section: ByteSection

    @inline(__always)
    func contains(_ point: Coordinate) -> Bool {
        let (x, y) = BorderMap.scaled(point)
        let (tile, cell) = Self.cell(BorderMap.column(of: x), BorderMap.row(of: y))
        let number = Int(section.integer(at: tile &* 2, as: UInt16.self))
        guard number > 0 else { return false }
        let bits = Self.tileCount &* 2 &+ (number &- 1) &* Self.bitBytes
        return section.integer(at: bits &+ cell >> 3, as: UInt8.self) & 1 << UInt8(cell & 7) != 0
    }

    /// The number of a cell's tile, and of the cell within it.
    @inline(__always)
    private static func cell(_ column: Int, _ row: Int) -> (tile: Int, cell: Int) {
        (
            row / tileCells &* BorderMap.tileColumns &+ column / tileCells,
            row % tileCells &* tileCells &+ column % tileCells
        )
    }

    static func layOut(_ places: [BuildState.PlaceDraft]) -> SectionBytes {
        var tiles = [[UInt8]](repeating: [], count: tileCount)
        for place in places where place.polygonRule != .agrees {
            let reach =
                switch place.polygonRule {
                case .overrules: Gazetteer.placeCapMetres
                case .strays: Gazetteer.strayRadius(population: Int(place.population))
                case .overrulesNearby, .agrees: Gazetteer.townRadiusMetres
                }
            // One percent more than the sphere needs, for rounding.
            let north = reach / 110_000
            let (latitude, longitude) = (place.coordinate.latitude, place.coordinate.longitude)
            let (south, top) = (max(latitude - north, -90), min(latitude + north, 90))
            let shrink = Trigonometry.sineCosine(degrees: max(abs(south), abs(top))).cosine
            let east = min(north / max(shrink, 1e-9), 180)
            let side = Double(BorderMap.side)
            for row in Int((south + 90) * side)...min(Int((top + 90) * side), BorderMap.rows - 1) {
                // Counts from 180 degrees west of the prime meridian, plus a full turn so that no number is negative.
                for column in Int((longitude - east + 540) * side)...Int((longitude + east + 540) * side) {
                    let (tile, cell) = cell(column % BorderMap.columns, row)
                    if tiles[tile].isEmpty { tiles[tile] = [UInt8](repeating: 0, count: bitBytes) }
                    tiles[tile][cell / 8] |= 1 << UInt8(cell % 8)
                }
            }
        }
        var section = SectionBytes()
        var count: UInt16 = 0
        for tile in tiles {
            if !tile.isEmpty { count += 1 }
            section.append(tile.isEmpty ? 0 : count)
        }
        for tile in tiles { section.bytes += tile }
        return section
    }
}
