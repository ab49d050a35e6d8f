extension BorderMap {
    /// An edge in `IndexFormat.degreeScale`.
    package struct Edge: Hashable {
        package var region: UInt16
        package var x1: Int
        package var y1: Int
        package var x2: Int
        package var y2: Int
    }

    /// The divisions with a polygon, numbered from 0.
    package var divisions: Set<UInt16> {
        var regions: Set<UInt16> = []
        for row in 0..<Self.rows {
            for column in 0..<Self.columns {
                let value = cell(column, row)
                guard value & Self.filled == 0 else {
                    if let division = Spot(map: self, filling: filling(value)).onlyDivision {
                        regions.insert(division)
                    }
                    continue
                }
                let record = Record(section, at: recordOffset(value))
                for index in 0..<record.regionCount {
                    let region = record.region(index) & ~Self.isInsideBelow
                    if let division = division(ofRegion: region) { regions.insert(division) }
                }
            }
        }
        return regions
    }

    /// Every edge of areas and divisions, once for each that it bounds.
    package func allEdges() -> Set<Edge> {
        var edges: Set<Edge> = []
        forEachChain { regions, points in
            for region in regions where isArea(region) || division(ofRegion: region) != nil {
                for (start, end) in zip(points, points.dropFirst()) {
                    edges.insert(Edge(region: region, x1: start.x, y1: start.y, x2: end.x, y2: end.y))
                }
            }
        }
        return edges
    }

    /// Calls back for the chains of every cell, with the regions that they bound. A chain in several cells comes several times.
    func forEachChain(_ body: (_ regions: [UInt16], _ points: [(x: Int, y: Int)]) -> Void) {
        for row in 0..<Self.rows {
            for column in 0..<Self.columns {
                let value = cell(column, row)
                guard value & Self.filled == 0 else { continue }
                let (west, south) = (Self.west(ofColumn: column), Self.south(ofRow: row))
                var record = Record(section, at: recordOffset(value))
                while let chain = record.nextChain() {
                    let regions = (0..<chain.owners).map {
                        record.region(record.owner($0, of: chain)) & ~Self.isInsideBelow
                    }
                    let points = stride(from: chain.start, to: chain.end, by: Self.pointSize)
                        .map { point($0, -west, -south) }
                    body(regions, points)
                }
            }
        }
    }
}
