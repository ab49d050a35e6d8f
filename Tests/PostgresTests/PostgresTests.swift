import Postgres
import TestKit
import Testing

@Suite struct SmokeTests {
    @Test func queries() async throws {
        try await TestDatabase.withDatabase { database in
            let connection = try await PostgresConnection.connect(PostgresConfiguration(url: database.url))
            let rows = try await connection.query(
                "select \(41)::int + 1 as answer, \(nil as String?)::text as nothing")
            #expect(try rows[0].decode("answer", as: Int.self) == 42)
            #expect(try rows[0].decode("nothing", as: String?.self) == nil)
            await connection.close()
        }
    }
}
