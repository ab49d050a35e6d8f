import Gazetteer
import GazetteerVerification
import TestKit
import Testing

/// Texts that name regions: in other languages, misspelt, or around a town.
@Suite(.computing) struct RegionNameTests {
    private static let rows =
        Fixture.rows + [
            Fixture.Row(
                id: 11, name: "Alphaville", latitude: 40, longitude: -90, country: "US", admin1: "IL",
                admin2: "031", population: 3_000),
            Fixture.Row(
                id: 12, name: "Franca", latitude: 33, longitude: -99, country: "US", admin1: "TX",
                population: 20_000),
            Fixture.Row(
                id: 13, name: "Granada", latitude: 37, longitude: -120, country: "US", admin1: "CA",
                population: 233_000),
            Fixture.Row(
                id: 14, name: "Home", latitude: 47, longitude: -122, country: "US", admin1: "WA",
                population: 1_000),
            Fixture.Row(
                id: 15, name: "Parktown", alternates: "Central Park", latitude: 39.9, longitude: -89.6,
                country: "US", admin1: "IL", population: 9_000),
            Fixture.Row(
                id: 16, name: "Farville", latitude: 37.5, longitude: -89, country: "US", admin1: "IL",
                population: 2_000),
            Fixture.Row(
                id: 18, name: "Doubleton", latitude: 42, longitude: -88, country: "US", admin1: "IL",
                admin2: "031", population: 74_000),
            Fixture.Row(
                id: 19, name: "Doubleton", latitude: 38, longitude: -88, country: "US", admin1: "IL",
                population: 2_000),
            // A city of its own, beside Alphaville's county and a county named after a town.
            Fixture.Row(
                id: 20, name: "Gammaville", latitude: 40.1, longitude: -90, country: "US", admin1: "IL",
                population: 60_000),
            Fixture.Row(
                id: 21, name: "Deltaville", latitude: 40.1, longitude: -90.1, country: "US", admin1: "IL",
                admin2: "9", population: 3_000),
            Fixture.Row(
                id: 22, name: "Gammaville", latitude: 31, longitude: -95, country: "US", admin1: "TX",
                admin2: "1", population: 3_000),
            // And one in the division that is called like Alphaville's county.
            Fixture.Row(
                id: 23, name: "Gammaville", latitude: 47, longitude: -121, country: "US", admin1: "WA",
                population: 3_000),
            // A large city beside Alphaville's county, which is also called like Alphaville.
            Fixture.Row(
                id: 49, name: "Etaville", latitude: 40.05, longitude: -90.05, country: "US", admin1: "IL",
                population: 200_000),
            // A large city near one that is called like a division, and a town in that division.
            Fixture.Row(
                id: 50, name: "Thetaton", latitude: 30.1, longitude: -95, country: "US", admin1: "TX",
                population: 900_000),
            Fixture.Row(
                id: 51, name: "Iotania", latitude: 30, longitude: -95, country: "US", admin1: "TX",
                population: 200_000),
            Fixture.Row(
                id: 52, name: "Thetaton", latitude: 37, longitude: -121, country: "US", admin1: "CA",
                population: 3_000),
            // A town called like its country in another language, and one called like a city nearby once was.
            Fixture.Row(
                id: 46, name: "Homeland", latitude: 42, longitude: -89, country: "US", admin1: "IL",
                population: 3_000),
            Fixture.Row(
                id: 47, name: "Epsilonville", alternates: "Zetaville", latitude: 46, longitude: -120,
                country: "US", admin1: "WA", population: 60_000),
            Fixture.Row(
                id: 48, name: "Zetaville", latitude: 46.1, longitude: -120, country: "US", admin1: "WA",
                population: 3_000),
            Fixture.Row(
                id: 31, name: "Shibuya", alternates: "渋谷,渋谷区", latitude: 35.6589, longitude: 139.70665,
                country: "JP",
                admin1: "40", population: 230_609),
            Fixture.Row(
                id: 32, name: "Yokkaichi", alternates: "四日市,四日市市", latitude: 34.96667, longitude: 136.61667,
                country: "JP", population: 305_840),
            Fixture.Row(
                id: 34, name: "Koriyama", alternates: "郡山,郡山市", latitude: 37.4, longitude: 140.38,
                country: "JP",
                population: 327_692),
            Fixture.Row(
                id: 35, name: "Shanshi", alternates: "山市,西村", latitude: 45, longitude: 7, country: "CH",
                population: 20_000),
            Fixture.Row(
                id: 36, name: "Kita", alternates: "北区", latitude: 35.75, longitude: 139.73, country: "JP",
                admin1: "40",
                population: 330_000),
            Fixture.Row(
                id: 33, name: "Mizuho", alternates: "瑞穂町", latitude: 35.77, longitude: 139.35, country: "JP",
                admin1: "40", population: 33_000),
        ]

    private static let regionNames = """
        CH\tSuiza
        CH\tШвейцария
        CH\t瑞士
        FR\tFrança
        FR\tFrance
        FJ\tGranada
        FR\tFr
        AQ\tCocos (Keeling) Adaları
        FJ\tÍsland
        US\tTexas
        US\tHomeland
        US.CA\tKalifornien
        US.CA\tIotania
        US.IL.031\tKochland
        US.IL.031\tWashington
        US.IL.031\tAlphaville
        US.IL.999\tNirgendland
        JP.40\t東京都
        US.WA\tВашингтон
        005\tSouth America
        005\tSüdamerika
        ZZ\tNirgendwo

        """

    private static let counties = """
        US.IL.031\tCook\tCook\t4888671
        US.IL.9\tDeltaville County\tDeltaville County\t1
        US.TX.1\tBirmingham\tBirmingham\t1

        """

    /// Each test asks the same one.
    private static let built = Result { try build() }

    private static func build() throws -> Gazetteer {
        let folder = try TemporaryFolder()
        var inputs = try Fixture.inputs(in: folder, rows: rows)
        inputs.append(
            GazetteerInput(.regionNames, path: try folder.write(regionNames, to: "regionNames.tsv")))
        inputs.append(
            GazetteerInput(.admin2Codes, path: try folder.write(counties, to: "admin2Codes.txt")))
        _ = try GazetteerBuilder(inputs: inputs).build(to: "\(folder.path)/index")
        return try Gazetteer(path: "\(folder.path)/index")
    }

    @Test func `knows countries and divisions in other languages`() throws {
        let gazetteer = try Self.built.get()
        for (text, country) in [
            ("Suiza", "CH"), ("швейцария", "CH"), ("瑞士", "CH"), ("FRANÇA", "FR"), ("France", "FR"),
        ] {
            let match = gazetteer.forward(text).match
            #expect(match?.kind == .country && match?.country?.code == country, "\(text)")
        }
        for (text, division) in [("Kalifornien", "US.CA"), ("Вашингтон, USA", "US.WA")] {
            #expect(gazetteer.forward(text).match?.admin1?.code == division, "\(text)")
        }
        #expect(gazetteer.forward("Zürich, Suiza").match?.place?.geonameid == 2_657_896)
        // A division before the other name of its country.
        #expect(gazetteer.forward("Texas").match?.kind == .admin1)
        #expect(gazetteer.forward("Franca, Texas").match?.geonameid == 12)
        // A town of the name that is larger than the small country keeps it.
        #expect(gazetteer.forward("Granada").match?.place?.geonameid == 13)
        #expect(gazetteer.suggest("suiz").first?.country?.code == "CH")
    }

    @Test(arguments: [
        // A comma is no part of a name, unless no name is without it. That so few people live there does not matter.
        ("Cocos (Keeling) Adaları", "AQ"), ("cocos, keeling, adaları", "AQ"), ("Cocos Keeling Adaları", "AQ"),
        // Typed so, it is no everyday word.
        ("Ísland", "FJ"),
    ])
    func `knows a country with brackets or an everyday word in its name`(text: String, country: String) throws
    {
        let match = try Self.built.get().forward(text).match
        #expect(match?.kind == .country && match?.country?.code == country)
    }

    @Test func `is checked by names in all languages`() throws {
        let gazetteer = try Self.built.get()
        var check = NameCheck(of: gazetteer)
        let before = check.exceptions.count
        check.ask(
            gazetteer,
            [
                ("CH", "Suiza"), ("AQ", "Cocos (Keeling) Adaları"), ("FR", "Suiza"), ("FR", "Nirgendheim"),
                // The index has no place of one, and does not know the other.
                ("IE", "Irland"), ("ZZ", "Nirgendwo"), ("US.CA", "Kalifornien"), ("US.CA", "Nirgendheim"),
            ])
        let countries = try #require(check.tallies["country in all languages"])
        #expect(
            countries.all == 5 && countries.itself == 2 && countries.empty == 1 && countries.exceptions == 2)
        let divisions = try #require(check.tallies["division in all languages"])
        #expect(divisions.all == 2 && divisions.exceptions == 1)
        #expect(
            check.exceptions.dropFirst(before).map(\.expected) == [
                "country FR", "country FR", "division US.CA",
            ])
    }

    @Test func `corrects no typo into a country`() throws {
        let gazetteer = try Self.built.get()
        for text in ["Switzerlend", "Costa Riga", "Unitd States"] {
            let answer = gazetteer.forward(text)
            #expect(answer.suggestions?.first?.kind == .country, "\(text): \(answer)")
        }
        // Blanks are no letters, and a place confirms its country.
        #expect(gazetteer.forward("costarica").match?.country?.code == "CR")
        #expect(gazetteer.forward("Zürich, Switzerlend").match?.place?.geonameid == 2_657_896)
    }

    @Test(arguments: [
        "South America", "Südamerika", "12.5", "7", "%00", "I", "a.", "Ω", "home", "Beach", "wedding party",
        "island",
        "Inner Fiji", "Greater Switzerland", "central texas",
    ])
    func `matches nothing`(text: String) throws {
        #expect(try Self.built.get().forward(text).matches == [])
    }

    @Test(
        arguments: [
            // A district that no table has, between a town and its regions.
            ("Alphaville, Some County, Illinois, United States", 11, nil),
            ("Alphaville, Some County, Illinois", 11, nil),
            ("Alphaville, Springfield, Illinois, United States", 11, nil),
            ("Village of Alphaville, Illinois", 11, nil), ("Alphaville Township, IL, USA", 11, nil),
            ("Greater Seattle", 5_809_844, nil),
            // A county that the town does not lie in.
            ("Springfield, Cook, Illinois", 4_250_542, "Cook"), ("Springfield, Kochland, USA", nil, nil),
            // A town far away from the next one is not meant.
            ("Farville, Springfield, Sangamon County, Illinois, United States", 4_250_542, "Farville"),
            (
                "Corner Shop, Old Quarter, Springfield, Sangamon County, Illinois, 62701, United States",
                4_250_542,
                "Corner Shop, Old Quarter"
            ),
            (
                "Shop, 5, Main Street, Old Quarter, East Side, Springfield, Capital Township, Sangamon County, "
                    + "Illinois, 62701, United States", 4_250_542,
                "Shop, 5, Main Street, Old Quarter, East Side"
            ),
            // Regions and towns in two languages.
            (
                "Old Shop, Old Lane, Springfield, Old Quarter, Illinois/IL, United States", 4_250_542,
                "Old Shop, Old Lane"
            ),
            ("Old Shop, Springfield / Springfield, Old Quarter, IL - Illinois, USA", 4_250_542, "Old Shop"),
            ("Old Shop, Springfield, Illinois/Washington, United States", nil, nil),
            // The park in the city, rather than the other name of a village.
            ("Central Park, Springfield, IL", 4_250_542, "Central Park"),
        ] as [(String, Int?, String?)])
    func `reads a town between its regions`(text: String, geonameid: Int?, unread: String?) throws {
        let answer = try Self.built.get().forward(text)
        #expect(answer.match?.place?.geonameid == geonameid, "\(answer)")
        #expect(answer.match?.unread == unread)
    }

    @Test(arguments: [
        ("Gammaville, Cook", 20), ("Gammaville, Kochland", 20), ("Gammaville, Cook, Illinois", 20),
        ("Gammaville, Deltaville County", nil), ("Gammaville, Birmingham", 22), ("Springfield, Cook", nil),
        ("Gammaville, Washington", 23),
        ("Alphaville, Etaville", 11), ("Etaville, Alphaville", 49), ("Etaville, Cook", 49),
    ])
    func `says a county with a city beside it`(text: String, geonameid: Int?) throws {
        let answer = try Self.built.get().forward(text)
        #expect(answer.match?.place?.geonameid == geonameid, "\(answer)")
        #expect(answer.match?.unread == nil)
    }

    @Test(arguments: [
        ("Homeland, Illinois", 46), ("Homeland, Illinois, USA", 46), ("Homeland, USA", 46),
        ("Zetaville, Washington", 48), ("Thetaton, Iotania", 52),
        ("Epsilonville, Washington", 47),
    ])
    func `is a town in its division before what else has the name`(text: String, geonameid: Int) throws {
        let answer = try Self.built.get().forward(text)
        #expect(answer.match?.place?.geonameid == geonameid, "\(answer)")
    }

    @Test func `knows counties by other names`() throws {
        let gazetteer = try Self.built.get()
        for county in ["Cook", "Kochland", "Kochland, USA", "Cook, Illinois"] {
            #expect(gazetteer.forward("Alphaville, \(county)").match?.place?.geonameid == 11, "\(county)")
        }
        #expect(gazetteer.forward("Kochland").match?.county == "Cook")
        // A town of the name comes first, and a county is no part of itself.
        for text in ["Alphaville", "Alphaville, Illinois", "Alphaville, Cook, Illinois"] {
            #expect(gazetteer.forward(text).match?.place?.geonameid == 11, "\(text)")
        }
        let text = "Unknown Cove, Doubleton Township, Illinois, United States"
        let message = try #require(gazetteer.forward(text).message(of: text))
        #expect(
            message.contains("(Doubleton, Cook, Illinois, United States; Doubleton, Illinois, United States)")
        )
        for county in ["Birmingham", "Nirgendland"] {
            #expect(gazetteer.forward("Alphaville, \(county)").match == nil)
        }
    }

    @Test(
        arguments: [
            // A town, and one right before the division that is too far away to be its neighbour.
            ("Farville, Springfield, Illinois, United States", [16, 4_250_542], nil),
            // Which of two is not said; the township of its name does not say it either.
            ("Unknown Cove, Doubleton Township, Illinois, United States", [18, 19], nil),
            // A qualifier that nothing has narrows nothing, and one that something has contradicts.
            ("Seattle, Foobar", [5_809_844], "Foobar"), ("Seattle, Farville", [], nil),
            // Unless the name has namesakes: it may tell them apart.
            ("Paris, Lamar County", [], nil), ("Paris, Foobar", [], nil),
            // The county decides between namesakes.
            ("Doubleton, Cook", [18], nil), ("Doubleton, Illinois, Cook", [18], nil),
            ("Foobar, Washington", [], nil),
        ] as [(String, [Int], String?)])
    func `asks where the text is open`(text: String, expected: [Int], unread: String?) throws {
        let answer = try Self.built.get().forward(text)
        #expect(Set(answer.matches.compactMap { $0.place?.geonameid }) == Set(expected), "\(answer)")
        #expect(answer.match?.unread == unread)
    }

    @Test(arguments: [
        (17_348, 1_500, true), (17_348, 500, false), (90_000, 9_000, true), (99_000, 8_990, false),
    ])
    func `asks for a namesake unless one is ten times as large`(larger: Int, smaller: Int, asks: Bool) throws
    {
        let folder = try TemporaryFolder()
        let rows = [(21, larger, 30.0), (22, smaller, 33.0)].map { id, people, latitude in
            Fixture.Row(
                id: id, name: "Bulgan", latitude: latitude, longitude: -99, country: "US", admin1: "TX",
                population: people)
        }
        let gazetteer = try Fixture.gazetteer(in: folder, rows: Fixture.rows + rows)
        for text in ["Bulgan", "Bulgan, United States", "Bulgan, Texas"] {
            #expect((gazetteer.forward(text).match?.place?.geonameid == 21) == !asks, "\(text)")
        }
    }

    @Test(
        arguments: [
            ("東京都渋谷区", 31, nil), ("渋谷区神宮前", 31, "神宮前"), ("東京都渋谷区神宮前1丁目2", 31, "神宮前1丁目2"),
            ("〒150-0001 東京都渋谷区神宮前", 31, "神宮前"), ("四日市市", 32, nil), ("四日市市諏訪町", 32, "諏訪町"),
            ("東京都西多摩郡瑞穂町箱根ケ崎", 33, "箱根ケ崎"), ("東京都四日市市", nil, nil), ("神奈川県架空市", nil, nil), ("市区町村", nil, nil),
            ("西村神宮前", nil, nil),
        ] as [(String, Int?, String?)])
    func `reads addresses without blanks`(text: String, geonameid: Int?, unread: String?) throws {
        let answer = try Self.built.get().forward(text)
        #expect(answer.match?.place?.geonameid == geonameid, "\(answer)")
        #expect(answer.match?.unread == unread)
    }

    @Test func `reads no code of a region in a shortened word`() throws {
        let folder = try TemporaryFolder()
        let rows = [
            Fixture.Row(
                id: 21, name: "Saint Petersburg", alternates: "St Petersburg", latitude: 27, longitude: -82,
                country: "US", admin1: "TX", population: 260_000),
            Fixture.Row(
                id: 22, name: "Petersberg", latitude: 47, longitude: 8.5, country: "CH", admin1: "ZH",
                population: 2_000),
        ]
        var inputs = try Fixture.inputs(in: folder, rows: Fixture.rows + rows)
        inputs.removeAll { $0.kind == .subdivisions }
        let codes = try folder.write("CH.ZH\tZürich\tCH-ST\t1\n", to: "codes.tsv")
        inputs.append(GazetteerInput(.subdivisions, path: codes))
        _ = try GazetteerBuilder(inputs: inputs).build(to: "\(folder.path)/index")
        let gazetteer = try Gazetteer(path: "\(folder.path)/index")
        #expect(gazetteer.forward("St Petersberg").matches.allSatisfy { $0.place?.geonameid != 22 })
        #expect(gazetteer.forward("Petersberg, ST").match?.place?.geonameid == 22)
    }
}

@Suite(
    .computing,
    .enabled(
        if: ReferenceData.isPresent && ReferenceData.has("faults/osm_texts.tsv"),
        "set DARKROOM_TEST_DATA to the folder of reference data"))
struct RegionReferenceTests {
    /// Measured: 552 of 600, compared with 263 before towns were read between regions.
    @Test func `reads texts as OpenStreetMap writes them`() throws {
        let table = try TemporaryFolder.read("\(ReferenceData.folder)/faults/osm_texts.tsv")
        let lines = String(decoding: table, as: UTF8.self).split(separator: "\n").dropFirst()
        let folder = try TemporaryFolder()
        let path = try folder.write(
            "class\ttext\tkind\tanswer\talso_ok\n" + lines.joined(separator: "\n") + "\n", to: "texts.tsv")
        let questions = try ForwardQuestion.read(path: path)
        let score = try ReferenceData.withGazetteer { ForwardScore(of: $0, at: questions) }
        #expect(questions.count == 600)
        #expect((score.total.percent ?? 0) >= 90, "\(score.groups)")
    }
}
