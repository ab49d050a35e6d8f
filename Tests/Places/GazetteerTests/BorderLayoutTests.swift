import Gazetteer
import GazetteerVerification
import Glibc
import TestKit
import Testing

/// What one cell of the map of borders can hold.
@Suite(.computing) struct BorderLayoutTests {
    private static let corner = (latitude: 47.0, longitude: 8.0)

    private static func collection(_ features: [String]) -> String {
        #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
    }

    /// A star around the middle of a cell.
    private static func star(corners: Int, radius: Double, _ random: inout SplitMix) -> String {
        let points = (0..<corners).map { index in
            let angle = Double(index) / Double(corners) * 2 * Double.pi
            let reach = radius * Double.random(in: 0.8...1, using: &random)
            return
                "[\(corner.longitude + 0.0625 + reach * cos(angle)),\(corner.latitude + 0.0625 + reach * sin(angle))]"
        }
        return "[" + (points + [points[0]]).joined(separator: ",") + "]"
    }

    @Test(arguments: [3, 31, 32, 33, 34, 64, 65, 66, 150])
    func `has every point of a border that bounds many countries`(corners: Int) throws {
        var random = SplitMix(state: 3)
        let shared = Self.star(corners: corners, radius: 0.06, &random)
        let folder = try TemporaryFolder()
        let countries = Fixture.countries.map(\.0)
        let features = countries.map { country in
            let own = Self.star(corners: 5, radius: 0.03, &random)
            return Fixture.feature(#""ISO_A2":"\#(country)""#, "Polygon", "[\(shared),\(own)]")
        }
        let gazetteer = try Fixture.gazetteer(in: folder, borders: Self.collection(features))
        let exhaustive = ExhaustiveSearch(gazetteer)
        #expect(exhaustive.edgeCount == countries.count * (corners + 5))
        for _ in 0..<200 {
            let point = try coordinate(
                Self.corner.latitude + Double.random(in: -0.02...0.145, using: &random),
                Self.corner.longitude + Double.random(in: -0.02...0.145, using: &random))
            #expect(gazetteer.reverse(point) == exhaustive.reverse(point), "\(point)")
        }
    }

    /// Edges at any slant, which are stored in parts, and both sides of them.
    @Test func `keeps long edges where they are`() throws {
        var random = SplitMix(state: 8)
        for _ in 0..<20 {
            let width = Double.random(in: 0.1...40, using: &random)
            let height = Double.random(in: 0...20, using: &random)
            let (west, south) = (
                Double.random(in: -80...0, using: &random), Double.random(in: -60...0, using: &random)
            )
            let folder = try TemporaryFolder()
            // Both countries have the edge, in opposite directions.
            let (start, end) = ("[\(west),\(south)]", "[\(west + width),\(south + height)]")
            let north = "[[\(start),\(end),[\(west),\(south + height + 1)],\(start)]]"
            let below = "[[\(end),\(start),[\(west + width),\(south - 1)],\(end)]]"
            let gazetteer = try Fixture.gazetteer(
                in: folder, rows: [],
                borders: Self.collection([
                    Fixture.feature(#""ISO_A2":"FR""#, "Polygon", north),
                    Fixture.feature(#""ISO_A2":"CH""#, "Polygon", below),
                ]))
            for _ in 0..<100 {
                let along = Double.random(in: 0.05...0.95, using: &random)
                let (longitude, latitude) = (west + along * width, south + along * height)
                // One step of the grid to either side; across the edge, it is less.
                let step = 1.25e-4 * (1 + height / width)
                let answers = [step, -step].map {
                    gazetteer.reverse(Coordinate(clamping: latitude + $0, longitude)).country?.code
                }
                #expect(answers == ["FR", "CH"], "\(width) × \(height) at \(latitude) \(longitude)")
            }
        }
    }

    @Test func `has edges across many cells`() throws {
        let folder = try TemporaryFolder()
        let ring = Fixture.square(west: -89.5, south: -85, east: 89.5, north: 89)
        let gazetteer = try Fixture.gazetteer(
            in: folder, rows: Fixture.rows.filter { $0.country == "FR" },
            borders: Self.collection([Fixture.feature(#""ISO_A2":"FR""#, "Polygon", "[\(ring)]")]))
        for (latitude, longitude) in [(88.99, 0.0), (-84.99, -89.4), (0, 89.49), (12.5, 12.5)] {
            #expect(try gazetteer.reverse(coordinate(latitude, longitude)).certainty == .insideBorder)
        }
        for (latitude, longitude) in [(89.01, 0.0), (-85.01, 50), (0, 89.51)] {
            #expect(try gazetteer.reverse(coordinate(latitude, longitude)).certainty != .insideBorder)
        }
    }

    @Test(arguments: [63, 64]) func `numbers 64 regions, and refuses more`(divisions: Int) throws {
        let folder = try TemporaryFolder()
        let squares = (0..<divisions).map { index -> (name: String, west: Double, south: Double) in
            let (east, north) = (Double(index % 8), Double(index / 8))
            let west: Double = Self.corner.longitude + 0.01 + 0.0125 * east
            let south: Double = Self.corner.latitude + 0.01 + 0.0125 * north
            return ("D\(index + 100)", west, south)
        }
        let polygons = squares.map { square in
            Fixture.feature(
                #""name":"\#(square.name)""#, "Polygon",
                "["
                    + Fixture.square(
                        west: square.west, south: square.south, east: square.west + 0.01,
                        north: square.south + 0.01) + "]")
        }
        let country = Fixture.square(west: 7, south: 46, east: 9, north: 48)
        let rows = squares.enumerated().map { index, square in
            Fixture.Row(
                id: index + 1, name: "P\(index)", latitude: square.south + 0.005,
                longitude: square.west + 0.005, country: "CH", admin1: square.name)
        }
        var inputs = try Fixture.inputs(
            in: folder, rows: rows,
            borders: Self.collection([Fixture.feature(#""ISO_A2":"CH""#, "Polygon", "[\(country)]")]),
            divisions: Self.collection(polygons))
        inputs.removeAll { $0.kind == .admin1Codes }
        let codes = squares.map { "CH.\($0.name)\t\($0.name)\t\($0.name)\t1\n" }.joined()
        inputs.append(GazetteerInput(.admin1Codes, path: try folder.write(codes, to: "codes.txt")))
        let path = "\(folder.path)/index"
        guard divisions < 64 else {
            let error = try #require(throws: GazetteerError.self) {
                _ = try GazetteerBuilder(inputs: inputs).build(to: path)
            }
            #expect(error.code == .malformedInput)
            #expect(
                error.message.contains("eighth of a degree at 47.0 8.0 has more than 64 regions"),
                "\(error.message)")
            return
        }
        _ = try GazetteerBuilder(inputs: inputs).build(to: path)
        let gazetteer = try Gazetteer(path: path)
        for square in squares {
            let answer = gazetteer.reverse(try coordinate(square.south + 0.002, square.west + 0.002))
            #expect(answer.admin1?.code == "CH.\(square.name)")
            #expect(answer.admin1Certainty == .insideBorder)
        }
    }
}
