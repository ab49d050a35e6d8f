import Gazetteer
import TestKit
import Testing

@Suite(.computing) struct LanguageTests {
    /// Number, geonameid, language, name, marks for preferred, short, colloquial and historic, from, to.
    private static let table = """
        1\t5809844\tde\tSeattel\t\t\t\t\t\t
        2\t5809844\tde\tSeattle an der See\t1\t\t\t\t\t
        3\t5809844\tde\tAltseattle\t1\t\t\t1\t\t
        4\t5809844\tde\tSeastadt\t1\t\t1\t\t\t
        5\t5809844\tde\tEndstadt\t1\t1\t\t\t1800\t1900
        6\t5809844\tja\tシアトル市\t\t\t\t\t\t
        7\t5809844\tlink\thttps://example.org/Seattle\t\t\t\t\t\t
        8\t5809844\twkdt\tQ5083\t\t\t\t\t\t
        9\t5809844\tpost\t98101\t\t\t\t\t\t
        10\t5809844\tiata\tBFI\t\t\t\t\t\t
        11\t5809844\tde-CH\tSeattle (Übersee)\t\t\t\t\t\t
        20\t5815135\tde\tStaat Washington\t1\t\t\t\t\t
        21\t5815135\tde\tWaschington\t1\t1\t\t\t\t
        30\t6252001\tde\tVereinigte Staaten von Amerika\t1\t\t\t\t\t
        31\t6252001\tde\tVereinigte Staaten\t1\t1\t\t\t\t
        32\t6252001\tde\tAmiland\t\t\t1\t\t\t
        41\t2657896\tit\tZurigo B\t\t\t\t\t\t
        40\t2657896\tit\tZurigo A\t\t\t\t\t\t
        42\t2657896\tde\tZürich\t1\t\t\t\t\t
        50\t99999999\tde\tNirgendwo\t1\t\t\t\t\t

        """

    private func build(_ table: String? = table, _ folder: TemporaryFolder) throws -> Gazetteer {
        var inputs = try Fixture.inputs(in: folder)
        if let table {
            inputs.append(
                GazetteerInput(.alternateNames, path: try folder.write(table, to: "alternateNamesV2.txt")))
        }
        let path = "\(folder.path)/index"
        _ = try GazetteerBuilder(inputs: inputs).build(to: path)
        return try Gazetteer(path: path)
    }

    @Test(arguments: [
        // Preferred names come first; historic, ended and colloquial ones are excluded.
        ("de", "Seattle an der See", "Waschington", "Vereinigte Staaten"),
        ("ja", "シアトル市", "Washington", "United States"),
        // A region's name, else its language's, regardless of case.
        ("de-CH", "Seattle (Übersee)", "Waschington", "Vereinigte Staaten"),
        ("DE-at", "Seattle an der See", "Waschington", "Vereinigte Staaten"),
        ("fr", "Seattle", "Washington", "United States"), ("", "Seattle", "Washington", "United States"),
        ("link", "Seattle", "Washington", "United States"),
        ("post", "Seattle", "Washington", "United States"),
    ])
    func `names places, divisions and countries in a language`(
        language: String, place: String, admin1: String, country: String
    ) throws {
        let folder = try TemporaryFolder()
        let gazetteer = try build(Self.table, folder)
        let answer = gazetteer.reverse(try coordinate(47.6, -122.3))
        #expect(gazetteer.name(of: try #require(answer.place), language: language) == place)
        #expect(gazetteer.name(of: try #require(answer.admin1), language: language) == admin1)
        #expect(gazetteer.name(of: try #require(answer.country), language: language) == country)
        #expect(gazetteer.languages == ["de", "de-ch", "it", "ja"])
        try gazetteer.verify()
    }

    @Test func `takes the oldest of equal names, and the default one if it is the same`() throws {
        let folder = try TemporaryFolder()
        let gazetteer = try build(Self.table, folder)
        let place = try #require(gazetteer.forward("Zürich").match?.place)
        #expect(gazetteer.name(of: place, language: "it") == "Zurigo A")
        #expect(gazetteer.name(of: place, language: "de") == "Zürich")
    }

    @Test(arguments: [
        ("Seattle an der See", 5_809_844), ("altseattle", 5_809_844), ("Seastadt", 5_809_844),
        ("Endstadt", 5_809_844), ("シアトル市", 5_809_844), ("Zurigo B", 2_657_896),
        ("Springfield, Vereinigte Staaten, IL", 4_250_542),
        ("Seattle, Waschington", 5_809_844),
    ])
    func `finds a place by each of its names`(text: String, geonameid: Int) throws {
        let folder = try TemporaryFolder()
        #expect(try build(Self.table, folder).forward(text).match?.place?.geonameid == geonameid)
    }

    @Test(arguments: ["Vereinigte Staaten", "Amiland"]) func `finds a country by each of its names`(
        text: String
    ) throws {
        let folder = try TemporaryFolder()
        let match = try build(Self.table, folder).forward(text).match
        #expect(match?.kind == .country)
        #expect(match?.country?.code == "US")
    }

    @Test(arguments: ["https://example.org/Seattle", "Q5083", "Nirgendwo", "BFI"])
    func `leaves out links, codes and names of unknown places`(text: String) throws {
        let folder = try TemporaryFolder()
        #expect(try build(Self.table, folder).forward(text).match == nil)
    }

    @Test func `gives the same names for any order of lines, and none without the table`() throws {
        let folders = [try TemporaryFolder(), try TemporaryFolder(), try TemporaryFolder()]
        _ = try build(Self.table, folders[0])
        let reversed = Self.table.split(separator: "\n").reversed().joined(separator: "\n") + "\n"
        _ = try build(reversed, folders[1])
        let plain = try build(nil, folders[2])
        let first = try Gazetteer(path: "\(folders[0].path)/index")
        let second = try Gazetteer(path: "\(folders[1].path)/index")
        let place = try #require(first.forward("Seattle").match?.place)
        let city = try #require(first.forward("Zürich").match?.place)
        #expect(first.languages == second.languages && !first.languages.isEmpty)
        for language in first.languages {
            #expect(first.name(of: place, language: language) == second.name(of: place, language: language))
            #expect(first.name(of: city, language: language) == second.name(of: city, language: language))
        }
        // If several are equally good, the order of lines does not matter.
        #expect(second.name(of: city, language: "it") == "Zurigo A")
        #expect(plain.languages.isEmpty)
        #expect(plain.name(of: place, language: "de") == "Seattle")
        #expect(plain.info.fileSize < first.info.fileSize)
    }

    @Test(arguments: [
        ("1\t5809844\tde\n", 3), ("1\tx\tde\tA\t\t\t\t\t\t\n", 2), ("1\t5809844\tde\tA\tyes\t\t\t\t\t\n", 5),
        ("x\t5809844\tde\tA\t\t\t\t\t\t\n", 1),
    ])
    func `names the column of a bad line`(line: String, column: Int) throws {
        let folder = try TemporaryFolder()
        let error = try #require(throws: GazetteerError.self) { try build(line, folder) }
        #expect(error.code == .malformedInput)
        #expect(error.line == 1)
        #expect(error.column == column)
        #expect(error.file.hasSuffix("alternateNamesV2.txt"))
    }

    /// Only `verify()` checks sections, so damage in them reaches the look-ups.
    @Test func `survives sections full of noise`() throws {
        let folder = try TemporaryFolder()
        let place = try #require(try build(Self.table, folder).forward("Seattle").match?.place)
        let whole = try TemporaryFolder.read("\(folder.path)/index")
        let tableEnd = 64 + 40 * Int(whole[24])
        var random = SplitMix(state: 5)
        for _ in 0..<100 {
            var damaged = whole
            for _ in 0..<Int.random(in: 100...2_000, using: &random) {
                let noise = UInt8.random(in: 0...255, using: &random)
                damaged[Int.random(in: tableEnd..<whole.count, using: &random)] = noise
            }
            let gazetteer = try Gazetteer(path: try folder.write(damaged, to: "damaged"))
            let country = Country(code: "US", name: "United States")
            for language in gazetteer.languages + ["de", "de-ch", "ja"] {
                _ = gazetteer.name(of: place, language: language)
                _ = gazetteer.name(of: Admin1(code: "US.WA", name: "Washington"), language: language)
                _ = gazetteer.name(of: country, language: language)
            }
            #expect(throws: GazetteerError.self) { try gazetteer.verify() }
        }
    }

    @Test func `is found in a folder by its name`() throws {
        let folder = try TemporaryFolder()
        for name in ["cities500.txt", "countryInfo.txt", "alternateNamesV2.txt"] {
            try folder.write("", to: name)
        }
        let inputs = try GazetteerInput.inputs(inFolder: folder.path)
        #expect(inputs.map(\.kind) == [.countries, .places, .alternateNames])
    }
}
