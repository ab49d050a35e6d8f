import Gazetteer
import TestKit
import Testing

/// What a text may be besides a name exactly as in the tables.
@Suite(.computing) struct ForwardReadingTests {
    private static let rows =
        Fixture.rows + [
            Fixture.Row(
                id: 4_407_066, name: "St. Louis", latitude: 38.62727, longitude: -90.19789, country: "US",
                admin1: "MO", population: 280_000),
            Fixture.Row(
                id: 4_691_930, name: "Fort Worth", latitude: 32.72541, longitude: -97.32085, country: "US",
                admin1: "TX", population: 1_008_106),
            Fixture.Row(
                id: 5_120_034, name: "Ballard", latitude: 47.67, longitude: -122.38, country: "US",
                admin1: "WA", population: 50_000),
            Fixture.Row(
                id: 3_530_597, name: "Fiji City", latitude: 33, longitude: -99, country: "US", admin1: "TX",
                population: 90_000),
            Fixture.Row(
                id: 32, name: "Chicago", alternates: "Missouri", latitude: 38.7, longitude: -90.4,
                country: "US",
                admin1: "MO", population: 90_000),
            Fixture.Row(
                id: 33, name: "Missouri", latitude: 31, longitude: -99, country: "US", admin1: "TX",
                population: 2_000),
            Fixture.Row(
                id: 31, name: "Alton", alternates: "Illinois", latitude: 38.9, longitude: -90.2,
                country: "US",
                admin1: "MO", population: 30_000),
            Fixture.Row(
                id: 35, name: "Fort Worth", alternates: "City of Fort Worth", latitude: 40, longitude: -89,
                country: "US",
                admin1: "IL", population: 500),
            Fixture.Row(
                id: 37, name: "Alphaville", alternates: "City of Alphaville", latitude: 32, longitude: -97,
                country: "US",
                admin1: "TX", population: 400),
            Fixture.Row(
                id: 38, name: "Countryville", latitude: 47.7, longitude: -122.3, country: "US", admin1: "WA",
                population: 40_000),
            Fixture.Row(
                id: 43, name: "Satte", latitude: 47.5, longitude: -122.3, country: "US", admin1: "WA",
                population: 50_000),
            // In a state, and near a city in no county that is called like the state.
            Fixture.Row(
                id: 44, name: "Arlington", latitude: 48.2, longitude: -122.1, country: "US", admin1: "WA",
                population: 250_000),
            Fixture.Row(
                id: 45, name: "Arlington", latitude: 38.88, longitude: -77.1, country: "US", admin1: "VA",
                population: 100_000),
            Fixture.Row(
                id: 39, name: "Bluff", alternates: "Island", latitude: 33, longitude: -90, country: "US",
                admin1: "TX",
                population: 4_999),
            Fixture.Row(
                id: 36, name: "England", latitude: 33, longitude: -92, country: "US", admin1: "TX",
                population: 2_000),
            Fixture.Row(
                id: 40, name: "Leeds", latitude: 53.8, longitude: -1.55, country: "GB", admin1: "ENG",
                population: 500_000),
            Fixture.Row(
                id: 42, name: "Alphabeta", alternates: "Ostrov", latitude: 33, longitude: -94, country: "US",
                admin1: "TX", population: 6_000),
            Fixture.Row(
                id: 41, name: "Isla", latitude: 33, longitude: -96, country: "US", admin1: "TX",
                population: 2_000),
            Fixture.Row(
                id: 34, name: "Illinois", latitude: 32, longitude: -99, country: "US", admin1: "TX",
                population: 999),
            Fixture.Row(
                id: 16, name: "Seattle City", latitude: 31, longitude: -91, country: "US", admin1: "TX",
                population: 2_000),
            Fixture.Row(
                id: 20, name: "Texas City", latitude: 29.4, longitude: -94.9, country: "US", admin1: "TX",
                population: 48_000),
            Fixture.Row(
                id: 19, name: "Warsaw", alternates: "Ballard City", latitude: 52, longitude: 7, country: "CH",
                admin1: "ZH", population: 900_000),
            Fixture.Row(
                id: 17, name: "Bellevue City", latitude: 31, longitude: -93, country: "US", admin1: "TX",
                population: 70_000),
            Fixture.Row(
                id: 18, name: "Springfield City", latitude: 31, longitude: -95, country: "US", admin1: "TX",
                population: 1_000),
            Fixture.Row(
                id: 11, name: "Alphaville", latitude: 40, longitude: -90, country: "US", admin1: "IL",
                population: 3_000),
            Fixture.Row(
                id: 12, name: "Frankfurt (Oder)", latitude: 47, longitude: 7, country: "CH", admin1: "ZH",
                population: 3_000),
            Fixture.Row(
                id: 13, name: "Old Town", latitude: 38, longitude: -93, country: "US", admin1: "MO",
                population: 30_000),
            Fixture.Row(
                id: 14, name: "Pioneer Square", alternates: "Casco Viejo", latitude: 47.602,
                longitude: -122.332, country: "US", admin1: "WA", population: 3_000),
            Fixture.Row(
                id: 15, name: "Bellevue", alternates: "Zentrum", latitude: 47.61, longitude: -122.2,
                country: "US", admin1: "WA", population: 3_000),
        ]

    /// Each test asks the same one.
    private static let built = Result { try Fixture.gazetteer(in: try TemporaryFolder(), rows: rows) }

    @Test(arguments: [
        // Regions in any order, with commas and without.
        ("USA, IL, Springfield", 4_250_542), ("IL Springfield", 4_250_542), ("Texas, USA, Paris", 4_717_560),
        ("Springfield USA IL", 4_250_542), ("springfield (mo)", 4_409_896), ("Paris|TX", 4_717_560),
        ("東京、日本", 1_850_147), ("Seattle\nWA\nUSA", 5_809_844), ("paris tex", 4_717_560),
        ("San Francisco, Calif.", 5_391_959),
        // A city standing for the region around it.
        ("Ballard, Seattle", 5_120_034), ("ballard seattle", 5_120_034),
        ("Arlington, Washington", 44),
        // Postal codes.
        ("Seattle, WA 98101", 5_809_844), ("98101 Seattle", 5_809_844), ("8001 Zürich", 2_657_896),
        ("CH-8001 Zürich", 2_657_896), ("Seattle WA 98101-1234 USA", 5_809_844),
        ("1012 AB Zürich", 2_657_896),
        ("F-75001 Paris", 2_988_507),
        // Words around a name.
        ("downtown Seattle", 5_809_844), ("in Seattle, WA", 5_809_844), ("Seattle area", 5_809_844),
        ("Stadt Zürich", 2_657_896), ("#seattle", 5_809_844),
        ("Paris 🇫🇷", 2_988_507),
        // Other ways to write a name.
        ("St. Louis", 4_407_066), ("Saint Louis", 4_407_066), ("Saint Louis, Missouri", 4_407_066),
        ("Ft. Worth", 4_691_930), ("Ft Worth TX", 4_691_930), ("Zuerich", 2_657_896),
        ("Springfield City, MO", 4_409_896), ("Springfield (city), MO", 4_409_896),
        ("Seattle (city)", 5_809_844), ("Seattle, City", 5_809_844), ("Frankfurt (Oder)", 12),
        // Behind a comma it says what is meant, without one it is a part of the name.
        ("Seattle City", 16), ("Seattle (city), TX", 16), ("Seattle (town)", 5_809_844),
        ("Missouri (city)", 32), ("Ballard (city)", 5_120_034), ("Ballard City", 19), ("Bellevue (city)", 17),
        ("Bellevue (city), WA", 15), ("Bellevue City, WA", 15),
        ("Paris (city), Texas", 4_717_560), ("Illinois (city), Texas", 34),
        // Another name of a village is that of larger towns, too.
        ("City of Fort Worth", 4_691_930), ("City of Fort Worth, Illinois", 35), ("City of Alphaville", 37),
        // A town may have a word for islands as its name.
        ("Texas, Isla", 41), ("Isla, Texas", 41), ("Texas, Ostrov", 42),
        ("Washington (city)", 4_140_963), ("Paris, Texas (state)", 4_717_560),
        ("Springfield, Illinois (state)", 4_250_542), ("Texas City, Texas (state)", 20),
        ("Fiji City, Texas State", 3_530_597), ("Zürich (city), Switzerland", 2_657_896),
        ("Frankfurt (Oder), Switzerland", 12),
    ])
    func `understands what people write`(text: String, geonameid: Int) throws {
        let answer = try Self.built.get().forward(text)
        #expect(answer.match?.place?.geonameid == geonameid, "\(answer)")
    }

    @Test(arguments: [
        ("Washington State", "US.WA"), ("Texas (state)", "US.TX"), ("Illinois, State", "US.IL"),
        ("state of washington", "US.WA"), ("Texas", "US.TX"), ("Fiji (country)", "FJ"),
        ("Washington (state), USA", "US.WA"), ("Zürich (region)", "CH.ZH"),
        ("Illinois (city)", "US.IL"), ("England (country)", "GB.ENG"),
        ("Schweiz", "CH"),
        ("日本", "JP"), ("FJI", "FJ"), ("США", "US"), ("アメリカ", "US"), ("Штаты", "US"), ("أمريكا", "US"),
        ("États-Unis d’Amérique", "US"),
    ])
    func `knows regions by other names`(text: String, code: String) throws {
        let folder = try TemporaryFolder()
        let admin1Codes = Fixture.admin1Codes + "GB.ENG\tEngland\tEngland\t6269131\n"
        let answer = try Fixture.gazetteer(in: folder, rows: Self.rows, admin1Codes: admin1Codes).forward(
            text)
        #expect((answer.match?.admin1?.code ?? answer.match?.country?.code) == code, "\(answer)")
        #expect(answer.match?.kind == (code.contains(".") ? .admin1 : .country))
        #expect(answer.match?.place == nil)
    }

    @Test(
        arguments: [
            ("Old Town, Seattle", 5_809_844, "Old Town"),
            ("Old Town, Seattle, WA, USA", 5_809_844, "Old Town"),
            ("Centro, Paris", 2_988_507, "Centro"), ("Altstadt, Zürich, Schweiz", 2_657_896, "Altstadt"),
            ("Centro Histórico, Springfield, IL", 4_250_542, "Centro Histórico"),
            ("Casco Viejo, Seattle", 14, nil), ("Casco Viejo, Seattle, WA", 14, nil),
            ("Zentrum, Seattle", 5_809_844, "Zentrum"), ("Old Town, Foo County, Missouri, USA", 13, nil),
            ("Seattle (country)", 5_809_844, "country"), ("Seattle (state)", 5_809_844, "state"),
            ("Old Town, Missouri", 13, nil), ("Old Town", 13, nil), ("Old Town, MO, USA", 13, nil),
        ] as [(String, Int, String?)])
    func `takes the middle of a town for the town`(text: String, geonameid: Int, unread: String?) throws {
        let answer = try Self.built.get().forward(text)
        #expect(answer.match?.place?.geonameid == geonameid, "\(answer)")
        #expect(answer.match?.unread == unread)
    }

    @Test(arguments: [
        "Centro, Altstadt", "Centro, CH", "Stadt Seattle", "Stadt Alphaville", "город Zürich", "м. Paris",
        "Centro Seattle Altstadt", "Texas (island)", "Washington, Island", "City of Fort Worth Center",
    ])
    func `takes no other text for a town`(text: String) throws {
        let answer = try Self.built.get().forward(text)
        #expect(answer.matches.isEmpty, "\(answer)")
    }

    @Test(arguments: [
        // One letter missing, added or changed, or two swapped; from eight letters on, two such errors.
        ("Seatle", 5_809_844, 1), ("Seattlle", 5_809_844, 1), ("Seattke", 5_809_844, 1),
        ("Seattel", 5_809_844, 1),
        ("eSattle", 5_809_844, 1), ("San Fransisco", 5_391_959, 1), ("San Franzizco", 5_391_959, 2),
        ("sanfrancisco", 5_391_959, 1), ("Seatle, WA", 5_809_844, 1), ("98101 Seatle", 5_809_844, 1),
        ("seatle wa", 5_809_844, 1), ("Springfeild, IL", 4_250_542, 1), ("Seattle, Washingtn", 5_809_844, 1),
    ])
    func `forgives small typos`(text: String, geonameid: Int, edits: Int) throws {
        let answer = try Self.built.get().forward(text)
        #expect(answer.match?.place?.geonameid == geonameid, "\(answer)")
        let isOfRegion = text.hasSuffix("Washingtn")
        #expect(answer.match?.quality == (isOfRegion ? .name : .corrected(edits: edits)))
    }

    @Test(arguments: [
        ("Sexttle", true), ("Seaxxle", false), ("Xeattle", false), ("Sef", false), ("Praris", true),
        ("San Frxnzixco", false),
    ])
    func `forgives no more than that`(text: String, isFound: Bool) throws {
        let answer = try Self.built.get().forward(text)
        #expect((answer.match != nil) == isFound, "\(answer)")
    }

    @Test(arguments: [
        ("Alphavile", 11), ("Seattle, France", 5_809_844), ("Paris Nowhere", 2_988_507),
        ("Springfield, WA", 4_409_896), ("Alphav", 11),
    ])
    func `suggests what may be meant`(text: String, geonameid: Int) throws {
        let answer = try Self.built.get().forward(text)
        #expect(answer.suggestions?.first?.place?.geonameid == geonameid, "\(answer)")
    }

    @Test(
        arguments: [
            ("Paris, Texas, France", [2_988_507, 4_717_560], nil),
            // A code may be one of the country's own: Milan is "Milan, MI, Italy".
            ("Paris, TX, France", [2_988_507], nil),
            // Nothing in the division is called so.
            ("Paris, Washington, France", [2_988_507], "Washington"),
            ("Paris, Japan, France", [2_988_507], "Japan"),
            ("Paris, Anywhere, France", [2_988_507], nil),
        ] as [(String, [Int], String?)])
    func `asks if a text names two regions that both have the town`(
        text: String, geonameids: [Int], unread: String?
    ) throws {
        let answer = try Self.built.get().forward(text)
        let found = answer.candidates ?? answer.match.map { [$0] } ?? []
        #expect(
            found.map { $0.place?.geonameid } == geonameids && answer.match?.unread == unread, "\(answer)")
    }

    @Test(arguments: ["Mt Rainier", "Mt. Rainier", "Mount Rainier", "Mt Rainier, WA"])
    func `knows that Mt is Mount, if another place is called Mt`(text: String) throws {
        let folder = try TemporaryFolder()
        let rows = [
            Fixture.Row(
                id: 21, name: "Mount Rainier", latitude: 46.8, longitude: -121.7, country: "US", admin1: "WA",
                population: 90_000),
            Fixture.Row(
                id: 22, name: "Mt Rainier", latitude: 39, longitude: -90, country: "US", admin1: "IL",
                population: 100),
        ]
        let answer = try Fixture.gazetteer(in: folder, rows: Self.rows + rows).forward(text)
        #expect(answer.match?.place?.geonameid == 21, "\(answer)")
    }

    @Test(arguments: [
        ("", "The place is empty."), (" \n", "The place is empty."),
        ("Xyzzy", "No place called “Xyzzy” is known."),
    ])
    func `says what is wrong with a text`(text: String, start: String) throws {
        let gazetteer = try Self.built.get()
        #expect(gazetteer.forward(text).message(of: text)?.hasPrefix(start) == true)
        let long = String(repeating: "Xyzzy", count: 1_000)
        #expect(gazetteer.forward(long).message(of: long)?.count ?? 1_000 < 200)
    }

    @Test(arguments: ["https://example.org/?map=52.5,13.4,Seattle", "http://maps.example.org/place/Paris"])
    func `takes no place from an address of the web`(text: String) throws {
        let answer = try Self.built.get().forward(text)
        #expect(answer == .noMatch(suggestions: []), "\(answer)")
    }

    @Test(arguments: [8, 9, 16, 17]) func `reads sixteen parts and no more`(parts: Int) throws {
        let text = ["Seattle"] + Array(repeating: "WA", count: parts - 1)
        let answer = try Self.built.get().forward(
            text.joined(separator: ", "))
        #expect((answer.match?.place?.geonameid == 5_809_844) == (parts <= 16))
    }

    @Test(arguments: [24, 25]) func `reads 24 words and no more`(words: Int) throws {
        let folder = try TemporaryFolder()
        let name = Array(repeating: "Long", count: words).joined(separator: " ")
        let row = Fixture.Row(id: 1, name: name, latitude: 1, longitude: 1, country: "FR")
        let answer = try Fixture.gazetteer(in: folder, rows: [row]).forward(name)
        #expect((answer.match?.place?.geonameid == 1) == (words == 24))
    }

    @Test func `says that a typo may mean several places`() throws {
        let answer = try Self.built.get().forward("Springfeild")
        #expect(answer.candidates?.map(\.place?.geonameid) == [4_409_896, 4_250_542])
        #expect(answer.candidates?.map(\.quality) == [.corrected(edits: 1), .corrected(edits: 1)])
    }

    @Test func `completes a name that is long enough to be distinct`() throws {
        let gazetteer = try Self.built.get()
        #expect(gazetteer.forward("San Fran").match?.place?.geonameid == 5_391_959)
        #expect(gazetteer.forward("San Fran").match?.quality == .completed)
        #expect(gazetteer.forward("San F").match == nil)
    }

    @Test func `prefers near places, and orders by distance`() throws {
        let gazetteer = try Self.built.get()
        let chicago = try coordinate(41.85, -87.65)
        let joplin = try coordinate(37.08, -94.51)
        #expect(gazetteer.forward("Springfield").match == nil)
        let springfields = gazetteer.forward("Springfield", near: chicago).candidates
        #expect(springfields?.map(\.admin1?.code) == ["US.IL", "US.MO"])
        #expect(
            gazetteer.forward("Springfield", near: try coordinate(39.9, -89)).match?.admin1?.code == "US.IL")
        #expect(gazetteer.forward("Springfield", near: joplin).match?.admin1?.code == "US.MO")
        // The metropolis is meant even near a village of the same name.
        let dallas = try coordinate(32.78, -96.81)
        #expect(gazetteer.forward("Paris", near: dallas).match?.country?.code == "FR")
        #expect(gazetteer.forward("Paris, TX", near: chicago).match?.place?.geonameid == 4_717_560)
    }
}
