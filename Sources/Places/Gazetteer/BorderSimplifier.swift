import Glibc

/// Simplifies polygons that share borders, so that neighbours still share them.
///
/// Borders are cut where three of them meet, and every piece is simplified once, by the method of Ramer (1972) and
/// Douglas and Peucker (1973), in the direction that its ends have in common. A ring that meets no other is cut at its
/// lowest point and at the one farthest from it.
package struct BorderSimplifier {
    private typealias Point = UInt64

    /// The farthest that a border may move, in units of `IndexFormat.degreeScale` of latitude.
    private let tolerance: Double
    /// Where three or more borders meet.
    private let junctions: Set<UInt64>

    /// - Parameter rings: alternating longitudes and latitudes, in `IndexFormat.degreeScale`.
    package init(_ rings: [[Int32]], toleranceMetres: Double) {
        tolerance = toleranceMetres / BorderMap.NearSearch.metresPerUnit
        junctions = Self.junctions(of: rings)
    }

    /// A ring without the points that it can spare; empty if nothing but a line is left.
    package func simplified(_ ring: [Int32]) -> [Int32] {
        var points = Self.points(of: ring)
        guard points.count > 3 else { return ring }
        let start =
            points.firstIndex { junctions.contains($0) } ?? points.indices.min { points[$0] < points[$1] }
            ?? 0
        points = Array(points[start...] + points[..<start])
        points.append(points[0])
        var cuts = points.indices.filter { junctions.contains(points[$0]) }
        if cuts.count < 2 { cuts = [0, points.count - 1] }
        var kept: [Point] = []
        for (first, last) in zip(cuts, cuts.dropFirst()) {
            kept += piece(Array(points[first...last])).dropLast()
        }
        return kept.count < 3 ? [] : kept.flatMap { [Self.x($0), Self.y($0)] }
    }

    private func piece(_ points: [Point]) -> [Point] {
        guard points.count > 2 else { return points }
        guard points[0] != points[points.count - 1] else {
            // A loop: cut where it is farthest from its end, which does not depend on the direction.
            let far = points.indices.max { left, right in
                let (one, other) = (squared(points[left], points[0]), squared(points[right], points[0]))
                return one != other ? one < other : points[left] < points[right]
            }
            guard let far, far > 0 else { return points }
            return piece(Array(points[...far])).dropLast() + piece(Array(points[far...]))
        }
        guard points[0] < points[points.count - 1] else { return piece(points.reversed()).reversed() }
        return line(points)
    }

    /// Ramer's method.
    private func line(_ points: [Point]) -> [Point] {
        var isKept = [Bool](repeating: false, count: points.count)
        isKept[0] = true
        isKept[points.count - 1] = true
        let shrink = Self.shrink(points[0])
        var open = [(0, points.count - 1)]
        while let (first, last) = open.popLast() {
            var farthest = (index: first, squared: tolerance * tolerance)
            for index in first + 1..<max(last, first + 1) {
                let squared = squaredDistance(points[index], points[first], points[last], shrink)
                if squared > farthest.squared { farthest = (index, squared) }
            }
            guard farthest.index > first else { continue }
            isKept[farthest.index] = true
            open += [(first, farthest.index), (farthest.index, last)]
        }
        return points.indices.filter { isKept[$0] }.map { points[$0] }
    }

    private func squared(_ point: Point, _ other: Point) -> Double {
        squaredDistance(point, other, other, Self.shrink(other))
    }

    /// The squared distance of a point from the segment between two others.
    private func squaredDistance(_ point: Point, _ start: Point, _ end: Point, _ shrink: Double) -> Double {
        let px = (Double(Self.x(point)) - Double(Self.x(start))) * shrink
        let py = Double(Self.y(point)) - Double(Self.y(start))
        let dx = (Double(Self.x(end)) - Double(Self.x(start))) * shrink
        let dy = Double(Self.y(end)) - Double(Self.y(start))
        let length = dx * dx + dy * dy
        let along = length > 0 ? min(max((px * dx + py * dy) / length, 0), 1) : 0
        let (east, north) = (px - along * dx, py - along * dy)
        return east * east + north * north
    }

    private static func junctions(of rings: [[Int32]]) -> Set<UInt64> {
        var neighbours: [(point: Point, other: Point)] = []
        neighbours.reserveCapacity(rings.reduce(0) { $0 + $1.count })
        for ring in rings {
            let points = Self.points(of: ring)
            for index in points.indices {
                let next = points[index + 1 == points.count ? 0 : index + 1]
                neighbours.append((points[index], next))
                neighbours.append((next, points[index]))
            }
        }
        neighbours.sort { $0.point != $1.point ? $0.point < $1.point : $0.other < $1.other }
        var junctions: Set<UInt64> = []
        var start = 0
        while start < neighbours.count {
            var different = 1
            var end = start + 1
            while end < neighbours.count, neighbours[end].point == neighbours[start].point {
                if neighbours[end].other != neighbours[end - 1].other { different += 1 }
                end += 1
            }
            if different > 2 { junctions.insert(neighbours[start].point) }
            start = end
        }
        return junctions
    }

    /// The ring's points without repetitions.
    private static func points(of ring: [Int32]) -> [Point] {
        var points: [Point] = []
        points.reserveCapacity(ring.count / 2)
        for index in stride(from: 0, to: ring.count - 1, by: 2) {
            let point = pack(ring[index], ring[index + 1])
            if point != points.last { points.append(point) }
        }
        if points.count > 1, points.first == points.last { points.removeLast() }
        return points
    }

    private static func pack(_ x: Int32, _ y: Int32) -> Point {
        UInt64(UInt32(bitPattern: x)) << 32 | UInt64(UInt32(bitPattern: y))
    }

    private static func x(_ point: Point) -> Int32 {
        Int32(bitPattern: UInt32(truncatingIfNeeded: point >> 32))
    }
    private static func y(_ point: Point) -> Int32 { Int32(bitPattern: UInt32(truncatingIfNeeded: point)) }

    /// How much shorter a degree of longitude is than one of latitude. At a pole it would hide everything.
    private static func shrink(_ point: Point) -> Double {
        max(cos(Double(y(point)) / IndexFormat.degreeScale * .pi / 180), 0.05)
    }
}

extension BuildState {
    /// How far the border of a time zone may move, in metres.
    static let zoneToleranceMetres = 60.0

    /// Thins out the polygons of time zones, which are published with every bend of a river.
    mutating func simplifyZones() {
        let simplifier = BorderSimplifier(
            zoneAreas.flatMap(\.rings), toleranceMetres: Self.zoneToleranceMetres)
        for index in zoneAreas.indices {
            let rings = zoneAreas[index].rings.map { simplifier.simplified($0) }
            zoneAreas[index].rings = rings.filter { !$0.isEmpty }
        }
    }
}
