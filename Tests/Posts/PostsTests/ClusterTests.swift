import Postgres
import TestKit
import Testing

/// The posts of a cluster: read whole, found in a tile's list, and merged from many lists.
@Suite("Posts of a cluster of the map", .timeLimit(.minutes(15)))
struct ClusterTests {
    static let towns: [(Double, Double)] = [
        (47.6062, -122.3321), (-16.5, 179.99), (89.9, 20), (-33.9175, 18.4026), (0, 0),
    ]

    @Test("are those of its tile, newest first, at every level", arguments: [4000, 0])
    func pages(readWhole: Int) async throws {
        try await QueueDatabase.with(FeedFixture(1200, areSomeHidden: true)) { database in
            try await database.lookSinglyAt(atMost: readWhole)
            let posts = try await database.visiblePosts()
            var answered = 0
            for level in Array(2...20).every(3) {
                for (latitude, longitude) in Self.towns {
                    let tile = MapTests.tile(latitude, longitude, level: level)
                    let number = Int64(level) << 40 | Int64(tile[0]) << 20 | Int64(tile[1])
                    let found = try await FeedTests.pages(
                        database, "select * from darkroom.cluster_posts(\(number), 7, after => AFTER)",
                        count: 3)
                    let there = posts.filter {
                        MapTests.tile($0.latitude, $0.longitude, level: level) == tile
                    }
                    let sorted = there.sorted { ($0.publishedAt, $0.id) > ($1.publishedAt, $1.id) }
                    #expect(
                        found == sorted.prefix(21).map(\.id), "level \(level) at \(latitude), \(longitude)")
                    answered += found.count
                }
            }
            #expect(answered > Extent.of(200, check: 800))
        }
    }

    @Test("end with the last page, however large the cluster")
    func lastPage() async throws {
        try await QueueDatabase.with(FeedFixture(300, areSomeHidden: true)) { database in
            try await database.lookSinglyAt(atMost: 0)
            let posts = try await database.visiblePosts()
            for level in [3, 12, 15] {
                let tile = MapTests.tile(47.6062, -122.3321, level: level)
                let number = Int64(level) << 40 | Int64(tile[0]) << 20 | Int64(tile[1])
                let found = try await FeedTests.pages(
                    database, "select * from darkroom.cluster_posts(\(number), 50, after => AFTER)", count: 20
                )
                let there = posts.filter { MapTests.tile($0.latitude, $0.longitude, level: level) == tile }
                #expect(found.count == there.count && Set(found) == Set(there.map(\.id)))
            }
        }
    }

    @Test(
        "hang where those do that are published at its location, at every level, also after the best has left"
    )
    func joined() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.publishPosts(1500, spread: 0.1)
            try await database.pool.query(
                """
                update darkroom.posts p set latitude = g.centre_latitude, longitude = g.centre_longitude
                from darkroom.posts o cross join lateral darkroom.grid_centre(o.latitude, o.longitude, 10) g
                where o.post_id = p.post_id
                """)
            try await database.pool.query("select darkroom.tally_map(1000000)")
            func elsewhere() async throws -> (clusters: Int, elsewhere: Int) {
                let row = try await database.pool.query(
                    """
                    select count(*) as clusters, count(*) filter (where
                               darkroom.tile_at(darkroom.plane_x(g.centre_longitude), darkroom.plane_y(g.centre_latitude), m.level)
                               is distinct from m.x::bigint << 26 | m.y) as elsewhere
                    from darkroom.map_tiles m
                    cross join lateral darkroom.cluster_location(darkroom.cluster_number(m.level, m.x, m.y)) l
                    cross join lateral darkroom.grid_centre(l.latitude, l.longitude, 10) g
                    """)[0]
                return (try row.decode("clusters", as: Int.self), try row.decode("elsewhere", as: Int.self))
            }
            let all = try await elsewhere()
            #expect(all.clusters > 2000 && all.elsewhere == 0)
            // No tally has noticed yet that every best post has left its cluster.
            try await database.pool.query("update darkroom.posts set latitude = -latitude")
            let left = try await database.pool.query(
                """
                select count(*) as n from darkroom.map_tiles m
                cross join lateral darkroom.cluster_location(darkroom.cluster_number(m.level, m.x, m.y)) l
                where m.level = 12 and darkroom.tile_at(darkroom.plane_x(l.longitude), darkroom.plane_y(l.latitude), 12)
                      is distinct from m.x::bigint << 26 | m.y
                """)[0]
            #expect(try left.decode("n", as: Int.self) == 0)
        }
    }

    /// An invalid level, a tile of another level, and a column beyond the world.
    @Test(
        "are refused for a number that is not a cluster")
    func refused() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            for number in [
                12, Int64(1) << 40, Int64(21) << 40, Int64(4) << 40 | Int64(16) << 20, Int64(4) << 40 | 16,
                -1,
            ] {
                let error = await #expect(throws: PostgresError.self) {
                    try await database.pool.query("select * from darkroom.cluster_posts(\(number))")
                }
                #expect(error?.sqlState == .invalidParameterValue, "\(number)")
            }
        }
    }
}
