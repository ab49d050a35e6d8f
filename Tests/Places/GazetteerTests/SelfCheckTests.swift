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

    @Test func `looks in eight directions around every place`() throws {
        let metropolis = Fixture.Row(
            id: 1, name: "Metropolis", latitude: 40, longitude: -89, country: "US", admin1: "IL",
            population: 9_000_000)
        func hamlet(_ id: Int, _ latitude: Double) -> Fixture.Row {
            Fixture.Row(
                id: id, name: "Hamlet \(id)", latitude: latitude, longitude: -89, country: "US", admin1: "IL",
                population: 0)
        }
        let folder = try TemporaryFolder()
        let gazetteer = try Fixture.gazetteer(
            in: folder, rows: [metropolis, hamlet(2, 40.3), hamlet(3, 40.31)])
        let check = SelfCheck(of: gazetteer, around: [700, 3_000])
        let near = try #require(check.surroundings.first)
        #expect(near.points == 24)
        #expect(near.lost == 0)
        // One direction from each hamlet leads to the other, which is 1.1 km away.
        #expect(near.nearerToOthers == 2)
        let far = try #require(check.surroundings.last)
        #expect(far.losses.map(\.place.geonameid) == [2, 3])
        #expect(far.losses.map { $0.city?.name } == ["Metropolis", "Metropolis"])
        // 3 km are beyond what a place must keep.
        #expect(check.isExplained)
    }

    @Test(
        .enabled(if: ReferenceData.isPresent, "set DARKROOM_TEST_DATA to the folder of reference data"))
    func `gets its own name in the tables of the world`() throws {
        let check = try ReferenceData.withGazetteer { SelfCheck(of: $0, around: [300, 700, 1_500].every(3)) }
        for around in check.surroundings.prefix(2) {
            #expect(around.lost * 1_000 <= around.points, "\(around.losses.prefix(20))")
        }
        #expect(check.surroundings.allSatisfy { $0.lost * 50 <= $0.points })
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

    @Test(
        .enabled(
            if: ReferenceData.isPresent && ReferenceData.has("faults/village_rings.tsv"),
            "set DARKROOM_TEST_DATA to the folder of reference data"))
    func `villages outside of a metropolis are not named after it`() throws {
        let table = try TemporaryFolder.read("\(ReferenceData.folder)/faults/village_rings.tsv")
        let lines = String(decoding: table, as: UTF8.self).split(separator: "\n").dropFirst()
        try ReferenceData.withGazetteer { gazetteer in
            for line in lines {
                let fields = line.split(separator: "\t")
                try #require(fields.count == 7)
                let point = try coordinate(
                    try #require(Double(fields[0])), try #require(Double(fields[1])))
                let city = gazetteer.reverse(point).city(at: point)?.city.geonameid
                #expect(city != Int(fields[5]), "\(line)")
            }
        }
    }
}
