import DarkroomClient
import Postgres
import TestKit
import Testing

@Suite("The Swift library's map", .timeLimit(.minutes(10)))
struct MapCallTests {
    private static let world = MapBox(south: -89, west: -180, north: 89.95, east: 180)

    @Test("has every post in one cluster, whose posts and location can be read")
    func clusters() async throws {
        try await Scene.with(posts: 60) { (scene: Scene) async throws -> Void in
            let client = scene.client
            let posts = try await scene.database.visiblePosts()
            let clusters = try await client.mapClusters(in: Self.world, zoom: 3)
            #expect(clusters.reduce(0) { $0 + $1.posts } == posts.count && clusters.count > 2)
            #expect(clusters.map(\.posts) == clusters.map(\.posts).sorted(by: >))
            var seen: [Int64] = []
            for cluster in clusters {
                let inside = try await scene.all {
                    try await client.posts(ofCluster: cluster.id, atMost: 4, after: $0)
                }
                #expect(inside.count == cluster.posts && inside.contains { $0.id == cluster.bestPost })
                seen += inside.map(\.id)
                let place = try #require(try await client.location(ofCluster: cluster.id))
                #expect(inside.contains { $0.latitude == place.latitude && $0.longitude == place.longitude })
            }
            #expect(seen.sorted() == posts.map(\.id).sorted())
        }
    }

    @Test("shows the best photo of each square")
    func photos() async throws {
        try await Scene.with(posts: 60) { (scene: Scene) async throws -> Void in
            let client = scene.client
            let photos = try await client.mapPhotos(in: Self.world, zoom: 3)
            let squares = try await client.mapClusters(in: Self.world, zoom: 2)
            #expect(Set(photos.map(\.id)) == Set(squares.map(\.bestPost)) && !photos.isEmpty)
            #expect(try await client.mapPhotos(in: Self.world, zoom: 3.5, atMost: 1).count == 1)
            let empty = MapBox(south: 0, west: 0, north: 1, east: 1)
            #expect(try await client.mapPhotos(in: empty, zoom: 8).isEmpty)
            #expect(try await client.mapClusters(in: empty, zoom: 8).isEmpty)
        }
    }

    @Test("counts, shows and lists only what a filter keeps")
    func filtered() async throws {
        try await Scene.with(posts: 60) { (scene: Scene) async throws -> Void in
            let client = scene.client
            try await scene.execute(
                "update darkroom.posts set taken_at = published_at, taken_at_local = '2026-01-10 23:30' where post_id % 2 = 0"
            )
            let posts = try await scene.database.visiblePosts()
            let time = posts.map(\.publishedAt).sorted()[30]
            let filters: [(FeedFilter, (FeedPost) -> Bool)] = [
                (
                    FeedFilter(category: "food", activity: "picnic"),
                    { (post: FeedPost) -> Bool in post.category == "food" && post.activity == "picnic" }
                ),
                (FeedFilter(place: .city(0)), { (post: FeedPost) -> Bool in post.city == 0 }),
                (FeedFilter(uploader: "user-3"), { (post: FeedPost) -> Bool in post.uploader == "user-3" }),
                (FeedFilter(publishedSince: time), { (post: FeedPost) -> Bool in post.publishedAt >= time }),
                (FeedFilter(publishedUntil: time), { (post: FeedPost) -> Bool in post.publishedAt < time }),
                (
                    FeedFilter(takenSince: time),
                    { (post: FeedPost) -> Bool in post.id % 2 == 0 && post.publishedAt >= time }
                ),
                (
                    FeedFilter(takenUntil: time),
                    { (post: FeedPost) -> Bool in post.id % 2 == 0 && post.publishedAt < time }
                ),
                (FeedFilter(fromHour: 23, toHour: 1), { (post: FeedPost) -> Bool in post.id % 2 == 0 }),
                (
                    FeedFilter(season: .winter),
                    { (post: FeedPost) -> Bool in post.id % 2 == 0 && post.latitude >= 0 }
                ),
            ]
            for (filter, keeps) in filters {
                let expected = posts.filter(keeps).map(\.id).sorted()
                let clusters = try await client.mapClusters(in: Self.world, zoom: 3, filter: filter)
                var seen: [Int64] = []
                for cluster in clusters {
                    seen += try await client.posts(ofCluster: cluster.id, atMost: 100, filter: filter).items
                        .map(\.id)
                }
                #expect(seen.sorted() == expected && !expected.isEmpty, "\(filter)")
                #expect(clusters.reduce(0) { $0 + $1.posts } == expected.count, "\(filter)")
                let photos = try await client.mapPhotos(in: Self.world, zoom: 4, filter: filter)
                #expect(Set(photos.map(\.id)) == Set(clusters.map(\.bestPost)), "\(filter)")
            }
        }
    }

    @Test("refuses an invalid box or cluster")
    func errors() async throws {
        try await Scene.with(posts: 1) { (scene: Scene) async throws -> Void in
            let client = scene.client
            let upsideDown = MapBox(south: 10, west: 0, north: 0, east: 1)
            for error in [
                await failure { _ = try await client.mapClusters(in: upsideDown, zoom: 3) },
                await failure { _ = try await client.mapClusters(in: Self.world, zoom: 18) },
                await failure { _ = try await client.mapPhotos(in: upsideDown, zoom: 3) },
                await failure { _ = try await client.mapClusters(in: Self.world, zoom: .nan) },
                await failure { _ = try await client.posts(ofCluster: 5) },
            ] {
                #expect(error.code == .invalidArgument)
            }
            let cluster = try #require(try await client.mapClusters(in: Self.world, zoom: 3).first)
            try await scene.execute("update darkroom.posts set state = 'hidden'")
            try await scene.execute("select darkroom.tally_map()")
            #expect(try await client.location(ofCluster: cluster.id) == nil)
        }
    }
}
