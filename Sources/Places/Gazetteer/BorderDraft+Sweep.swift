extension BorderDraft {
    /// The part of one region within a cell.
    struct Group {
        var region: UInt16
        /// The latitudes where spans begin and end, alternating, from the cell's south.
        var breaks: [Int32]
        /// In order.
        var edges: [Int32]
    }

    /// The parts of all regions in each cell of a row, sorted by region.
    func groups(ofRow row: Int) -> [[Group]] {
        var groups = [[Group]](repeating: [], count: BorderMap.columns)
        var pairs: [(region: UInt16, edge: Int32)] = []
        for edge in rows[row] {
            for region in owners[Int(edge)] { pairs.append((region, edge)) }
        }
        pairs.sort { $0.region != $1.region ? $0.region < $1.region : $0.edge < $1.edge }
        var start = 0
        while start < pairs.count {
            let region = pairs[start].region
            let end = pairs[start...].firstIndex { $0.region != region } ?? pairs.count
            sweep(pairs[start..<end].map(\.edge), row, region, &groups)
            start = end
        }
        return groups
    }

    /// Finds the parts of a region in each cell of a row, starting in the east. An edge that the sweep has passed lies
    /// east of all remaining cells and only counts there by its span of latitudes.
    private func sweep(_ list: [Int32], _ row: Int, _ region: UInt16, _ groups: inout [[Group]]) {
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
        let turn = 180 * BorderMap.unitsPerDegree
        // An edge on a boundary touches both cells.
        let first = -Self.floor(-(west + turn), BorderMap.cellUnits) - 1
        let last = Self.floor(east + turn, BorderMap.cellUnits)
        let bounds = 0...BorderMap.columns - 1
        return (Int32(low), Int32(high), (first...max(first, last)).clamped(to: bounds))
    }

    private static func floor(_ value: Int, _ divisor: Int) -> Int {
        let quotient = value / divisor
        return value % divisor != 0 && (value < 0) != (divisor < 0) ? quotient - 1 : quotient
    }
}
