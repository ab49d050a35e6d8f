import Gazetteer
import TestKit
import Testing

@Suite(.computing) struct CountyTests {
    private static let counties = """
        US.IL.167\tSangamon County\tSangamon County\t4250541
        US.IL.031\tCook County\tCook County\t4888671
        US.MO.077\tGreene County\tGreene County\t4388297
        US.OH.057\tGreene County\tGreene County\t4513202
        US.WA.033\tKing County\tKing County\t5799783

        """

    private static let lines: [(Int, String, Double, Double, String, String, Int)] = [
        (1, "Springfield", 39.80172, -89.64371, "IL", "167", 114_394),
        (2, "Springfield", 41.9, -87.7, "IL", "031", 90_000),
        (3, "Springfield", 37.21533, -93.29824, "MO", "077", 169_176),
        (4, "Chatham", 39.67616, -89.70455, "IL", "167", 12_000),
        (5, "Seattle", 47.60621, -122.33207, "WA", "033", 780_995),
        (6, "Nowhere", 47, -120, "WA", "999", 500),
        (7, "King County", 33.6, -100.2, "TX", "", 100),
        (8, "Elm Grove", 39.65, -89.80, "IL", "031", 0),
        (9, "Elm Grove", 39.75, -89.70, "IL", "167", 0),
        (10, "Millhurst", 39.65, -89.80, "IL", "031", 0),
        (11, "Bigtown", 45, -110, "MT", "", 200_000),
        (12, "Oak Grove", 45, -110.05, "MT", "031", 0),
        (13, "Oak Grove", 45.3, -110, "MT", "", 0),
    ]

    private func build(_ counties: String? = counties, _ folder: TemporaryFolder) throws -> Gazetteer {
        let rows = Self.lines.map { id, name, latitude, longitude, admin1, admin2, population in
            [
                "\(id)", name, "", "", "\(latitude)", "\(longitude)", "P", "PPL", "US", "", admin1, admin2,
                "",
                "", "\(population)", "", "", "", "",
            ].joined(separator: "\t") + "\n"
        }
        var inputs = try Fixture.inputs(in: folder, rows: [])
        inputs[0].path = try folder.write(rows.joined(), to: "rows.txt")
        if let counties {
            inputs.append(
                GazetteerInput(.admin2Codes, path: try folder.write(counties, to: "admin2Codes.txt")))
        }
        _ = try GazetteerBuilder(inputs: inputs).build(to: "\(folder.path)/index")
        return try Gazetteer(path: "\(folder.path)/index")
    }

    @Test(arguments: [
        ("Springfield, Sangamon County", 1), ("Springfield, Cook County, IL", 2),
        ("Greene County, Springfield", 3), ("springfield sangamon county", 1),
        ("USA, IL, Cook County, Springfield", 2), ("Chatham, Sangamon County, Illinois", 4),
        // In the county of the town, before another one that is near the town.
        ("Elm Grove, Springfield", 9), ("Springfield, Elm Grove, IL", 9), ("Elm Grove, Cook County", 8),
        ("Millhurst, Springfield, Illinois", 10),
    ])
    func `tells places apart by county`(text: String, geonameid: Int) throws {
        let folder = try TemporaryFolder()
        let gazetteer = try build(Self.counties, folder)
        #expect(gazetteer.forward(text).match?.place?.geonameid == geonameid)
        try gazetteer.verify()
    }

    /// Italians write the code of the province, which other countries' states may have as well.
    @Test(
        arguments: [
            ("Milano MI", 1), ("Milano (MI)", 1), ("Milano, MI", 1), ("milano mi", nil), ("MILANO MI", 1),
            ("20122 Milano MI, Italy", 1),
            ("Via Roma 1, 20122 Milano MI", 1), ("Milan, MI", 2), ("Milan MI", 2), ("Milan MI, Italy", 1),
            ("Monza MB", 3),
            ("Monza MI", nil), ("Concord, CA", 4), ("London, CA", 5), ("MB", nil),
        ] as [(String, Int?)])
    func `a town has the code of its province behind it`(text: String, geonameid: Int?) throws {
        let folder = try TemporaryFolder()
        func row(
            _ id: Int, _ name: String, _ country: String, _ admin1: String, _ admin2: String, _ people: Int
        )
            -> Fixture.Row
        {
            Fixture.Row(
                id: id, name: name, alternates: id == 1 ? "Milano" : "", latitude: 45,
                longitude: Double(10 * id),
                country: country, admin1: admin1, admin2: admin2, population: people)
        }
        let rows = [
            row(1, "Milan", "IT", "09", "MI", 1_371_498), row(2, "Milan", "US", "MI", "", 5_983),
            row(3, "Monza", "IT", "09", "MB", 122_000), row(4, "Concord", "US", "CA", "", 125_000),
            row(5, "London", "CA", "08", "", 422_000), row(6, "London", "US", "CA", "", 1_800),
            row(7, "Concord", "IT", "14", "CA", 1_000),
        ]
        var inputs = try Fixture.inputs(in: folder, rows: rows)
        inputs.removeAll { [.countries, .admin1Codes].contains($0.kind) }
        let countries =
            Fixture.countryInfo
            + [("IT", "ITA", "Italy"), ("CA", "CAN", "Canada")].map {
                "\($0)\t\($1)\t0\t\t\($2)\t\t1\t1\tEU\t.x\tXXX\tX\t1\t\t\t\t\(9_000_000)\t\t\n"
            }.joined()
        inputs.append(GazetteerInput(.countries, path: try folder.write(countries, to: "countries.txt")))
        let divisions =
            "IT.09\tLombardy\t\t1\nIT.14\tSardinia\t\t2\nUS.MI\tMichigan\t\t3\nCA.08\tOntario\t\t4\n"
        inputs.append(
            GazetteerInput(
                .admin1Codes, path: try folder.write(Fixture.admin1Codes + divisions, to: "admin1.txt")))
        let provinces = "IT.09.MI\tMilan\t\t1\nIT.09.MB\tMonza and Brianza\t\t2\nIT.14.CA\tCagliari\t\t3\n"
        inputs.append(GazetteerInput(.admin2Codes, path: try folder.write(provinces, to: "admin2.txt")))
        _ = try GazetteerBuilder(inputs: inputs).build(to: "\(folder.path)/index")
        let answer = try Gazetteer(path: "\(folder.path)/index").forward(text)
        #expect(answer.match?.place?.geonameid == geonameid, "\(answer)")
    }

    @Test func `has no town's county to prefer if the table does not say it`() throws {
        let folder = try TemporaryFolder()
        let gazetteer = try build(Self.counties, folder)
        guard case .ambiguous(let places) = gazetteer.forward("Oak Grove, Bigtown") else {
            Issue.record("\(gazetteer.forward("Oak Grove, Bigtown"))")
            return
        }
        #expect(Set(places.map(\.score)).count == 1)
    }

    @Test func `names a county without a place`() throws {
        let folder = try TemporaryFolder()
        let gazetteer = try build(Self.counties, folder)
        let match = try #require(gazetteer.forward("Sangamon County").match)
        #expect(match.kind == .admin2)
        #expect(match.precision == .division)
        #expect(match.place == nil)
        #expect(match.label == "Sangamon County, Illinois, United States")
        // The middle is the point of a place of the county, and the radius reaches the others.
        #expect(try match.coordinate == coordinate(39.80172, -89.64371))
        // A county without places in the table is unknown.
        #expect(gazetteer.forward("Greene County, OH").match == nil)
        #expect(gazetteer.forward("King County").match?.county == "King County")
    }

    @Test func `knows no counties without the table`() throws {
        let folder = try TemporaryFolder()
        let gazetteer = try build(nil, folder)
        #expect(gazetteer.forward("Springfield, Sangamon County").match == nil)
        #expect(gazetteer.forward("King County").match?.place?.geonameid == 7)
    }

    @Test(arguments: [("US.IL\tX\n", 1), ("US.IL.1\tX\nUS.IL.1\tY\n", 1), ("US.IL.1\t\n", 2)])
    func `names the field of a bad table`(table: String, column: Int) throws {
        let folder = try TemporaryFolder()
        let error = try #require(throws: GazetteerError.self) { try build(table, folder) }
        #expect(error.code == .malformedInput)
        #expect(error.column == column)
    }
}
