extension BorderDraft {
    private enum Cell {
        case filled(UInt32)
        case record([UInt8])
    }

    /// The different fillings, in the order of their first use.
    private struct Fillings {
        var bytes = SectionBytes()
        private var numbers: [BorderMap.Filling: UInt32] = [:]

        init() { _ = value(BorderMap.Filling()) }

        mutating func value(_ filling: BorderMap.Filling) -> UInt32 {
            if let number = numbers[filling] { return number | BorderMap.filled }
            let number = UInt32(numbers.count)
            numbers[filling] = number
            bytes.append(filling.area)
            bytes.append(filling.division)
            bytes.append(filling.zone)
            bytes.pad(2)
            return number | BorderMap.filled
        }
    }

    /// The bytes that `BorderMap` reads.
    /// - Throws: `GazetteerError` if a cell has more than a record can hold.
    func layOut(_ path: String) throws(GazetteerError) -> SectionBytes {
        var tiles = SectionBytes()
        var blocks = SectionBytes()
        var fillings = Fillings()
        for band in 0..<BorderMap.tileRows {
            var squares: [[UInt32]] = []
            for degree in band * BorderMap.tileSide..<(band + 1) * BorderMap.tileSide {
                squares.append(try self.squares(ofDegree: degree, &blocks, &fillings, path))
            }
            for start in stride(from: 0, to: 360, by: BorderMap.tileSide) {
                let tile = squares.flatMap { $0[start..<start + BorderMap.tileSide] }
                if tile[0] & BorderMap.filled != 0, tile.allSatisfy({ $0 == tile[0] }) {
                    tiles.append(tile[0])
                } else {
                    tiles.append(UInt32(blocks.bytes.count))
                    for square in tile { blocks.append(square) }
                }
            }
        }
        var section = SectionBytes()
        section.append(UInt32(firstDivision))
        section.append(UInt32(firstZone))
        section.append(UInt32(blocks.bytes.count))
        section.append((isEmpty ? 0 : BorderMap.Has.areas) | (hasZones ? BorderMap.Has.zones : 0))
        section.bytes += tiles.bytes + blocks.bytes + fillings.bytes.bytes
        return section
    }

    /// The values of one row of squares.
    private func squares(
        ofDegree degree: Int, _ blocks: inout SectionBytes, _ fillings: inout Fillings, _ path: String
    ) throws(GazetteerError) -> [UInt32] {
        var squares = [UInt32](repeating: BorderMap.nothing, count: 360)
        let lines = degree * BorderMap.side..<(degree + 1) * BorderMap.side
        // A polygon has edges at every latitude that it covers.
        guard rows[lines].contains(where: { !$0.isEmpty }) else { return squares }
        let groups = lines.map { self.groups(ofRow: $0) }
        for square in squares.indices {
            let columns = square * BorderMap.side..<(square + 1) * BorderMap.side
            guard groups.contains(where: { row in columns.contains { !row[$0].isEmpty } }) else { continue }
            var cells: [Cell] = []
            for (row, groups) in zip(lines, groups) {
                for column in columns { cells.append(try cell(groups[column], column, row, &fillings, path)) }
            }
            guard let value = Self.append(cells, to: &blocks) else {
                throw GazetteerError(
                    .malformedInput, file: path,
                    message: "the borders up to the degree at \(degree - 90) \(square - 180) are too large, "
                        + "or have more than 8 MB in it; simplify the polygons")
            }
            squares[square] = value
        }
        return squares
    }

    /// The value that fills a square, or the offset of its block; nil if its cells do not fit.
    private static func append(_ cells: [Cell], to blocks: inout SectionBytes) -> UInt32? {
        var codes: [UInt8] = []
        var values: [UInt32] = []
        var records: [(value: Int, bytes: [UInt8])] = []
        for cell in cells {
            switch cell {
            case .filled(let value):
                if let index = values.firstIndex(of: value) {
                    codes.append(UInt8(index))
                    continue
                }
                codes.append(UInt8(values.count))
                values.append(value)
            case .record(let bytes):
                codes.append(UInt8(values.count))
                records.append((values.count, bytes))
                values.append(0)
            }
        }
        if records.isEmpty, values.count == 1 { return values[0] }
        var next = codes.count + BorderMap.blockValueSize * values.count
        for record in records {
            values[record.value] = UInt32(next)
            next += record.bytes.count
        }
        let numbers = values.map { $0 & ~BorderMap.filled }
        let start = UInt32(blocks.bytes.count)
        guard start < BorderMap.filled / 2, next < BorderMap.filledInBlock,
            numbers.allSatisfy({ $0 < BorderMap.filledInBlock })
        else { return nil }
        blocks.bytes += codes
        for (value, number) in zip(values, numbers) {
            let packed = value == number ? number : number | BorderMap.filledInBlock
            blocks.append(packed, byteCount: BorderMap.blockValueSize)
        }
        for record in records { blocks.bytes += record.bytes }
        return start
    }

    private func cell(
        _ unordered: [Group], _ column: Int, _ row: Int, _ fillings: inout Fillings, _ path: String
    ) throws(GazetteerError) -> Cell {
        let groups = order.isEmpty ? unordered : unordered.sorted { rank($0.region) < rank($1.region) }
        let divisions = groups.filter { (firstDivision..<firstZone).contains(Int($0.region)) }
        guard divisions.count <= 1, groups.allSatisfy(\.edges.isEmpty) else {
            return .record(try record(of: groups, column, row, path))
        }
        var filling = BorderMap.Filling()
        if let first = groups.first, Int(first.region) < firstDivision { filling.area = first.region }
        if let division = divisions.first { filling.division = UInt16(Int(division.region) - firstDivision) }
        if let zone = groups.first(where: { Int($0.region) >= firstZone }) {
            filling.zone = UInt16(Int(zone.region) - firstZone)
        }
        return .filled(fillings.value(filling))
    }

    /// Areas in order, then divisions and zones.
    private func rank(_ region: UInt16) -> (UInt8, UInt16) {
        (Int(region) < order.count ? order[Int(region)] : UInt8.max, region)
    }

    private func record(of groups: [Group], _ column: Int, _ row: Int, _ path: String)
        throws(GazetteerError) -> [UInt8]
    {
        let west = Int32(BorderMap.west(ofColumn: column) / BorderMap.unit)
        let south = Int32(BorderMap.south(ofRow: row) / BorderMap.unit)
        // Above a cell's last break is another cell, except at the pole.
        let top = row + 1 == BorderMap.rows ? Int32.max : Int32(BorderMap.cellUnits)
        var turns: [(at: Int32, region: Int)] = []
        var regions = SectionBytes()
        var numbers: [UInt16: UInt8] = [:]
        for (index, group) in groups.enumerated() {
            numbers[group.region] = UInt8(truncatingIfNeeded: index)
            let isFirst = group.breaks.first == 0
            regions.append(group.region | (isFirst ? BorderMap.isInsideBelow : 0))
            for value in group.breaks where value > 0 && value < top { turns.append((value, index)) }
        }
        guard groups.count <= BorderMap.mostRegions else {
            let degree = Double(BorderMap.unitsPerDegree)
            throw GazetteerError(
                .malformedInput, file: path,
                message:
                    "an eighth of a degree at \(Double(south) / degree) \(Double(west) / degree) has more "
                    + "than \(BorderMap.mostRegions) regions; simplify the polygons")
        }
        let chains = chains(of: groups)
        var record = SectionBytes()
        for count in [groups.count, turns.count, chains.count] { record.append(varint: count) }
        record.bytes += regions.bytes
        for turn in turns { record.append(UInt16(Int(turn.at) | turn.region << BorderMap.turnBits)) }
        for chain in chains {
            record.append(
                UInt8(chain.points.count / 2 - 2 | (chain.owners.count - 1) << BorderMap.pointCountBits))
            for owner in chain.owners { record.append(numbers[owner] ?? 0) }
            for index in stride(from: 0, to: chain.points.count, by: 2) {
                let x = UInt32(Int(chain.points[index] - west) + BorderMap.pointBias)
                let y = UInt32(Int(chain.points[index + 1] - south) + BorderMap.pointBias)
                record.append(x | y << UInt32(BorderMap.coordinateBits), byteCount: BorderMap.pointSize)
            }
        }
        return record.bytes
    }

    /// Consecutive edges that bound the same regions; longitudes and latitudes alternate.
    private struct Chain {
        var owners: ArraySlice<UInt16>
        var points: [Int32]
    }

    private func chains(of groups: [Group]) -> [Chain] {
        var chains: [Chain] = []
        for index in Set(groups.flatMap(\.edges)).sorted() {
            let edge = edges[Int(index)]
            var rest = owners[Int(index)][...]
            if let last = chains.last, last.owners == rest, last.points.count < BorderMap.mostPoints * 2,
                last.points[last.points.count - 2] == edge.x1, last.points[last.points.count - 1] == edge.y1
            {
                chains[chains.count - 1].points += [edge.x2, edge.y2]
                continue
            }
            while !rest.isEmpty {
                chains.append(
                    Chain(
                        owners: rest.prefix(BorderMap.mostOwners),
                        points: [edge.x1, edge.y1, edge.x2, edge.y2]))
                rest = rest.dropFirst(BorderMap.mostOwners)
            }
        }
        return chains
    }
}
