import ChildProcess
import FoundationEssentials
import JobStore
import Postgres
import Schema
import TestKit
import Testing

/// What the users of other PostgreSQL drivers get.
@Suite("Rows read by drivers for Python", .timeLimit(.minutes(15)))
struct DriverTests {
    @Test(
        "are scalars, lists and objects from every public function, with psycopg, psycopg2, pg8000 and asyncpg"
    )
    func rows() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.makeLogins()
            try await DocsTests.fill(database)
            // The examples show single columns; a call that returns rows is read whole.
            let calls = SchemaFile.all.filter { $0.callers.contains("api") }.compactMap(\.example).map {
                example in
                example.replacing(
                    #/^select .*? from (?=darkroom\.)/#.dotMatchesNewlines(), with: "select * from ")
            }
            #expect(calls.filter { $0.hasPrefix("select * from ") }.count >= 15)
            try await database.pool.query(
                "update darkroom.posts set placeholder = '\\x0102030405', taken_at_local = now()")
            try await database.pool.query(
                """
                insert into darkroom.renditions (post_id, name, media_key, sha256, width, height, bytes)
                select post_id, 'large', 'renditions/' || post_id, sha256('a'), 1920, 1080, 5000000000 from darkroom.posts
                """)
            let url = try await database.url(as: .api)
            let python = try await PythonEnvironment.interpreter(
                "drivers", requirements: "Tests/Client/Drivers/requirements.txt")
            let output = try await withTemporaryDirectory { (folder: String) async throws in
                try JSONEncoder().encode(calls).write(to: URL(fileURLWithPath: folder + "/calls.json"))
                return try await ChildProgram(
                    python, [Checkout.root + "/Tests/Client/Drivers/rows", url, folder + "/calls.json"]
                ).run()
            }
            #expect(output.ending == .exited(0), "\(output.standardOutput)\(output.standardError)")
            #expect(output.standardOutput.split(separator: "\n").count == 4)
        }
    }
}
