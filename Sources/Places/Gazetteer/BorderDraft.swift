/// Polygons for the index, as edges in units of `BorderMap.unit`.
///
/// An edge shared by several regions is stored once, with all of them.
struct BorderDraft {
    struct Edge: Hashable {
        var x1: Int32
        var y1: Int32
        var x2: Int32
        var y2: Int32

        /// The same edge in either direction.
        var undirected: Edge {
            (x1, y1) <= (x2, y2) ? self : Edge(x1: x2, y1: y2, x2: x1, y2: y1)
        }
    }

    /// Limits edges so that the points of an edge touching a cell are as near to it as a record can hold.
    private static let longestEdge = BorderMap.pointBias - 4

    /// Regions from these numbers on are divisions, and zones: see `BorderMap`.
    let firstDivision: Int
    let firstZone: Int
    private(set) var edges: [Edge] = []
    /// The regions of each edge, in order.
    private(set) var owners: [[UInt16]] = []
    /// The edges that touch each row of cells.
    private(set) var rows = [[Int32]](repeating: [], count: BorderMap.rows)
    /// The number of edges read that are not too short to be kept, without those of zones.
    private(set) var edgeCount = 0
    private(set) var hasZones = false
    private var known: [Edge: Int32] = [:]
    /// By area: of several areas around a point, the one with the lowest value counts, then the one with the lowest
    /// number. Empty if the number alone decides.
    var order: [UInt8] = []

    var isEmpty: Bool { edgeCount == 0 }

    init(firstDivision: Int, firstZone: Int = Int(BorderMap.isInsideBelow)) {
        self.firstDivision = firstDivision
        self.firstZone = firstZone
    }

    /// Adds a ring of alternating longitudes and latitudes, in `IndexFormat.degreeScale`.
    mutating func add(ring: [Int32], region: UInt16) {
        let count = ring.count / 2
        for index in 0..<count {
            let next = index + 1 == count ? 0 : index + 1
            let points = Self.points(
                from: (ring[2 * index], ring[2 * index + 1]), to: (ring[2 * next], ring[2 * next + 1]))
            // A closed ring repeats its first point: that edge has no length.
            guard points.contains(where: { $0 != points[0] }) else { continue }
            if region < firstZone { edgeCount += 1 } else { hasZones = true }
            for (start, end) in zip(points, points.dropFirst()) where start != end {
                add(Edge(x1: start.x, y1: start.y, x2: end.x, y2: end.y), region)
            }
        }
    }

    /// The ends of an edge, and between them points so that no part is too long. They are the same whichever of two
    /// neighbours the edge is read from.
    private static func points(
        from start: (x: Int32, y: Int32), to end: (x: Int32, y: Int32)
    ) -> [(x: Int32, y: Int32)] {
        let isForward = start <= end
        let (first, last) = isForward ? (start, end) : (end, start)
        let (width, height) = (Int(last.x) - Int(first.x), Int(last.y) - Int(first.y))
        let longest = longestEdge * BorderMap.unit
        let count = max(1, (max(abs(width), abs(height)) + longest - 1) / longest)
        let points = (0...count).map { index in
            (
                x: rounded(Int32(Int(first.x) + width * index / count)),
                y: rounded(Int32(Int(first.y) + height * index / count))
            )
        }
        return isForward ? points : points.reversed()
    }

    private static func rounded(_ value: Int32) -> Int32 {
        let half = Int32(BorderMap.unit / 2)
        return (value < 0 ? value - half : value + half) / Int32(BorderMap.unit)
    }

    private mutating func add(_ edge: Edge, _ region: UInt16) {
        if let number = known[edge.undirected] {
            toggle(region, of: Int(number))
            return
        }
        let number = Int32(edges.count)
        let (low, high) = (Int(min(edge.y1, edge.y2)), Int(max(edge.y1, edge.y2)))
        for row in BorderMap.row(of: low * BorderMap.unit)...BorderMap.row(of: high * BorderMap.unit) {
            rows[row].append(number)
        }
        known[edge.undirected] = number
        edges.append(edge)
        owners.append([region])
    }

    /// An edge with the same region on both sides bounds nothing: it joins two touching parts of the region.
    private mutating func toggle(_ region: UInt16, of edge: Int) {
        if let index = owners[edge].firstIndex(of: region) {
            owners[edge].remove(at: index)
        } else {
            owners[edge].insert(region, at: owners[edge].firstIndex { $0 > region } ?? owners[edge].count)
        }
    }
}
