import Glibc

/// Polygons of regions, as edges in bands of latitude, read in place.
///
///     header    bands, groups, edges, 0                             16 bytes
///     starts    first group of each band, and the count of groups   4 bytes each
///     groups    region, first edge, edges, west, east               20 bytes each
///     edges     longitude and latitude of both ends                 16 bytes each
///
/// A group is what one region's border has in one band, and `west`...`east` its extent. An edge is in
/// every band that it touches, so the bands near a point hold all that matters to it.
struct BorderMap: Sendable {
    static let bandCount = 720
    static let groupSize = 20
    static let edgeSize = 16
    private static let headerSize = 16
    /// A quarter of a degree.
    private static let bandHeight = Int(IndexFormat.degreeScale) / 4

    struct Near {
        var region: UInt16
        var metres: Double
    }

    private let section: ByteSection
    private let groupCount: Int
    private let edgeCount: Int
    private let groupStart: Int
    private let edgeStart: Int

    init(_ section: ByteSection, file: String) throws(GazetteerError) {
        self.section = section
        groupCount = Int(section.integer(at: 4, as: UInt32.self))
        edgeCount = Int(section.integer(at: 8, as: UInt32.self))
        groupStart = Self.headerSize + (Self.bandCount + 1) * 4
        edgeStart = groupStart + groupCount * Self.groupSize
        guard section.integer(at: 0, as: UInt32.self) == Self.bandCount,
            section.count == edgeStart + edgeCount * Self.edgeSize
        else {
            throw GazetteerError(.corrupt, file: file, message: "its borders are damaged; rebuild the index")
        }
    }

    static func band(of latitude: Int32) -> Int {
        min(max((Int(latitude) + 90 * Int(IndexFormat.degreeScale)) / bandHeight, 0), bandCount - 1)
    }

    /// The region whose border encloses a point: the even-odd rule (Shimrat, 1962), in exact integers.
    ///
    /// Of overlapping regions the lowest number is answered.
    func region(containing point: Coordinate) -> UInt16? {
        let (x, y) = Self.scaled(point)
        for group in groups(ofBand: Self.band(of: y)) {
            let record = groupStart + group * Self.groupSize
            let west: Int32 = section.integer(at: record + 12)
            let east: Int32 = section.integer(at: record + 16)
            guard west <= x, x <= east else { continue }
            var isInside = false
            for edge in edges(ofGroup: group) {
                let offset = edgeStart + edge * Self.edgeSize
                let y1: Int32 = section.integer(at: offset + 4)
                let y2: Int32 = section.integer(at: offset + 12)
                guard (y1 > y) != (y2 > y) else { continue }
                let x1: Int32 = section.integer(at: offset)
                let x2: Int32 = section.integer(at: offset + 8)
                // Both products are below 2⁶³: a difference of longitudes is below 3.7 × 10⁹.
                let left = (Int64(x) - Int64(x1)) &* (Int64(y2) - Int64(y1))
                let right = (Int64(x2) - Int64(x1)) &* (Int64(y) - Int64(y1))
                if y2 > y1 ? left < right : left > right { isInside.toggle() }
            }
            if isInside { return section.integer(at: record) }
        }
        return nil
    }

    /// The region whose border is nearest to a point, within so many metres.
    ///
    /// Distances are measured on the plane that touches the sphere at the point's parallel, good to
    /// 0.1 % for tens of kilometres below 80 degrees of latitude.
    func nearest(to point: Coordinate, within metres: Double, region wanted: UInt16? = nil) -> Near? {
        let (x, y) = Self.scaled(point)
        let metresPerUnit = Sphere.radius * .pi / 180 / IndexFormat.degreeScale
        let shrink = max(cos(point.latitude * .pi / 180), 1e-6)
        let reach = Int32(min(metres / metresPerUnit, 90 * IndexFormat.degreeScale).rounded(.up))
        let reachEast = min(Double(reach) / shrink, 360 * IndexFormat.degreeScale)
        var best: Near?
        var limit = metres * metres
        let lowest = Self.band(of: max(y, .min + reach) - reach)
        for band in lowest...Self.band(of: min(y, .max - reach) + reach) {
            for group in groups(ofBand: band) {
                let record = groupStart + group * Self.groupSize
                let region: UInt16 = section.integer(at: record)
                guard wanted == nil || wanted == region, isNear(x, record, reachEast) else { continue }
                for edge in edges(ofGroup: group) {
                    let squared = squaredDistance(x, y, edge, shrink) * metresPerUnit * metresPerUnit
                    if squared < limit {
                        limit = squared
                        best = Near(region: region, metres: squared.squareRoot())
                    }
                }
            }
        }
        return best
    }

    private static func scaled(_ point: Coordinate) -> (Int32, Int32) {
        (
            Int32((point.longitude * IndexFormat.degreeScale).rounded()),
            Int32((point.latitude * IndexFormat.degreeScale).rounded())
        )
    }

    private func groups(ofBand band: Int) -> Range<Int> {
        let start = Int(section.integer(at: Self.headerSize + band * 4, as: UInt32.self))
        let end = Int(section.integer(at: Self.headerSize + band * 4 + 4, as: UInt32.self))
        return start..<max(start, min(end, groupCount))
    }

    private func edges(ofGroup group: Int) -> Range<Int> {
        let record = groupStart + group * Self.groupSize
        let start = Int(section.integer(at: record + 4, as: UInt32.self))
        let count = Int(section.integer(at: record + 8, as: UInt32.self))
        return start..<max(start, min(start + count, edgeCount))
    }

    /// Whether a group's extent comes within reach of a longitude, across the antimeridian too.
    private func isNear(_ x: Int32, _ record: Int, _ reach: Double) -> Bool {
        let west = Double(section.integer(at: record + 12, as: Int32.self))
        let east = Double(section.integer(at: record + 16, as: Int32.self))
        let turn = 360 * IndexFormat.degreeScale
        return [0, turn, -turn].contains { shift in
            west - reach <= Double(x) + shift && Double(x) + shift <= east + reach
        }
    }

    /// The squared distance of a point from an edge, in units of latitude.
    private func squaredDistance(_ x: Int32, _ y: Int32, _ edge: Int, _ shrink: Double) -> Double {
        let offset = edgeStart + edge * Self.edgeSize
        let turn = 360 * IndexFormat.degreeScale
        var x1 = Double(section.integer(at: offset, as: Int32.self)) - Double(x)
        let width = Double(section.integer(at: offset + 8, as: Int32.self)) - Double(x) - x1
        x1 -= (x1 / turn).rounded() * turn
        x1 *= shrink
        let y1 = Double(section.integer(at: offset + 4, as: Int32.self)) - Double(y)
        let dx = width * shrink
        let dy = Double(section.integer(at: offset + 12, as: Int32.self)) - Double(y) - y1
        let length = dx * dx + dy * dy
        let along = length > 0 ? min(max(-(x1 * dx + y1 * dy) / length, 0), 1) : 0
        let (px, py) = (x1 + along * dx, y1 + along * dy)
        return px * px + py * py
    }
}
