import Gazetteer
import Glibc
import TestKit
import Testing

@Suite(.computing) struct LandMapTests {
    private static func map(_ body: (Gazetteer, LandMap) throws -> Void) throws {
        let folder = try TemporaryFolder()
        let inputs = try Fixture.inputs(in: folder, rows: Fixture.rows, borders: Fixture.borders)
        _ = try GazetteerBuilder(inputs: inputs).build(to: "\(folder.path)/index")
        let gazetteer = try Gazetteer(path: "\(folder.path)/index")
        try body(gazetteer, LandMap(of: gazetteer))
    }

    /// The tile of a point, which Web Mercator has south of 85° only.
    private static func tile(_ latitude: Double, _ longitude: Double, zoom: Int) -> (x: Int, y: Int) {
        let tiles = Double(1 << zoom)
        let down = (1 - asinh(tan(latitude * .pi / 180)) / .pi) / 2
        return (
            min(Int((longitude + 180) / 360 * tiles), (1 << zoom) - 1),
            min(max(Int(down * tiles), 0), (1 << zoom) - 1)
        )
    }

    private static func isInside(_ shape: LandMap.Shape, _ latitude: Double, _ longitude: Double) -> Bool {
        var isInside = false
        for ring in shape.rings {
            var last = ring.count - 2
            for index in stride(from: 0, to: ring.count, by: 2) {
                let (x1, y1, x2, y2) = (ring[last], ring[last + 1], ring[index], ring[index + 1])
                if (y1 > latitude) != (y2 > latitude),
                    longitude < x1 + (latitude - y1) / (y2 - y1) * (x2 - x1)
                {
                    isInside.toggle()
                }
                last = index
            }
        }
        return isInside
    }

    @Test(arguments: [0, 1, 2, 3, 5, 7, 8, 9, 12, 16])
    func `has every country where the gazetteer has it`(zoom: Int) throws {
        try Self.map { gazetteer, map in
            var found: Set<String> = []
            // Half a degree from all borders of the fixture, or more than what a zoom may move them.
            for (latitude, longitude) in [
                (46.25, 8.5), (46.75, 9.25), (47.75, 9.75), (47.4, 5.1), (-18.5, 178.5), (-16.5, 179.6),
                (-82.0, 12.0), (15.5, -79.5), (0.25, 0.25), (50.0, 5.0),
            ] {
                let answer = try gazetteer.reverse(coordinate(latitude, longitude))
                let expected = answer.certainty == .insideBorder ? answer.country?.code : nil
                let (x, y) = Self.tile(latitude, longitude, zoom: zoom)
                let shapes = map.tile(zoom: zoom, x: x, y: y).filter {
                    Self.isInside($0, latitude, longitude)
                }
                // Fiji's places overrule the French square that is around them on the map.
                let isOverruled = (latitude, longitude) == (-18.5, 178.5)
                #expect(
                    shapes.map(\.country.code) == (isOverruled ? ["FR"] : expected.map { [$0] } ?? []),
                    "\(latitude), \(longitude)")
                found.formUnion(shapes.map(\.country.code))
            }
            #expect(found.isSuperset(of: ["CH", "FR", "AQ"]))
        }
    }

    @Test func `has nothing outside of the map, and no point far outside of a tile`() throws {
        try Self.map { _, map in
            for (zoom, x, y) in [(-1, 0, 0), (0, 1, 0), (3, 8, 0), (3, 0, -1), (17, 0, 0), (.max, 0, 0)] {
                #expect(map.tile(zoom: zoom, x: x, y: y).isEmpty)
            }
            // Around 46.9° N, 8.6° E.
            let (x, y) = Self.tile(46.9, 8.6, zoom: 10)
            let points = map.tile(zoom: 10, x: x, y: y).flatMap(\.rings).flatMap { $0 }
            #expect(points.count == 8, "the tile is full")
            #expect(stride(from: 0, to: 8, by: 2).allSatisfy { abs(points[$0] - 8.6) < 0.5 })
            #expect(stride(from: 1, to: 8, by: 2).allSatisfy { abs(points[$0] - 46.9) < 0.5 })
        }
    }
}
