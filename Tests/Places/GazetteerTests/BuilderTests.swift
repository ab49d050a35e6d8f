import Gazetteer
import TestKit
import Testing

@Suite(.computing) struct BuilderTests {
    @Test func `makes the same bytes from the same inputs`() throws {
        let first = try TemporaryFolder()
        let second = try TemporaryFolder()
        _ = try Fixture.gazetteer(in: first)
        _ = try Fixture.gazetteer(in: second)
        #expect(
            try TemporaryFolder.read("\(first.path)/index") == TemporaryFolder.read("\(second.path)/index"))
    }

    @Test func `counts what it used and left out`() throws {
        let folder = try TemporaryFolder()
        var rows = Fixture.rows
        rows.append(rows[0])
        rows.append(Fixture.Row(id: 99, name: "Nowhere", latitude: 1, longitude: 1, country: ""))
        rows.append(
            Fixture.Row(id: 98, name: "Undivided", latitude: 1, longitude: 1, country: "FR", admin1: "77"))
        let summary = try GazetteerBuilder(inputs: Fixture.inputs(in: folder, rows: rows))
            .build(to: "\(folder.path)/index")
        #expect(summary.places == Fixture.rows.count - 2)
        #expect(summary.sections == 1)
        #expect(summary.skippedByClass == 2)
        #expect(summary.skippedRepeated == 1)
        #expect(summary.skippedWithoutCountry == 1)
        #expect(summary.withoutAdmin1Name == 1)
        #expect(summary.countries == Fixture.countries.count)
        #expect(try summary.fileSize == TemporaryFolder.read("\(folder.path)/index").count)
    }

    @Test func `keeps sources and licences in the file`() throws {
        let folder = try TemporaryFolder()
        let gazetteer = try Fixture.gazetteer(in: folder)
        let source = try #require(gazetteer.info.sources.first { $0.file == "places.txt" })
        #expect(source.licence == "CC BY 4.0")
        #expect(source.attribution.contains("GeoNames"))
        #expect(source.date == "2026-01-02")
        #expect(try source.byteCount == TemporaryFolder.read("\(folder.path)/places.txt").count)
        #expect(gazetteer.info.placeCount == 13)
        #expect(gazetteer.info.sectionCount == 1)
    }

    @Test func `replaces an index while readers keep the old one`() throws {
        let folder = try TemporaryFolder()
        let old = try Fixture.gazetteer(in: folder)
        let new = try Fixture.gazetteer(
            in: folder,
            rows: [Fixture.Row(id: 1, name: "Lyon", latitude: 47.6, longitude: -122.3, country: "FR")])
        #expect(try old.reverse(coordinate(47.6, -122.3)).place?.name == "Seattle")
        #expect(try new.reverse(coordinate(47.6, -122.3)).place?.name == "Lyon")
        try old.verify()
        #expect(!folder.names().contains { $0.hasSuffix(".tmp") })
    }

    @Test func `leaves the old index and no litter when a build fails`() throws {
        let folder = try TemporaryFolder()
        _ = try Fixture.gazetteer(in: folder)
        let before = try TemporaryFolder.read("\(folder.path)/index")
        let inputs = try Fixture.inputs(in: folder)
        try folder.write("1\tbroken\n", to: "places.txt")
        let names = folder.names()
        #expect(throws: GazetteerError.self) {
            try GazetteerBuilder(inputs: inputs).build(to: "\(folder.path)/index")
        }
        #expect(try TemporaryFolder.read("\(folder.path)/index") == before)
        #expect(folder.names() == names)
    }

    @Test(arguments: [
        (0, "12x", "geonameid"), (0, "", "geonameid"), (0, "4294967296", "geonameid"), (1, "", "name"),
        (4, "91", "latitude"), (4, "north", "latitude"), (4, "nan", "latitude"), (4, "", "latitude"),
        (5, "-180.5", "longitude"), (5, "1e999", "longitude"), (8, "QQ", "country"), (14, "-3", "population"),
    ])
    func `names the file, line and column of a bad field`(field: Int, value: String, word: String) throws {
        let folder = try TemporaryFolder()
        let inputs = try Fixture.inputs(in: folder)
        var fields = Fixture.rows[0].line.split(separator: "\t", omittingEmptySubsequences: false).map(
            String.init)
        fields[field] = value
        let path = try folder.write(
            "\u{FEFF}\(Fixture.rows[1].line)\r\n\n\(fields.joined(separator: "\t"))\r\n", to: "places.txt")
        let error = try #require(throws: GazetteerError.self) {
            try GazetteerBuilder(inputs: inputs).build(to: "\(folder.path)/index")
        }
        #expect(error.code == .malformedInput)
        #expect(error.file == path)
        #expect(error.line == 3)
        #expect(error.column == field + 1)
        #expect(error.message.contains(word))
        #expect(error.description.hasPrefix("\(path):3:\(field + 1): "))
    }

    @Test func `refuses text that is not UTF-8`() throws {
        let folder = try TemporaryFolder()
        let inputs = try Fixture.inputs(in: folder)
        var bytes = Array(Fixture.rows[6].line.utf8)
        let position = try #require(bytes.firstIndex(of: 0xC3))
        bytes[position] = 0xFC
        try folder.write(bytes, to: "places.txt")
        let error = try #require(throws: GazetteerError.self) {
            try GazetteerBuilder(inputs: inputs).build(to: "\(folder.path)/index")
        }
        #expect(error.column == 2)
        #expect(error.line == 1)
    }

    @Test(arguments: [
        ("places.txt", "1\t2\t3\n", 1, 3), ("admin1.txt", "XX.01\tName\n", 1, 1),
        ("admin1.txt", "US\tName\n", 1, 1),
        ("countries.txt", "US\tUSA\n", 1, 2),
        ("countries.txt", "#\n\(String(repeating: "u\t", count: 17))\n", 2, 1),
        ("subdivisions.tsv", "US.WA\n", 1, 1),
    ])
    func `names the file, line and column of a bad table`(file: String, text: String, line: Int, column: Int)
        throws
    {
        let folder = try TemporaryFolder()
        let inputs = try Fixture.inputs(in: folder)
        let path = try folder.write(text, to: file)
        let error = try #require(throws: GazetteerError.self) {
            try GazetteerBuilder(inputs: inputs).build(to: "\(folder.path)/index")
        }
        #expect(error.code == .malformedInput)
        #expect(error.file == path)
        #expect(error.line == line)
        #expect(error.column == column)
    }

    @Test func `names a missing input`() throws {
        let folder = try TemporaryFolder()
        let inputs = try Fixture.inputs(in: folder)
        for kind in [GazetteerInput.Kind.places, .countries] {
            let error = try #require(throws: GazetteerError.self) {
                try GazetteerBuilder(inputs: inputs.filter { $0.kind != kind }).build(
                    to: "\(folder.path)/index")
            }
            #expect(error.code == .missingInput)
        }
        let missing = try #require(throws: GazetteerError.self) {
            try GazetteerBuilder(inputs: [inputs[2], GazetteerInput(.places, path: "\(folder.path)/none")])
                .build(to: "\(folder.path)/index")
        }
        #expect(missing.code == .io)
    }
}
