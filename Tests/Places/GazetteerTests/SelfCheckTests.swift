import Gazetteer
import GazetteerVerification
import TestKit
import Testing

@Suite("Every place at its own point", .computing) struct SelfCheckTests {
    @Test func `gets its own name in the small tables, and what does not is listed with a reason`() throws {
        let folder = try TemporaryFolder()
        let gazetteer = try Fixture.gazetteer(in: folder, borders: Fixture.borders)
        let check = SelfCheck(of: gazetteer)
        #expect(check.places == gazetteer.info.placeCount)
        #expect(check.misses == [])
        // California, Texas and the others have places; none is left over.
        #expect(check.unreached.map(\.division.code) == [])
        let twin = Fixture.Row(
            id: 9, name: "Twin", latitude: 47.36667, longitude: 8.55, feature: "PPLC", country: "CH",
            admin1: "ZH", population: 500_000)
        let other = try TemporaryFolder()
        let twins = SelfCheck(of: try Fixture.gazetteer(in: other, rows: Fixture.rows + [twin]))
        // Zürich has fewer inhabitants, so the other place at its point is named.
        #expect(twins.misses.map(\.question) == [.city])
        #expect(twins.misses.map(\.reason) == [.samePoint])
        #expect(twins.isExplained)
    }

    @Test(
        .enabled(if: ReferenceData.isPresent, "set DARKROOM_TEST_DATA to the folder of reference data"))
    func `gets its own name in the tables of the world`() throws {
        let check = try ReferenceData.withGazetteer { SelfCheck(of: $0) }
        #expect(check.places > 200_000)
        #expect(check.cities > 5_000)
        #expect(check.capitals > 240)
        #expect(check.misses(.city).filter { $0.reason == .unexplained } == [])
        #expect(check.misses(.capital).filter { $0.reason == .unexplained } == [])
        let far = check.misses(.place)
        #expect(Double(far.count) <= 0.001 * Double(check.places), "\(far.prefix(20))")
        #expect(check.isExplained, "\(check.misses.filter { $0.reason == .unexplained }.prefix(20))")
        // All have no place in the tables.
        #expect(check.unreached.filter { $0.places > 0 }.map(\.division.code) == [])
    }

    @Test(
        .enabled(if: ReferenceData.isPresent, "set DARKROOM_TEST_DATA to the folder of reference data"))
    func `campuses and landmarks get their city`() throws {
        let points = try TruthPoint.read(path: "\(Checkout.root)/Benchmarks/gazetteer/landmarks.tsv")
        let score = try ReferenceData.withGazetteer { TruthScore(of: $0, at: points) }
        #expect((score.groups["landmark"]?[.city]?.percent ?? 0) >= 90, "\(score.misses)")
        #expect((score.groups["suburb"]?[.city]?.percent ?? 0) >= 75, "\(score.misses)")
    }
}
