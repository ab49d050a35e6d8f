import ChildProcess
import FoundationEssentials
import JobStore
import Postgres
import TestKit
import Testing

@Suite("An operator with only the role's rights", .timeLimit(.minutes(10)))
struct OperatorRoleTests {
    private static func run(
        _ darkroom: Installation, as role: InstallationRole, _ arguments: [String],
        of program: String = "darkroom"
    ) async throws -> ChildProgram.Output {
        var command = darkroom.command(arguments, of: program)
        command.environment["DATABASE_URL"] = try await darkroom.database.url(as: role)
        return try await command.run()
    }

    /// An installation with rejected jobs and posts 1 to 4; 2 and 3 are hidden, and 4 needs no review.
    private static func prepare(_ darkroom: Installation) async throws {
        try await darkroom.database.makeLogins()
        let pool = darkroom.database.pool
        for number in 1...4 {
            let photo = PhotoFixture.jpeg(
                width: 200 + number, height: 150, latitude: 47.6, longitude: -122.3)
            _ = try await darkroom.json(
                "enqueue", "--uploader", "ada", try darkroom.write(photo, to: "p\(number).jpg"))
        }
        for number in 5...7 {
            _ = try await darkroom.json(
                "enqueue", "--uploader", "bob",
                try darkroom.write(PhotoFixture.jpeg(width: 200 + number), to: "p\(number).jpg"))
        }
        try await darkroom.drain()
        for post in 2...3 {
            for reporter in 1...5 {
                try await pool.query(
                    """
                    select darkroom.report_post(
                        \(Int64(post)), \("r\(reporter)"), 'spam', reporter_since => now() - interval '1 year')
                    """)
            }
        }
        try await pool.query("select darkroom.add_comment(1, 'eve', 'First!')")
        try await darkroom.drain()
        try await pool.query("select darkroom.notify_of_events()")
        let folder = darkroom.media + "/renditions/ab/cd"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data([1, 2, 3]).write(to: URL(filePath: folder + "/stray.jpg"))
    }

    @Test("can do everything that the role is for from the command line")
    func commands() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await Self.prepare(darkroom)
            let small = #"{"recipe": {"name": "s", "version": 2, "renditions": [{"name": "t", "fit": 64}]}}"#
            let rendering = try darkroom.write(Array(small.utf8), to: "small.json")
            let photo = try darkroom.write(
                PhotoFixture.jpeg(width: 300, latitude: 47.6, longitude: -122.3), to: "more.jpg")
            let reviewer = ["--reviewer", "olga"]
            for arguments in [
                ["enqueue", "--uploader", "cy", photo], ["jobs", "list"], ["jobs", "show", "5"],
                ["jobs", "replay", "5", "--why", "again"], ["jobs", "cancel", "5"],
                ["jobs", "discard", "6", "--why", "hopeless"], ["jobs", "replay", "--state", "rejected"],
                ["jobs", "export"],
                ["queue", "stats"], ["queue", "list"], ["queue", "top", "--count", "1"],
                ["queue", "pause", "--kind", "ingest"], ["queue", "resume", "--kind", "ingest"],
                ["queue", "drain", "--kind", "noop", "--no-wait"], ["queue", "resume", "--kind", "noop"],
                ["workers", "list"], ["schedules", "list"],
                ["schedules", "set", "expire", "--cron", "*/2 * * * *"],
                ["posts", "list", "--all"], ["posts", "show", "1"], ["posts", "relocate", "--dry-run"],
                ["posts", "correct-place", "1", "--place", "Springfield, IL"],
                ["posts", "relocate"], ["posts", "rerender", "--rendering", rendering, "--dry-run"],
                ["review", "list"], ["review", "show", "2"],
                ["review", "approve", "2", "--note", "a statue"] + reviewer,
                ["review", "remove", "3", "--law", "§ 1", "--note", "No."] + reviewer,
                ["review", "statement", "1"],
                ["review", "appeal", "3", "--uploader", "ada", "--text", "Why?"],
                ["review", "restore", "3", "--note", "After all."] + reviewer,
                ["review", "comments", "list"], ["review", "comments", "show", "1"],
                ["review", "comments", "remove", "1", "--note", "No."] + reviewer,
                ["review", "comments", "restore", "1"] + reviewer,
                ["policy", "show"], ["policy", "list"], ["policy", "try", "--hide-threshold", "8"],
                ["policy", "set", "--hide-threshold", "8", "--note", "term time"],
                ["policy", "posting", "show"], ["settings", "list"],
                ["settings", "list", "draft_days"], ["settings", "set", "draft_days", "60"],
                ["policy", "posting", "set", "--headline", "required", "--note", "campus"],
                ["events", "tail"], ["events", "tail", "--consumer", "push", "--from-start"],
                ["people", "bar", "eve", "--reason", "Spam.", "--days", "7", "--by", "olga"],
                ["people", "bars"],
                ["people", "bars", "eve"], ["people", "unbar", "eve", "--by", "olga"],
                ["people", "erase", "ada", "--dry-run"], ["people", "erase", "cy"],
                ["people", "show-erasures"], ["roles", "list"],
                ["sweep", "--delete", "--older-than", "0s"],
                ["store", "show"],
            ] {
                let output = try await Self.run(darkroom, as: .operator, arguments)
                #expect(output.ending == .exited(0), "\(arguments): \(output.standardError)")
            }
            for page in ["sql-api", "data-model"] {
                let output = try await Self.run(darkroom, as: .operator, ["docs", page], of: "darkroom-dev")
                #expect(output.ending == .exited(0), "\(page): \(output.standardError)")
            }
            let doctor = try await Self.run(darkroom, as: .operator, ["doctor"])
            #expect(!(doctor.standardOutput + doctor.standardError).contains("permission denied"))
        }
    }

    @Test("can relocate posts, have them rendered again, and drain workers")
    func work() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await Self.prepare(darkroom)
            // As if another index had located them.
            try await darkroom.database.pool.query(
                "update darkroom.posts set located_by = 7, place_name = 'X'")
            let relocated = try await Self.run(darkroom, as: .operator, ["posts", "relocate", "--json"])
            #expect(relocated.ending == .exited(0), "\(relocated.standardError)")
            #expect(try JSONObject.lines(relocated.standardOutput).first?.number("posts") == 4)

            let small = #"{"recipe": {"name": "s", "version": 2, "renditions": [{"name": "t", "fit": 64}]}}"#
            let rendering = try darkroom.write(Array(small.utf8), to: "small.json")
            let worker = try WorkerProcess(darkroom, "--rendering", rendering)
            let rerendered = try await Self.run(
                darkroom, as: .operator, ["posts", "rerender", "--rendering", rendering, "--json"])
            #expect(rerendered.ending == .exited(0), "\(rerendered.standardError)")
            #expect(try JSONObject.lines(rerendered.standardOutput).first?.number("rendered") == 4)
            let again = try await Self.run(
                darkroom, as: .operator, ["posts", "rerender", "--all", "--rendering", rendering, "--json"])
            #expect(again.ending == .exited(0), "\(again.standardError)")
            let picture = try await darkroom.database.pool.query(
                "select media_key from darkroom.renditions order by post_id limit 1")[0]
            try FileDamage.middleByte.happen(
                to: "\(darkroom.media)/\(try picture.decode("media_key", as: String.self))")
            for left in [1, 0] as [Int32] {
                let verified = try await Self.run(darkroom, as: .operator, ["sweep", "--verify"])
                #expect(verified.ending == .exited(left), "\(verified.standardError)")
            }
            let known = try #require(try await darkroom.json("workers", "list").first?.number("worker_id"))
            let drained = try await Self.run(
                darkroom, as: .operator, ["workers", "drain", String(Int(known)), "--wait"])
            #expect(drained.ending == .exited(0), "\(drained.standardError)")
            #expect(try await worker.end() == .exited(0))
        }
    }
}
