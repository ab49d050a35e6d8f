/// Squares of one degree in which a place may overrule the polygon around a point, read in place.
///
/// They are few, and all other squares can skip that search. Each tile of ten degrees has the number of its bits in 2
/// bytes, counted from 1, or 0 for none. Then each tile with bits has 16 bytes, of which 100 bits are used.
struct ContestedSquares: Sendable {
    private static let tileCount = BorderMap.tileRows * BorderMap.tileColumns
    private static let bitBytes = 16

    let section: ByteSection

    @inline(__always)
    func contains(_ point: Coordinate) -> Bool {
        let (x, y) = BorderMap.scaled(point)
        let (tile, square) = BorderMap.square(BorderMap.column(of: x), BorderMap.row(of: y))
        let number = Int(section.integer(at: tile &* 2, as: UInt16.self))
        guard number > 0 else { return false }
        let bits = Self.tileCount &* 2 &+ (number &- 1) &* Self.bitBytes
        return section.integer(at: bits &+ square >> 3, as: UInt8.self) & 1 << UInt8(square & 7) != 0
    }

    static func layOut(_ places: [BuildState.PlaceDraft]) -> SectionBytes {
        var tiles = [[UInt8]](repeating: [], count: tileCount)
        for place in places where place.polygonRule != .agrees {
            let reach =
                place.polygonRule == .overrules ? Gazetteer.placeCapMetres : Gazetteer.townRadiusMetres
            // One percent more than the sphere needs, for rounding.
            let north = reach / 110_000
            let (latitude, longitude) = (place.coordinate.latitude, place.coordinate.longitude)
            let (south, top) = (max(latitude - north, -90), min(latitude + north, 90))
            let shrink = Trigonometry.sineCosine(degrees: max(abs(south), abs(top))).cosine
            let east = min(north / max(shrink, 1e-9), 180)
            for row in Int(south + 90)...min(Int(top + 90), 179) {
                // Counts from 180 degrees west of the prime meridian, plus a full turn so that no number is negative.
                for column in Int(longitude - east + 540)...Int(longitude + east + 540) {
                    let (tile, square) = BorderMap.square(column % 360 * BorderMap.side, row * BorderMap.side)
                    if tiles[tile].isEmpty { tiles[tile] = [UInt8](repeating: 0, count: bitBytes) }
                    tiles[tile][square / 8] |= 1 << UInt8(square % 8)
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
