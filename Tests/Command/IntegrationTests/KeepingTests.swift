import ChildProcess
import FoundationEssentials
import Glibc
import Postgres
import Posts
import TestKit
import Testing

@Suite("What is kept", .timeLimit(.minutes(15)))
struct KeepingTests {
    private static let small =
        #"{"recipe": {"name": "small", "version": 2, "renditions": [{"name": "tiny", "fit": 64}]}}"#

    private static func publish(_ count: Int, in darkroom: Installation) async throws {
        for number in 1...count {
            let photo = PhotoFixture.jpeg(
                width: 200 + number, height: 150, latitude: -33.9175, longitude: 18.4026)
            _ = try await darkroom.json(
                "enqueue", "--uploader", "ada", try darkroom.write(photo, to: "p\(number).jpg"))
        }
        try await darkroom.drain()
    }

    @Test("Posts are rendered again by another recipe, once, and their old pictures are deleted later")
    func rerender() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await Self.publish(4, in: darkroom)
            let rendering = try darkroom.write(Array(Self.small.utf8), to: "small.json")
            let store = ReadingStore(pool: darkroom.database.pool)
            let posts = try await store.posts(in: [.published], limit: 10).map(\.id).sorted()
            // The original of one was deleted.
            try await darkroom.database.pool.query(
                """
                with erased as (
                    update darkroom.uploads u set original_erased_at = now() from darkroom.posts p
                    where p.upload_id = u.upload_id and p.post_id = \(posts[0]) returning original_key)
                select darkroom.retire_media(array_agg(original_key)) from erased
                """)
            let dryRun = try await darkroom.json("posts", "rerender", "--dry-run", "--rendering", rendering)
            #expect(dryRun.first?.number("posts") == 3 && dryRun.first?.number("original_gone") == 1)

            let checksum = try #require(dryRun.first?.string("recipe_checksum"))
            #expect(dryRun.first?.string("recipe") == "small" && checksum.count == 16)
            let text = try await darkroom.command([
                "posts", "rerender", "--dry-run", "--rendering", rendering, "--recipe",
                String(checksum.prefix(6)),
            ]).runSuccessfully()
            #expect(
                text.standardError.contains(
                    "3 posts would be rendered again by small, version 2 (checksum \(checksum))"))
            // Refused if --recipe does not match: by name, by digits of the checksum, or by too few of them.
            for name in ["feed", "standard", "000000", String(checksum.prefix(5))] {
                let refused = try await darkroom.command(
                    ["posts", "rerender", "--rendering", rendering, "--recipe", name]
                ).run()
                #expect(refused.ending == .exited(64), "\(name)")
                for part in ["--recipe \(name) ", "small, version 2", checksum] {
                    #expect(refused.standardError.contains(part), "\(name)")
                }
            }
            for (post, word) in [("99999", "there is no post 99999"), (String(posts[0]), "")] {
                let one = try await darkroom.command(
                    ["posts", "rerender", "--rendering", rendering, "--post", post, "--dry-run"]
                ).run()
                #expect(one.ending == .exited(word.isEmpty ? 0 : 1), "\(post)")
                #expect(one.standardError.contains(word))
            }

            let worker = try WorkerProcess(darkroom, "--rendering", rendering)
            let output = try await darkroom.command([
                "posts", "rerender", "--rendering", rendering, "--recipe", "small", "--window", "1", "--json",
            ]).runSuccessfully()
            let done = try #require(try JSONObject.lines(output.standardOutput).first)
            #expect(done.number("rendered") == 3 && done.number("left") == 0)
            #expect(done.number("original_gone") == 1)
            #expect(try #require(try await store.post(posts[0])).renditions.count == 3)
            for post in posts.dropFirst() {
                let renditions = try #require(try await store.post(post)).renditions
                #expect(renditions.map(\.name) == ["tiny"] && renditions[0].width == 64)
                #expect(FileManager.default.fileExists(atPath: "\(darkroom.media)/\(renditions[0].mediaKey)"))
            }
            let retired = try await darkroom.database.pool.query(
                """
                select count(*) as files, bool_and(due_at > now() + interval '23 hours') as later
                from darkroom.retired_media where media_key like 'renditions/%'
                """)
            #expect(
                try retired[0].decode("files", as: Int.self) == 6,
                "large and medium of a small photo are one file")
            #expect(try retired[0].decode("later", as: Bool.self))
            let again = try await darkroom.json("posts", "rerender", "--rendering", rendering)
            #expect(again.first?.number("posts") == 0)
            let forced = try await darkroom.json(
                "posts", "rerender", "--all", "--post", String(posts[1]), "--rendering", rendering)
            #expect(forced.first?.number("rendered") == 1)
            worker.send(SIGTERM)
            #expect(try await worker.end() == .exited(0))

            // Readers had a day; now the old pictures are deleted.
            try await darkroom.database.pool.query("update darkroom.retired_media set due_at = now()")
            try await darkroom.database.pool.query(
                "select darkroom.enqueue_job('erase_originals', 0, 'upkeep')")
            try await darkroom.drain()
            #expect(try filesBelow(darkroom.media + "/renditions").count == 2 + 3)
            let swept = try await darkroom.json("sweep", "--older-than", "0s")
            #expect(swept.first?.number("unreferred") == 0 && swept.first?.number("missing") == 0)
        }
    }

    @Test("Posts whose original is missing or damaged stay as they are and are reported")
    func missingOriginal() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await Self.publish(1, in: darkroom)
            let rendering = try darkroom.write(Array(Self.small.utf8), to: "small.json")
            let before = try filesBelow(darkroom.media + "/renditions")
            for file in try filesBelow(darkroom.media + "/originals") {
                try FileManager.default.removeItem(atPath: "\(darkroom.media)/originals/\(file)")
            }
            let worker = try WorkerProcess(darkroom, "--rendering", rendering)
            let output = try await darkroom.command([
                "posts", "rerender", "--rendering", rendering, "--json",
            ]).run()
            worker.send(SIGTERM)
            #expect(try await worker.end() == .exited(0))
            #expect(output.ending == .exited(1))
            let said = try #require(try JSONObject.lines(output.standardOutput).first)
            #expect(said.number("posts") == 1 && said.number("rendered") == 0 && said.number("left") == 1)
            let jobs = try await darkroom.json("jobs", "list", "--kind", "rerender")
            #expect(jobs.first?.string("reason") == "original_missing")
            #expect(try filesBelow(darkroom.media + "/renditions") == before)
            let swept = try await darkroom.darkroom("sweep", "--json")
            #expect(swept.ending == .exited(1))
            #expect(try JSONObject.lines(swept.standardOutput).first?.string("finding") == "missing")
        }
    }

    @Test("A replayed job whose original was deleted says so")
    func replay() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let pool = darkroom.database.pool
            _ = try await darkroom.json(
                "enqueue", try darkroom.write(PhotoFixture.jpeg(), to: "p.jpg"))
            try await darkroom.drain()
            let job = try #require(try await darkroom.json("jobs", "list", "--kind", "ingest").first)
            #expect(job.string("reason") == "no_location")
            try await pool.query("update darkroom.uploads set created_at = now() - interval '8 days'")
            try await pool.query("update darkroom.settings set original_grace = '0'")
            try await pool.query("select darkroom.enqueue_job('erase_originals', 0, 'upkeep')")
            try await darkroom.drain()
            #expect(try filesBelow(darkroom.media).isEmpty)
            let number = String(Int(try #require(job.number("job_id"))))
            try await darkroom.command(["jobs", "replay", number]).runSuccessfully()
            try await darkroom.drain()
            let replayed = try await darkroom.json("jobs", "list").filter { $0.string("kind") == "ingest" }
            #expect(replayed.first?.string("reason") == "original_erased")
        }
    }

    @Test("A person is erased from the command line, and a stray file found and deleted")
    func commands() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await Self.publish(2, in: darkroom)
            try await darkroom.database.pool.query("update darkroom.settings set original_grace = '0'")
            let found = try #require(
                try await darkroom.json("people", "erase", "ada", "--dry-run").first)
            #expect(found.number("posts") == 2 && found.isNull("erasure_id"))
            _ = try await darkroom.json("people", "erase", "ada")
            try await darkroom.drain()
            let erasure = try #require(try await darkroom.json("people", "show-erasures").first)
            #expect(erasure.string("state") == "finished" && erasure.isNull("person"))
            #expect(erasure.number("posts") == 2 && erasure.number("files") == 6)
            #expect(try filesBelow(darkroom.media).isEmpty)
            #expect(try await darkroom.json("posts", "list", "--all").isEmpty)

            let folder = darkroom.media + "/renditions/ab/cd"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data([1, 2, 3]).write(to: URL(filePath: folder + "/stray.jpg"))
            let output = try await darkroom.darkroom("sweep", "--older-than", "0s", "--json")
            #expect(output.ending == .exited(1))
            #expect(
                try JSONObject.lines(output.standardOutput).first?.string("path")
                    == "renditions/ab/cd/stray.jpg")
            let deleted = try await darkroom.darkroom("sweep", "--older-than", "0s", "--delete")
            #expect(deleted.ending == .exited(0))
            #expect(try filesBelow(darkroom.media).isEmpty)
        }
    }

    @Test("An erasure is ordered by whoever sits at a terminal only after they have said yes")
    func question() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await Self.publish(1, in: darkroom)
            // script(1) runs a command on a terminal, and types what it reads.
            func erase(_ options: String, typing answer: String) async throws -> (
                ending: ChildProgram.Ending, text: String
            ) {
                let command = "\(Checkout.programs)/darkroom people erase ada \(options)"
                let output = try await ChildProgram(
                    "/bin/sh", ["-c", "printf '\(answer)' | script -qec '\(command)' /dev/null"],
                    environment: darkroom.environment, workingDirectory: darkroom.root
                ).run()
                return (output.ending, output.standardOutput)
            }
            for answer in ["no\\n", "\\n", "yesterday\\n", "\\004"] {
                let declined = try await erase("", typing: answer)
                #expect(declined.ending == .exited(1), "\(answer)")
                #expect(declined.text.contains("posts") && declined.text.contains("It cannot be undone"))
                #expect(declined.text.contains("nothing was erased"))
            }
            #expect(try await darkroom.json("people", "show-erasures").isEmpty)
            for (options, answer) in [("", " Yes\\n"), ("--yes", ""), ("--json", "y\\n")] {
                let ordered = try await erase(options, typing: answer)
                #expect(ordered.ending == .exited(0) && ordered.text.contains("rasure"), "\(ordered.text)")
            }
            #expect(try await darkroom.json("people", "show-erasures").count >= 1)
        }
    }

    @Test("Re-rendering without a worker says what it waits for, and an interrupted one what was done")
    func withoutWorker() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await Self.publish(3, in: darkroom)
            let rendering = try darkroom.write(Array(Self.small.utf8), to: "small.json")
            let worker = try WorkerProcess(darkroom, "--rendering", rendering)
            _ = try await darkroom.json("posts", "rerender", "--rendering", rendering)
            worker.send(SIGTERM)
            #expect(try await worker.end() == .exited(0))

            let process = try OperatorProcess(
                darkroom, "posts", "rerender", "--all", "--window", "1", "--rendering", rendering)
            try await until {
                process.text.contains("1 job waits for a worker of queue default; there is none")
            }
            process.send(SIGINT)
            #expect(try await process.end() == .exited(130))
            #expect(process.text.contains("0 posts were rendered again. 1 are left"))
        }
    }
}
