import Gazetteer
import TestKit
import Testing

@Suite("Simplified borders", .computing) struct BorderSimplifierTests {
    private typealias Point = SIMD2<Int32>

    /// A map of squares whose sides wind at random; neighbours share every bend.
    private static func map(side: Int, seed: UInt64) -> [[Int32]] {
        var random = SplitMix(state: seed)
        let step: Int32 = 1_000_000
        func corner(_ x: Int, _ y: Int) -> Point { Point(Int32(x) * step, Int32(y) * step) }
        var lines: [[Point]: [Point]] = [:]
        func line(_ start: Point, _ end: Point) -> [Point] {
            if let known = lines[[start, end]] { return known }
            if let known = lines[[end, start]] { return known.reversed() }
            let bends = (1..<40).map { bend -> Point in
                let along = Double(bend) / 40
                let x = Double(start.x) + Double(end.x - start.x) * along
                let y = Double(start.y) + Double(end.y - start.y) * along
                return Point(
                    Int32(x) + Int32.random(in: -9_000...9_000, using: &random),
                    Int32(y) + Int32.random(in: -9_000...9_000, using: &random))
            }
            lines[[start, end]] = [start] + bends + [end]
            return [start] + bends + [end]
        }
        return (0..<side * side).map { cell in
            let (x, y) = (cell % side, cell / side)
            let corners = [corner(x, y), corner(x + 1, y), corner(x + 1, y + 1), corner(x, y + 1)]
            let ring = corners.indices.flatMap { line(corners[$0], corners[($0 + 1) % 4]).dropLast() }
            return ring.flatMap { [$0.x, $0.y] }
        }
    }

    private static func edges(_ ring: [Int32]) -> [[Point]] {
        let points = stride(from: 0, to: ring.count, by: 2).map { Point(ring[$0], ring[$0 + 1]) }
        return points.indices.map { index in
            let (one, other) = (points[index], points[(index + 1) % points.count])
            return (one.x, one.y) < (other.x, other.y) ? [one, other] : [other, one]
        }
    }

    @Test(arguments: 0..<Extent.of(4, check: 20)) func `are the same on both sides`(seed: Int) {
        let rings = Self.map(side: 4, seed: UInt64(seed))
        // 10 000 units are 111 m.
        let simplifier = BorderSimplifier(rings, toleranceMetres: 80)
        let simplified = rings.map { simplifier.simplified($0) }
        var uses: [[Point]: Int] = [:]
        for edge in simplified.flatMap({ Self.edges($0) }) { uses[edge, default: 0] += 1 }
        // Only the map's outer edge bounds one polygon.
        let outer = uses.filter { $0.value == 1 }.keys
        let isOuter = outer.allSatisfy { edge in
            [0, 4_000_000].contains { side in
                edge.allSatisfy { abs($0.x - side) < 20_000 } || edge.allSatisfy { abs($0.y - side) < 20_000 }
            }
        }
        #expect(isOuter)
        #expect(uses.values.allSatisfy { $0 <= 2 })
        let (before, after) = (rings.reduce(0) { $0 + $1.count }, simplified.reduce(0) { $0 + $1.count })
        #expect(after < before / 2)
    }

    @Test(arguments: 0..<Extent.of(4, check: 20)) func `move no farther than the tolerance`(seed: Int) {
        let rings = Self.map(side: 1, seed: UInt64(seed))
        let metres = 60.0
        let simplified = BorderSimplifier(rings, toleranceMetres: metres).simplified(rings[0])
        let edges = Self.edges(simplified)
        let units = metres / (40_030_174.0 / 360) * 1e7
        for index in stride(from: 0, to: rings[0].count, by: 2) {
            let point = SIMD2(Double(rings[0][index]), Double(rings[0][index + 1]))
            let nearest = edges.map { edge -> Double in
                let start = SIMD2(Double(edge[0].x), Double(edge[0].y))
                let way = SIMD2(Double(edge[1].x), Double(edge[1].y)) - start
                let along = min(max(((point - start) * way).sum() / max((way * way).sum(), 1), 0), 1)
                let rest = point - start - way * along
                return (rest * rest).sum().squareRoot()
            }.min()
            // At the equator a degree of longitude is as long as one of latitude.
            #expect((nearest ?? .infinity) <= units * 1.001)
        }
    }

    @Test func `keep a ring that has nothing to spare, and drop one that is a line`() {
        let triangle: [Int32] = [0, 0, 1_000_000, 0, 0, 1_000_000]
        let line: [Int32] = [0, 0, 1_000_000, 1, 2_000_000, 0, 1_000_000, -1]
        let simplifier = BorderSimplifier([triangle, line], toleranceMetres: 50)
        #expect(simplifier.simplified(triangle).count == 6)
        #expect(simplifier.simplified(line).isEmpty)
        // Across the whole planet nothing overflows.
        let world: [Int32] = [
            -1_800_000_000, -900_000_000, 1_800_000_000, -900_000_000, 1_800_000_000, 900_000_000,
            -1_800_000_000,
            900_000_000,
        ]
        #expect(BorderSimplifier([world], toleranceMetres: 50).simplified(world).count == 8)
    }
}
