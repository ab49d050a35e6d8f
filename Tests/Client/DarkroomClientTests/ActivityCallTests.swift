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
}
