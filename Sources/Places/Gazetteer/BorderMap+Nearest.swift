import Glibc

extension BorderMap {
    /// A search for the nearest edge, in units of latitude.
    package struct NearSearch {
        let shrink: Double
        package var limit: Double
        /// The nearest point relative to the target, north and east in units.
        private(set) var north = 0.0
        private(set) var east = 0.0
        var region: UInt16?

        static let metresPerUnit = Sphere.radius * .pi / 180 / IndexFormat.degreeScale

        package init(_ point: Coordinate, within metres: Double) {
            shrink = max(cos(point.latitude * .pi / 180), 1e-6)
            let reach = metres / Self.metresPerUnit
            limit = reach * reach
        }

        package var near: Near? {
            region.map { Near(region: $0, metres: limit.squareRoot() * Self.metresPerUnit) }
        }

        /// Compares an edge, whose ends are given relative to the target, with the nearest so far. On a tie the
        /// region with the lowest number wins.
        @inline(__always)
        package mutating func weigh(_ x1: Int, _ y1: Int, _ x2: Int, _ y2: Int, _ region: UInt16) {
            let (x, y) = (Double(x1) * shrink, Double(y1))
            let (dx, dy) = (Double(x2 &- x1) * shrink, Double(y2 &- y1))
            let length = dx * dx + dy * dy
            let along = length > 0 ? min(max(-(x * dx + y * dy) / length, 0), 1) : 0
            let (px, py) = (x + along * dx, y + along * dy)
            let squared = px * px + py * py
            if squared < limit || (squared == limit && region < self.region ?? 0) {
                limit = squared
                self.region = region
                north = py
                east = px / shrink
            }
        }

        /// Whether nothing at this distance can win any more; the margin is for rounding.
        @inline(__always)
        func isBeyond(_ east: Double, _ north: Double) -> Bool {
            let dx = east * shrink
            return dx * dx + north * north > limit * (1 + 1e-9)
        }
    }

    /// The region, of those that fit, whose border is nearest to a point within a distance.
    ///
    /// Distances are measured on the plane that touches the sphere at the point's parallel, accurate to
    /// 0.1 % for tens of kilometres below 80 degrees of latitude.
    func nearest(to point: Coordinate, within metres: Double, where fits: (UInt16) -> Bool) -> Near? {
        search(point, within: metres, where: fits).near
    }

    func search(_ point: Coordinate, within metres: Double, where fits: (UInt16) -> Bool) -> NearSearch {
        let (x, y) = Self.scaled(point)
        let (column, row) = (Self.column(of: x), Self.row(of: y))
        var search = NearSearch(point, within: metres)
        weigh(row: row, 0, column, x, y, &search, fits)
        var step = 1
        while true {
            let below = Double(y &- Self.south(ofRow: row &- step &+ 1))
            let above = Double(Self.south(ofRow: row &+ step) &- y)
            let goesDown = row &- step >= 0 && !search.isBeyond(0, below)
            let goesUp = row &+ step < Self.rows && !search.isBeyond(0, above)
            guard goesDown || goesUp else { return search }
            if goesDown { weigh(row: row &- step, below, column, x, y, &search, fits) }
            if goesUp { weigh(row: row &+ step, above, column, x, y, &search, fits) }
            step &+= 1
        }
    }

    /// Searches the cells of a row that is `north` away, from the point's own column outwards.
    private func weigh(
        row: Int, _ north: Double, _ column: Int, _ x: Int, _ y: Int, _ search: inout NearSearch,
        _ fits: (UInt16) -> Bool
    ) {
        guard !search.isBeyond(0, north) else { return }
        weigh(column, row, x, y, &search, fits)
        var step = 1
        while step <= Self.columns / 2 {
            let west = Double(x &- Self.west(ofColumn: column &- step &+ 1))
            let east = Double(Self.west(ofColumn: column &+ step) &- x)
            let goesWest = !search.isBeyond(west, north)
            let goesEast = !search.isBeyond(east, north)
            guard goesWest || goesEast else { return }
            if goesWest { weigh(column &- step, row, x, y, &search, fits) }
            if goesEast { weigh(column &+ step, row, x, y, &search, fits) }
            step &+= 1
        }
    }

    /// Searches the edges of a cell; columns wrap around at the antimeridian.
    private func weigh(
        _ column: Int, _ row: Int, _ x: Int, _ y: Int, _ search: inout NearSearch, _ fits: (UInt16) -> Bool
    ) {
        let value = cell((column &+ Self.columns) % Self.columns, row)
        guard value & Self.filled == 0 else { return }
        let (left, below) = (x &- Self.west(ofColumn: column), y &- Self.south(ofRow: row))
        var record = Record(section, at: recordOffset(value))
        while let chain = record.nextChain() {
            var lowest: UInt16?
            for index in 0..<chain.owners {
                let region = record.region(record.owner(index, of: chain)) & ~Self.isInsideBelow
                if region < lowest ?? .max, fits(region) { lowest = region }
            }
            guard let lowest else { continue }
            var (x1, y1) = self.point(chain.start, left, below)
            var offset = chain.start &+ Self.pointSize
            while offset < chain.end {
                let (x2, y2) = self.point(offset, left, below)
                search.weigh(x1, y1, x2, y2, lowest)
                (x1, y1) = (x2, y2)
                offset &+= Self.pointSize
            }
        }
    }
}

extension BorderMap {
    /// The division (numbered from 0), of those that fit, whose border is nearest to a point within a distance.
    func nearestDivision(to point: Coordinate, within metres: Double, where fits: (UInt16) -> Bool) -> Near? {
        let near = nearest(to: point, within: metres) { division(ofRegion: $0).map(fits) ?? false }
        return near.flatMap { near in
            division(ofRegion: near.region).map { Near(region: $0, metres: near.metres) }
        }
    }
}
