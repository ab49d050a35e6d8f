import Gazetteer
import Ingestion
import Posts
import TestKit
import Testing

@Suite("The city of a post", .timeLimit(.minutes(15)))
struct CityOfPostTests {
    private static func place(
        _ latitude: Double, _ longitude: Double, _ privacy: PrivacyLevel = .grid10m,
        minimumPopulation: Int = 0, in gazetteer: Gazetteer
    ) throws -> PublishedLocation {
        PublishedLocation(
            of: try point(latitude, longitude), privacy: privacy, minimumPopulation: minimumPopulation,
            gazetteer: gazetteer)
    }

    @Test("is the city of the section or suburb, and a town is its own, each with its number")
    func levels() async throws {
        try await SmallWorld.with { (gazetteer: Gazetteer) async throws -> Void in
            let kreuzberg = try Self.place(52.4985, 13.4041, in: gazetteer).place
            #expect(kreuzberg.country == .init(code: "DE", name: "Germany", geonameid: 2_921_044))
            #expect(
                kreuzberg.division == .init(code: "DE.16", name: "State of Berlin", geonameid: 2_950_157))
            #expect(kreuzberg.city == .init(geonameid: 1, name: "Berlin"))
            #expect(kreuzberg.place?.geonameid == 2 && kreuzberg.place?.name == "Kreuzberg")
            #expect(kreuzberg.text == "Kreuzberg, Berlin, State of Berlin, Germany")

            let spandau = try Self.place(52.55, 13.2, in: gazetteer).place
            #expect(spandau.place?.name == "Spandau" && spandau.city?.name == "Berlin")
            let town = try Self.place(52.4, 13.07, in: gazetteer).place
            #expect(town.city == .init(geonameid: 5, name: "Potsdam") && town.place?.geonameid == 5)
            #expect(town.text == "Potsdam, Brandenburg, Germany")
            let section = try Self.place(61.2, 9.101, in: gazetteer).place
            #expect(section.place?.name == "Ensom" && section.city?.name == "Stille")
            // The sources give this division no number.
            #expect(section.division == .init(code: "NO.39", name: "Akershus", geonameid: nil))
            let sea = try Self.place(0, 0, in: gazetteer).place
            #expect(sea == PostPlace() && sea.text == "-")
        }
    }

    @Test("is one that reaches farther than the nearest place, which is a suburb of no city")
    func reach() async throws {
        let rows = [
            SmallWorld.Row(
                id: 13, name: "Großstadt", latitude: 53.2, longitude: 14.5, admin1: "11", population: 740_000),
            // 9.6 km from there.
            SmallWorld.Row(
                id: 14, name: "Vorort", latitude: 53.286, longitude: 14.5, admin1: "11", population: 12_000),
        ]
        try await SmallWorld.with(adding: rows) { (gazetteer: Gazetteer) async throws -> Void in
            let campus = try Self.place(53.2485, 14.5, in: gazetteer).place
            #expect(campus.place?.name == "Vorort" && campus.city?.name == "Großstadt")
            #expect(try Self.place(53.284, 14.5, in: gazetteer).place.city?.name == "Vorort")
            #expect(try Self.place(53.2485, 14.5, .place, in: gazetteer).place.city?.name == "Vorort")
            let large = try Self.place(53.2485, 14.5, minimumPopulation: 20_000, in: gazetteer).place
            #expect(large.place?.name == "Großstadt" && large.city?.name == "Großstadt")
        }
    }

    @Test("is in the post's division, even if a section across the border is nearer")
    func acrossBorder() async throws {
        let section = SmallWorld.Row(
            id: 13, name: "Babelsberg", latitude: 52.39, longitude: 13.09, feature: "PPLX", admin1: "11",
            population: 20_000)
        // Without it, Potsdam would be nearly all of its division, and reach across the border.
        let other = SmallWorld.Row(
            id: 14, name: "Cottbus", latitude: 51.76, longitude: 14.33, admin1: "11", population: 400_000)
        try await SmallWorld.with(adding: [section, other]) { (gazetteer: Gazetteer) async throws -> Void in
            let here = try Self.place(52.39, 13.095, in: gazetteer).place
            #expect(here.text == "Babelsberg, Potsdam, Brandenburg, Germany")
            let there = try Self.place(52.39, 13.105, in: gazetteer).place
            #expect(there.text == "Spandau, Berlin, State of Berlin, Germany")
        }
    }

    @Test("and its section have at least the population that the policy asks for")
    func minimumPopulation() async throws {
        try await SmallWorld.with { (gazetteer: Gazetteer) async throws -> Void in
            // At the section without inhabitants, whose city is large enough.
            let small = try Self.place(52.5167, 13.4072, minimumPopulation: 500, in: gazetteer).place
            #expect(small.place?.name == "Berlin" && small.city?.name == "Berlin")
            let large = try Self.place(52.4997, 13.4034, minimumPopulation: 500, in: gazetteer).place
            #expect(large.place?.name == "Kreuzberg" && large.city?.name == "Berlin")
            // The section is large enough, and its city is not.
            let lone = try Self.place(61.2, 9.1, minimumPopulation: 500, in: gazetteer).place
            #expect(lone.place == nil && lone.city == nil && lone.division?.name == "Akershus")
            let hamlet = try Self.place(52.93, 13.95, minimumPopulation: 500, in: gazetteer).place
            #expect(hamlet.place?.name == "Untertwin" && hamlet.city?.name == "Untertwin")
        }
    }

    /// Photos that are published alike, under the same nearest place, are named alike: then the names tell nothing else.
    @Test(
        "reveals no more than the published coordinate and the nearest place",
        arguments: PrivacyLevel.allCases)
    func privacy(level: PrivacyLevel) async throws {
        // A section at the very point of its city.
        let centre = SmallWorld.Row(
            id: 13, name: "Centre", latitude: 52.52437, longitude: 13.41053, feature: "PPLX",
            population: 500_000)
        try await SmallWorld.with(adding: [centre]) { (gazetteer: Gazetteer) async throws -> Void in
            struct Seen: Hashable {
                let latitude: Double
                let longitude: Double
                let nearest: Int?
            }
            for minimum in [0, 500, 160_000] {
                var names: [Seen: PostPlace] = [:]
                var sections = 0
                for north in 0..<60 {
                    for east in 0..<60 {
                        let (latitude, longitude) = (52.48 + Double(north) / 999, 13.38 + Double(east) / 999)
                        let published = try Self.place(
                            latitude, longitude, level, minimumPopulation: minimum, in: gazetteer)
                        let seen = Seen(
                            latitude: published.coordinate.latitude,
                            longitude: published.coordinate.longitude,
                            nearest: gazetteer.reverse(try point(latitude, longitude)).geonameid)
                        #expect(names[seen] == nil || names[seen] == published.place, "\(seen)")
                        names[seen] = published.place
                        let id = Int(published.place.place?.geonameid ?? 0)
                        if id == 2 || id == 3 || id == 13 { sections += 1 }
                        for number in [id, Int(published.place.city?.geonameid ?? 0)] where number > 0 {
                            let row = number == 13 ? centre : try SmallWorld.row(number)
                            #expect(row.population >= minimum)
                        }
                    }
                }
                // At the level place, a section would say more than the place.
                #expect((sections > 0) == (level != .place), "\(sections)")
            }
        }
    }
}
