import ChildProcess
import Postgres
import TestKit
import Testing

@Suite("The posting policy from the command line", .timeLimit(.minutes(5)))
struct PostingPolicyCommandTests {
    @Test("is in force for the next upload without a restart, and says why it rejects one")
    func inForce() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let path = try darkroom.write(
                PhotoFixture.jpeg(latitude: 47.6, longitude: -122.3), to: "photo.jpg")
            _ = try await darkroom.json("enqueue", "--uploader", "ada", path)
            let set = try await darkroom.json(
                "policy", "posting", "set", "--headline", "required", "--categories", "food, art",
                "--link-hosts", "Example.org", "--note", "campus")
            #expect(set.first?.number("version") == 2)
            _ = try await darkroom.json(
                "enqueue", "--uploader", "bob", "--headline", "Lunch", "--category", "food", path)
            _ = try await darkroom.json(
                "enqueue", "--uploader", "eve", "--headline", "Buy", "--link", "https://evil.example/", path)
            try await darkroom.drain()
            let jobs = try await darkroom.database.pool.query(
                "select state::text as state, reason, message from darkroom.finished_jobs where kind = 'ingest' order by job_id"
            )
            let states = try jobs.map { try $0.decode("state", as: String.self) }
            #expect(states == ["rejected", "succeeded", "rejected"])
            #expect(try jobs[0].decode("reason", as: String?.self) == "headline_missing")
            #expect(try jobs[2].decode("reason", as: String?.self) == "link_host_refused")
            #expect(try jobs[2].decode("message", as: String?.self)?.contains("example.org") == true)
            let shown = try await darkroom.command(["policy", "posting", "show"]).runSuccessfully()
                .standardOutput
            #expect(shown.contains("Posting policy 2") && shown.contains("food, art"))
            let wrong = try await darkroom.command([
                "policy", "posting", "set", "--link-hosts", "https://x", "--note", "x",
            ]).run()
            #expect(wrong.ending == .exited(1) && wrong.standardError.contains("link hosts are"))
        }
    }
}
