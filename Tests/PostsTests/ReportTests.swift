import Postgres
import Posts
import TestKit
import Testing

@Suite("Reports")
struct ReportTests {
    @Test("with too many words are refused, and the refusal does not show the reporter's record")
    func details() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.publishPosts(1)
            let post = try #require(try await database.visiblePosts().first).id
            try await database.pool.query(
                "insert into darkroom.people (person, agreed, disagreed) values ('ada', 71, 93)")
            let error = await #expect(throws: PostgresError.self) {
                try await database.pool.query(
                    "select darkroom.report_post(\(post), 'ada', 'spam', repeat('é', 2001))")
            }
            #expect(error?.sqlState == .checkViolation)
            #expect(error?.constraint == "details_is_at_most_2000_characters")
            #expect(error?.detail == nil)
            try await database.pool.query(
                "select darkroom.report_post(\(post), 'ada', 'spam', repeat('é', 2000))")
            #expect(try await database.number("select count(*) from darkroom.reports") == 1)
        }
    }
}
