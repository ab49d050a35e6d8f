import ChildProcess
import DarkroomClient
import JobStore
import Postgres
import TestKit
import Testing

@Suite("Roles from the command line", .timeLimit(.minutes(15)))
struct RoleCommandTests {
    /// A `darkroom` command run by a login with a role; it must succeed.
    private static func run(
        _ darkroom: Installation, as role: InstallationRole, _ arguments: String...
    ) async throws -> ChildProgram.Output {
        var command = darkroom.command(arguments)
        command.environment["DATABASE_URL"] = try await darkroom.database.url(as: role)
        return try await command.runSuccessfully()
    }

    @Test("an app, a worker and a reader, each with its own login, take a photo from upload to feed")
    func pipeline() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await darkroom.database.makeLogins()
            let app = try DarkroomClient(
                database: try await darkroom.database.url(as: .api), media: darkroom.media)
            var details = UploadDetails(uploader: "ada")
            details.coordinates = (47.6, -122.33)
            let stored = try await app.store(bytes: PhotoFixture.jpeg())
            let job = try await app.enqueue(stored, details)
            _ = try await app.enqueue([(stored, details)], queue: "bulk")
            _ = try await Self.run(
                darkroom, as: .worker, "work", "--drain", "--queue", "default=1", "--queue", "bulk=1")
            let status = try #require(try await app.status(of: job, uploader: "ada"))
            let post = try #require(status.post)
            #expect(try await app.status(of: job, uploader: "eve") == nil)
            #expect(try await app.cancel(job, uploader: "ada") == false, "it is finished")
            await app.close()

            try await darkroom.database.connected(as: .api) {
                (app: PostgresConnection) async throws -> Void in
                for voter in ["bob", "eve"] {
                    try await app.query("select darkroom.vote_on_post(\(post), \(voter), 'like')")
                }
                try await app.query("select darkroom.add_comment(\(post), 'bob', 'Nice')")
                try await app.query("select darkroom.report_post(\(post), 'mallory', 'spam')")
            }
            _ = try await Self.run(darkroom, as: .worker, "work", "--drain", "--concurrency", "1")
            let tallied = try await darkroom.database.pool.query(
                "select likes, comments from darkroom.post_counters where post_id = \(post)")
            try await darkroom.database.connected(as: .reader) {
                (reader: PostgresConnection) async throws -> Void in
                let rows = try await reader.query(
                    "select likes, comments, headline from darkroom.top_posts('likes') where post_id = \(post)"
                )
                #expect(tallied.count == 1 && rows.count == 1)
                #expect(try rows.first?.decode("likes", as: Int.self) == 2)
                #expect(try rows.first?.decode("comments", as: Int.self) == 1)
            }
        }
    }

    @Test("an operator's login can look, replay, pause, review, correct and set policies")
    func operating() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await darkroom.database.makeLogins()
            let path = try darkroom.write(
                PhotoFixture.jpeg(latitude: 47.6, longitude: -122.3), to: "photo.jpg")
            let nowhere = try darkroom.write(PhotoFixture.jpeg(), to: "nowhere.jpg")
            _ = try await Self.run(darkroom, as: .operator, "enqueue", "--uploader", "ada", path)
            _ = try await Self.run(darkroom, as: .operator, "enqueue", "--uploader", "ada", nowhere)
            _ = try await Self.run(darkroom, as: .worker, "work", "--drain", "--concurrency", "1")
            let rows = try await darkroom.database.pool.query(
                "select max(post_id) as post from darkroom.posts")
            let post = "\(try rows[0].decode("post", as: Int64.self))"
            for arguments in [
                ["jobs", "list", "--state", "rejected"], ["jobs", "replay", "2", "--why", "again"],
                ["jobs", "cancel", "2"], ["queue", "stats"], ["queue", "pause", "--kind", "ingest"],
                ["queue", "resume", "--kind", "ingest"], ["posts", "show", post],
                ["posts", "correct-place", post, "--place", "Springfield, IL"],
                ["review", "list"],
                ["review", "remove", post, "--reviewer", "olga", "--law", "§ 1", "--note", "No."],
                ["review", "show", post],
                ["review", "restore", post, "--reviewer", "olga", "--note", "After all."],
                ["policy", "set", "--hide-threshold", "8", "--note", "term time"],
                ["schedules", "set", "expire", "--cron", "*/2 * * * *"], ["workers", "list"],
            ] {
                var command = darkroom.command(arguments)
                command.environment["DATABASE_URL"] = try await darkroom.database.url(as: .operator)
                let output = try await command.run()
                #expect(output.ending == .exited(0), "\(arguments): \(output.standardError)")
            }
            #expect(try await darkroom.json("posts", "show", post).first?.string("state") == "published")
        }
    }

    @Test("are printed as SQL, created more than once, and listed")
    func commands() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let printed = try await darkroom.darkroom("roles", "create", "--print").standardOutput
            #expect(printed.contains("'darkroom_api'") && printed.contains("darkroom.grant_roles()"))
            for _ in 0..<2 { #expect(try await darkroom.darkroom("roles", "create").ending == .exited(0)) }
            let listed = try await darkroom.json("roles", "list")
            #expect(listed.map { $0.string("role") } == InstallationRole.allCases.map(\.name))
            #expect(listed.allSatisfy { $0.bool("exists") == true })
        }
    }
}
