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
                #expect(inside.count == cluster.posts && inside.contains { $0.id == cluster.best })
                seen += inside.map(\.id)
                let place = try #require(try await client.location(ofCluster: cluster.id))
                #expect(place.latitude == cluster.latitude && place.longitude == cluster.longitude)
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
            #expect(Set(photos.map(\.id)) == Set(squares.map(\.best)) && !photos.isEmpty)
            #expect(try await client.mapPhotos(in: Self.world, zoom: 3, atMost: 1).count == 1)
            let empty = MapBox(south: 0, west: 0, north: 1, east: 1)
            #expect(try await client.mapPhotos(in: empty, zoom: 8).isEmpty)
            #expect(try await client.mapClusters(in: empty, zoom: 8).isEmpty)
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
