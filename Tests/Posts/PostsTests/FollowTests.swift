import JobStore
import Postgres
import TestKit
import Testing

@Suite("A place or an area that a person follows", .timeLimit(.minutes(15)))
struct FollowTests {
    /// The posts of a follow, as a condition on `darkroom.feed f`.
    private struct Follow {
        let arguments: String
        let condition: String

        static func place(_ level: String, _ number: Int, _ category: String? = nil) -> Follow {
            Follow("in_place => ('\(level)', \(number))", "f.\(level) = \(number)", category)
        }

        static func area(
            _ latitude: Double, _ longitude: Double, _ metres: Double, _ category: String? = nil
        ) -> Follow {
            Follow(
                "latitude => \(latitude), longitude => \(longitude), radius_m => \(metres)",
                "darkroom.point_distance_m(\(latitude), \(longitude), f.position) <= \(metres)", category)
        }

        private init(_ arguments: String, _ condition: String, _ category: String?) {
            self.arguments = arguments + (category.map { ", in_category => '\($0)'" } ?? "")
            self.condition = condition + (category.map { " and f.category = '\($0.lowercased())'" } ?? "")
        }
    }

    /// Each level, with and without a category; areas around towns, across 180 degrees from either side, and around a pole.
    private static let all: [Follow] = [
        .place("country", 0), .place("division", 1, "food"), .place("city", 2), .place("place", 3),
        .place("place", 1, "Street"), .place("city", 99),
        .area(47.6062, -122.3321, 1500), .area(47.6, -122.3, 3000, "FOOD"), .area(35.6812, 139.7671, 1),
        .area(-16.5, -179.99, 3000), .area(-16.5, 179.995, 2500, "food"), .area(89.99, -150, 20_000),
        .area(90, 0, 100_000), .area(-33.9, 18.42, 100_000),
    ]

    @Test("gives its person the feed of all that is there, and each post its followers")
    func equal() async throws {
        try await QueueDatabase.with(FeedFixture(450, areSomeHidden: true)) {
            (database: QueueDatabase) async throws -> Void in
            try await database.pool.query(
                "update darkroom.posts set expires_at = now() - interval '1 day' where post_id % 11 = 0")
            // Alone, and together.
            let groups = Self.all.map { [$0] } + [Self.all, Array(Self.all.suffix(5))]
            for (number, follows) in groups.enumerated() {
                for follow in follows {
                    try await database.pool.query(
                        "select darkroom.follow('p-\(unescaped: "\(number)")', \(unescaped: follow.arguments))"
                    )
                }
            }
            var followers: [Int64: Set<String>] = [:]
            for (number, follows) in groups.enumerated() {
                let anyOf = follows.map { "(\($0.condition))" }.joined(separator: " or ")
                let expected = try await database.pool.query(
                    """
                    select f.post_id from darkroom.feed f where f.expires_at > now() and (\(unescaped: anyOf))
                    order by f.published_at desc, f.post_id desc
                    """
                ).map { try $0.decode("post_id", as: Int64.self) }
                for size in [7, 100] {
                    #expect(
                        try await Self.feed(of: "p-\(number)", by: size, database) == expected, "\(anyOf)")
                }
                for post in expected { followers[post, default: []].insert("p-\(number)") }
            }
            #expect(followers.values.contains { $0.count >= 5 })
            for post in try await database.pool.query("select post_id from darkroom.posts") {
                let id = try post.decode("post_id", as: Int64.self)
                for size in [1, 1000] {
                    let found = try await Self.followers(of: id, by: size, database)
                    #expect(found == (followers[id] ?? []).sorted(), "\(id)")
                }
            }
        }
    }

    private static func feed(of person: String, by size: Int, _ database: QueueDatabase) async throws
        -> [Int64]
    {
        var found: [Int64] = []
        var after: String?
        while true {
            let rows = try await database.pool.query(
                "select post_id, cursor from darkroom.followed_posts(\(person), \(Int64(size)), \(after))")
            found += try rows.map { try $0.decode("post_id", as: Int64.self) }
            guard rows.count == size, let last = rows.last else { return found }
            after = try last.decode("cursor", as: String.self)
        }
    }

    private static func followers(of post: Int64, by size: Int, _ database: QueueDatabase) async throws
        -> [String]
    {
        var found: [String] = []
        while true {
            let page = try await database.pool.query(
                "select person from darkroom.post_followers(\(post), \(Int64(size)), \(found.last))"
            ).map { try $0.decode("person", as: String.self) }
            found += page
            guard page.count == size else { return found }
        }
    }

    @Test("tells neither the uploader nor those who have blocked the author of a new post")
    func told() async throws {
        try await QueueDatabase.with(FeedFixture(2)) { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query(
                "update darkroom.posts set uploader = 'eve', anonymous = true where post_id = 2")
            for person in ["ada", "bob", "eve"] {
                try await database.pool.query("select darkroom.follow(\(person), ('country', 0))")
            }
            try await database.pool.query(
                "select darkroom.block_author('bob', author_handle) from darkroom.posts where post_id = 2")
            #expect(try await Self.followers(of: 1, by: 10, database) == ["ada", "bob", "eve"])
            #expect(try await Self.followers(of: 2, by: 10, database) == ["ada"])
            #expect(try await Self.feed(of: "bob", by: 10, database) == [1])
            try await database.pool.query("update darkroom.posts set state = 'hidden' where post_id = 2")
            #expect(try await Self.followers(of: 2, by: 10, database) == [])
            #expect(try await Self.followers(of: 404, by: 10, database) == [])
        }
    }

    @Test("is kept once, listed, ended by its person alone, and one of a limited number")
    func kept() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            func follow(_ arguments: String) async throws -> Int {
                try await database.number("select darkroom.follow(\(unescaped: arguments))")
            }
            let first = try await follow("'ada', ('city', 5), in_category => 'Food'")
            #expect(try await follow("'ada', ('city', 5), in_category => ' food '") == first)
            let second = try await follow("'ada', null, 47.6, -122.3, 500")
            #expect(try await follow("'ada', null, 47.6, -122.3, 500") == second && second != first)
            #expect(try await follow("'bob', ('city', 5)") != first)
            let listed = try await database.texts(
                "select concat_ws(' ', level, geonameid, latitude, longitude, radius_m, category) from darkroom.follows('ada')"
            )
            #expect(listed == ["47.6 -122.3 500", "city 5 Food"])
            let page = try await database.texts(
                """
                select follow_id::text from darkroom.follows(
                    'ada', 1, (select cursor from darkroom.follows('ada', 1)))
                """)
            #expect(page == ["\(first)"])
            for (person, isDone) in [("bob", "false"), ("ada", "true"), ("ada", "false")] {
                #expect(
                    try await database.texts("select darkroom.unfollow(\(Int64(first)), \(person))::text")
                        == [isDone])
            }
            try await database.pool.query("update darkroom.settings set follows_at_most = 2")
            _ = try await follow("'ada', ('country', 1)")
            let connection = try await PostgresConnection.connect(database.configuration)
            for (arguments, state) in [
                ("'ada', ('country', 2)", "53400"), ("null, ('country', 2)", "23502"), ("'eve'", "22023"),
                ("'eve', ('town', 2)", "22023"), ("'eve', ('city', null)", "22023"),
                ("'eve', (null, null)", "22023"),
                ("'eve', (null, null), 1, 2, 3", "22023"), ("'eve', (null, 5)", "22023"),
                ("'eve', ('city', 2), 1, 2, 3", "22023"), ("'eve', null, 1, 2", "22023"),
                ("'eve', null, 1, null, 3", "22023"), ("'eve', null, 1, 2, 0.5", "22023"),
                ("'eve', null, 1, 2, 100001", "22023"), ("'eve', null, 91, 2, 10", "23514"),
                ("'eve', null, 'NaN', 2, 10", "23514"), ("'eve', null, 1, 2, 'NaN'", "23514"),
            ] {
                #expect(
                    try await connection.failure("select darkroom.follow(\(arguments))")?.code == state,
                    "\(arguments)")
            }
            await connection.close()
            #expect(try await database.number("select count(*) from darkroom.follows('eve')") == 0)
            // Who began before another one ended sees no row of it, and cannot add it either.
            try await database.pool.query(
                "insert into darkroom.follows (person, level, geonameid, category) values ('zoe', 'city', 5, 'Food')"
            )
            let twice = await #expect(throws: PostgresError.self) {
                try await database.pool.query(
                    "insert into darkroom.follows (person, level, geonameid, category) values ('zoe', 'city', 5, 'food')"
                )
            }
            #expect(twice?.sqlState == .uniqueViolation)
        }
    }

    @Test("stays within the limit when a person follows from several devices at once")
    func race() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query(
                "update darkroom.settings set follows_at_most = 3, blocks_at_most = 3")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<12 {
                    group.addTask {
                        _ = try? await database.pool.query(
                            "select darkroom.follow('ada', ('city', \(Int64(number / 2))))")
                        let handle = String(repeating: "0", count: 22) + "\(10 + number)"
                        _ = try? await database.pool.query("select darkroom.block_author('ada', \(handle))")
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await database.number("select count(*) from darkroom.follows") == 3)
            #expect(try await database.number("select count(*) from darkroom.blocks") == 3)
        }
    }
}
