import Postgres
import TestKit
import Testing

/// OnTheMap: each person has one pin with a link at a place that they typed, and the map shows the latest 100.
@Suite("OnTheMap", .timeLimit(.minutes(15)))
struct OnTheMapTests {
    @Test("shows a person's pin at the typed place, and moves it when the new place is known")
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

            func move(to place: String, link: String = "https://example.org/2", key: String? = nil)
                -> PostgresQuery
            {
                """
                select darkroom.enqueue_upload(
                    'ada', headline => 'Ada', link => \(link), place_text => \(place), idempotency_key => \(key), replaces => 106)
                """
            }
            // What is refused, or rejected later, leaves the pin where it was.
            let refused = try await app.refusal(move(to: "Rome", link: "x"))
            #expect(refused?.constraint == "link_is_an_http_url_of_at_most_2000_characters")
            try await app.call(move(to: "Nowhere at all"))
            try await app.work()
            #expect(
                try await app.rows("select state, reason from darkroom.uploader_posts('ada')")
                    == ["rejected place_unknown", "published"])
            #expect(try await latest()[0].hasPrefix("106 "))

            try await app.call(move(to: "Cape Town", key: "move"))
            #expect(try await latest()[0].hasPrefix("106 "), "it stays until the new one is there")
            try await app.work()
            #expect(
                try await app.rows("select link, place_name from darkroom.latest_posts(by_uploader => 'ada')")
                    == ["https://example.org/2 Cape Town"])
            // The call may be repeated although the old pin is gone, and others have no such pin.
            try await app.call(move(to: "Cape Town", key: "move"))
            #expect(try await app.refusal(move(to: "Cape Town", key: "again"))?.sqlState == SQLState("P0002"))
            let others = try await app.refusal(
                "select darkroom.enqueue_upload('bob', headline => 'Bob', place_text => 'Rome', replaces => 107)"
            )
            #expect(others?.sqlState == SQLState("P0002"))
            #expect(
                try await app.rows(
                    "select argument, reason from darkroom.check_upload('bob', headline => 'B', place_text => 'Rome', has_photo => false, replaces => 107)"
                ) == ["replaces no_such_post"])
            #expect(try await latest()[0] == "107 https://example.org/2 Cape Town -34 city")
        }
    }
}
