import Gazetteer
import TestKit
import Testing

/// The map has Switzerland from 8 to 10 degrees east and France from 2 to 8.
@Suite("The country of a time zone", .computing) struct ZoneCountryTests {
    private typealias Row = Fixture.Row

    private static func zone(_ name: String, _ squares: [(Double, Double, Double, Double)]) -> String {
        let polygons = squares.map { "[\(Fixture.square(west: $0.0, south: $0.1, east: $0.2, north: $0.3))]" }
        return Fixture.feature(
            #""tzid":"\#(name)""#, "MultiPolygon", "[\(polygons.joined(separator: ","))]")
    }

    private static func place(
        _ id: Int, _ country: String, _ latitude: Double, _ longitude: Double, zone: String = ""
    ) -> Row {
        Row(
            id: id, name: "\(country) \(id)", latitude: latitude, longitude: longitude, country: country,
            zone: zone)
    }

    private func gazetteer(_ rows: [Row], zones: [String], table: String = "") throws -> Gazetteer {
        let folder = try TemporaryFolder()
        var inputs = try Fixture.inputs(in: folder, rows: rows, borders: Fixture.borders)
        let text = #"{"type":"FeatureCollection","features":[\#(zones.joined(separator: ","))]}"#
        inputs.append(GazetteerInput(.zoneBorders, path: try folder.write(text, to: "zones.geojson")))
        if !table.isEmpty {
            inputs.append(GazetteerInput(.zoneCountries, path: try folder.write(table, to: "zone.tab")))
        }
        _ = try GazetteerBuilder(inputs: inputs).build(to: "\(folder.path)/index")
        return try Gazetteer(path: "\(folder.path)/index")
    }

    private func countries(_ gazetteer: Gazetteer, _ points: [(Double, Double)]) throws -> [String?] {
        try points.map { try gazetteer.reverse(coordinate($0.0, $0.1)).country?.code }
    }

    @Test func `is that of its places, with its islands and waters`() throws {
        // Two zones that meet at 5 degrees, and an island that the map does not have.
        let gazetteer = try gazetteer(
            [Self.place(1, "FR", 47, 3), Self.place(2, "FR", 47, 6)],
            zones: [
                Self.zone("Europe/Paris", [(1, 46, 5, 49), (-9, 40, -8, 41)]),
                Self.zone("Europe/East", [(5, 46, 8.2, 49)]),
            ])
        // Where they meet there is no border; the map's ends at 2 and 8 degrees; it counts no more.
        #expect(
            try countries(gazetteer, [(47, 4.999), (47, 5), (47, 1.5), (47, 8.1), (40.5, -8.5), (45.95, 3)])
                == ["FR", "FR", "FR", "FR", "FR", nil])
        let answer = try gazetteer.reverse(coordinate(47, 5))
        #expect(answer.certainty == .insideBorder)
        // Without a place near, the division of the nearest polygon, or none; the zone is that of the polygon.
        #expect(try gazetteer.reverse(coordinate(40.5, -8.5)).timeZone == "Europe/Paris")
    }

    @Test func `is left to the map where another country is a guest`() throws {
        // Asia/Both is Switzerland's, and reaches deep into France, which has two places there.
        let both = Self.zone("Asia/Both", [(7, 46, 10, 48)])
        let own = Self.zone("Europe/Paris", [(2, 46, 7, 49)])
        let rows = [
            Self.place(1, "CH", 47.2, 8.5), Self.place(2, "CH", 46.5, 8.05), Self.place(3, "CH", 47.5, 8.7),
            Self.place(4, "FR", 47, 3), Self.place(5, "FR", 47.2, 7.5), Self.place(6, "FR", 47.5, 7.5),
        ]
        let points = [(46.5, 7.95), (47, 8.2), (46.75, 9.25), (47, 3)]
        // The hole at 9.25 is Britain's on the map, but has no British place.
        #expect(try countries(gazetteer(rows, zones: [both, own]), points) == ["FR", "CH", nil, "FR"])
        // One place may be there by mistake.
        #expect(
            try countries(gazetteer(rows.filter { $0.id != 6 }, zones: [both, own]), points)
                == ["CH", "CH", "CH", "FR"])
    }

    @Test func `is not counted twice if one of its zones lies within another`() throws {
        let gazetteer = try gazetteer(
            [Self.place(1, "CH", 47.2, 8.5), Self.place(2, "CH", 47.2, 9.7)],
            zones: [Self.zone("Asia/All", [(8, 46, 10, 48)]), Self.zone("Asia/Part", [(9, 46.2, 9.9, 47.9)])])
        #expect(try countries(gazetteer, [(47.2, 8.5), (47.2, 9.7), (47.2, 9.5)]) == ["CH", "CH", "CH"])
        #expect(try gazetteer.reverse(coordinate(47.2, 9.5)).timeZone == "Asia/All")
    }

    @Test func `is that of the table if it has no place`() throws {
        let rows = [Self.place(1, "CH", 47.2, 8.5)]
        let zones = [
            Self.zone("Europe/Zurich", [(8, 46, 10, 48)]), Self.zone("Europe/Island", [(20, 10, 21, 11)]),
        ]
        let table = "#code\tcoordinates\tTZ\nCH\t+1000+02000\tEurope/Island\nZZ\t+0+0\tNo/Where\n"
        let island = [(10.5, 20.5)]
        #expect(try countries(gazetteer(rows, zones: zones), island) == [nil])
        #expect(try countries(gazetteer(rows, zones: zones, table: table), island) == ["CH"])
    }

    @Test func `is left to the map if its zones miss half of its places`() throws {
        let zone = Self.zone("Europe/Zurich", [(8, 46, 8.8, 48)])
        let inside = (0..<2).map { Self.place($0 + 1, "CH", 46.2 + Double($0) / 10, 8.4) }
        let outside = (0..<3).map { Self.place($0 + 20, "CH", 47.5, 9.7 + Double($0) / 10) }
        let point = [(46.3, 9.9)]
        #expect(try countries(gazetteer(inside + outside, zones: [zone]), point) == ["CH"])
        #expect(try countries(gazetteer(inside + outside.prefix(2), zones: [zone]), point) == [nil])
    }

    @Test func `ends at 60 degrees south`() throws {
        let gazetteer = try gazetteer(
            [Self.place(1, "CR", -59.5, 1)],
            zones: [Self.zone("America/South", [(0, -60, 2, -59), (0, -63, 2, -60.5), (3, -61, 4, -59)])])
        #expect(try countries(gazetteer, [(-59.9, 1.9), (-62, 1), (-60.9, 3.5)]) == ["CR", nil, "CR"])
        #expect(try gazetteer.reverse(coordinate(-62, 1)).timeZone == "America/South")
    }

    @Test func `is the time zone of the division or country, where no polygon and no place has one`() throws {
        // That of 99 % of the people, each place counting for one more.
        for (people, expected) in [
            (100_000, "Europe/Paris"), (98_999, "Europe/Paris"), (98_998, nil), (0, "Europe/Other"),
        ]
            as [(Int, String?)]
        {
            var capital = Self.place(1, "FR", 46.5, 2.1, zone: "Europe/Paris")
            capital.population = people
            var other = Self.place(2, "FR", 46.6, 2.1, zone: "Europe/Other")
            other.population = 999
            let gazetteer = try gazetteer(
                [capital, other, Self.place(3, "FR", 49, 7.9)],
                zones: [Self.zone("Etc/GMT", [(-100, 0, -99, 1)])])
            #expect(try gazetteer.reverse(coordinate(48.9, 7.8)).timeZone == expected, "\(people)")
            #expect(try gazetteer.reverse(coordinate(48.9, 7.8)).commonTimeZone == expected)
        }
    }

    /// Places of Switzerland in France, where their neighbours and the zone are France's.
    @Test(
        arguments: [
            ([(47.4, 3.2)], "Europe/Zurich", 3, "FR"),
            // Two near each other are an exclave, or a claim.
            ([(47.4, 3.2), (47.45, 3.2)], "Europe/Zurich", 3, "CH"),
            ([(47.4, 3.2), (46.2, 5.5)], "Europe/Zurich", 3, "CH"),
            // The table has the zone that is there; too few neighbours; a border nearby.
            ([(47.4, 3.2)], "Europe/Paris", 3, "CH"), ([(47.4, 3.2)], "Europe/Zurich", 2, "CH"),
            ([(47.4, 7.95)], "Europe/Zurich", 3, "CH"),
        ] as [([(Double, Double)], String, Int, String)])
    func `is not that of a place with wrong coordinates`(
        strays: [(Double, Double)], zone: String, neighbours: Int, country: String
    ) throws {
        let first = try #require(strays.first)
        let own = (0..<4).map { Self.place($0 + 1, "CH", 47 + Double($0) / 10, 9.7, zone: "Europe/Zurich") }
        let around = (0..<neighbours).map {
            Self.place($0 + 20, "FR", first.0 + 0.1 + Double($0) / 20, first.1 - 0.3, zone: "Europe/Paris")
        }
        // Far from the strays, so that the zone is France's.
        let others = (0..<4).map {
            Self.place($0 + 40, "FR", 48.6, 6.1 + Double($0) / 10, zone: "Europe/Paris")
        }
        let wrong = strays.enumerated().map { Self.place($0 + 90, "CH", $1.0, $1.1, zone: zone) }
        let gazetteer = try gazetteer(
            own + around + others + wrong,
            zones: [
                Self.zone("Europe/Zurich", [(8, 46, 10, 48)]), Self.zone("Europe/Paris", [(2, 46, 8, 49)]),
            ])
        #expect(try countries(gazetteer, [first]) == [country])
        let isKept = gazetteer.forward("CH 90").match?.place?.geonameid == 90
        #expect(isKept == (country == "CH"))
    }
}
