import FoundationEssentials
import Glibc
import Postgres
import TestKit
import Testing

@Suite("The map of posts", .timeLimit(.minutes(15)))
struct MapTests {
    /// The tile of a level that holds a coordinate, by the formula of web maps.
    static func tile(_ latitude: Double, _ longitude: Double, level: Int) -> [Int] {
        let size = pow(2, Double(level))
        let x = (longitude + 180) / 360 * size
        let y = (1 - asinh(tan(latitude * .pi / 180)) / .pi) / 2 * size
        let last = Int(size) - 1
        return [
            min(last, max(0, Int(x.rounded(.down)))),
            min(last, max(0, Int(max(-1, min(size, y)).rounded(.down)))),
        ]
    }

    struct Cluster: Hashable {
        var x: Int
        var y: Int
        var posts: Int
        var best: Int64
    }

    static func expected(_ database: QueueDatabase, level: Int) async throws -> Set<Cluster> {
        let hot = try await database.values(of: "hot")
        let groups = Dictionary(grouping: try await database.visiblePosts()) {
            tile($0.latitude, $0.longitude, level: level)
        }
        return Set(
            groups.map { tile, posts in
                let best = posts.map { (hot[$0.id] ?? $0.publishedAt.timeIntervalSince1970 / 86400, $0.id) }
                    .max { $0 < $1 }
                return Cluster(x: tile[0], y: tile[1], posts: posts.count, best: best?.1 ?? 0)
            })
    }

    static func found(_ database: QueueDatabase, level: Int) async throws -> Set<Cluster> {
        let rows = try await database.pool.query(
            "select x, y, posts, best from darkroom.map_tiles where level = \(level)::int")
        return Set(
            try rows.map {
                Cluster(
                    x: try $0.decode("x", as: Int.self), y: try $0.decode("y", as: Int.self),
                    posts: try $0.decode("posts", as: Int.self), best: try $0.decode("best", as: Int64.self))
            })
    }

    @Test("counts every tile correctly after posts come, go, move and get votes, and after a rebuild")
    func pyramid() async throws {
        try await QueueDatabase.with { database in
            try await database.publishPosts(500)
            try await database.hideSomePosts()
            try await database.pool.query("select darkroom.expire_posts()")
            let ids = try await database.visiblePosts().map(\.id).sorted()
            try await database.pool.query(
                "update darkroom.posts set state = 'hidden' where post_id = any (\(Array(ids.prefix(150))))")
            try await database.pool.query(
                "update darkroom.posts set latitude = 10, longitude = -180 where post_id = any (\(Array(ids.suffix(40))))"
            )
            try await database.pool.query(
                "select darkroom.vote_on_post(p, 'v' || n, 'like') from unnest(\(Array(ids[200..<260]))::bigint[]) p, generate_series(1, 9) n"
            )
            try await database.tally()
            for level in [20, 15, 9, 2] {
                let found = try await Self.found(database, level: level)
                let expected = try await Self.expected(database, level: level)
                #expect(found == expected, "level \(level)")
            }
            let before = try await Self.found(database, level: 12)
            try await database.pool.query("select darkroom.rebuild_feeds()")
            #expect(try await Self.found(database, level: 12) == before)
            try await database.pool.query("update darkroom.posts set state = 'removed'")
            try await database.tally()
            let left = try await database.pool.query("select from darkroom.map_tiles")
            #expect(left.isEmpty)
        }
    }

    @Test("shows the latest of equally good posts")
    func equallyGood() async throws {
        try await QueueDatabase.with { database in
            try await database.publishPosts(20)
            for query: PostgresQuery in [
                "update darkroom.posts set latitude = 10, longitude = 20", "delete from darkroom.ranks",
                "update darkroom.feed set published_at = '2026-01-01'",
            ] { try await database.pool.query(query) }
            try await database.tally()
            let latest = try await database.texts("select max(post_id)::text from darkroom.feed")
            for level in [20, 12] {
                let best = try await database.texts(
                    "select best::text from darkroom.map_tiles where level = \(level)::int and posts = 20")
                #expect(best == latest, "level \(level)")
            }
        }
    }

    @Test("shows posts beyond its square in the tiles at its edge", arguments: [2, 6, 11])
    func beyond(zoom: Int) async throws {
        try await QueueDatabase.with(FeedFixture(400)) { database in
            try await database.pool.query(
                "update darkroom.posts set latitude = -latitude where latitude > 85 and post_id % 2 = 0")
            try await database.pool.query("select darkroom.tally_map(1000000)")
            let posts = try await database.visiblePosts()
            for (south, north, row) in [(86, 90, 0), (-90, -86, 1 << (zoom + 2) - 1)] {
                let found = try await database.texts(
                    "select sum(posts)::text from darkroom.map_clusters(\(south), -180, \(north), 180, \(zoom))"
                )
                let expected = posts.filter {
                    Self.tile($0.latitude, $0.longitude, level: zoom + 2)[1] == row
                }
                #expect(found == [String(expected.count)] && expected.count > 5)
            }
        }
    }

    @Test("treats too large a zoom as the largest", arguments: [18, 19, 2_147_483_647])
    func zoom(zoom: Int) async throws {
        try await QueueDatabase.with(FeedFixture(1)) { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query("update darkroom.posts set latitude = 10, longitude = 20")
            try await database.tally()
            let rows = try await database.texts(
                "select (cluster_id >> 40)::text from darkroom.map_clusters(9.999, 19.999, 10.001, 20.001, \(zoom))"
            )
            #expect(rows == ["20"])
        }
    }

    @Test(
        "shows the clusters of a box, beyond 180 degrees too",
        arguments: [
            (47.5, -122.5, 47.7, -122.1, 11), (-17, 179, -16, -179, 7), (-80, -180, 80, 180, 2),
            (35.6, 139.7, 35.7, 139.8, 16),
        ])
    func clusters(south: Double, west: Double, north: Double, east: Double, zoom: Int) async throws {
        try await QueueDatabase.with(FeedFixture(700, areSomeHidden: true)) { database in
            try await database.pool.query("select darkroom.expire_posts()")
            try await database.tally()
            let rows = try await database.pool.query(
                """
                select c.*, (select count(*) from darkroom.cluster_posts(c.cluster_id, 100)) as listed
                from darkroom.map_clusters(\(south), \(west), \(north), \(east), \(zoom)) c
                """)
            let low = Self.tile(north, west, level: zoom + 2)
            let high = Self.tile(south, east, level: zoom + 2)
            let expected = try await Self.expected(database, level: zoom + 2).filter { cluster in
                let isBeside =
                    west <= east
                    ? (low[0]...high[0]).contains(cluster.x) : cluster.x >= low[0] || cluster.x <= high[0]
                return isBeside && (low[1]...high[1]).contains(cluster.y)
            }
            #expect(!expected.isEmpty)
            let numbers = expected.map { Int64(zoom + 2) << 40 | Int64($0.x) << 20 | Int64($0.y) }
            let clusters = try rows.map { try $0.decode("cluster_id", as: Int64.self) }
            #expect(Set(clusters) == Set(numbers))
            let counts = try rows.map { try $0.decode("posts", as: Int.self) }
            #expect(counts == counts.sorted(by: >), "the largest first")
            for (row, posts) in zip(rows, counts) {
                let listed = try row.decode("listed", as: Int.self)
                #expect(listed == min(posts, 100))
            }
            let photos = try await database.pool.query(
                "select post_id from darkroom.map_photos(\(south), \(west), \(north), \(east), \(zoom), 5)")
            let ids = try photos.map { try $0.decode("post_id", as: Int64.self) }
            let hot = try await database.values(of: "hot")
            #expect(!ids.isEmpty && Set(ids).count == ids.count)
            let values = ids.map { hot[$0] ?? 0 }.filter { $0 > 0 }
            #expect(values == values.sorted(by: >))
        }
    }
}

extension QueueDatabase {
    func tally() async throws {
        try await pool.query("select darkroom.tally_counters(1000000)")
        try await pool.query("select darkroom.tally_map(1000000)")
    }
}
