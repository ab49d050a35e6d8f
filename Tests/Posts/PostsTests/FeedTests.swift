import FoundationEssentials
import Glibc
import Postgres
import TestKit
import Testing

/// Every feed compared with a search of all posts, in towns of very different sizes, at 180 degrees and at a pole.
@Suite("Feeds", .timeLimit(.minutes(15)))
struct FeedTests {
    /// Where readers are: in towns, at their edges, far from everything, beyond 180 degrees, at the poles.
    static let readers: [(Double, Double)] = [
        (47.6062, -122.3321), (47.63, -122.3), (35.68, 139.77), (-16.5, -179.995), (-16.49, 179.98),
        (89.9, -160),
        (90, 0), (-90, 0), (0, 0), (-33.93, 18.42), (47, -121), (84.9, 25),
    ]

    static func metres(_ post: FeedPost, _ latitude: Double, _ longitude: Double) -> Double {
        func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
        let between = pow(sin(radians(post.latitude - latitude) / 2), 2)
        let beside =
            cos(radians(latitude)) * cos(radians(post.latitude))
            * pow(sin(radians(post.longitude - longitude) / 2), 2)
        return 2 * 6_371_008.8 * asin(min(1, (between + beside).squareRoot()))
    }

    /// The numbers of posts, nearest first, and the latest first at equal distances.
    static func nearest(_ posts: [FeedPost], _ latitude: Double, _ longitude: Double) -> [Int64] {
        posts.map { (metres($0, latitude, longitude), -$0.id) }.sorted { $0 < $1 }.map { -$0.1 }
    }

    static func pages(_ database: QueueDatabase, _ feed: String, count: Int) async throws -> [Int64] {
        var pages: [[Int64]] = []
        var cursor: String?
        for _ in 0..<count {
            let sql = feed.replacing("AFTER", with: cursor.map { "'\($0)'" } ?? "null")
            let rows = try await database.pool.query(PostgresQuery(unescaped: sql))
            pages.append(try rows.map { try $0.decode("post_id", as: Int64.self) })
            cursor = try rows.last?.decode("cursor", as: String.self)
            if rows.isEmpty { break }
        }
        let sizes = pages.map(\.count).filter { $0 > 0 }
        #expect(
            Set(sizes.dropLast()).count <= 1 && sizes.last ?? 0 <= sizes.first ?? 0,
            "only the last page may be short: \(feed)")
        return pages.flatMap(\.self)
    }

    @Test("return the nearest posts, page by page")
    func nearest() async throws {
        try await QueueDatabase.with(FeedFixture(1500, areSomeHidden: true)) { database in
            let posts = try await database.visiblePosts()
            for (latitude, longitude) in Self.readers {
                let found = try await Self.pages(
                    database,
                    "select * from darkroom.nearest_posts(\(latitude), \(longitude), 6, after => AFTER)",
                    count: 4)
                #expect(
                    found == Array(Self.nearest(posts, latitude, longitude).prefix(24)),
                    "at \(latitude), \(longitude)")
                let food = try await Self.pages(
                    database,
                    "select * from darkroom.nearest_posts(\(latitude), \(longitude), 9, 2000, 'food', after => AFTER)",
                    count: 2)
                let near = posts.filter {
                    $0.category == "food" && Self.metres($0, latitude, longitude) <= 2000
                }
                #expect(food == Array(Self.nearest(near, latitude, longitude).prefix(18)))
            }
        }
    }

    @Test(
        "return posts within a radius, newest first",
        arguments: [100.0, 400, 3000, 40_000, 800_000].every(2), [500, 0])
    func within(radius: Double, readWhole: Int) async throws {
        try await QueueDatabase.with(FeedFixture(1500, areSomeHidden: true)) { database in
            try await database.readCirclesWhole(atMost: readWhole)
            let posts = try await database.visiblePosts()
            for (latitude, longitude) in Self.readers {
                let found = try await Self.pages(
                    database,
                    "select * from darkroom.posts_within(\(latitude), \(longitude), \(radius), 7, after => AFTER)",
                    count: 3)
                let near = posts.filter { Self.metres($0, latitude, longitude) <= radius }
                let sorted = near.sorted { ($0.publishedAt, $0.id) > ($1.publishedAt, $1.id) }
                #expect(found == sorted.prefix(21).map(\.id), "at \(latitude), \(longitude)")
            }
        }
    }

    /// In a crowd of about a hundred posts per hectare, on both sides of tile edges, of 180 degrees and of a pole.
    @Test(
        "return posts within a small radius in a crowd", arguments: [100.0, 15, 190, 700].every(2),
        [500, 0])
    func crowd(radius: Double, readWhole: Int) async throws {
        try await QueueDatabase.with(FeedFixture(1500, areVotedOn: false, spread: 0.12, areSomeHidden: true))
        { database in
            // A town on both sides of 180 degrees.
            try await database.pool.query(
                """
                update darkroom.posts
                set longitude = longitude + 0.01 - case when longitude + 0.01 > 180 then 360 else 0 end
                where place_geonameid = 2
                """)
            try await database.readCirclesWhole(atMost: readWhole)
            let posts = try await database.visiblePosts()
            for post in posts.prefix(5) + posts.filter({ $0.place == 2 }).prefix(4) {
                let (latitude, longitude) = (post.latitude, post.longitude)
                for category in [nil, "food"] {
                    let condition = category.map { "in_category => '\($0)', " } ?? ""
                    let found = try await Self.pages(
                        database,
                        """
                        select * from darkroom.posts_within(
                            \(latitude), \(longitude), \(radius), 7, \(condition)after => AFTER)
                        """, count: 4)
                    let near = posts.filter {
                        Self.metres($0, latitude, longitude) <= radius
                            && (category == nil || $0.category == category)
                    }
                    let sorted = near.sorted { ($0.publishedAt, $0.id) > ($1.publishedAt, $1.id) }
                    #expect(found == sorted.prefix(28).map(\.id), "at \(latitude), \(longitude)")
                }
            }
        }
    }

    @Test("treat nothing outside a circle as inside", arguments: [100.0, 1, 300_000, 5000].every(2))
    func innerCircle(metres: Double) async throws {
        try await QueueDatabase.with { database in
            // Everything just inside the plane's circle, in every direction, is within the radius. Where the plane's
            // scale does not change much, a point a tenth beyond it is not.
            let rows = try await database.pool.query(
                """
                with circles as (
                    select latitude, longitude, darkroom.inner_circle(latitude, longitude, \(metres)) as c
                    from unnest(array[0, 0.0005, 20, -47.6, 84, -89, 89.9998, 90]::float8[]) latitude,
                         unnest(array[-180, 0, 179.9999]::float8[]) longitude),
                edges as (
                    select darkroom.point_distance_m(latitude, longitude, point(
                               (center(c))[0] + reach * radius(c) * sind(bearing),
                               (center(c))[1] - reach * radius(c) * cosd(bearing))) as m, reach, latitude
                    from circles, generate_series(0, 355, 5) bearing, unnest(array[0.5, 0.99999, 1.1]) reach
                    where radius(c) > 0)
                select max(m) filter (where reach < 1) as inside,
                       min(m) filter (where reach > 1 and abs(latitude) < 50) as beyond
                from edges
                """)
            #expect(try rows[0].decode("inside", as: Double.self) <= metres)
            #expect(try rows[0].decode("beyond", as: Double.self) > metres)
        }
    }

    /// Weights of likes and of distance, half-life in days, radius.
    @Test(
        "return near and good posts without missing one",
        arguments: [
            (1.0, 1.0, 1.0, 5000.0), (0.2, 1, 3, 2500), (4, 0.5, 0.5, 5000), (0, 0, 1, 800),
            (2, 3, 30, 60_000), (1, 1, 7, 900_000), (0, 100, 36_500, 50_000),
        ].every(3))
    func nearAndGood(likes: Double, distance: Double, halfLife: Double, radius: Double) async throws {
        try await QueueDatabase.with(FeedFixture(2500, areSomeHidden: true)) { database in
            let posts = try await database.visiblePosts()
            for (latitude, longitude) in Self.readers {
                let found = try await Self.pages(
                    database,
                    """
                    select * from darkroom.near_and_good_posts(
                        \(latitude), \(longitude), \(radius), 10, make_interval(secs => \(halfLife * 86400)),
                        \(likes), \(distance), after => AFTER)
                    """, count: 3)
                let scored = posts.compactMap { post -> (Double, Int64)? in
                    let metres = Self.metres(post, latitude, longitude)
                    guard metres <= radius else { return nil }
                    let lead = Double(post.likes - post.dislikes)
                    let magnitude = (lead < 0 ? -1 : 1) * log2(1 + abs(lead))
                    let age = post.publishedAt.timeIntervalSince1970 / 86400 / halfLife
                    return (likes * magnitude + age - distance * log2(1 + metres / 500), post.id)
                }
                #expect(
                    found == scored.sorted { $0 > $1 }.prefix(30).map(\.1),
                    "at \(latitude), \(longitude) of \(scored.count)")
            }
        }
    }

    static let latestScopes: [(String, @Sendable (FeedPost) -> Bool)] = [
        ("", { _ in true }), (", in_category => 'food'", { $0.category == "food" }),
        (", in_activity => 'picnic'", { $0.activity == "picnic" }),
        (", in_place => ('place', 1)", { $0.place == 1 }),
        (", in_place => ('city', 1)", { $0.city == 1 }),
        (", in_place => ('division', 0)", { $0.division == 0 }),
        (", in_place => ('country', 0)", { $0.country == 0 }),
        (", by_uploader => 'user-3'", { $0.uploader == "user-3" }),
        (", in_place => ('place', 0), in_category => 'street'", { $0.place == 0 && $0.category == "street" }),
    ]

    @Test(
        "return the latest of all, a category, an activity, a place at each level and an uploader",
        arguments: latestScopes)
    func latest(scope: (String, @Sendable (FeedPost) -> Bool)) async throws {
        try await QueueDatabase.with(FeedFixture(600, areSomeHidden: true)) { database in
            let posts = try await database.visiblePosts().filter { scope.1($0) }
            let found = try await Self.pages(
                database, "select * from darkroom.latest_posts(10, after => AFTER\(scope.0))", count: 4)
            let sorted = posts.sorted { ($0.publishedAt, $0.id) > ($1.publishedAt, $1.id) }
            #expect(!found.isEmpty && found == sorted.prefix(40).map(\.id))
        }
    }

    /// What the type of an argument refuses, before the function runs.
    private static let refusedByDomain: Set = [
        "darkroom.nearest_posts(91, 0)", "darkroom.posts_within(1, 1, -5)",
        "darkroom.map_clusters(-1e30, 0, 1, 1, 3)", "darkroom.map_clusters('NaN', 0, 1, 1, 3)",
    ]

    @Test(
        "refuse invalid arguments, with a hint",
        arguments: [
            "darkroom.nearest_posts(91, 0)", "darkroom.nearest_posts(null, 0)",
            "darkroom.nearest_posts(1, 1, after => 'x')", "darkroom.posts_within(1, 1, -5)",
            "darkroom.near_and_good_posts(1, 1, half_life => '1 second')",
            "darkroom.near_and_good_posts(1, 1, 1000001)", "darkroom.top_posts(null)",
            "darkroom.top_posts('likes', latitude => -80)",
            "darkroom.top_posts('likes', latitude => 1, longitude => 1, radius_m => 100001)",
            "darkroom.map_clusters(-1e30, 0, 1, 1, 3)", "darkroom.map_clusters('NaN', 0, 1, 1, 3)",
            "darkroom.map_clusters(10, 0, 0, 10, 3)", "darkroom.map_clusters(-80, -180, 80, 180, 14)",
            "darkroom.cluster_posts(12)", "darkroom.latest_posts(in_place => ('city', null))",
            "darkroom.latest_posts(in_place => (null, null))",
            "darkroom.top_posts('likes', in_place => (null, 5))",
        ])
    func refusals(call: String) async throws {
        try await QueueDatabase.with { database in
            let error = await #expect(throws: PostgresError.self) {
                try await database.pool.query(PostgresQuery(unescaped: "select * from \(call)"))
            }
            #expect(
                error?.sqlState
                    == (Self.refusedByDomain.contains(call) ? .checkViolation : .invalidParameterValue))
        }
    }
}
