import Gazetteer
import TestKit
import Testing

@Suite(.computing) struct InputFolderTests {
    @Test func `uses GeoNames' files by name, and the most complete of several dumps`() throws {
        let folder = try TemporaryFolder()
        for name in [
            "cities15000.txt", "cities500.txt", "countryInfo.txt", "countries.geojson", "readme.txt",
        ] {
            try folder.write("", to: name)
        }
        let inputs = try GazetteerInput.inputs(inFolder: folder.path)
        #expect(inputs.map(\.kind) == [.countries, .places, .countryBorders])
        #expect(inputs.map(\.path).contains("\(folder.path)/cities500.txt"))
        #expect(inputs.map(\.licence) == ["CC BY 4.0", "CC BY 4.0", "public domain"])
    }

    @Test func `uses Natural Earth's files by name`() throws {
        let folder = try TemporaryFolder()
        for name in [
            "cities500.txt", "countryInfo.txt", "ne_50m_admin_0_countries.shp",
            "ne_10m_admin_0_countries.shp",
            "ne_10m_admin_0_countries.dbf", "world_map.gpkg",
        ] {
            try folder.write("", to: name)
        }
        let inputs = try GazetteerInput.inputs(inFolder: folder.path)
        #expect(inputs.map(\.kind) == [.countries, .places, .countryBorders, .divisionBorders])
        #expect(inputs[2].path == "\(folder.path)/ne_10m_admin_0_countries.shp")
        #expect(inputs[2].layer == nil)
        #expect(inputs[3].path == "\(folder.path)/world_map.gpkg")
        #expect(inputs[3].layer == "states_provinces")
        try folder.write("", to: "countries.geojson")
        #expect(
            try GazetteerInput.inputs(inFolder: folder.path)[2].path == "\(folder.path)/countries.geojson")
    }

    @Test func `uses what sources.tsv lists, with its texts`() throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "cities1000.txt")
        try folder.write(
            """
            p.txt\tplaces\tTitle\thttps://x.example\t2026-03-01\tCC0\tBy X.
            c.txt\tcountries\tT\t\t\tL\tA
            m.gpkg#states\tdivisionBorders\tT\t\t\tL\tA

            """, to: "sources.tsv")
        let inputs = try GazetteerInput.inputs(inFolder: folder.path)
        #expect(
            inputs.first
                == GazetteerInput(
                    .places, path: "\(folder.path)/p.txt", title: "Title", url: "https://x.example",
                    date: "2026-03-01", licence: "CC0", attribution: "By X."))
        #expect(inputs.map(\.kind) == [.places, .countries, .divisionBorders])
        #expect(inputs[2].layer == "states")
    }

    @Test(arguments: [
        ("p.txt\tplaces\n", 2), ("../p.txt\tplaces\t\t\t\t\t\n", 1), ("p.txt\tpictures\t\t\t\t\t\n", 2),
        ("p.txt\tplaces\tT\tU\tMay 2026\tL\tA\n", 5), ("p.txt\tplaces\tT\tU\t2026-13-01\tL\tA\n", 5),
    ])
    func `names the column of a bad list`(text: String, column: Int) throws {
        let folder = try TemporaryFolder()
        try folder.write(text, to: "sources.tsv")
        let error = try #require(throws: GazetteerError.self) {
            try GazetteerInput.inputs(inFolder: folder.path)
        }
        #expect(error.code == .malformedInput)
        #expect(error.line == 1)
        #expect(error.column == column)
    }

    @Test(arguments: ["cities500.txt", "countryInfo.txt"])
    func `names the file that a folder lacks`(name: String) throws {
        let folder = try TemporaryFolder()
        for other in ["cities500.txt", "countryInfo.txt"] where other != name {
            try folder.write("", to: other)
        }
        let error = try #require(throws: GazetteerError.self) {
            try GazetteerInput.inputs(inFolder: folder.path)
        }
        #expect(error.code == .missingInput)
        #expect(error.file == "\(folder.path)/\(name)")
    }
}
