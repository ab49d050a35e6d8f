import ChildProcess
import DarkroomClient
import FoundationEssentials
import Ingestion
import JobQueue
import JobStore
import MediaStore
import Postgres
import TestKit
import Testing

@Suite("Enqueueing", .timeLimit(.minutes(15)))
struct EnqueueTests {
    /// The code block of a page that follows `<!-- example: NAME -->`.
    static func example(_ name: String, in page: String) throws -> String {
        let data = try #require(FileManager.default.contents(atPath: "\(Checkout.root)/\(page)"))
        let text = String(decoding: data, as: UTF8.self)
        let after = try #require(text.components(after: "<!-- example: \(name) -->\n```"))
        let body = try #require(after.firstIndex(of: "\n").map { after[after.index(after: $0)...] })
        return try #require(String(body).components(before: "\n```"))
    }

    @Test("with psql, as the README shows")
    func psql() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let store = try MediaLocation.store(at: darkroom.media, recordedIn: darkroom.database.pool)
            // The example has the hash and size of this picture.
            _ = try await store.putOriginal(fromFile: Checkout.root + "/docs/demo.jpg")
            let example = try Self.example("psql", in: "README.md")
            let script = try darkroom.write(Array(example.utf8), to: "enqueue.sql")
            let psql = try #require(ChildProgram.find("psql"))
            let arguments = [
                "--no-psqlrc", "--set=ON_ERROR_STOP=1", "--file=\(script)", darkroom.database.url,
            ]
            // Both runs have the same idempotency key, so there is one job.
            for _ in 0..<2 { try await ChildProgram(psql, arguments).runSuccessfully() }
            try await darkroom.drain()
            let posts = try await darkroom.json("posts", "list")
            #expect(posts.map { $0.string("caption") } == ["The ferry at dawn"])
            #expect(posts.first?.string("place", "name") == "Seattle")
        }
    }

    @Test("statements of the queue's documentation run unchanged")
    func documentation() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let path = Checkout.root + "/docs/queue.md"
            let text = String(
                decoding: try #require(FileManager.default.contents(atPath: path)), as: UTF8.self)
            let blocks = text.split(separator: "```sql\n", omittingEmptySubsequences: false).dropFirst()
                .compactMap { String($0).components(before: "\n```") }
            try #require(blocks.count > 3)
            let script = try darkroom.write(Array(blocks.joined(separator: "\n").utf8), to: "queue.sql")
            let psql = try #require(ChildProgram.find("psql"))
            try await ChildProgram(
                psql, ["--no-psqlrc", "--set=ON_ERROR_STOP=1", "--file=\(script)", darkroom.database.url]
            ).runSuccessfully()
            let bulk = try #require(
                try await darkroom.json("queue", "stats").first?.array("unfinished").first)
            #expect(bulk.string("state") == "scheduled" && bulk.number("jobs") == 1000)
        }
    }

    @Test("with a driver of the app's own, in a transaction with the app's own rows, as examples/drafts does")
    func drafts() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let pool = darkroom.database.pool
            try await pool.query("create table drafts (photo text, job_id bigint)")
            let photo = try darkroom.write(PhotoFixture.jpeg(), to: "photo.jpg")
            for (ending, count) in [("rollback", 0), ("commit", 1)] {
                let output = try await darkroom.command(
                    [darkroom.database.url, darkroom.media, photo, ending], of: "Drafts"
                ).runSuccessfully()
                let job = Int64(output.standardOutput.split(separator: "\n").last ?? "")
                let drafts = try await pool.query("select job_id from drafts")
                let uploads = try await pool.query("select job_id from darkroom.uploads")
                #expect(drafts.count == count && uploads.count == count)
                for row in Array(drafts) + Array(uploads) {
                    #expect(try row.decode("job_id", as: Int64?.self) == job)
                }
            }
            try await darkroom.drain()
            let post = try #require(try await darkroom.json("posts", "list").first)
            #expect(post.string("caption") == "The ferry at dawn")
            #expect(post.string("place", "name") == "Seattle")
        }
    }

    @Test("with the Swift library, which also returns the job's status")
    func client() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let client = try DarkroomClient(database: darkroom.database.url, media: darkroom.media)
            var details = UploadDetails(uploader: "ada")
            details.coordinates = (47.6, -122.3)
            details.idempotencyKey = "one"
            let path = try darkroom.write(PhotoFixture.jpeg(), to: "p.jpg")
            let job = try await client.enqueue(photo: path, details)
            #expect(try await client.enqueue(photo: path, details) == job)
            #expect(try await client.status(of: job)?.state == .waiting)

            var nowhere = UploadDetails(uploader: "ada")
            nowhere.headline = "Where?"
            let lost = try await client.enqueue(
                try await client.store(bytes: PhotoFixture.jpeg(seed: 3)), nowhere)
            let withdrawn = try await client.enqueue(photo: path, UploadDetails(uploader: "bob"))
            #expect(try await client.cancel(withdrawn))
            try await darkroom.drain()

            let status = try #require(try await client.status(of: job))
            #expect(status.state == .succeeded && status.post != nil && status.attempts == 1)
            let rejected = try #require(try await client.status(of: lost))
            #expect(rejected.state == .rejected && rejected.reason == "no_location" && rejected.post == nil)
            #expect(try await client.status(of: withdrawn)?.state == .cancelled)
            #expect(try await client.status(of: 999) == nil)

            details.idempotencyKey = nil
            details.coordinates = (95, 0)
            let error = await #expect(throws: DarkroomError.self) {
                try await client.enqueue(photo: path, details)
            }
            #expect(error?.code == .invalidUpload)
            let missing = await #expect(throws: DarkroomError.self) {
                try await client.enqueue(photo: "/nowhere/p.jpg", nowhere)
            }
            #expect(missing?.code == .media)
            await client.close()
        }
    }
}

extension String {
    fileprivate func components(after mark: String) -> String? {
        firstRange(of: mark).map { String(self[$0.upperBound...]) }
    }

    fileprivate func components(before mark: String) -> String? {
        firstRange(of: mark).map { String(self[..<$0.lowerBound]) }
    }
}
