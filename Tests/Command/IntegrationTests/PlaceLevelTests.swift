import ChildProcess
import Postgres
import Posts
import TestKit
import Testing

@Suite("The levels of a post's place", .timeLimit(.minutes(15)))
struct PlaceLevelTests {
    private static let springfield = (latitude: 37.21533, longitude: -93.29824)
    /// The look-up at their shared point names this one, because its number is lower.
    private static let twin = Installation.place(7, "Twin", at: springfield, division: "MO", population: 900)
    private static let fremont = Installation.place(
        5_793_933, "Fremont", at: (47.65094, -122.34979), feature: "PPLX", division: "WA", population: 20_000)

    private static func publish(_ arguments: String..., in darkroom: Installation) async throws -> PostRecord
    {
        let path = try darkroom.write(PhotoFixture.jpeg(), to: "p.jpg")
        try await darkroom.command(["enqueue", path] + arguments).runSuccessfully()
        try await darkroom.drain()
        let post = try await darkroom.database.pool.query("select max(post_id) as id from darkroom.posts")
        return try await show(try post[0].decode("id", as: Int64.self), in: darkroom)
    }

    private static func show(_ post: Int64, in darkroom: Installation) async throws -> PostRecord {
        try #require(try await ReadingStore(pool: darkroom.database.pool).post(post))
    }

    private static func typed(_ post: Int64, in darkroom: Installation) async throws -> Int64? {
        let rows = try await darkroom.database.pool.query(
            "select typed_geonameid from darkroom.posts where post_id = \(post)")
        return try rows[0].decode("typed_geonameid", as: Int64?.self)
    }

    @Test("go from the section to the country, and an album of each holds the post")
    func levels() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await darkroom.rebuildGazetteer { $0 + Self.fremont }
            let post = try await Self.publish("--lat", "47.6512", "--lon", "-122.3497", in: darkroom)
            #expect(post.place.text == "Fremont, Seattle, Washington, United States")
            for (level, number, count) in [
                ("place", 5_793_933, 1), ("city", 5_809_844, 1), ("division", 5_815_135, 1),
                ("country", 6_252_001, 1), ("place", 5_809_844, 0), ("city", 5_793_933, 0),
            ] {
                let album = try await darkroom.database.pool.query(
                    """
                    select post_id, city_name from darkroom.latest_posts(
                        in_place => (\(level), \(number)))
                    """)
                #expect(album.count == count, "\(level) \(number)")
            }
            let shown = try #require(try await darkroom.json("posts", "show", "\(post.id)").first)
            #expect(shown.string("city", "name") == "Seattle")
            #expect(shown.number("city", "geonameid") == 5_809_844)
            #expect(shown.number("division", "geonameid") == 5_815_135)
            #expect(shown.number("country", "geonameid") == 6_252_001)

            try await darkroom.rebuildGazetteer { $0.replacing("Seattle", with: "Emerald City") }
            let relocated = try await darkroom.relocate()
            #expect(relocated.number("city_changed") == 1 && relocated.number("place_changed") == 0)
            #expect(try await Self.show(post.id, in: darkroom).place.city?.name == "Emerald City")
            let events = try await darkroom.database.pool.query(
                "select from darkroom.outbox where event = 'relocated' and post_id = \(post.id)")
            #expect(events.count == 1, "a city's new name is a visible change")
        }
    }

    @Test("are those of a typed place, under every later index that has it, and its own names under others")
    func typed() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await darkroom.rebuildGazetteer { $0 + Self.twin }
            let post = try await Self.publish("--place", "Springfield, MO", in: darkroom)
            #expect(post.place.place == .init(geonameid: 4_409_896, name: "Springfield", distanceMetres: 0))
            #expect(post.latitude == Self.springfield.latitude)
            #expect(post.longitude == Self.springfield.longitude)
            #expect(try await Self.typed(post.id, in: darkroom) == 4_409_896)

            try await darkroom.rebuildGazetteer {
                $0.replacing("Springfield\tSpringfield\t\t37.21533", with: "Queen City\tQueen City\t\t37.3")
            }
            let moved = try await darkroom.relocate()
            #expect(moved.number("place_changed") == 1 && moved.number("coordinates_changed") == 1)
            let renamed = try await Self.show(post.id, in: darkroom)
            #expect(renamed.place.text == "Queen City, Missouri, United States")
            #expect(renamed.place.place?.distanceMetres == 0 && renamed.latitude == 37.3)
            let exact = try await darkroom.database.pool.query(
                "select latitude from darkroom.post_exact_locations where post_id = \(post.id)")
            #expect(try exact[0].decode("latitude", as: Double.self) == 37.3)

            // Another index does not have the place: the post stays there, and a later one takes it up again.
            try await darkroom.rebuildGazetteer { $0.replacing("4409896", with: "9999") }
            let kept = try await darkroom.relocate()
            #expect(kept.number("unchanged") == 1 && kept.number("typed_place_unknown") == 1)
            #expect(try await Self.show(post.id, in: darkroom).place == renamed.place)
            try await darkroom.rebuildGazetteer {
                $0.replacing("9999", with: "4409896").replacing("Queen City", with: "Home")
            }
            #expect(try await darkroom.relocate().number("place_changed") == 1)
            #expect(try await Self.show(post.id, in: darkroom).place.place?.name == "Home")

            // Nobody knows how small an unknown place is.
            try await darkroom.database.pool.query(
                "insert into darkroom.location_policies (privacy, minimum_population, note) values ('grid_10m', 500, 'test')"
            )
            try await darkroom.rebuildGazetteer { $0.replacing("4409896", with: "9999") }
            #expect(try await darkroom.relocate().number("typed_place_unknown") == 1)
            #expect(try await Self.show(post.id, in: darkroom).place.place?.geonameid == 9999)
        }
    }

    @Test("move with a correction by name only if the coordinates were those of a typed place")
    func corrected() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let typed = try await Self.publish("--place", "Springfield, MO", in: darkroom)
            let taken = try await Self.publish("--lat", "47.61", "--lon", "-122.33", in: darkroom)
            for post in [typed, taken] {
                try await darkroom.command(
                    ["posts", "correct-place", "\(post.id)", "--place", "Springfield, IL", "--by", "olga"]
                ).runSuccessfully()
                let corrected = try await Self.show(post.id, in: darkroom)
                #expect(corrected.place.place?.geonameid == 4_250_542)
                #expect(corrected.place.city?.geonameid == 4_250_542)
                #expect(corrected.place.division?.geonameid == 4_896_861)
                #expect(corrected.latitude == (post.id == typed.id ? 39.80172 : taken.latitude))
                #expect(try await Self.typed(post.id, in: darkroom) == 4_250_542)
            }
            try await darkroom.command(
                ["posts", "correct-place", "\(typed.id)", "--latitude", "47.6", "--longitude", "-122.3"]
            ).runSuccessfully()
            #expect(try await Self.typed(typed.id, in: darkroom) == nil)
        }
    }
}
