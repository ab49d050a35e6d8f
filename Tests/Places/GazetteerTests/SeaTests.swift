import Gazetteer
import TestKit
import Testing

@Suite(.computing) struct SeaTests {
    private static func square(
        _ properties: String, west: Double, south: Double, east: Double, north: Double
    ) -> String {
        Fixture.feature(
            properties, "Polygon",
            "[\(Fixture.square(west: west, south: south, east: east, north: north))]")
    }

    private static func collection(_ features: [String]) -> String {
        #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
    }

    /// An ocean on both sides of the antimeridian, a bay in it, and one around the north pole.
    private static let seas = collection([
        square(#""name":"Ocean""#, west: -180, south: 2, east: -177, north: 6),
        square(#""name":"Ocean""#, west: 177, south: 2, east: 180, north: 6),
        square(#""NAME":"Bay""#, west: -180, south: 3, east: -179, north: 5),
        square(#""name":null,"name_en":"Polar Sea""#, west: -180, south: 89, east: 180, north: 90),
    ])

    private static let zones = collection([
        square(#""tzid":"Etc/GMT+11""#, west: -180, south: 2, east: -178, north: 6),
        square(#""tzid":"Asia/Somewhere""#, west: 8, south: 46, east: 9, north: 48),
        square(#""tzid":"Europe/Paris""#, west: 2, south: 46, east: 8, north: 49),
    ])

    /// Building it takes a second, so the cases share it. Unsafe only by its type: it is read, and never written again.
    nonisolated(unsafe) private static let built = Result {
        let folder = try TemporaryFolder()
        return (folder: folder, gazetteer: try gazetteer(folder))
    }

    private static func gazetteer(_ folder: TemporaryFolder) throws -> Gazetteer {
        // Most Swiss places lie outside Asia/Somewhere, so Switzerland keeps its borders on the map.
        let others = (1...2).map {
            Fixture.Row(id: $0, name: "Chur \($0)", latitude: 46.8, longitude: 9.8, country: "CH")
        }
        var inputs = try Fixture.inputs(in: folder, rows: Fixture.rows + others, borders: Fixture.borders)
        inputs.append(GazetteerInput(.seas, path: try folder.write(Self.seas, to: "seas.geojson")))
        inputs.append(GazetteerInput(.zoneBorders, path: try folder.write(Self.zones, to: "zones.geojson")))
        let summary = try GazetteerBuilder(inputs: inputs).build(to: "\(folder.path)/index")
        #expect(summary.seas == 4)
        #expect(summary.zoneBorders == 3)
        return try Gazetteer(path: "\(folder.path)/index")
    }

    @Test(
        arguments: [
            (2.5, -178, "Ocean"), (2.5, 178.5, "Ocean"), (2.5, 180, "Ocean"), (2.5, -180, "Ocean"),
            // The bay also lies in the ocean's polygon, and is smaller.
            (4, -179.5, "Bay"), (89.5, 10, "Polar Sea"), (89.5, 180, "Polar Sea"), (89.5, -180, "Polar Sea"),
            (0, 0, nil),
        ] as [(Double, Double, String?)])
    func `names the sea`(latitude: Double, longitude: Double, name: String?) throws {
        let answer = try Self.built.get().gazetteer.reverse(coordinate(latitude, longitude))
        #expect(answer.certainty == .remote)
        #expect(answer.country == nil)
        #expect(answer.place == nil)
        #expect(try #require(answer.sea).name == name)
    }

    @Test(
        arguments: [
            // A degree of latitude is 111.195 km.
            (-15.2, 179.5, "FJ", 0.8), (-15.2, -179.95, "FJ", 0.8), (-79, 0, "AQ", 1), (-79, 180, "AQ", 1),
            (-79, -180, "AQ", 1),
        ] as [(Double, Double, String, Double)])
    func `names the nearest coast`(latitude: Double, longitude: Double, country: String, degrees: Double)
        throws
    {
        let answer = try Self.built.get().gazetteer.reverse(coordinate(latitude, longitude))
        let coast = try #require(answer.sea?.coast)
        #expect(coast.country.code == country)
        #expect(abs(coast.metres - degrees * 111_195.08) < 5)
    }

    @Test func `measures across the antimeridian, and names no coast beyond the cap`() throws {
        let folder = try TemporaryFolder()
        let gazetteer = try Self.gazetteer(folder)
        let coast = try #require(try gazetteer.reverse(coordinate(-16.5, -179.5)).sea?.coast)
        #expect(coast.country.code == "FJ")
        let expected = try coordinate(-16.5, -179.5).distance(to: coordinate(-16.5, -179.9))
        #expect(abs(coast.metres - expected) < 50)
        #expect(try gazetteer.reverse(coordinate(-77.9, 0)).sea?.coast == nil)
    }

    @Test func `does not call land of no country a sea`() throws {
        let folder = try TemporaryFolder()
        let gazetteer = try Self.gazetteer(folder)
        let land = try gazetteer.reverse(coordinate(15.5, -79.5))
        #expect(land.certainty == .remote)
        #expect(land.sea == nil)
        #expect(try gazetteer.reverse(coordinate(15.5, -78.9)).sea != nil)
        // A country's land has no sea either.
        #expect(try gazetteer.reverse(coordinate(47.3, 8.1)).sea == nil)
        let other = try TemporaryFolder()
        #expect(try Fixture.gazetteer(in: other).reverse(coordinate(0, 0)).sea == nil)
    }

    @Test func `is the same at every longitude of a pole and on the antimeridian`() throws {
        let folder = try TemporaryFolder()
        let gazetteer = try Self.gazetteer(folder)
        for latitude in [-90.0, 90] {
            let answers = try [-180.0, -90, 0, 12.345, 90, 180].map { longitude in
                try gazetteer.reverse(coordinate(latitude, longitude))
            }
            let first = answers[0]
            let isSame = answers.allSatisfy {
                $0.country == first.country && $0.certainty == first.certainty
                    && $0.sea?.name == first.sea?.name
            }
            #expect(isSame, "\(latitude)")
        }
        #expect(try gazetteer.reverse(coordinate(-90, 77)).country?.code == "AQ")
        #expect(try gazetteer.reverse(coordinate(-90, 77)).certainty == .insideBorder)
        for latitude in stride(from: -89.5, through: 89.5, by: 0.5) {
            let west = try gazetteer.reverse(coordinate(latitude, -180))
            let east = try gazetteer.reverse(coordinate(latitude, 180))
            let isSame =
                west.country == east.country && west.certainty == east.certainty && west.place == east.place
            #expect(isSame, "\(latitude)")
        }
    }

    @Test func `takes the time zone from the polygon, else from the place`() throws {
        let folder = try TemporaryFolder()
        let gazetteer = try Self.gazetteer(folder)
        #expect(gazetteer.info.hasZoneBorders)
        let zurich = try gazetteer.reverse(coordinate(47.36667, 8.55))
        #expect(zurich.timeZone == "Asia/Somewhere")
        #expect(zurich.place?.timeZone == "Europe/Zurich")
        #expect(try gazetteer.reverse(coordinate(48.85, 2.35)).timeZone == "Europe/Paris")
        #expect(try gazetteer.reverse(coordinate(47.36667, 9.01)).timeZone == "Europe/Zurich")
        // At sea there is a zone but no place.
        #expect(try gazetteer.reverse(coordinate(4, -179)).timeZone == "Etc/GMT+11")
        #expect(try gazetteer.reverse(coordinate(0, -150)).timeZone == nil)
    }

    @Test(arguments: [("seas.geojson", GazetteerInput.Kind.seas), ("zones.geojson", .zoneBorders)])
    func `names the file in which no polygon has a name`(file: String, kind: GazetteerInput.Kind) throws {
        let folder = try TemporaryFolder()
        let text = Self.collection([Self.square(#""x":"y""#, west: 0, south: 0, east: 1, north: 1)])
        let path = try folder.write(text, to: file)
        let inputs = try Fixture.inputs(in: folder) + [GazetteerInput(kind, path: path)]
        let error = try #require(throws: GazetteerError.self) {
            try GazetteerBuilder(inputs: inputs).build(to: "\(folder.path)/index")
        }
        #expect(error.code == .malformedInput)
        #expect(error.file == path)
    }

    @Test func `refuses more time zones than there are numbers`() throws {
        let folder = try TemporaryFolder()
        let zones = (0..<65_540).map { number in
            Self.square(#""tzid":"zone \#(number)""#, west: 0, south: 0, east: 1, north: 1)
        }
        let path = try folder.write(Self.collection(zones), to: "zones.geojson")
        let inputs = try Fixture.inputs(in: folder) + [GazetteerInput(.zoneBorders, path: path)]
        let error = try #require(throws: GazetteerError.self) {
            try GazetteerBuilder(inputs: inputs).build(to: "\(folder.path)/index")
        }
        #expect(error.code == .malformedInput)
        #expect(error.message.contains("time zones"))
    }
}
