import ChildProcess
import Postgres
import TestKit
import Testing

@Suite("The posting policy from the command line", .timeLimit(.minutes(15)))
struct PostingPolicyCommandTests {
    @Test("refuses the next upload, and rejects with a reason what was enqueued before")
    func inForce() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let path = try darkroom.write(
                PhotoFixture.jpeg(latitude: 47.6, longitude: -122.3), to: "photo.jpg")
            let vague = try darkroom.write(
                PhotoFixture.jpeg(latitude: 47.6, longitude: -122.3) {
                    $0.set(.gps, 0x001F, .rationals([(350, 1)]))
                }, to: "vague.jpg")
            _ = try await darkroom.json("enqueue", "--uploader", "ada", path)
            _ = try await darkroom.json(
                "enqueue", "--uploader", "eve", "--headline", "Buy", "--link", "https://evil.example/", path)
            let set = try await darkroom.json(
                "policy", "posting", "set", "--headline", "required", "--categories", "food, art",
                "--link-hosts", "Example.org", "--accuracy", "100", "--note", "campus")
            #expect(set.first?.number("version") == 2)
            _ = try await darkroom.json(
                "enqueue", "--uploader", "bob", "--headline", "Lunch", "--category", "food", path)
            _ = try await darkroom.json(
                "enqueue", "--uploader", "cleo", "--headline", "Somewhere", "--category", "food", vague)
            let refused = try await darkroom.command(["enqueue", "--uploader", "dan", path]).run()
            #expect(refused.ending == .exited(1) && refused.standardError.contains("A headline is required"))
            try await darkroom.drain()
            let jobs = try await darkroom.database.pool.query(
                "select state::text as state, reason, message from darkroom.finished_jobs where kind = 'ingest' order by job_id"
            )
            let states = try jobs.map { try $0.decode("state", as: String.self) }
            #expect(states == ["rejected", "rejected", "succeeded", "rejected"])
            #expect(try jobs[0].decode("reason", as: String?.self) == "headline_missing")
            #expect(try jobs[1].decode("reason", as: String?.self) == "link_host_refused")
            #expect(try jobs[1].decode("message", as: String?.self)?.contains("example.org") == true)
            #expect(try jobs[3].decode("reason", as: String?.self) == "location_too_inaccurate")
            _ = try await darkroom.json(
                "policy", "posting", "set", "--for", "art", "--headline", "optional", "--note", "walls")
            _ = try await darkroom.json("enqueue", "--uploader", "fay", "--category", "art", path)
            let shown = try await darkroom.command(["policy", "posting", "show"]).runSuccessfully()
                .standardOutput
            #expect(shown.contains("Posting policy 2,") && shown.contains("food, art"))
            #expect(shown.contains("at most 100.0 m") && shown.contains("Posting policy 3 of art,"))
            let limited = try await darkroom.json(
                "policy", "posting", "set", "--photos-a-day", "4", "--bytes-a-day", "1000000", "--note",
                "fair")
            #expect(limited.first?.number("photos_a_day") == 4)
            #expect(limited.first?.number("bytes_a_day") == 1_000_000)
            for _ in 0..<3 {
                _ = try await darkroom.json("enqueue", "--uploader", "fay", "--category", "art", path)
            }
            let beyond = try await darkroom.command(
                ["enqueue", "--uploader", "fay", "--category", "art", path]
            ).run()
            #expect(beyond.ending == .exited(1) && beyond.standardError.contains("at most 4 photos"))
            _ = try await darkroom.json(
                "policy", "posting", "set", "--photos-a-day", "", "--note", "no limit")
            let lifted = try await darkroom.command(["policy", "posting", "show"]).runSuccessfully()
                .standardOutput
            #expect(lifted.contains("at most 1000000") && !lifted.contains("at most 4"))
            let wrong = try await darkroom.command([
                "policy", "posting", "set", "--link-hosts", "https://x", "--note", "x",
            ]).run()
            #expect(wrong.ending == .exited(1) && wrong.standardError.contains("link hosts are"))
        }
    }

    @Test("does not affect unreadable uploads of an older release: they are rejected at once, with a reason")
    func unreadable() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let path = try darkroom.write(
                PhotoFixture.jpeg(latitude: 47.6, longitude: -122.3), to: "photo.jpg")
            for uploader in ["ada", "bob", "dan"] {
                _ = try await darkroom.json(
                    "enqueue", "--uploader", uploader, "--category", "food", path)
            }
            let pool = darkroom.database.pool
            for statement in [
                "alter table darkroom.uploads drop constraint taken_at_is_from_1800_to_2199",
                "update darkroom.uploads set taken_at = 'infinity' where uploader = 'ada'",
                "update darkroom.uploads set taken_at = '0044-03-15 00:00:00+00 BC' where uploader = 'bob'",
                "update darkroom.uploads set category = E' fo\\u00F3d', activity = E'fe\\u0302te ' where uploader = 'dan'",
            ] {
                try await pool.query(PostgresQuery(unescaped: statement))
            }
            try await darkroom.drain()
            let jobs = try await pool.query(
                """
                select concat_ws(' ', fair_key, state, reason, attempt) as became from darkroom.finished_jobs
                where kind = 'ingest' order by fair_key
                """
            ).map { try $0.decode("became", as: String.self) }
            #expect(
                jobs == [
                    "ada rejected taken_at_out_of_range 1", "bob rejected taken_at_out_of_range 1",
                    "dan succeeded 1",
                ])
            let posts = try await pool.query(
                "select category = E'fo\\u00F3d' and activity = E'f\\u00EAte' as is_clean from darkroom.posts"
            )
            #expect(try posts.map { try $0.decode("is_clean", as: Bool.self) } == [true])
            // Its time cannot be shown.
            _ = try await darkroom.json("jobs", "show", "1")
        }
    }
}
