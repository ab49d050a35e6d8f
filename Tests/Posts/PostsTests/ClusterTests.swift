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
        try await QueueDatabase.with { database in
            try await database.publishPosts(1200)
            try await database.hideSomePosts()
            try await database.lookSinglyAt(atMost: readWhole)
            let posts = try await database.visiblePosts()
            var answered = 0
            for level in 2...20 {
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
            #expect(answered > 800)
        }
    }

    @Test("end with the last page, however large the cluster")
    func lastPage() async throws {
        try await QueueDatabase.with { database in
            try await database.publishPosts(300)
            try await database.hideSomePosts()
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

    /// An invalid level, a tile of another level, and a column beyond the world.
    @Test(
        "are refused for a number that is not a cluster",
        arguments: [
            12, Int64(1) << 40, Int64(21) << 40, Int64(4) << 40 | Int64(16) << 20, Int64(4) << 40 | 16, -1,
        ])
    func refused(number: Int64) async throws {
        try await QueueDatabase.with { database in
            let error = await #expect(throws: PostgresError.self) {
                try await database.pool.query("select * from darkroom.cluster_posts(\(number))")
            }
            #expect(error?.sqlState == .invalidParameterValue)
        }
    }
}
