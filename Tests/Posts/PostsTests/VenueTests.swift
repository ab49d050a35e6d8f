import JobStore
import Postgres
import TestKit
import Testing

@Suite("Venues, credits and licences", .timeLimit(.minutes(10)))
struct VenueTests {
    @Test("are checked, cleaned and stored with an upload")
    func uploaded() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let text = "'ada', headline => 'Soup', latitude => 47.6, longitude => -122.3"
            let told =
                "venue_id => ' v-1 ', venue_name => E'Cafe\\u0301', credit => ' Ada ', licence => 'CC-BY-4.0'"
            try await database.pool.query(
                "select darkroom.enqueue_upload(\(unescaped: text), \(unescaped: told))")
            try await database.pool.query(
                """
                select darkroom.enqueue_uploads(jsonb_build_array(jsonb_build_object(
                    'uploader', 'bob', 'headline', 'Soup', 'place_text', 'Rome', 'venue_name', 'Bar', 'licence', ' ')))
                """)
            let stored = try await database.texts(
                "select concat_ws('|', venue_id, venue_name, credit, licence) from darkroom.uploads order by upload_id"
            )
            #expect(stored == ["v-1|Café|Ada|CC-BY-4.0", "Bar"])
            let own = try await database.texts(
                "select concat_ws('|', venue_id, venue_name, credit, licence) from darkroom.uploader_posts('ada')"
            )
            #expect(own == ["v-1|Café|Ada|CC-BY-4.0"])
            let long = "repeat('x', 201)"
            for (arguments, objections) in [
                (told, []), ("venue_id => 'v-1'", ["venue_name venue_with_a_number_has_a_name"]),
                ("venue_id => 'v-1', venue_name => ' '", ["venue_name venue_with_a_number_has_a_name"]),
                (
                    "venue_id => repeat('x', 101), venue_name => 'Bar'",
                    ["venue_id word_is_one_line_of_at_most_100_characters"]
                ),
                (
                    "venue_name => \(long), credit => \(long), licence => E'a\\nb'",
                    ["credit", "licence", "venue_name"].map {
                        "\($0) line_is_one_line_of_at_most_200_characters"
                    }
                ),
                (
                    "venue_id => 'v-1', venue_name => \(long)",
                    ["venue_name line_is_one_line_of_at_most_200_characters"]
                ),
            ] {
                let told = try await database.texts(
                    """
                    select argument || ' ' || reason from darkroom.check_upload(
                        \(unescaped: text), has_photo => false, \(unescaped: arguments)) order by 1
                    """)
                #expect(told == objections, "\(arguments)")
                guard let first = objections.first else { continue }
                let error = await #expect(throws: PostgresError.self) {
                    try await database.pool.query(
                        "select darkroom.enqueue_upload(\(unescaped: text), \(unescaped: arguments))")
                }
                #expect(error?.constraint.map { first.hasSuffix($0) } == true, "\(arguments)")
            }
        }
    }

    @Test("have albums: all visible posts of the number, the newest first, page by page")
    func albums() async throws {
        try await QueueDatabase.with(FeedFixture(450, areSomeHidden: true)) {
            (database: QueueDatabase) async throws -> Void in
            try await database.pool.query(
                "update darkroom.posts set venue_id = 'v-' || post_id % 3, venue_name = 'Pier' where post_id % 5 > 0"
            )
            try await database.pool.query(
                "update darkroom.posts set expires_at = now() - interval '1 day' where post_id % 7 < 5")
            // As an app sends it, which is not as it is stored.
            #expect(
                try await database.number("select count(*) from darkroom.venue_posts(' v-1 ')")
                    == database.number("select count(*) from darkroom.venue_posts('v-1')"))
            for list in ["venue_posts('none', ", "voted_posts('nobody', ", "followed_posts('nobody', "] {
                let half = await #expect(throws: PostgresError.self) {
                    try await database.pool.query("select darkroom.\(unescaped: list)latitude => 1)")
                }
                #expect(half?.sqlState == .invalidParameterValue, "\(list)")
            }
            for venue in ["v-0", "v-1", "v-2", "v-3"] {
                let expected = try await database.texts(
                    """
                    select p.post_id::text from darkroom.feed f join darkroom.posts p using (post_id)
                    where p.venue_id = \(venue) and f.expires_at > now() order by p.published_at desc, p.post_id desc
                    """)
                #expect(expected.isEmpty == (venue == "v-3"))
                for size in [1, 4, 100] {
                    var found: [String?] = []
                    var after: String?
                    while true {
                        let rows = try await database.pool.query(
                            """
                            select post_id::text, cursor, venue_id, venue_name, distance_m
                            from darkroom.venue_posts(\(venue), \(Int64(size)), \(after), latitude => 47.6, longitude => -122.3)
                            """)
                        for row in rows {
                            #expect(try row.decode("venue_id", as: String.self) == venue)
                            #expect(try row.decode("distance_m", as: Double?.self) != nil)
                            found.append(try row.decode("post_id", as: String.self))
                        }
                        guard rows.count == size, let last = rows.last else { break }
                        after = try last.decode("cursor", as: String.self)
                    }
                    #expect(found == expected, "\(venue) \(size)")
                }
            }
        }
    }
}
