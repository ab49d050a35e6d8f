import Gazetteer
import TestKit
import Testing

/// Texts that a small place has as its name, although hardly anybody means it; and those that a state or script makes known.
@Suite(.computing) struct WordsOfNoPlaceTests {
    private static func row(
        _ id: Int, _ name: String, _ alternates: String = "", _ country: String = "US", admin1: String = "",
        people: Int, at latitude: Double = 39
    ) -> Fixture.Row {
        Fixture.Row(
            id: id, name: name, alternates: alternates, latitude: latitude, longitude: -90 + Double(id),
            country: country, admin1: admin1, population: people)
    }

    private static let rows =
        Fixture.rows + [
            row(1, "Church", admin1: "IL", people: 5_000), row(2, "Java", admin1: "TX", people: 900),
            row(3, "Spring", admin1: "TX", people: 60_000),
            row(4, "Lake Titicaca", admin1: "CA", people: 2_000),
            row(5, "Cametá", people: 140_000), row(6, "Kitchener", people: 256_000),
            row(7, "Zhengzhou", "Phone City,Liaoning", people: 4_000_000),
            row(8, "Quezon City", people: 2_000_000),
            row(9, "Station", people: 800), row(10, "Sea", people: 1_200), row(11, "Ohu", people: 90_000),
            row(12, "Muć", people: 4_000), row(13, "Munich", "MUC", people: 1_300_000),
            row(14, "Learnings", people: 400_000), row(15, "Alps", people: 800),
            row(40, "Beijing", "Peking", "CN", people: 18_000_000), row(41, "Rostov Veliky", people: 600_000),
            row(45, "Laria", people: 6_000), row(46, "Lahore", people: 11_000_000),
            row(47, "Apples", people: 900),
            row(48, "Sant'Agata de'Goti", "Sant'Agata de' Goti", people: 9_000),
            row(49, "L'Escala", people: 9_000),
            row(50, "Levin", people: 200_000), row(51, "Stockholm", "Stokgol'm", people: 1_500_000),
            row(42, "Farg'ona", people: 9_000), row(43, "Center City", people: 57_000),
            row(16, "Osh", people: 30_000), row(17, "Oshkosh", "OSH", people: 60_000),
            row(23, "Sainte-Anne", "", "RE", people: 180_000),
            row(24, "Sainte-Anne", "", "FR", people: 7_000),
            row(21, "Saint-Pierre", "", "RE", people: 80_000), row(22, "Nouvelle", "", "FR", people: 70_000),
            row(31, "Shenzhen", "深圳,深圳市", "CN", admin1: "30", people: 17_000_000),
            row(33, "Wenhua", "文化,文化市", "CN", admin1: "30", people: 3_000),
            row(32, "Seongnam", "성남시", "KR", people: 900_000),
        ]

    /// Each test asks the same one.
    private static let built = Result { try build() }

    private static func build() throws -> Gazetteer {
        let folder = try TemporaryFolder()
        var inputs = try Fixture.inputs(in: folder, rows: rows)
        let added = [("RE", "REU", "Reunion"), ("CN", "CHN", "China"), ("KR", "KOR", "South Korea")]
        let countries =
            Fixture.countryInfo
            + added.map { "\($0)\t\($1)\t0\t\t\($2)\t\t1\t1\tEU\t.x\tXXX\tX\t1\t\t\t\t\(9_000_000)\t\t\n" }
            .joined()
        inputs.removeAll { [.countries, .admin1Codes].contains($0.kind) }
        inputs.append(GazetteerInput(.countries, path: try folder.write(countries, to: "countries.txt")))
        let codes = Fixture.admin1Codes + "CN.30\tGuangdong\tGuangdong\t1\n"
        inputs.append(GazetteerInput(.admin1Codes, path: try folder.write(codes, to: "admin1.txt")))
        let names = try folder.write("CN.30\t广东\n", to: "names.tsv")
        inputs.append(GazetteerInput(.regionNames, path: names))
        _ = try GazetteerBuilder(inputs: inputs).build(to: "\(folder.path)/index")
        return try Gazetteer(path: "\(folder.path)/index")
    }

    @Test(
        arguments: [
            ("church", [1]), ("Church", [1]), ("the church", [1]), ("Java", [2]), ("JAVA", [2]),
            ("Lake Titicaca", [4]), ("lake  titicaca", [4]), ("station", [9]), ("the station", [9]),
            ("sea", [10]),
            ("Alps", [15]), ("learning", []), ("home", []), ("camera", []), ("Cametq", [5]), ("phone", []),
        ] as [(String, [Int])])
    func `are no match alone, and suggest the place`(text: String, suggested: [Int]) throws {
        let answer = try Self.built.get().forward(text)
        #expect(
            answer.matches.isEmpty && answer.suggestions?.compactMap(\.place?.geonameid) == suggested,
            "\(answer)")
    }

    @Test(arguments: [
        ("Church, Illinois", 1), ("church il", 1), ("Java, Texas", 2), ("Lake Titicaca, CA", 4),
        ("Spring", 3),
        ("spring", 3), ("Farg'ona", 42), ("farg‘ona", 42), ("Center City", 43), ("Quezon", 8), ("Cameta", 5),
        ("Sea, USA", 10), ("Sant'Agata de' Goti", 48), ("L'Escala", 49), ("l´escala", 49), ("Farg＇ona", 42),
        ("Stokgol'm", 51), ("Stockholm's", 51), ("'Spring'", 3), ("Lahoree", 46),
    ])
    func `are places with a region, and large ones alone`(text: String, geonameid: Int) throws {
        let answer = try Self.built.get().forward(text)
        #expect(answer.match?.place?.geonameid == geonameid, "\(answer)")
    }

    @Test(arguments: ["IN", "TX", "IL", "CA", "JPN", "FR", "US"])
    func `a code that is a word is in capitals`(code: String) throws {
        let gazetteer = try Self.built.get()
        let isKnown = code != "IN"
        #expect((gazetteer.forward(code).match != nil) == isKnown)
        let isWord = code == "US" || code == "IN"
        #expect((gazetteer.forward(code.lowercased()).match == nil) == isWord)
        #expect(gazetteer.forward("paris tx").match?.place?.geonameid == 4_717_560)
    }

    @Test(arguments: [
        "at the beach", "near the church", "in the church", "on the beach", "Church 2", "my church",
        "at home",
        "city center", "the city", "“home”", "‘home’", "'church'", "‘Church’", "the 'church'", "`church`",
        "‚church‘", "l'aria",
        "L’aria",
        "l'amore", "apple's", "Apple’s", "Levi's", "I'll", "don't", "church's",
    ])
    func `so are they behind other words and before numbers`(text: String) throws {
        let answer = try Self.built.get().forward(text)
        #expect(answer.matches.isEmpty, "\(answer)")
    }

    @Test func `a place is what the person stands in`() throws {
        let gazetteer = try Self.built.get()
        let near = gazetteer.forward("church", near: try coordinate(39.2, -89))
        #expect(near.match?.place?.geonameid == 1)
        #expect(gazetteer.forward("church", near: try coordinate(45, -89)).match == nil)
        #expect(
            gazetteer.forward("church").message(of: "church")
                == "“church” alone is too little. If you mean Church, Illinois, United States, add its region or country."
        )
    }

    @Test(arguments: [("Parking", nil), ("Pekking", nil), ("Beijin", 40)] as [(String, Int?)])
    func `another name is not misspelt`(text: String, geonameid: Int?) throws {
        let answer = try Self.built.get().forward(text)
        #expect(answer.match?.place?.geonameid == geonameid, "\(answer)")
    }

    @Test(arguments: [("Santa", nil), ("Rostov", 41), ("Rosto", nil), ("Kitchen", nil)] as [(String, Int?)])
    func `one word is completed by further words only`(text: String, geonameid: Int?) throws {
        let answer = try Self.built.get().forward(text)
        #expect(answer.match?.place?.geonameid == geonameid, "\(answer)")
    }

    @Test func `a village with the code of an airport is asked about`() throws {
        let gazetteer = try Self.built.get()
        #expect(gazetteer.forward("MUC").candidates?.map { $0.place?.geonameid } == [13, 12])
        #expect(gazetteer.forward("Muć").match?.place?.geonameid == 12)
        #expect(gazetteer.forward("OSH").match?.place?.geonameid == 16)
        #expect(gazetteer.forward("MUC", near: try coordinate(39, -78)).match?.place?.geonameid == 12)
        #expect(gazetteer.forward("SEA").match == nil)
    }

    @Test(arguments: [
        ("Saint-Pierre, Reunion", 21), ("Saint-Pierre, France", 21), ("Saint-Pierre, Reunion, France", 21),
        ("Saint-Pierre, RE, FR", 21), ("Nouvelle, France", 22),
        ("Sainte-Anne, France", 24), ("Sainte-Anne, Reunion", 23), ("Sainte-Anne, Reunion, France", 23),
    ])
    func `a territory is a part of its state`(text: String, geonameid: Int) throws {
        let gazetteer = try Self.built.get()
        #expect(gazetteer.forward(text).match?.place?.geonameid == geonameid)
        #expect(gazetteer.forward("Nouvelle, Reunion").match == nil)
        #expect(gazetteer.forward("Reunion, France").match?.country?.code == "RE")
        #expect(gazetteer.forward("Reunion, Japan").match == nil)
    }

    @Test(
        arguments: [
            ("广东深圳", 31, nil), ("广东深圳市", 31, nil), ("경기도 성남시 분당구", nil, nil),
            ("성남시 분당구 정자동 178-1", 32, "분당구 정자동"),
            ("성남시 분당구", 32, "분당구"), ("분당구 성남시", nil, nil), ("东深圳", nil, nil),
            ("中国文化", nil, nil), ("中国文化市", 33, nil), ("中国深圳", 31, nil), ("中国广东深圳市", 31, nil),
            ("日本深圳", nil, nil), ("中国南深圳", nil, nil),
        ] as [(String, Int?, String?)])
    func `addresses that begin with the largest are read`(text: String, geonameid: Int?, unread: String?)
        throws
    {
        let answer = try Self.built.get().forward(text)
        #expect(answer.match?.place?.geonameid == geonameid, "\(answer)")
        #expect(answer.match?.unread == unread)
    }

    @Test func `a province behind its country is the province`() throws {
        let answer = try Self.built.get().forward("中国广东")
        #expect(answer.match?.admin1?.code == "CN.30" && answer.match?.kind == .admin1, "\(answer)")
    }
}
