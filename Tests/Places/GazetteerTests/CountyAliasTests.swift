import Gazetteer
import TestKit
import Testing

/// Counties of the United Kingdom whose districts alone are in the table, and towns that have their county's name.
@Suite(.computing) struct CountyAliasTests {
    private static let counties = """
        GB.ENG.H8\tLiverpool\tLiverpool\t3333167
        GB.ENG.G9\tKnowsley\tKnowsley\t3333159
        GB.ENG.P9\tWindsor and Maidenhead\tWindsor and Maidenhead\t3333225
        GB.ENG.K7\tReading\tReading\t3333186
        GB.ENG.G5\tKent\tKent\t3333158
        GB.ENG.I3\tMedway\tMedway\t3333168
        GB.ENG.D8\tCounty Durham\tCounty Durham\t2650629
        GB.ENG.J9\tNottinghamshire\tNottinghamshire\t2641169
        GB.ENG.J8\tNottingham\tNottingham\t3333178
        GB.ENG.N8\tWicklow\tWicklow\t1
        GB.ENG.N9\tHuge\tHuge\t1
        GB.ENG.M1\tMiddling\tMiddling\t1
        US.MA.003\tBerkshire County\tBerkshire County\t4929979
        IE.L.35\tFingal County\tFingal County\t7288565

        """

    private static let places: [(Int, String, Double, Double, String, String, Int)] = [
        (1, "Liverpool", 53.41, -2.98, "GB.ENG", "H8", 864_000),
        (2, "Kirkby", 53.48, -2.89, "GB.ENG", "G9", 410_000),
        (3, "Windsor", 51.48, -0.6, "GB.ENG", "P9", 32_000),
        (4, "Windsor", 42.51, -73.06, "US.MA", "003", 900),
        (5, "Reading", 51.46, -0.97, "GB.ENG", "K7", 244_000),
        (6, "Chatham", 51.38, 0.53, "GB.ENG", "I3", 76_000),
        (7, "Maidstone", 51.27, 0.52, "GB.ENG", "G5", 107_000),
        (8, "Durham", 54.78, -1.58, "GB.ENG", "D8", 47_000),
        (9, "Nottingham", 52.95, -1.15, "GB.ENG", "J8", 729_000),
        (10, "Mansfield", 53.14, -1.2, "GB.ENG", "J9", 98_000),
        (11, "Wicklow", 52.98, -6.04, "GB.ENG", "N8", 10_000),
        (12, "Bray", 53.2, -6.1, "GB.ENG", "N8", 130_000),
        (13, "Huge", 50, -4, "GB.ENG", "N9", 1_000),
        (14, "Larger", 50.5, -4, "GB.ENG", "N9", 1_000_000),
        (16, "Middling", 50.2, -5, "GB.ENG", "M1", 40_000),
        (17, "Greater", 50.8, -5, "GB.ENG", "M1", 960_000),
        (15, "Lancaster", 51, -70, "US.MA", "", 100_000),
        (18, "Swords", 53.46, -6.22, "IE.L", "35", 41_000),
    ]

    private static func gazetteer(_ folder: TemporaryFolder) throws -> Gazetteer {
        let rows = places.map { id, name, latitude, longitude, division, county, population in
            let code = division.split(separator: ".")
            return [
                "\(id)", name, "", "", "\(latitude)", "\(longitude)", "P", "PPL", "\(code[0])", "",
                "\(code[1])",
                county, "", "", "\(population)", "", "", "", "",
            ].joined(separator: "\t") + "\n"
        }
        var inputs = try Fixture.inputs(in: folder, rows: [])
        inputs[0].path = try folder.write(rows.joined(), to: "rows.txt")
        inputs[1].path = try folder.write(
            "GB.ENG\tEngland\tEngland\t6269131\nUS.MA\tMassachusetts\tMassachusetts\t6254926\n"
                + "IE.L\tLeinster\tLeinster\t7521314\n",
            to: "divisions.txt")
        inputs.append(GazetteerInput(.admin2Codes, path: try folder.write(counties, to: "counties.txt")))
        _ = try GazetteerBuilder(inputs: inputs).build(to: "\(folder.path)/index")
        return try Gazetteer(path: "\(folder.path)/index")
    }

    @Test func `a county that consists of districts says where a town is`() throws {
        let folder = try TemporaryFolder()
        let gazetteer = try Self.gazetteer(folder)
        for (text, place) in [
            ("Liverpool, Merseyside", 1), ("Kirkby, Merseyside, England", 2), ("kirkby merseyside uk", 2),
            // Not the one in Berkshire County, Massachusetts.
            ("Windsor, Berkshire", 3), ("Windsor, Berkshire County", 4), ("Reading, Berkshire", 5),
            ("Chatham, Kent", 6), ("Maidstone, Kent", 7), ("Nottingham, Nottinghamshire", 9),
            ("Swords, County Dublin", 18), ("Swords, Co. Dublin, Ireland", 18),
        ] {
            #expect(gazetteer.forward(text).match?.place?.geonameid == place, "\(text)")
        }
        for text in ["Maidstone, Merseyside", "Reading, Kent"] {
            #expect(gazetteer.forward(text).match?.place == nil, "\(text)")
        }
        try gazetteer.verify()
    }

    @Test func `a county's own name stands for it alone, without the cities that left it`() throws {
        let folder = try TemporaryFolder()
        let gazetteer = try Self.gazetteer(folder)
        for text in ["Nottinghamshire", "Kent", "Co. Kent", "County Kent", "Co Durham"] {
            let match = gazetteer.forward(text).match
            #expect(
                match?.kind == .admin2 && text.hasSuffix(match?.county?.split(separator: " ").last ?? "-"),
                "\(text)")
        }
        // Of several districts, each is offered.
        let counties = gazetteer.forward("Merseyside").matches.map(\.county)
        #expect(Set(counties) == ["Liverpool", "Knowsley"])
    }

    @Test func `“Co.” is a county`() throws {
        let folder = try TemporaryFolder()
        let gazetteer = try Self.gazetteer(folder)
        for (text, place) in [
            ("Durham, Co. Durham", 8), ("Windsor, Berkshire Co", 4), ("Maidstone, Co. Kent", 7),
            ("Maidstone, County Kent", 7),
            ("Chatham, Kent Co", 6),
        ] {
            #expect(gazetteer.forward(text).match?.place?.geonameid == place, "\(text)")
        }
    }

    @Test func `a town is meant before its county of the same name, unless it is tiny`() throws {
        let folder = try TemporaryFolder()
        let gazetteer = try Self.gazetteer(folder)
        #expect(gazetteer.forward("Wicklow").match?.place?.geonameid == 11)
        #expect(gazetteer.forward("Wicklow, England").match?.place?.geonameid == 11)
        #expect(gazetteer.forward("County Wicklow").match?.kind == .admin2)
        #expect(gazetteer.forward("Huge").match?.kind == .admin2)
        // Between the two, the message says how to tell them apart.
        let either = gazetteer.forward("Middling, England")
        #expect(either.match == nil && Set(either.matches.map(\.kind)) == [.place, .admin2])
        #expect(
            either.message(of: "Middling, England")?.contains("the division is “County Middling”") == true)
        #expect(gazetteer.forward("County Middling").match?.kind == .admin2)
    }
}
