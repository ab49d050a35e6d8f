import Gazetteer
import GazetteerVerification
import TestKit
import Testing

/// What a match says about itself, what decides between namesakes, and what is read in part.
@Suite(.computing) struct ForwardPrecisionTests {
    private static let rows =
        Fixture.rows + [
            Fixture.Row(
                id: 1, name: "Shafter", alternates: "MIT,Shaftur", latitude: 35.5, longitude: -119.27,
                country: "US",
                admin1: "CA", population: 20_000),
            Fixture.Row(
                id: 2, name: "Los Angeles", alternates: "LA,LAX", latitude: 34.05, longitude: -118.24,
                country: "US",
                admin1: "CA", population: 3_900_000),
            Fixture.Row(
                id: 3, name: "Spokane", latitude: 47.66, longitude: -117.43, country: "US", admin1: "WA",
                population: 7_000_000),
            Fixture.Row(
                id: 4, name: "Paris", latitude: 47, longitude: -120, country: "US", admin1: "WA",
                population: 150),
            Fixture.Row(
                id: 5, name: "Winterthur", latitude: 47.5, longitude: 8.73, country: "CH", admin1: "ZH",
                population: 110_000),
            Fixture.Row(
                id: 6, name: "Aigle", alternates: "Seattle", latitude: 46.3, longitude: 6.97, country: "CH",
                population: 9_000_000),
            Fixture.Row(
                id: 7, name: "Gruyere Town", alternates: "Gruyere", latitude: 46.6, longitude: 7.08,
                country: "CH",
                population: 60_000),
        ]

    private static func gazetteer(_ folder: TemporaryFolder) throws -> Gazetteer {
        try Fixture.gazetteer(in: folder, rows: rows)
    }

    @Test(
        arguments: [
            ("United States", .country), ("Texas", .division), ("Paris, France", .city),
            ("Paris, TX", .place),
            ("47.6, -122.3", .point), ("47.6062, -122.3321, Seattle", .point),
            ("47.6062 Nord, 122.3321 Ouest, Seattle", .point),
            ("Seattle, 47.6062 Nord 122.3321 West", .point),
            // The name says where it is, whatever "O" means.
            ("48.9 N, 2.3 O, Paris, France", .city), ("Rue Pine 5, 2°, 3° O, Paris, France", .city),
            ("Seattle (47.6062, -122.3321)", .point), ("47.6N, 122.3W, Seattle, WA", .point),
            ("Fremont", .place), ("Waiyevo", .place),
        ] as [(String, PlaceMatch.Precision)])
    func `says how precise a text is`(text: String, precision: PlaceMatch.Precision) throws {
        let folder = try TemporaryFolder()
        let match = try #require(try Self.gazetteer(folder).forward(text).match)
        #expect(match.precision == precision)
        #expect((match.place == nil) == [.country, .division, .point].contains(precision))
    }

    @Test func `gives a place its city's radius, and a region one that reaches its places`() throws {
        let folder = try TemporaryFolder()
        let gazetteer = try Self.gazetteer(folder)
        let city = try #require(gazetteer.forward("Paris, France").match)
        #expect(abs((city.radiusMetres ?? 0) - 8.3 * 2_138_551.0.squareRoot()) < 1)
        #expect(gazetteer.forward("Waiyevo").match?.radiusMetres == 1_000)
        let country = try #require(gazetteer.forward("USA").match)
        // The middle is a place's point; all other places of the country lie within the radius.
        let places = Self.rows.filter { $0.country == "US" && $0.feature != "PPLW" }
        let points = try places.map { try coordinate($0.latitude, $0.longitude) }
        #expect(points.contains { $0.distance(to: country.coordinate) < 1 })
        let farthest = points.map { $0.distance(to: country.coordinate) }.max() ?? 0
        #expect(abs(farthest - (country.radiusMetres ?? 0)) < 1)
        // Nine million people of the west outweigh the rest.
        #expect(country.coordinate.longitude < -89)
        let division = try #require(gazetteer.forward("Washington State").match)
        #expect(division.admin1?.code == "US.WA")
        #expect(division.coordinate.distance(to: try coordinate(47.66, -117.43)) < 1)
    }

    @Test(arguments: ["MIT", "SEA", "LAX", "mit"]) func `takes no airport's code for a name`(text: String)
        throws
    {
        let folder = try TemporaryFolder()
        let gazetteer = try Self.gazetteer(folder)
        #expect(gazetteer.forward(text).match == nil)
        // It may be what was meant.
        #expect(gazetteer.forward("MIT").suggestions?.first?.place?.geonameid == 1)
        // Initials are names in everyday use.
        #expect(gazetteer.forward("LA").match?.place?.geonameid == 2)
    }

    @Test func `leaves open what a state and a city are called`() throws {
        let folder = try TemporaryFolder()
        let gazetteer = try Self.gazetteer(folder)
        let candidates = try #require(gazetteer.forward("Washington").candidates)
        #expect(Set(candidates.map(\.kind)) == [.place, .admin1])
        let message = try #require(gazetteer.forward("Washington").message(of: "Washington"))
        #expect(message.contains("Washington, United States (the division)"))
        // A division named after its main city is the city.
        #expect(gazetteer.forward("Zürich").match?.place?.geonameid == 2_657_896)
    }

    @Test func `prefers what has the name to what is also called so`() throws {
        let folder = try TemporaryFolder()
        let gazetteer = try Self.gazetteer(folder)
        // Of nine million people, a 25th; Seattle has a twelfth of them.
        #expect(gazetteer.forward("Seattle").candidates?.first?.place?.geonameid == 5_809_844)
        // The first words of a name count half.
        #expect(gazetteer.forward("Gruyere").match?.place?.geonameid == 7)
    }

    @Test func `lets the person's position or country decide`() throws {
        let folder = try TemporaryFolder()
        let gazetteer = try Self.gazetteer(folder)
        let seattle = try coordinate(47.6, -122.3)
        #expect(
            gazetteer.forward("Springfield", near: try coordinate(39.9, -89)).match?.admin1?.code == "US.IL")
        #expect(
            gazetteer.forward("Washington", near: try coordinate(38.9, -77)).match?.place?.geonameid
                == 4_140_963)
        #expect(gazetteer.forward("Seattle", country: "US").match?.place?.geonameid == 5_809_844)
        #expect(gazetteer.forward("Seattle", country: "ch").match?.place?.geonameid == 6)
        // Never against the text.
        let paris = try coordinate(48.9, 2.3)
        #expect(gazetteer.forward("Paris, TX", country: "FR").match?.place?.geonameid == 4_717_560)
        #expect(gazetteer.forward("Paris, TX", near: paris).match?.place?.geonameid == 4_717_560)
        #expect(gazetteer.forward("Paris", country: "US").match?.place?.geonameid == 2_988_507)
        #expect(gazetteer.forward("Paris", near: seattle).match?.place?.geonameid == 2_988_507)
        // An unknown country has no effect.
        #expect(gazetteer.forward("Springfield", country: "QQ").candidates?.count == 2)
        #expect(gazetteer.hasCountry("us") && !gazetteer.hasCountry("QQ"))
    }

    @Test(arguments: [
        ("4000 15th Ave NE, Seattle, WA", "4000 15th Ave NE"),
        ("4000 15th Ave NE, Seattle, WA 98105, USA", "4000 15th Ave NE"),
        ("Space Needle, Seattle, WA", "Space Needle"),
        ("University of Washington, Seattle, WA 98105", "University of Washington"),
        ("400 Broad St Seattle WA", "400 broad st"), ("Seattle, WA, Pier 57", "Pier 57"),
        ("UWX, Seattle, USA", "UWX"),
        (
            "Suzzallo Library, University of Washington, Seattle, WA",
            "Suzzallo Library, University of Washington"
        ),
        // With its region, the city may be misspelt.
        ("4000 15th Ave NE, Seatle, WA", "4000 15th Ave NE"),
    ])
    func `reads an address or landmark as its city`(text: String, unread: String) throws {
        let folder = try TemporaryFolder()
        let answer = try Self.gazetteer(folder).forward(text)
        #expect(answer.match?.place?.geonameid == 5_809_844, "\(answer)")
        #expect(answer.match?.precision == .city)
        #expect(answer.match?.unread == unread)
        #expect(answer.message(of: text)?.contains("without “\(unread)”.") == true)
    }

    @Test(arguments: [
        // No city is known.
        "12 Main Street", "Space Needle", "Mount Rainier National Park, WA", "12 Main Street, Sxxttle",
        "University of Nowhere, USA",
        // A misspelt town must not become the city or region after it.
        "Bxllxvxx, Washington", "Bxllxvxx, Texas", "12 Main Street, Bxllxvxx, Washington",
        // A place in a place that it is not in.
        "San Francisco, Tokyo", "Fremont, Tokyo", "Seattel, Tokyo", "Zürich, Paris", "Texas, Tokyo",
    ])
    func `reads nothing as a city that may be another`(text: String) throws {
        let folder = try TemporaryFolder()
        let answer = try Self.gazetteer(folder).forward(text)
        #expect(answer.suggestions != nil, "\(answer)")
    }

    @Test func `leaves an address open if its city is`() throws {
        let folder = try TemporaryFolder()
        let gazetteer = try Self.gazetteer(folder)
        #expect(
            gazetteer.forward("12 Main Street, Springfield").candidates?.map(\.admin1?.code) == [
                "US.MO", "US.IL",
            ])
        #expect(
            gazetteer.forward("12 Main Street, Springfield", near: try coordinate(39.9, -89)).match?.admin1?
                .code
                == "US.IL")
    }
}
