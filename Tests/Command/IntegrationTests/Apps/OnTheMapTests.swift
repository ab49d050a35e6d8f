import Postgres
import TestKit
import Testing

/// OnTheMap: each person has one pin with a link at a place that they typed, and the map shows the latest 100.
@Suite("OnTheMap", .timeLimit(.minutes(15)))
struct OnTheMapTests {
    @Test("shows a person's pin at the typed place, and moves it in one transaction")
    func pin() async throws {
        try await AppServer.with { (app: AppServer) async throws -> Void in
            try await app.darkroom.database.publishPosts(105)
            func latest() async throws -> [String] {
                try await app.rows(
                    """
                    select post_id, link, place_name, round(latitude), location_precision from darkroom.latest_posts(at_most => 100)
                    """)
            }
            try await app.call(
                """
                select darkroom.enqueue_upload(
                    'ada', headline => 'Ada', link => 'https://example.org/1', place_text => 'Seattle, WA')
                """)
            try await app.work()
            #expect(try await latest().count == 100)
            #expect(try await latest()[0] == "106 https://example.org/1 Seattle 48 city")

            let moving = (
                delete: "select darkroom.delete_post(106, 'ada')",
                enqueue: """
                select darkroom.enqueue_upload(
                    'ada', headline => 'Ada', link => 'https://example.org/2', place_text => 'Cape Town')
                """
            )
            // The second call fails, so the pin stays where it was.
            let refused = try await app.refusal(
                "with d as (\(unescaped: moving.delete)) select darkroom.enqueue_upload('ada', headline => 'Ada', link => 'x', place_text => 'Rome') from d"
            )
            #expect(refused?.constraint == "link_is_an_http_url_of_at_most_2000_characters")
            #expect(try await latest()[0].hasPrefix("106 "))

            try await app.call(
                PostgresQuery(unescaped: moving.delete), PostgresQuery(unescaped: moving.enqueue))
            #expect(
                try await app.rows("select state, link from darkroom.uploader_posts('ada')")
                    == ["waiting https://example.org/2"])
            try await app.work()
            #expect(
                try await app.rows("select link, place_name from darkroom.latest_posts(by_uploader => 'ada')")
                    == ["https://example.org/2 Cape Town"])
            #expect(try await latest()[0] == "107 https://example.org/2 Cape Town -34 city")
        }
    }
}
