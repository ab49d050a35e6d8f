import Gazetteer
import TestKit
import Testing

@Suite("Suggestions while typing", .computing) struct SuggestTests {
    private static let rows =
        Fixture.rows + [
            Fixture.Row(
                id: 2_867_714, name: "München", ascii: "Munchen",
                alternates: "Munich,Monaco di Baviera,Мюнхен",
                latitude: 48.13743, longitude: 11.57549, country: "CH", population: 1_260_391),
            Fixture.Row(
                id: 5_060_000, name: "Munich", latitude: 48.66, longitude: -98.83, country: "US",
                admin1: "MO",
                population: 190),
            Fixture.Row(
                id: 4_671_240, name: "Paris Crossing", latitude: 38.8, longitude: -85.7, country: "US",
                admin1: "IL", population: 3_000_000),
            Fixture.Row(
                id: 4_140_964, name: "Saint-Louis", alternates: "Mianzhu\u{FF0C} Deyang", latitude: 47.58,
                longitude: 7.56, country: "FR", population: 20_871),
            Fixture.Row(
                id: 4_407_066, name: "St. Louis", latitude: 38.62, longitude: -90.2, country: "US",
                admin1: "MO",
                population: 279_695),
            Fixture.Row(
                id: 10, name: "Frankfurt (Oder)", latitude: 52.3, longitude: 14.5, country: "CH",
                population: 57_000),
        ]

    private func suggest(
        _ text: String, near: Coordinate? = nil, country: String? = nil, limit: Int = 10
    ) throws -> [PlaceSuggestion] {
        let folder = try TemporaryFolder()
        return try Fixture.gazetteer(in: folder, rows: Self.rows)
            .suggest(text, near: near, country: country, limit: limit)
    }

    @Test(
        arguments: [
            ("sea", 5_809_844, "Seattle", .beginning), ("SEATTLE", 5_809_844, "Seattle", .exact),
            ("シアト", 5_809_844, "シアトル", .beginning), ("siehtl", 5_809_844, "Siehtl", .exact),
            ("san fr", 5_391_959, "San Francisco", .beginning), ("sf", 5_391_959, "SF", .exact),
            ("munich", 2_867_714, "Munich", .exact), ("mÜnchen", 2_867_714, "München", .exact),
            ("мюнх", 2_867_714, "Мюнхен", .beginning), ("zuerich", 2_657_896, "Zuerich", .exact),
            ("東", 1_850_147, "東京", .beginning), ("Ｔｏｋｙｏ", 1_850_147, "Tokyo", .exact),
            ("saint loui", 4_407_066, "St. Louis", .beginning),
            ("Frankfurt (Od", 10, "Frankfurt (Oder)", .beginning),
            ("seatle", 5_809_844, "Seattle", .misspelt), ("saettle", 5_809_844, "Seattle", .misspelt),
            ("seattlle", 5_809_844, "Seattle", .misspelt), ("seattxe", 5_809_844, "Seattle", .misspelt),
            ("san farncis", 5_391_959, "San Francisco", .misspelt),
            ("sn francizco", 5_391_959, "San Francisco", .misspelt),
            ("мюхен", 2_867_714, "Мюнхен", .misspelt), ("xeattle", 5_809_844, "Seattle", .misspelt),
            ("Seattle, ", 5_809_844, "Seattle", .exact),
            ("mianzhu, dey", 4_140_964, "Mianzhu， Deyang", .beginning),
        ] as [(String, Int, String, PlaceSuggestion.Match)])
    func `begin with what the text means`(
        text: String, geonameid: Int, name: String, match: PlaceSuggestion.Match
    ) throws {
        let first = try #require(try suggest(text).first { $0.level != .division })
        #expect(first.geonameid == geonameid)
        #expect(first.matchedName == name)
        #expect(first.match == match)
    }

    @Test(arguments: [
        ("springfield, il", [4_250_542]), ("springfield, illin", [4_250_542]), ("springf, miss", [4_409_896]),
        ("springfield, us", [4_409_896, 4_250_542]), ("springfield, united sta", [4_409_896, 4_250_542]),
        ("springfield, mo, usa", [4_409_896]), ("springfeld, mo", [4_409_896]), ("paris, tex", [4_717_560]),
        ("paris, fr", [2_988_507]), ("paris tex", [4_717_560]), ("springfield, switz", []),
        ("springfield, mo, switz", []), ("seattle, nowhere", []),
    ])
    func `lie in the regions after the comma`(text: String, geonameids: [Int]) throws {
        let places = try suggest(text).filter { $0.level == .city || $0.level == .place }
        #expect(places.map(\.geonameid) == geonameids)
    }

    @Test func `tell everything of a place, a division and a country`() throws {
        let place = try #require(try suggest("springfield, il").first)
        #expect(place.name == "Springfield")
        #expect(place.level == .city)
        #expect(place.division?.code == "US.IL")
        #expect(place.country?.code == "US")
        #expect(place.population == 116_565)
        #expect(place.label == "Springfield, Illinois, United States")
        #expect(try place.coordinate == coordinate(39.80172, -89.64371))
        let division = try #require(try suggest("texa").first)
        #expect(division.level == .division)
        #expect(division.geonameid == 4_736_286)
        #expect(division.label == "Texas, United States")
        #expect(division.population == 24_782)
        let country = try #require(try suggest("costa r").first)
        #expect(country.level == .country)
        #expect(country.geonameid == 3_624_060)
        #expect(country.population == 335_007)
    }

    @Test func `come by match, then weight`() throws {
        let paris = try suggest("paris")
        #expect(paris.map(\.geonameid) == [2_988_507, 4_717_560, 4_671_240])
        #expect(paris.map(\.match) == [.exact, .exact, .beginning])
        #expect(try suggest("paris", limit: 1).map(\.geonameid) == [2_988_507])
        #expect(try suggest("paris", limit: -7).count == 1)
        // Another name weighs a fifth, so the village is not the first one.
        #expect(try suggest("munich").map(\.geonameid) == [2_867_714, 5_060_000])
        #expect(try suggest("munich", country: "us").first?.geonameid == 2_867_714)
        #expect(try suggest("springfield", near: coordinate(39.9, -89)).first?.geonameid == 4_250_542)
        #expect(try suggest("saint louis", country: "FR").first?.geonameid == 4_140_964)
        #expect(try suggest("springfield", country: "QQ").count == 2)
    }

    @Test(arguments: ["qui", "sxvx", "waiyevo fj x", "47.6, -122.3", "", " ,; ", "\u{301}"])
    func `are none for what is like no name`(text: String) throws { #expect(try suggest(text).isEmpty) }

    @Test func `correct no letter of three, one of four, two of eight`() throws {
        #expect(try suggest("suv").count == 1)
        #expect(try suggest("svu").isEmpty)
        #expect(try suggest("suba").first?.match == .misspelt)
        #expect(try suggest("sbua").isEmpty)
        #expect(try suggest("spr1ngf1eld").count == 2)
        #expect(try suggest("spr1ngf1e1d").isEmpty)
    }

    @Test func `are none for a text that is longer than a place`() throws {
        let folder = try TemporaryFolder()
        let gazetteer = try Fixture.gazetteer(in: folder)
        for text in SuggestSweep.hostile { #expect(gazetteer.suggest(text).count <= 10) }
        #expect(gazetteer.suggest("Seattle" + String(repeating: " ", count: 990)).count == 1)
        #expect(gazetteer.suggest("Seattle" + String(repeating: " ", count: 1_000)).isEmpty)
        #expect(gazetteer.suggest("a, b, c, d, e, f, g, h, i").isEmpty)
    }
}
