import ChildProcess
import FoundationEssentials
import Postgres
import TestKit
import Testing

@Suite("Lists of known photos from the command line", .timeLimit(.minutes(15)))
struct KnownHashCommandTests {
    private static func photo(_ darkroom: Installation, seed: Int) throws -> String {
        try darkroom.write(
            PhotoFixture.jpeg(latitude: 47.6, longitude: -122.3, seed: seed), to: "photo\(seed).jpg")
    }

    /// The hash that a list has of a photo.
    private static func hash(of photo: String, _ darkroom: Installation) async throws -> String {
        let report = try #require(try await darkroom.json("inspect", photo).first)
        #expect(try #require(report.number("pdq_quality")) >= 50)
        return try #require(report.string("pdq"))
    }

    private static func ingest(_ photo: String, _ darkroom: Installation) async throws -> JSONObject {
        let job = try #require(try await darkroom.json("enqueue", "--uploader", "ada", photo).first)
        try await darkroom.drain()
        let number = Int(try #require(job.number("job_id")))
        return try #require(try await darkroom.json("jobs", "show", "\(number)").first)
    }

    private static func renditions(_ darkroom: Installation) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: darkroom.media + "/renditions").sorted()
    }

    private static func count(_ table: String, _ darkroom: Installation) async throws -> Int {
        try await darkroom.database.pool.query(
            "select count(*) as rows from darkroom.\(unescaped: table)")[0].decode("rows", as: Int.self)
    }

    @Test("an import, and what becomes of uploads and posts, by a worker")
    func wholeWay() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let photo = try Self.photo(darkroom, seed: 3)
            let hash = try await Self.hash(of: photo, darkroom)
            #expect(try await Self.ingest(photo, darkroom).string("state") == "succeeded")
            let list = try darkroom.write(Array("# known\nhash,quality\n\(hash),88\n".utf8), to: "list.csv")
            let added = try #require(
                try await darkroom.json(
                    "review", "hashes", "import", list, "--name", "secret list", "--action", "hold",
                    "--reviewer", "olga", "--note", "May"
                ).first)
            #expect(added.number("added") == 1 && added.number("known") == 0)

            let checked = try #require(try await darkroom.json("review", "hashes", "check").first)
            #expect(checked.number("listed") == 1 && checked.number("hidden") == 1)
            let items = try await darkroom.json("review", "list")
            #expect(items.map { $0.string("cause") } == ["listed_hash"])
            #expect(items.map { $0.string("state") } == ["hidden"])
            let shown = try await darkroom.command(["review", "show", "1"]).runSuccessfully().standardOutput
            #expect(shown.contains("on the list secret list, 0 bits apart"))

            #expect(try await Self.ingest(photo, darkroom).string("state") == "succeeded")
            #expect(
                try await darkroom.json("review", "list", "--state", "held").map { $0.string("cause") }
                    == ["listed_hash"])

            // The same name: the list is changed, and keeps its hash.
            let again = try #require(
                try await darkroom.json(
                    "review", "hashes", "import", list, "--name", "secret list", "--action", "refuse"
                ).first)
            #expect(again.number("added") == 0 && again.number("known") == 1)
            let lists = try await darkroom.json("review", "hashes", "list")
            #expect(lists.map { $0.string("action") } == ["refuse"])
            #expect(lists.map { $0.string("note") } == ["May"])
            #expect(lists.map { $0.string("added_by") } == ["olga"])
            let stored = try Self.renditions(darkroom)
            let job = try await Self.ingest(photo, darkroom)
            #expect(try Self.renditions(darkroom) == stored, "a photo that is refused is not stored")
            #expect(try await Self.count("retired_media", darkroom) == 0, "nor was it")
            #expect(job.string("state") == "rejected" && job.string("reason") == "photo_refused")
            #expect(job.string("message")?.contains("list") == false)
            let refusals = try await darkroom.json("review", "hashes", "refusals")
            #expect(refusals.map { $0.string("list") } == ["secret list"])
            #expect(refusals.map { $0.number("distance") } == [0])
            #expect(refusals.map { $0.number("job_id") } == [job.number("job_id")])

            let other = try Self.photo(darkroom, seed: 4)
            #expect(try await Self.ingest(other, darkroom).string("state") == "succeeded")
            try await darkroom.command(["review", "hashes", "remove", "secret list"]).runSuccessfully()
            let missing = try await darkroom.darkroom("review", "hashes", "remove", "secret list")
            #expect(missing.ending == .exited(1) && missing.standardError.contains("review hashes list"))
        }
    }

    @Test("an import that comes while a photo is in work holds for this photo, too")
    func meanwhile() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let photo = try Self.photo(darkroom, seed: 3)
            let hash = try await Self.hash(of: photo, darkroom)
            let job = try #require(try await darkroom.json("enqueue", "--uploader", "ada", photo).first)
            let worker = try await darkroom.database.pool.withTransaction { transaction in
                // As an import does before it commits.
                try await transaction.query("select darkroom.take_lock('hash_lists')")
                let worker = try await darkroom.database.start { try await darkroom.drain() }
                try await transaction.query(
                    """
                    with list as (insert into darkroom.hash_lists (name, action, added_by)
                                  values ('list', 'refuse', 'olga') returning list_id)
                    insert into darkroom.listed_hashes (list_id, hash)
                    select list_id, ('x' || \(hash))::bit(256) from list
                    """)
                return worker
            }
            try await worker.value
            let number = Int(try #require(job.number("job_id")))
            let ended = try #require(try await darkroom.json("jobs", "show", "\(number)").first)
            #expect(ended.string("state") == "rejected" && ended.string("reason") == "photo_refused")
            #expect(try await Self.count("posts", darkroom) == 0)
        }
    }

    @Test("a post that is rendered again gets the hash of its photo again")
    func rerendered() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let photo = try Self.photo(darkroom, seed: 3)
            let hash = try await Self.hash(of: photo, darkroom)
            _ = try await Self.ingest(photo, darkroom)
            let pool = darkroom.database.pool
            for earlier in ["null", "repeat('10', 128)::bit(256)"] {
                try await pool.query(
                    "update darkroom.posts set pdq = \(unescaped: earlier), pdq_quality = case when \(unescaped: earlier) is not null then 1 end"
                )
                func isRight() async throws -> Bool {
                    let kept = try await pool.query(
                        "select pdq = ('x' || \(hash))::bit(256) and pdq_quality >= 50 as yes from darkroom.posts"
                    )
                    return try kept[0].decode("yes", as: Bool?.self) == true
                }
                #expect(try await !isRight())
                try await pool.query(
                    "select from darkroom.posts p, darkroom.enqueue_rerenders(p.rendered_with, 0, 10, null, 1, true)"
                )
                try await darkroom.drain()
                #expect(try await isRight(), "\(earlier)")
            }
        }
    }

    @Test(
        "an import skips a heading and a byte order mark, as spreadsheets write them",
        arguments: ["", "hash,quality\r\n", "pdq_hash,quality\n", "Hashes of May\n"])
    func heading(heading: String) async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let hash = String(repeating: "0123456789abcdef", count: 4)
            let list = try darkroom.write(
                Array("\u{FEFF}\(heading) \(hash.uppercased()) , 80\r\n".utf8), to: "list")
            let added = try await darkroom.json(
                "review", "hashes", "import", list, "--name", "list", "--action", "hold")
            #expect(added.first?.number("added") == 1)
        }
    }

    @Test("an import names the lines that are wrong, and imports nothing")
    func badLines() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let hash = String(repeating: "0123456789abcdef", count: 4)
            func imported(_ text: String) async throws -> ChildProgram.Output {
                let path = try darkroom.write(Array(text.utf8), to: "list")
                return try await darkroom.darkroom(
                    "review", "hashes", "import", path, "--name", "list", "--action", "hold")
            }
            for (text, problem) in [
                ("\(hash)\n\(hash.dropLast())\n", "line 2 has 63 hexadecimal digits; a PDQ hash has 64"),
                ("\n\n\(hash)0\n", "line 3 has 65 hexadecimal digits; a PDQ hash has 64"),
                ("\(hash.dropLast())g\n", "line 1 is not a PDQ hash"),
                ("\(hash),101\n", "line 1 has a quality that is not a whole number from 0 to 100"),
                ("\(hash),high\r\n", "line 1 has a quality"),
                ("\(hash)\n" + String(repeating: "0", count: 300_000), "line 2 has more than 4096 bytes"),
                (String(repeating: "0", count: 300_000) + "\n\(hash)\nx", "line 3 is not a PDQ hash"),
                ("", "the file has no hash"), ("# nothing\n", "the file has no hash"),
                (
                    String(repeating: "x\n", count: 25),
                    "line 10 is not a PDQ hash: it has something else than"
                ),
                (String(repeating: "x\n", count: 25), "and 15 more"),
            ] {
                let output = try await imported(text)
                #expect(output.ending == .exited(1), "\(problem)")
                #expect(
                    output.standardError.contains("nothing was imported")
                        && output.standardError.contains(problem), "\(output.standardError)")
            }
            #expect(try await Self.count("hash_lists", darkroom) == 0)
            let list = "\(darkroom.root)/list"
            for (name, problem) in [
                (" ", "--name is missing"), (String(repeating: "x", count: 101), "longer"),
            ] {
                let output = try await darkroom.darkroom(
                    "review", "hashes", "import", list, "--name", name, "--action", "hold")
                #expect(output.ending == .exited(64) && output.standardError.contains(problem))
            }
            // Case, line ends, spaces, more fields, and no end of the last line.
            let good = "\(hash.uppercased())\r\n \(hash) , 49 , x\n\(hash),50,seen in May, twice"
            #expect(try await imported(good).ending == .exited(0))
            #expect(try await Self.count("listed_hashes", darkroom) == 1)
        }
    }
}
