import Gazetteer
import TestKit
import Testing

/// `make suggestions` types the name of every city; otherwise every 40th.
@Suite(
    "Suggestions of every city of 15,000", .computing, .timeLimit(.minutes(15)),
    .enabled(if: ReferenceData.isPresent, "set DARKROOM_TEST_DATA to the folder of reference data"))
struct SuggestReferenceTests {
    private static let step = Extent.of(40, check: 1)

    private static func cities() throws -> [SuggestSweep.City] {
        let folder = try TemporaryFolder()
        let table = try TemporaryFolder.read(try ReferenceData.unpackPlaces(in: folder)[0])
        let ended: Set<Substring> = ["PPLH", "PPLCH", "PPLQ", "PPLW"]
        return try String(decoding: table, as: UTF8.self).split(separator: "\n").compactMap { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            let population = try #require(Int(fields[14]))
            guard population > 15_000, !ended.contains(fields[7]) else { return nil }
            return SuggestSweep.City(
                geonameid: try #require(Int(fields[0])), name: String(fields[1]), country: String(fields[8]),
                population: population,
                coordinate: try coordinate(
                    try #require(Double(fields[4])), try #require(Double(fields[5]))))
        }
    }

    /// The floors are what was measured; most misses are namesakes, and short names that a typo makes another name.
    @Test func `are found by name, by a beginning and with a typo`() throws {
        let cities = try Self.cities()
        #expect(cities.count > 33_000)
        let sweep = try ReferenceData.withGazetteer { gazetteer in
            var sweep = SuggestSweep(gazetteer, seed: 1)
            for index in stride(from: 7, to: cities.count, by: Self.step) {
                sweep.type(cities[index], typos: 3)
            }
            return sweep
        }
        let tallies = [
            ("whole name, first 10", sweep.whole, 0.999),
            ("with its country, first 3", sweep.withCountry, 0.995),
            ("beginning of 4 letters or more", sweep.beginnings, 1), ("typo, first 10", sweep.typos, 0.96),
            ("typo with its country, first 10", sweep.typosWithCountry, 0.975),
        ]
        for (name, tally, floor) in tallies {
            let percent = (tally.share * 10_000).rounded() / 100
            print("\(name): \(percent) %, \(tally.misses.count) misses: \(tally.misses.prefix(20))")
            #expect(tally.share >= floor, "\(name): \(tally.misses)")
        }
        let times = sweep.times.sorted()
        let (median, last) = (times[times.count / 2], times[times.count * 999 / 1_000])
        print(
            "\(times.count) texts: median \(median) ms, 99.9 % within \(last) ms, all within \(times.last ?? 0) ms"
        )
    }

    @Test func `cost at most 25 times as much as the name of a city, whatever is typed`() throws {
        let cities = try Self.cities()
        let (usual, slowest) = try ReferenceData.withGazetteer { gazetteer in
            let sweep = SuggestSweep(gazetteer, seed: 1)
            let names = stride(from: 7, to: cities.count, by: 100).map { sweep.milliseconds(cities[$0].name) }
            let here = try coordinate(48.2, 16.4)
            let letters = (0x61...0x7A).compactMap { Unicode.Scalar($0) }.map { String($0) }
            let texts =
                SuggestSweep.hostile
                + letters.flatMap { [$0, $0 + "a", $0 + "an", "\($0), \($0)", "\($0)a, \($0)"] }
            let slowest = texts.flatMap { text in
                [
                    (sweep.milliseconds(text), text),
                    (sweep.milliseconds(text, near: here, country: "VA", limit: 50), "\(text), with hints"),
                ]
            }.max { $0.0 < $1.0 }
            return (names.sorted()[names.count / 2], slowest)
        }
        let (time, text) = try #require(slowest)
        print("a city's name \(usual) ms, the slowest \(time) ms: “\(text.prefix(40))”")
        #expect(time <= 25 * usual)
    }
}
