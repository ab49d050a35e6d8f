import DarkroomClient
import FoundationEssentials
import Postgres
import TestKit
import Testing

@Suite("The Swift library's activities", .timeLimit(.minutes(10)))
struct ActivityCallTests {
    @Test("are created, changed and found")
    func activities() async throws {
        try await Scene.with { (scene: Scene) async throws -> Void in
            let client = scene.client
            let area = ActivityArea(latitude: 47.6, longitude: -122.3, radius: 500)
            let (begin, end) = (Date(timeIntervalSince1970: 1.9e9), Date(timeIntervalSince1970: 1.95e9))
            #expect(
                try await client.createActivity(
                    " Fair", area: area, beginsAt: begin, endsAt: end, aliases: ["F", "Big fair"]) == "Fair")
            try await client.createActivity("nowhere")
            let fair = try #require(try await client.activity("big FAIR"))
            #expect(fair.name == "Fair" && fair.area == area && fair.beginsAt == begin && fair.endsAt == end)
            #expect(fair.aliases == ["Big fair", "F"] && fair.distance == nil)
            let near = try await client.activities(latitude: 47.6, longitude: -122.3, radius: 10)
            #expect(near.items.map(\.name) == ["Fair"] && near.items.first?.distance == 0)
            let all = try await scene.all { try await client.activities(atMost: 1, after: $0) }
            #expect(all.map(\.name) == ["nowhere", "Fair"])
            #expect(try await client.updateActivity("F", aliases: []))
            #expect(try await !client.updateActivity("F"), "no longer an alias")
            #expect(try await client.activity("Fair")?.endsAt == end, "it stays")
            let taken = await failure { try await client.createActivity("FAIR") }
            #expect(taken.code == .conflict && taken.constraint == "activity_name_is_taken")
            try await scene.execute("update darkroom.settings set activities_at_most = 2")
            let many = await failure { try await client.createActivity("third") }
            #expect(many.code == .notPossible)
        }
    }

    @Test("posts are anonymous if their details say so, alone or in bulk")
    func anonymity() async throws {
        try await Scene.with(posts: 2) { (scene: Scene) async throws -> Void in
            let client = scene.client
            try await scene.execute("update darkroom.posts set anonymous = post_id = 1, uploader = 'ada'")
            let posts = try await client.latestPosts().items.sorted { $0.id < $1.id }
            #expect(posts.map(\.isAnonymous) == [true, false])
            #expect(posts.map(\.uploader) == [nil, "ada"])
            #expect(posts[0].authorHandle != posts[1].authorHandle)
            for post in posts { try await client.comment("Hello", onPost: post.id, by: "ada") }
            let mine = try await client.comments(ofPost: 1).items
            #expect(mine.map(\.author) == [nil] && mine.map(\.authorHandle) == [posts[0].authorHandle])
            let named = try await client.comments(ofPost: 2).items
            #expect(named.map(\.author) == ["ada"] && named.map(\.authorHandle) == [posts[1].authorHandle])
            var details = UploadDetails(uploader: "ada")
            details.isAnonymous = true
            let photo = try await client.store(bytes: [1, 2, 3])
            _ = try await client.enqueue(photo, details)
            _ = try await client.enqueue([(photo, details), (photo, UploadDetails(uploader: "ada"))])
            #expect(
                try await scene.number(
                    "select count(*) filter (where anonymous) * 10 + count(*) from darkroom.uploads where job_id > 0"
                ) == 23)
        }
    }
}
