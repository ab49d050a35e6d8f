import Gazetteer
import TestKit
import Testing

@Suite(.computing) struct DivisionTests {
    /// France from 2 to 8 degrees east: a western, an eastern and a northern division, and one without places
    /// that is found by its code; a Swiss one next to them, and an eastern one of Switzerland.
    private static let divisions = collection([
        (#""name":"West""#, [(2, 46, 4, 48)]),
        // Two polygons of one division; the border between them does not count.
        (#""name":"East, the south""#, [(4, 46, 7.9, 47)]),
        (#""name":"East, the north""#, [(4, 47, 7.9, 48)]),
        (#""name":"?","Iso_3166_2":"FR-N""#, [(2, 48, 5, 49)]),
        (#""name":"Fourth","iso_a2":"FR""#, [(5, 48, 8, 49)]),
        (#""name":"Swiss""#, [(8, 46, 8.5, 48)]),
        (#""name":"Nobody's""#, [(100, 0, 101, 1)]),
    ])

    private static func collection(_ features: [(String, [(Double, Double, Double, Double)])]) -> String {
        let features = features.map { properties, squares in
            let polygons = squares.map {
                "[\(Fixture.square(west: $0.0, south: $0.1, east: $0.2, north: $0.3))]"
            }
            return Fixture.feature(properties, "MultiPolygon", "[\(polygons.joined(separator: ","))]")
        }
        return #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
    }

    private static let codes = """
        FR.W\tWest\t\t1
        FR.E\tEast\t\t2
        FR.N\tNorth\t\t3
        FR.F\tFourth\t\t4
        CH.ZH\tZürich\tZurich\t2657895
        CH.GR\tGraubünden\tGraubunden\t5

        """

    private static let subdivisions = "FR.W\tWest\tFR-W\t1\nFR.N\tNorth\tFR-N\t1\n"

    private static let rows = [
        Fixture.Row(id: 1, name: "Westville", latitude: 47, longitude: 2.5, country: "FR", admin1: "W"),
        Fixture.Row(id: 2, name: "Eastville", latitude: 46.5, longitude: 4.1, country: "FR", admin1: "E"),
        Fixture.Row(
            id: 3, name: "Upper Eastville", latitude: 47.5, longitude: 4.1, country: "FR", admin1: "E"),
        Fixture.Row(id: 4, name: "Wrong", latitude: 47.9, longitude: 7.5, country: "FR", admin1: "W"),
        Fixture.Row(id: 5, name: "Zürich", latitude: 47.2, longitude: 8.2, country: "CH", admin1: "ZH"),
        Fixture.Row(id: 6, name: "Chur", latitude: 46.8, longitude: 9.7, country: "CH", admin1: "GR"),
        Fixture.Row(id: 7, name: "Fourthville", latitude: 49.1, longitude: 6, country: "FR", admin1: "F"),
        Fixture.Row(id: 8, name: "Undivided", latitude: 48.5, longitude: 3.5, country: "FR"),
    ]

    func gazetteer(_ folder: TemporaryFolder, adding rows: [Fixture.Row] = []) throws -> Gazetteer {
        var inputs = try Fixture.inputs(
            in: folder, rows: Self.rows + rows, borders: Fixture.borders, divisions: Self.divisions)
        for (name, text, kind) in [
            ("admin1.txt", Self.codes, GazetteerInput.Kind.admin1Codes),
            ("subdivisions.tsv", Self.subdivisions, .subdivisions),
        ] {
            inputs.removeAll { $0.kind == kind }
            inputs.append(GazetteerInput(kind, path: try folder.write(text, to: name)))
        }
        _ = try GazetteerBuilder(inputs: inputs).build(to: "\(folder.path)/index")
        return try Gazetteer(path: "\(folder.path)/index")
    }

    @Test(
        arguments: [
            // Nearer to Eastville than to any place in the west.
            (46.8, 3.6, "FR.W", "Westville"), (46.5, 4.05, "FR.E", "Eastville"),
            (46.999, 6, "FR.E", nil), (47.001, 6, "FR.E", nil), (46.99, 4.2, "FR.E", "Eastville"),
            // No place of the division is near, so one of the country is named.
            (48.6, 3.4, "FR.N", "Undivided"), (48.5, 7, "FR.F", "Fourthville"),
            (47.1, 8.3, "CH.ZH", "Zürich"),
        ] as [(Double, Double, String, String?)])
    func `takes the division from the polygon`(
        latitude: Double, longitude: Double, division: String, place: String?
    ) throws {
        let folder = try TemporaryFolder()
        let answer = try gazetteer(folder).reverse(coordinate(latitude, longitude))
        #expect(answer.admin1?.code == division)
        #expect(answer.admin1Certainty == .insideBorder)
        if let place { #expect(answer.place?.name == place) }
    }

    @Test func `takes the nearest of the country's divisions within 12 km, and says how far it is`() throws {
        let folder = try TemporaryFolder()
        let gazetteer = try gazetteer(folder)
        // In France by its own border, but in no French division; Switzerland's is nearer.
        let answer = try gazetteer.reverse(coordinate(47, 7.96))
        #expect(answer.country?.code == "FR")
        #expect(answer.admin1?.code == "FR.E")
        guard case .nearBorder(let metres) = answer.admin1Certainty else {
            Issue.record("\(String(describing: answer.admin1Certainty))")
            return
        }
        // 0.06° of longitude at 47°.
        #expect(abs(metres - 4_550) < 5)
        // Outside both maps.
        let coast = try gazetteer.reverse(coordinate(45.95, 3))
        #expect(coast.admin1?.code == "FR.W")
        #expect(coast.certainty != .insideBorder)
    }

    @Test func `takes the place's division if no polygon is near`() throws {
        let folder = try TemporaryFolder()
        let answer = try gazetteer(folder).reverse(coordinate(46.8, 9.8))
        #expect(answer.country?.code == "CH")
        #expect(answer.admin1?.code == "CH.GR")
        #expect(answer.admin1Certainty == .nearestPlace)
        #expect(answer.place?.name == "Chur")
    }

    /// A city of the east reaches into the west, where the next place is far, or not: degrees of longitude have 76.5 km.
    @Test(arguments: [
        (1_000_000, 3.5, 3.98, true, 400_000), (1_000_000, 3.5, 3.98, false, 600_000),
        (1_000_000, 3.5, 3.9, false, 0), (1_000_000, 3.8, 3.98, false, 0),
        (400_000, 3.5, 3.98, false, 0), (1_000_000, 3.92, 3.98, false, 0), (100_000_000, 3.69, 3.98, true, 0),
        (100_000_000, 3.8, 3.98, false, 0),
    ])
    func `names a city that outgrew its division`(
        population: Int, west: Double, longitude: Double, isNamed: Bool, others: Int
    ) throws {
        let folder = try TemporaryFolder()
        let rows = [
            Fixture.Row(
                id: 30, name: "City", latitude: 46.5, longitude: 4.05, country: "FR", admin1: "E",
                population: population),
            Fixture.Row(
                id: 31, name: "Far", latitude: 46.5, longitude: west, country: "FR", admin1: "W"),
            // A city that is one of several ends at its border, as at a river.
            Fixture.Row(
                id: 33, name: "Second City", latitude: 47.5, longitude: 7, country: "FR", admin1: "E",
                population: others),
            // It is nearer, but reaches nowhere.
            Fixture.Row(
                id: 32, name: "Hamlet", latitude: 46.5, longitude: 4.02, country: "FR", admin1: "E"),
        ]
        let answer = try gazetteer(folder, adding: rows).reverse(coordinate(46.5, longitude))
        #expect(answer.place?.name == (isNamed ? "City" : "Far"))
        #expect(answer.admin1?.code == (isNamed ? "FR.E" : "FR.W"))
        #expect(answer.admin1Certainty == (isNamed ? .nearestPlace : .insideBorder))
    }

    @Test func `finds the division of a place that overrules a country's polygon`() throws {
        let folder = try TemporaryFolder()
        // A Swiss town that the borders put into France, within the division's tolerance.
        let town = Fixture.Row(
            id: 20, name: "Town", latitude: 47.6, longitude: 7.97, country: "CH", admin1: "GR")
        let answer = try gazetteer(folder, adding: [town]).reverse(coordinate(47.6, 7.975))
        #expect(answer.country?.code == "CH")
        #expect(answer.place?.name == "Town")
        #expect(answer.admin1?.code == "CH.GR")
        #expect(answer.admin1Certainty == .nearestPlace)
    }

    @Test func `has ISO 3166-2 codes, if the sources do`() throws {
        let folder = try TemporaryFolder()
        let gazetteer = try gazetteer(folder)
        #expect(try gazetteer.reverse(coordinate(46.5, 3)).admin1?.iso == "FR-W")
        #expect(try gazetteer.reverse(coordinate(46.5, 5)).admin1 == Admin1(code: "FR.E", name: "East"))
    }

    @Test func `reports polygons with and without a division`() throws {
        let folder = try TemporaryFolder()
        let inputs = try Fixture.inputs(
            in: folder, rows: Self.rows, borders: Fixture.borders, divisions: Self.divisions)
        let summary = try GazetteerBuilder(inputs: inputs).build(to: "\(folder.path)/index")
        #expect(summary.divisionBorders == 7)
        // Of these, the fixture's table has only Zürich.
        #expect(summary.bordersWithoutDivision == 6)
        #expect(try gazetteer(folder).info.hasDivisionBorders)
        #expect(try !Fixture.gazetteer(in: folder, borders: Fixture.borders).info.hasDivisionBorders)
    }
}
