import ChildProcess
import Gazetteer
import TestKit
import Testing

@Suite(.computing, .timeLimit(.minutes(15))) struct FormatTests {
    private static let ogr2ogr = ChildProgram.find("ogr2ogr")

    /// The fixture's borders without the features that have no polygon, or a property that a table cannot hold.
    private func convert(_ folder: TemporaryFolder, to name: String, _ options: [String]) async throws {
        let program = try #require(Self.ogr2ogr)
        try folder.write(Fixture.borders, to: "all.geojson")
        try await ChildProgram(program, options + ["\(folder.path)/\(name)", "\(folder.path)/all.geojson"])
            .runSuccessfully()
    }

    private func build(_ folder: TemporaryFolder, _ borders: GazetteerInput, ogr2ogr: String?) throws
        -> Gazetteer
    {
        var builder = GazetteerBuilder(inputs: try Fixture.inputs(in: folder) + [borders])
        builder.ogr2ogr = ogr2ogr
        _ = try builder.build(to: "\(folder.path)/index")
        return try Gazetteer(path: "\(folder.path)/index")
    }

    @Test(
        .enabled(if: FormatTests.ogr2ogr != nil, "install gdal-bin"),
        arguments: [
            ("borders.gpkg", ["-f", "GPKG", "-nln", "land"], "land"), ("borders.gpkg", ["-f", "GPKG"], nil),
            ("borders.shp", ["-f", "ESRI Shapefile", "-lco", "ENCODING=UTF-8"], nil),
            // Metres of the Mercator projection, which does not reach the pole.
            (
                "borders.gpkg",
                ["-f", "GPKG", "-t_srs", "EPSG:3395", "-skipfailures", "-where", "ISO_A2='CH'"], nil
            ),
        ] as [(String, [String], String?)])
    func `reads what GDAL reads`(name: String, options: [String], layer: String?) async throws {
        let folder = try TemporaryFolder()
        try await convert(folder, to: name, options)
        let input = GazetteerInput(.countryBorders, path: "\(folder.path)/\(name)", layer: layer)
        let gazetteer = try build(folder, input, ogr2ogr: Self.ogr2ogr)
        let answer = try gazetteer.reverse(coordinate(47.3, 8.1))
        #expect(answer.country?.code == "CH")
        #expect(answer.certainty == .insideBorder)
        // The hole.
        #expect(try gazetteer.reverse(coordinate(46.75, 9.25)).certainty == .remote)
        // The source is the file that was given.
        #expect(gazetteer.info.sources.contains { $0.file == name })
    }

    @Test func `says what to install if GDAL is missing`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("", to: "borders.shp")
        let error = try #require(throws: GazetteerError.self) {
            try build(folder, GazetteerInput(.countryBorders, path: path), ogr2ogr: nil)
        }
        #expect(error.code == .missingTool)
        #expect(error.file == path)
        #expect(error.message.contains("apt install gdal-bin"))
    }

    @Test(.enabled(if: FormatTests.ogr2ogr != nil, "install gdal-bin"))
    func `names the file that GDAL cannot read, and why`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("no such format", to: "borders.gpkg")
        let error = try #require(throws: GazetteerError.self) {
            try build(folder, GazetteerInput(.countryBorders, path: path), ogr2ogr: Self.ogr2ogr)
        }
        #expect(error.code == .malformedInput)
        #expect(error.file == path)
        #expect(error.message.contains("GDAL cannot read it"))
    }

    @Test func `names the invalid feature`() throws {
        let folder = try TemporaryFolder()
        let good = Fixture.feature(
            #""ISO_A2":"CH""#, "Polygon", "[\(Fixture.square(west: 8, south: 46, east: 10, north: 48))]")
        let bad = good.replacing("[8.0,46.0]", with: "[8.0,946.0]")
        let inputs = try Fixture.inputs(in: folder, borders: #"{"features":[\#(good),\#(bad)]}"#)
        let error = try #require(throws: GazetteerError.self) {
            try GazetteerBuilder(inputs: inputs).build(to: "\(folder.path)/index")
        }
        #expect(error.message.contains("feature 2"))
    }
}
