import Glibc

extension BorderMap {
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
