import ChildProcess
import FoundationEssentials
import Glibc
import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

@Suite("A text without a photo", .timeLimit(.minutes(15)))
struct TextPostTests {
    private static func texts(_ darkroom: Installation, _ query: PostgresQuery) async throws -> [String] {
        let rows = try await darkroom.database.pool.query(query)
        return try rows.map { try $0.decode(rows.columns[0], as: String.self) }
    }

    @Test("is published like a photo, in feeds and on the map, and nothing renders it")
    func published() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            _ = try await darkroom.json(
                "enqueue", "--text", "--uploader", "ada", "--place", "Seattle, WA", "--headline",
                "Lost: a bike",
                "--link", "https://example.org/bike", "--category", "lost", "--taken-at",
                "2026-05-01T12:00:00Z")
            _ = try await darkroom.json(
                "enqueue", "--text", "--uploader", "ada", "--lat", "-33.92", "--lon", "18.42", "--caption",
                "Hello",
                "--location-privacy", "grid_1km", "--anonymous")
            try await darkroom.drain()
            let posts = try await darkroom.json("posts", "list")
            #expect(posts.map { $0.string("headline") ?? $0.string("caption") } == ["Hello", "Lost: a bike"])
            for post in posts {
                #expect(post.isNull("width") && post.isNull("format") && post.isNull("placeholder"))
                #expect(post.isNull("perceptual_hash") && post.array("renditions").isEmpty)
            }
            #expect(posts[0].string("location_privacy") == "grid_1km")
            #expect(
                try await Self.texts(
                    darkroom, "select anonymous::text as row from darkroom.latest_posts()") == [
                        "true", "false",
                    ])
            #expect(
                posts[1].string("place", "name") == "Seattle"
                    && posts[1].string("taken_at_source") == "uploader")
            let table = try await darkroom.command(["posts", "list"]).runSuccessfully().standardOutput
            #expect(table.contains("text"))
            let shown = try await darkroom.command(["posts", "show", "1"]).runSuccessfully().standardOutput
            #expect(shown.contains("Lost: a bike") && !shown.contains("RENDITION"))

            try await darkroom.database.pool.query("select darkroom.tally_map()")
            for feed in [
                "latest_posts(in_category => 'lost')", "nearest_posts(47.6, -122.3)",
                "near_and_good_posts(47.6, -122.3)", "map_photos(40, -130, 50, -120, 6)",
            ] {
                let found = try await Self.texts(
                    darkroom,
                    """
                    select concat_ws(' ', headline, link, width, jsonb_array_length(pictures)) as row
                    from darkroom.\(unescaped: feed) where post_id = 1
                    """)
                #expect(found == ["Lost: a bike https://example.org/bike 0"], "\(feed)")
            }
            #expect(
                try await Self.texts(
                    darkroom,
                    "select concat_ws(' ', state, post_state, post_id) as s from darkroom.job_status(1, 'ada')"
                )
                    == ["succeeded published 1"])

            let rerendered = try await darkroom.json("posts", "rerender", "--all", "--dry-run")
            #expect(rerendered.first?.number("posts") == 0)
            try await darkroom.rebuildGazetteer { $0.replacing("Seattle", with: "New Seattle") }
            #expect(try await darkroom.relocate().number("posts") == 2)
            #expect(try await darkroom.names()[1] == "New Seattle")
            let exported = try await darkroom.command(["jobs", "export", "--kind", "ingest_text"])
                .runSuccessfully()
            let uploads = try JSONObject.lines(exported.standardOutput)
            #expect(uploads.map { $0.string("upload", "headline") } == [nil, "Lost: a bike"])
            #expect(uploads.allSatisfy { $0.isNull("upload", "original_key") })
            let sweep = try await darkroom.command(["sweep"]).run()
            #expect(sweep.ending == .exited(0), "\(sweep.standardError)")
            // Originals that do not exist do not get old, and a replay finds the text.
            try await darkroom.database.pool.query(
                "update darkroom.uploads set created_at = created_at - interval '60 days'")
            let seen = try await darkroom.database.pool.query(
                "select seen from darkroom.retire_originals('-infinity', 0)")[0]
            #expect(try seen.decode("seen", as: Int.self) == 0)
        }
    }

    @Test("goes through while the store and the renderer are away, and photos wait")
    func away() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let photo = try darkroom.write(
                PhotoFixture.jpeg(latitude: 47.6, longitude: -122.3), to: "photo.jpg")
            _ = try await darkroom.json("enqueue", photo)
            try #require(rename(darkroom.media, darkroom.media + "-disk") == 0)
            try #require(mkdir(darkroom.media, 0o755) == 0)
            let renderer = darkroom.root + "/not-there"
            try await WatchedWorker.with(darkroom, environment: ["DARKROOM_RENDERER": renderer]) {
                (worker: WatchedWorker) async throws -> Void in
                try await worker.wait(for: "/readyz") {
                    $0.body.contains("storage_unavailable") && $0.body.contains("renderer_unavailable")
                }
                _ = try await darkroom.json(
                    "enqueue", "--text", "--lat", "47.6", "--lon", "-122.3", "--headline", "We have power")
                let store = darkroom.database.store
                while try await store.job(JobID(rawValue: 2))?.state.isFinished != true {
                    try await Task.sleep(for: .milliseconds(20))
                }
                #expect(try await store.job(JobID(rawValue: 2))?.state == .succeeded)
                #expect(try await store.job(JobID(rawValue: 1))?.state.isFinished == false)
                worker.process.send(SIGTERM)
                #expect(try await worker.process.end() == .exited(0))
            }
        }
    }

    @Test("is not queued together with photos")
    func usage() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let both = try await darkroom.darkroom("enqueue", "--text", "--headline", "x", "photo.jpg")
            #expect(both.ending == .exited(64) && both.standardError.contains("leave out photo.jpg"))
            let none = try await darkroom.darkroom("enqueue", "--headline", "x")
            #expect(none.ending == .exited(64) && none.standardError.contains("--text"))
        }
    }

    @Test("that moves to a category with a stricter location policy is located by it at once, and stays so")
    func stricter() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let pool = darkroom.database.pool
            try await pool.query(
                """
                insert into darkroom.location_policies (category, privacy, note)
                values ('home', 'place', 'protects residents'), ('map', 'exact', 'for maps')
                """)
            _ = try await darkroom.json(
                "enqueue", "--text", "--uploader", "ada", "--lat", "47.61", "--lon", "-122.34", "--headline",
                "Flat",
                "--category", "food")
            try await darkroom.drain()
            func location() async throws -> [String] {
                try await Self.texts(
                    darkroom,
                    """
                    select concat_ws(' ', location_privacy, round(latitude::numeric, 3), location_policy,
                                     darkroom.is_located_too_exactly(post_id)) as l from darkroom.posts
                    """)
            }
            #expect(try await location() == ["grid_10m 47.610 3 f"])
            func edit(_ category: String) async throws {
                try await pool.query("select darkroom.edit_post(1, 'ada', 'Flat', null, \(category))")
                try await darkroom.drain()
            }
            try await edit("map")
            #expect(try await location() == ["grid_10m 47.610 3 f"], "never more exactly than before")
            try await pool.query("select darkroom.edit_post(1, 'ada', 'Flat', null, 'home')")
            #expect(
                try await location() == ["place 47.910 0 f"],
                "as coarse as it gets, before the job has run")
            try await darkroom.drain()
            #expect(try await location() == ["place 47.606 3 f"])
            try await edit("map")
            #expect(try await location() == ["place 47.606 3 f"])
            #expect(
                try await Self.texts(
                    darkroom,
                    "select event from darkroom.event_log where event in ('edited', 'relocated') order by number"
                )
                    == ["edited", "edited", "relocated", "edited"])
        }
    }
}
