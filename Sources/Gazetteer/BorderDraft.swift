/// Polygons read for the index, as edges in units of `BorderMap.unit`.
struct BorderDraft {
    private struct Edge {
        var x1: Int32
        var y1: Int32
        var x2: Int32
        var y2: Int32
        var region: UInt16
    }

    /// What one region has in a cell.
    private struct Group {
        var region: UInt16
        /// Where spans of latitudes begin and end in turn, from the cell's south.
        var breaks: [Int32]
        /// In order.
        var edges: [Int32]
    }

    /// Keeps the points of an edge that touches a cell within 16 bits of the cell's corner.
    private static let longestEdge: Int32 = 20_000

    private var edges: [Edge] = []
    /// The edges that touch each row of cells.
    private var rows = [[Int32]](repeating: [], count: BorderMap.rows)
    /// Edges as they were read.
    private(set) var edgeCount = 0

    var isEmpty: Bool { edgeCount == 0 }

    /// Adds a ring of longitudes and latitudes in turn, in `IndexFormat.degreeScale`.
    mutating func add(ring: [Int32], region: UInt16) {
        let count = ring.count / 2
        for index in 0..<count {
            let next = index + 1 == count ? 0 : index + 1
            let edge = Edge(
                x1: Self.rounded(ring[2 * index]), y1: Self.rounded(ring[2 * index + 1]),
                x2: Self.rounded(ring[2 * next]), y2: Self.rounded(ring[2 * next + 1]), region: region)
            // A closed ring repeats its first point: that edge has no length.
            guard edge.x1 != edge.x2 || edge.y1 != edge.y2 else { continue }
            edgeCount += 1
            add(edge)
        }
    }

    private static func rounded(_ value: Int32) -> Int32 {
        let half = Int32(BorderMap.unit / 2)
        return (value < 0 ? value - half : value + half) / Int32(BorderMap.unit)
    }

    /// Halves what is long: the middle is the same whichever of two neighbours the edge is read from.
    private mutating func add(_ edge: Edge) {
        if abs(edge.x2 - edge.x1) > Self.longestEdge || abs(edge.y2 - edge.y1) > Self.longestEdge {
            let (x, y) = ((edge.x1 + edge.x2) >> 1, (edge.y1 + edge.y2) >> 1)
            add(Edge(x1: edge.x1, y1: edge.y1, x2: x, y2: y, region: edge.region))
            add(Edge(x1: x, y1: y, x2: edge.x2, y2: edge.y2, region: edge.region))
            return
        }
        let (low, high) = (Int(min(edge.y1, edge.y2)), Int(max(edge.y1, edge.y2)))
        for row in BorderMap.row(of: low * BorderMap.unit)...BorderMap.row(of: high * BorderMap.unit) {
            rows[row].append(Int32(edges.count))
        }
        edges.append(edge)
    }

    /// - Throws: `GazetteerError` where a cell has more edges than a record can hold.
    func layOut(_ path: String) throws(GazetteerError) -> SectionBytes {
        var tiles = SectionBytes()
        var groups = SectionBytes()
        var squares = SectionBytes()
        var records = SectionBytes()
        for band in 0..<18 {
            var rows: [[UInt32]] = []
            for degree in band * 10..<(band + 1) * 10 {
                guard touchesRows(ofDegree: degree) else {
                    rows.append([UInt32](repeating: Self.nothing, count: 360))
                    continue
                }
                var cells: [[UInt32]] = []
                for row in degree * BorderMap.side..<(degree + 1) * BorderMap.side {
                    cells.append(try self.cells(ofRow: row, &records, path))
                }
                rows.append(Self.gather(cells, by: BorderMap.side, into: &squares))
            }
            for value in Self.gather(rows, by: 10, into: &groups) { tiles.append(value) }
        }
        var section = SectionBytes()
        section.append(UInt32(groups.bytes.count / 400))
        section.append(UInt32(squares.bytes.count / (4 * BorderMap.side * BorderMap.side)))
        section.pad(BorderMap.headerSize - section.bytes.count)
        section.bytes += tiles.bytes + groups.bytes + squares.bytes + records.bytes
        return section
    }

    private static let nothing = BorderMap.filled | UInt32(IndexFormat.none16)

    /// Whether any edge does: a polygon has edges at all latitudes that it covers.
    private func touchesRows(ofDegree degree: Int) -> Bool {
        rows[degree * BorderMap.side..<(degree + 1) * BorderMap.side].contains { !$0.isEmpty }
    }

    /// What fills each block of `side` columns of some rows, or else the number of the block, which is stored.
    private static func gather(_ rows: [[UInt32]], by side: Int, into blocks: inout SectionBytes) -> [UInt32]
    {
        stride(from: 0, to: rows[0].count, by: side).map { start in
            let block = rows.flatMap { $0[start..<start + side] }
            if block[0] & BorderMap.filled != 0, block.allSatisfy({ $0 == block[0] }) { return block[0] }
            let number = UInt32(blocks.bytes.count / (4 * block.count))
            for value in block { blocks.append(value) }
            return number
        }
    }

    /// The values of a row's cells; records are added for those that a border crosses.
    private func cells(ofRow row: Int, _ records: inout SectionBytes, _ path: String) throws(GazetteerError)
        -> [UInt32]
    {
        var groups = [[Group]](repeating: [], count: BorderMap.columns)
        let sorted = rows[row].sorted { left, right in
            let (one, other) = (edges[Int(left)].region, edges[Int(right)].region)
            return one != other ? one < other : left < right
        }
        var start = 0
        while start < sorted.count {
            let region = edges[Int(sorted[start])].region
            let end = sorted[start...].firstIndex { edges[Int($0)].region != region } ?? sorted.count
            sweep(sorted[start..<end], row, region, &groups)
            start = end
        }
        var values: [UInt32] = []
        for cell in groups.indices {
            if groups[cell].contains(where: { !$0.edges.isEmpty }) {
                values.append(UInt32(records.bytes.count / 4))
                try append(groups[cell], cell, row, to: &records, path)
            } else {
                values.append(BorderMap.filled | UInt32(groups[cell].first?.region ?? IndexFormat.none16))
            }
        }
        return values
    }

    /// Finds what a region has in each cell of a row, from the east: an edge that the sweep has passed
    /// lies east of all cells to come, and counts there by its span of latitudes alone.
    private func sweep(_ list: ArraySlice<Int32>, _ row: Int, _ region: UInt16, _ groups: inout [[Group]]) {
        let south = BorderMap.south(ofRow: row) / BorderMap.unit
        var touching: [(column: Int, edge: Int32)] = []
        var passed: [(column: Int, low: Int32, high: Int32)] = []
        for index in list {
            let (low, high, columns) = extent(of: edges[Int(index)], south)
            for column in columns { touching.append((column, index)) }
            if low < high, columns.lowerBound > 0 { passed.append((columns.lowerBound - 1, low, high)) }
        }
        touching.sort { $0.column != $1.column ? $0.column < $1.column : $0.edge > $1.edge }
        passed.sort { $0.column < $1.column }
        var breaks: [Int32] = []
        var column = max(touching.last?.column ?? -1, passed.last?.column ?? -1)
        while column >= 0, !(touching.isEmpty && passed.isEmpty && breaks.isEmpty) {
            while let last = passed.last, last.column >= column {
                Self.toggle(last.low, &breaks)
                Self.toggle(last.high, &breaks)
                passed.removeLast()
            }
            var here: [Int32] = []
            while let last = touching.last, last.column == column {
                here.append(last.edge)
                touching.removeLast()
            }
            if !here.isEmpty || !breaks.isEmpty {
                groups[column].append(Group(region: region, breaks: breaks, edges: here))
            }
            column -= 1
        }
    }

    private static func toggle(_ value: Int32, _ breaks: inout [Int32]) {
        let index = breaks.firstIndex { $0 >= value } ?? breaks.count
        if index < breaks.count, breaks[index] == value {
            breaks.remove(at: index)
        } else {
            breaks.insert(value, at: index)
        }
    }

    /// The part of an edge within a row: latitudes from the row's south, and the columns that it touches.
    private func extent(of edge: Edge, _ south: Int) -> (low: Int32, high: Int32, columns: ClosedRange<Int>) {
        let (x1, y1) = (Int(edge.x1), Int(edge.y1) - south)
        let (x2, y2) = (Int(edge.x2), Int(edge.y2) - south)
        let low = min(max(min(y1, y2), 0), BorderMap.cellUnits)
        let high = min(max(max(y1, y2), 0), BorderMap.cellUnits)
        var (west, east) = (min(x1, x2), max(x1, x2))
        if y1 != y2 {
            let ends = [low, high].map { Self.floor((x2 - x1) * ($0 - y1), y2 - y1) + x1 }
            // The end of the interval is rounded up, so that no crossing lies outside.
            west = max(west, min(ends[0], ends[1]))
            east = min(east, max(ends[0], ends[1]) + 1)
        }
        let turn = 180 * 100_000
        // What lies on a boundary touches both cells.
        let first = -Self.floor(-(west + turn), BorderMap.cellUnits) - 1
        let last = Self.floor(east + turn, BorderMap.cellUnits)
        let bounds = 0...BorderMap.columns - 1
        return (Int32(low), Int32(high), (first...max(first, last)).clamped(to: bounds))
    }

    private static func floor(_ value: Int, _ divisor: Int) -> Int {
        let quotient = value / divisor
        return value % divisor != 0 && (value < 0) != (divisor < 0) ? quotient - 1 : quotient
    }

    private func append(
        _ groups: [Group], _ column: Int, _ row: Int, to records: inout SectionBytes, _ path: String
    ) throws(GazetteerError) {
        let west = Int32(BorderMap.west(ofColumn: column) / BorderMap.unit)
        let south = Int32(BorderMap.south(ofRow: row) / BorderMap.unit)
        records.append(UInt16(groups.count))
        for group in groups {
            let chains = chains(of: group.edges)
            guard group.breaks.count / 2 <= UInt16.max, chains.count <= UInt16.max else {
                throw GazetteerError(
                    .malformedInput, file: path,
                    message: "an eighth of a degree has more than 65 535 pieces of one border; simplify it")
            }
            records.append(group.region)
            records.append(UInt16(group.breaks.count / 2))
            records.append(UInt16(chains.count))
            for value in group.breaks { records.append(UInt16(value)) }
            for chain in chains {
                records.append(UInt16(chain.count / 2))
                for index in stride(from: 0, to: chain.count, by: 2) {
                    records.append(Int16(chain[index] - west))
                    records.append(Int16(chain[index + 1] - south))
                }
            }
        }
        records.pad(-records.bytes.count & 3)
    }

    /// Joins edges that follow each other; longitudes and latitudes in turn.
    private func chains(of list: [Int32]) -> [[Int32]] {
        var chains: [[Int32]] = []
        for index in list {
            let edge = edges[Int(index)]
            if let last = chains.last, last.count < 100_000, last[last.count - 2] == edge.x1,
                last[last.count - 1] == edge.y1
            {
                chains[chains.count - 1] += [edge.x2, edge.y2]
            } else {
                chains.append([edge.x1, edge.y1, edge.x2, edge.y2])
            }
        }
        return chains
    }
}
