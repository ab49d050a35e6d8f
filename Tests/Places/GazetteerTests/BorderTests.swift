import Gazetteer
import TestKit
import Testing

@Suite(.computing) struct BorderTests {
    private func gazetteer(_ folder: TemporaryFolder, adding rows: [Fixture.Row] = []) throws -> Gazetteer {
        try Fixture.gazetteer(in: folder, rows: Fixture.rows + rows, borders: Fixture.borders)
    }

    @Test(
        arguments: [
            (47.3, 8.1, "CH"), (47.3, 7.9, "FR"), (46.5001, 8.9999, "CH"),
            // Antarctica's square reaches the pole and both sides of the antimeridian.
            (-85, 0, "AQ"), (-85, 180, "AQ"), (-85, -180, "AQ"), (-90, 0, "AQ"), (-90, 180, "AQ"),
            (-16.5, 179.5, "FJ"), (-16.5, 180, "FJ"), (-16.5, -180, "FJ"), (-16.5, -179.95, "FJ"),
        ] as [(Double, Double, String)])
    func `takes the country from the polygon`(latitude: Double, longitude: Double, country: String) throws {
        let folder = try TemporaryFolder()
        let answer = try gazetteer(folder).reverse(coordinate(latitude, longitude))
        #expect(answer.country?.code == country)
        #expect([180, -180, 0].contains(longitude) || answer.certainty == .insideBorder)
    }

    @Test func `names a place of the polygon's country, not a nearer one across the border`() throws {
        let folder = try TemporaryFolder()
        let nearer = Fixture.Row(id: 1, name: "Nearer", latitude: 47.36, longitude: 7.99, country: "FR")
        let farther = Fixture.Row(id: 2, name: "Farther", latitude: 47.36, longitude: 8.3, country: "CH")
        let answer = try gazetteer(folder, adding: [nearer, farther]).reverse(coordinate(47.36, 8.05))
        #expect(answer.country?.code == "CH")
        #expect(answer.place?.name == "Farther")
    }

    @Test func `leaves holes to their owners`() throws {
        let folder = try TemporaryFolder()
        let gazetteer = try gazetteer(folder)
        #expect(try gazetteer.reverse(coordinate(46.75, 9.25)).certainty == .remote)
        #expect(try gazetteer.reverse(coordinate(46.75, 9.75)).country?.code == "CH")
    }

    @Test func `takes the nearest border within 12 km, and says how far it is`() throws {
        let folder = try TemporaryFolder()
        let gazetteer = try gazetteer(folder)
        // 0.1° of latitude is 11.12 km; 0.1° of longitude at 60° would be half of that.
        let answer = try gazetteer.reverse(coordinate(48.1, 9))
        #expect(answer.country?.code == "CH")
        guard case .nearBorder(let metres) = answer.certainty else {
            Issue.record("\(answer.certainty)")
            return
        }
        #expect(abs(metres - 11_119.5) < 1)
        #expect(try gazetteer.reverse(coordinate(48.11, 9)).certainty == .remote)
        // East of Fiji's eastern square, and from the other side of the antimeridian.
        #expect(try gazetteer.reverse(coordinate(-16.5, -179.85)).country?.code == "FJ")
        #expect(try gazetteer.reverse(coordinate(-79.95, 180)).country?.code == "AQ")
    }

    @Test func `lets places overrule the polygon around them`() throws {
        let folder = try TemporaryFolder()
        let gazetteer = try gazetteer(folder)
        // Suva lies in a square that is drawn as France, 120 km from Fiji's own.
        let near = try gazetteer.reverse(coordinate(-18.2, 178.4))
        #expect(near.country?.code == "FJ")
        #expect(near.place?.name == "Suva")
        #expect(near.certainty == .nearestPlace)
        // Far from any place, the nearest place still decides whose land it is, though it is not named.
        let far = try gazetteer.reverse(coordinate(-18.99, 178.99))
        #expect(far.country?.code == "FJ")
        // Metropolitan France keeps its own.
        #expect(try gazetteer.reverse(coordinate(48.8, 2.4)).country?.code == "FR")
    }

    @Test func `lets a town that a generalised border cuts off decide only nearby`() throws {
        let folder = try TemporaryFolder()
        let town = Fixture.Row(id: 1, name: "Town", latitude: 47.6, longitude: 8.02, country: "FR")
        let gazetteer = try gazetteer(folder, adding: [town])
        #expect(try gazetteer.reverse(coordinate(47.61, 8.03)).country?.code == "FR")
        #expect(try gazetteer.reverse(coordinate(47.6, 8.1)).country?.code == "CH")
    }

    @Test func `finds islands that no polygon draws`() throws {
        let folder = try TemporaryFolder()
        let atoll = Fixture.Row(id: 1, name: "Atoll", latitude: 0, longitude: -150, country: "GB")
        let gazetteer = try gazetteer(folder, adding: [atoll])
        #expect(try gazetteer.reverse(coordinate(0.05, -150)).country?.code == "GB")
        #expect(try gazetteer.reverse(coordinate(0.2, -150)).certainty == .remote)
    }

    @Test func `reports borders and leaves out land of no country`() throws {
        let folder = try TemporaryFolder()
        let summary = try GazetteerBuilder(inputs: Fixture.inputs(in: folder, borders: Fixture.borders))
            .build(to: "\(folder.path)/index")
        #expect(summary.bordersWithoutCountry == 2)
        #expect(summary.borderEdges == 28)
        #expect(summary.overrulingPlaces == 1)
        #expect(try Gazetteer(path: "\(folder.path)/index").info.hasCountryBorders)
    }

    @Test(arguments: [
        ("", 1, 1), ("[]", 1, 1), ("{}", 1, 3), (#"{"features":[{"#, 1, 15),
        ("{\"features\":\n[{\"geometry\":7}]}", 2, 14),
        (#"{"features":[{"geometry":{"coordinates":[[[0,0],[1,x]]]}}]}"#, 1, 52),
        (#"{"features":[{"geometry":{"coordinates":[[[0,0],[1,91]]]}}]}"#, 1, 54),
        (#"{"features":[{"properties":{"a"#, 1, 31), (#"{"features":[nope]}"#, 1, 14),
        (#"{"a":"# + String(repeating: "[", count: 100), 1, 69),
    ])
    func `names the line and column where GeoJSON is broken`(text: String, line: Int, column: Int) throws {
        let folder = try TemporaryFolder()
        let inputs = try Fixture.inputs(in: folder, borders: text)
        let error = try #require(throws: GazetteerError.self) {
            try GazetteerBuilder(inputs: inputs).build(to: "\(folder.path)/index")
        }
        #expect(error.code == .malformedInput)
        #expect(error.file == "\(folder.path)/borders.geojson")
        #expect(error.line == line)
        #expect(error.column == column, "\(error)")
    }
}
