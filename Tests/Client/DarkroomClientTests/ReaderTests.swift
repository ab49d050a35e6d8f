import DarkroomClient
import FoundationEssentials
import JobStore
import Postgres
import TestKit
import Testing

@Suite("The Swift library with a database for readers", .timeLimit(.minutes(10)))
struct ReaderTests {
    @Test("reads feeds and the map there, with the rights of a reader, and does all else in the other one")
    func twoDatabases() async throws {
        // The readers' database has posts, and the writers' has none: so each result tells which one was asked.
        try await Scene.with(role: .reader, posts: 5) { (readers: Scene) async throws -> Void in
            try await Scene.with { (writers: Scene) async throws -> Void in
                try await withTemporaryDirectory { (media: String) async throws -> Void in
                    let client = try DarkroomClient(
                        database: try await writers.database.url(as: .api),
                        reader: try await readers.database.url(as: .reader), media: media)
                    let area = FeedArea(latitude: 47.6062, longitude: -122.3321, radiusMetres: 1_000_000)
                    let box = MapBox(south: -85, west: -180, north: 85, east: 180)
                    let post = try #require(try await client.latestPosts().items.first).id
                    #expect(
                        try await !client.nearestPosts(latitude: 47.6, longitude: -122.3).items.isEmpty)
                    #expect(try await !client.posts(within: area).items.isEmpty)
                    #expect(try await !client.bestPosts(near: area).items.isEmpty)
                    #expect(try await !client.topPosts(by: .likes).items.isEmpty)
                    #expect(try await !client.mapPhotos(in: box, zoom: 0).isEmpty)
                    let cluster = try #require(try await client.mapClusters(in: box, zoom: 0).first).id
                    #expect(try await !client.posts(ofCluster: cluster).items.isEmpty)
                    #expect(try await client.location(ofCluster: cluster) != nil)

                    let job = try await client.enqueue(
                        try await client.store(bytes: [1]), UploadDetails(uploader: "ada"))
                    #expect(try await client.status(of: job)?.state == .waiting)
                    #expect(try await writers.number("select count(*) as n from darkroom.uploads") == 1)
                    #expect(try await client.details(of: post) == nil)
                    #expect(try await client.comments(ofPost: post).items.isEmpty)
                    #expect(try await client.statistics(ofUploader: "user-1").posts == 0)
                    #expect(
                        await failure { try await client.vote(.like, onPost: post, by: "bob") }.code
                            == .notFound)
                    await client.close()
                }
            }
        }
    }

    @Test("refuses a job's state of a later release")
    func laterState() async throws {
        try await Scene.with { (scene: Scene) async throws -> Void in
            try await scene.execute("alter type darkroom.job_state add value 'pondering'")
            try await scene.execute(
                """
                create or replace function darkroom.job_status(job_id bigint, uploader text default null)
                returns setof darkroom.upload_status language sql security definer as $$
                select (json_populate_record(null::darkroom.upload_status,
                        '{"job_id": 1, "state": "pondering", "attempts": 0, "enqueued_at": "2026-01-01"}')).* $$
                """)
            let error = await #expect(throws: DarkroomError.self) { try await scene.client.status(of: 1) }
            #expect(error?.code == .database && error?.message.contains("pondering") == true)
        }
    }
}
