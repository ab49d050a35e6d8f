import DarkroomClient
import FoundationEssentials
import Postgres
import TestKit
import Testing

@Suite("The Swift library's statements for an app's own connection", .timeLimit(.minutes(10)))
struct StatementTests {
    private static let photo = [UInt8]("a photo".utf8)

    private static var details: UploadDetails {
        var details = UploadDetails(uploader: "ada's")
        details.headline = "H \\ '1'"
        details.caption = "two\nlines"
        details.link = "https://example.org/a?b=c"
        details.category = "food"
        details.activity = "picnic"
        details.venueID = "v-1"
        details.venueName = "Pier"
        details.credit = "Ada"
        details.licence = "CC0-1.0"
        details.coordinates = (-47.6026, 122.339_312_345)
        details.accuracyMetres = 12.5
        details.locationPrivacy = .grid100m
        details.place = "Seattle, WA"
        details.placeNear = (47, -122)
        details.placeCountry = "US"
        details.isAnonymous = true
        details.takenAt = Date(timeIntervalSince1970: 1_767_323_045.25)
        details.priority = -3
        details.runAt = Date(timeIntervalSince1970: 4_000_000_000)
        return details
    }

    /// Runs a statement as a driver does that declares every parameter as a text.
    private static func run(
        _ statement: EnqueueStatement, on connection: PostgresConnection
    ) async throws -> PostgresRow {
        let types = statement.parameters.map { _ in "text" }.joined(separator: ", ")
        try await connection.query(
            "prepare enqueueing (\(unescaped: types)) as \(unescaped: statement.sql)")
        let values = statement.parameters.map { text in
            text.map { "'\($0.replacing("'", with: "''"))'" } ?? "null"
        }
        let rows = try await connection.query(
            "execute enqueueing (\(unescaped: values.joined(separator: ", ")))")
        try await connection.query("deallocate enqueueing")
        return try #require(rows.first)
    }

    @Test("queue what the library's own calls queue, one photo or many")
    func same() async throws {
        try await Scene.with { (scene: Scene) async throws -> Void in
            let (client, details) = (scene.client, Self.details)
            let photo = try await client.store(bytes: Self.photo)
            let job = try await client.enqueue(photo, details)
            let jobs = try await client.enqueue([(photo, details), (photo, UploadDetails(uploader: "bob"))])
            let all = try await scene.database.pool.withConnection {
                (connection: PostgresConnection) async throws -> [Int64] in
                let one = try await Self.run(
                    client.statement(enqueueing: photo, details), on: connection)
                let many = try await Self.run(
                    client.statement(enqueueing: [
                        (photo, details), (photo, UploadDetails(uploader: "bob")),
                    ]), on: connection)
                return try [job, one.decode("job_id")] + jobs + many.decode("job_ids", as: [Int64].self)
            }
            #expect(Set(all).count == 6)
            // What the photo is and what was said of it, for each of those jobs.
            let uploads = try await scene.database.pool.query(
                """
                select uploader, count(*) as jobs,
                       count(distinct to_jsonb(u) - 'upload_id' - 'job_id' - 'created_at') as kinds
                from darkroom.uploads u where job_id = any(\(all)::bigint[]) group by uploader order by uploader
                """)
            #expect(try uploads.map { try $0.decode("uploader", as: String.self) } == ["ada's", "bob"])
            #expect(try uploads.map { try $0.decode("jobs", as: Int.self) } == [4, 2])
            #expect(try uploads.map { try $0.decode("kinds", as: Int.self) } == [1, 1])
            // Every field of an upload arrives; two are used by other tests.
            #expect(
                try await scene.number(
                    """
                    select count(*) as missing
                    from darkroom.uploads u cross join lateral jsonb_each(to_jsonb(u)) c
                    join pg_attribute a on a.attrelid = 'darkroom.new_upload'::regclass and a.attname = c.key
                    where u.uploader = 'ada''s' and c.value in ('null', 'false')
                      and c.key not in ('idempotency_key', 'replaces', 'is_draft')
                    """) == 0)
            #expect(
                try await scene.number(
                    """
                    select count(*) as jobs from darkroom.jobs j join darkroom.lanes l using (lane)
                    where l.priority = -3 and run_at = to_timestamp(4000000000)
                    """) == 2)
        }
    }

    @Test("take the app's own rows with them, and are taken with them")
    func transaction() async throws {
        try await Scene.with { (scene: Scene) async throws -> Void in
            let client = scene.client
            try await scene.execute("create table drafts (job_id bigint)")
            let statement = try client.statement(
                enqueueing: try await client.store(bytes: Self.photo), Self.details)
            let connection = try await PostgresConnection.connect(scene.database.configuration)
            for (ending, rows) in [("rollback", 0), ("commit", 1)] {
                try await connection.query("begin")
                let job: Int64 = try await Self.run(statement, on: connection).decode("job_id")
                try await connection.query("insert into drafts values (\(job))")
                #expect(try await client.status(of: job) == nil)
                try await connection.query(PostgresQuery(unescaped: ending))
                #expect(try await scene.number("select count(*) as n from drafts") == rows)
                #expect(try await client.status(of: job)?.state == (rows == 0 ? nil : .scheduled))
            }
            await connection.close()
        }
    }

    @Test("refuse what PostgreSQL has no text for")
    func noText() async throws {
        try await withTemporaryDirectory { (media: String) async throws -> Void in
            let client = try DarkroomClient(database: "postgresql://nowhere.invalid", media: media)
            let photo = StoredPhoto(key: "k", sha256: "0", byteCount: 1)
            var wrong = Self.details
            wrong.caption = "a\0b"
            let refused = wrong
            #expect(
                await failure { _ = try client.statement(enqueueing: photo, refused) }.code == .invalidUpload)
            await client.close()
        }
    }
}
