import Gazetteer
import TestKit
import Testing

/// France is divided into West (2 to 4 degrees east), East (4 to 8), North and Fourth (5 to 8, 48 to 49 north).
@Suite("The division of a polygon", .computing) struct DivisionEvidenceTests {
    private typealias Row = Fixture.Row

    private static func row(
        _ id: Int, _ name: String, _ latitude: Double, _ longitude: Double, _ division: String,
        people: Int = 0
    ) -> Row {
        Row(
            id: id, name: name, latitude: latitude, longitude: longitude, country: "FR", admin1: division,
            population: people)
    }

    private func divisions(_ rows: [Row], at points: [(Double, Double)]) throws -> [String?] {
        let folder = try TemporaryFolder()
        let gazetteer = try DivisionTests().gazetteer(folder, adding: rows)
        return try points.map { try gazetteer.reverse(coordinate($0.0, $0.1)).admin1?.code }
    }

    @Test func `is the one that it is named for, though more places of another are inside`() throws {
        // No place is like its nearest neighbour, so nothing speaks against the name.
        let rows = [
            Self.row(30, "Own", 48.5, 5.5, "F"), Self.row(31, "First", 48.5, 5.51, "W"),
            Self.row(32, "Second", 48.5, 7.5, "E"), Self.row(33, "Third", 48.5, 7.51, "W"),
        ]
        #expect(try divisions(rows, at: [(48.9, 6.5)]) == ["FR.F"])
    }

    @Test func `is that of most places if none is in the one that it is named for`() throws {
        let rows = [Self.row(30, "First", 48.5, 5.5, "W"), Self.row(31, "Second", 48.6, 5.5, "W")]
        #expect(try divisions(rows, at: [(48.9, 7.9)]) == ["FR.W"])
    }

    @Test func `is left to the nearest place if the polygon mixes divisions`() throws {
        let folder = try TemporaryFolder()
        let rows = [
            Self.row(30, "One", 48.5, 5.5, "F"), Self.row(31, "Two", 48.52, 5.5, "F"),
            Self.row(32, "Three", 48.5, 7.5, "W"), Self.row(33, "Four", 48.52, 7.5, "W"),
        ]
        let gazetteer = try DivisionTests().gazetteer(folder, adding: rows)
        for (longitude, division, name) in [(6.4, "FR.F", "One"), (6.6, "FR.W", "Three")] {
            let answer = try gazetteer.reverse(coordinate(48.4, longitude))
            #expect(answer.admin1?.code == division)
            #expect(answer.admin1Certainty == .nearestPlace)
            #expect(answer.place?.name == name)
        }
    }

    @Test func `yields to a place of another division near that place`() throws {
        // Deep in the East, whose other places agree with the polygon.
        let rows =
            [
                Self.row(29, "Own", 47.9, 7.4, "E"), Self.row(30, "Stray", 46.5, 6, "W"),
                Self.row(31, "City", 47.5, 6, "W", people: 1_000_000),
            ]
            + (0..<8).map { Self.row(40 + $0, "Own \($0)", 46.2 + Double($0) / 5, 5.5, "E") }
        // 0.02° of latitude are 2.2 km, 0.03° are 3.3 km; a million people give 8.3 km.
        let found = try divisions(
            rows, at: [(46.5, 6), (46.52, 6), (46.53, 6), (47.5, 6), (47.57, 6), (47.58, 6)])
        #expect(found == ["FR.W", "FR.W", "FR.E", "FR.W", "FR.W", "FR.E"])
    }

    @Test func `becomes that of a place whose table names none`() throws {
        let folder = try TemporaryFolder()
        let rows = [Row(id: 30, name: "Nameless", latitude: 46.5, longitude: 6, country: "FR")]
        let answer = try DivisionTests().gazetteer(folder, adding: rows).reverse(coordinate(46.6, 6))
        #expect(answer.place?.name == "Nameless")
        #expect(answer.admin1?.code == "FR.E")
    }

    @Test func `is listed by the build if nothing is in it and nothing around it`() throws {
        let folder = try TemporaryFolder()
        let codes = "FR.W\tWest\t\t1\nFR.X\tElsewhere\t\t2\n"
        var inputs = try Fixture.inputs(
            in: folder, rows: [Self.row(1, "Westville", 47, 2.5, "W")], borders: Fixture.borders)
        inputs.removeAll { $0.kind == .admin1Codes }
        inputs.append(GazetteerInput(.admin1Codes, path: try folder.write(codes, to: "codes.txt")))
        let summary = try GazetteerBuilder(inputs: inputs).build(to: "\(folder.path)/index")
        #expect(summary.unreachableDivisions == ["FR.X Elsewhere"])
    }

    @Test func `does not matter to two places at one point: the larger is named`() throws {
        let folder = try TemporaryFolder()
        let rows = [
            Self.row(30, "Small", 46.5, 6, "E", people: 10), Self.row(31, "Large", 46.5, 6, "E", people: 20),
        ]
        let answer = try DivisionTests().gazetteer(folder, adding: rows).reverse(coordinate(46.5, 6))
        #expect(answer.place?.name == "Large")
    }
}
