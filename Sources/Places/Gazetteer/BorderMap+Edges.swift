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
        for row in 0..<Self.rows {
            for column in 0..<Self.columns {
                let value = cell(column, row)
                guard value & Self.filled == 0 else { continue }
                let (west, south) = (Self.west(ofColumn: column), Self.south(ofRow: row))
                var record = Record(section, at: recordOffset(value))
                while let chain = record.nextChain() {
                    let points = stride(from: chain.start, to: chain.end, by: 4)
                        .map { point($0, -west, -south) }
                    for index in 0..<chain.owners {
                        let region = record.region(record.owner(index, of: chain)) & ~Self.isInsideBelow
                        guard isArea(region) || division(ofRegion: region) != nil else { continue }
                        for (start, end) in zip(points, points.dropFirst()) {
                            edges.insert(
                                Edge(region: region, x1: start.x, y1: start.y, x2: end.x, y2: end.y))
                        }
                    }
                }
            }
        }
        return edges
    }
}
