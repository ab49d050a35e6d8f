import JobStore
import Migrations
import Postgres
import Posts
import TestKit
import Testing

@Suite("Upgrading a database with texts of older releases in it", .timeLimit(.minutes(5)))
struct TextUpgradeTests {
    /// What the releases before took: control characters, hosts that are none, names that look alike, times without end.
    private static let before = """
        insert into darkroom.uploads (uploader, job_id, original_key, original_sha256, original_bytes, headline, caption, category,
                                      event, link, taken_at, created_at)
        values ('ada', -1, 'o/1', sha256('1'), 1, E'a\\u0007b', E'one\\n\\u0001', 'food ', E'fe\\u0302te', 'https://:80/', 'infinity',
                '2026-01-01'),
               ('bob', -2, 'o/2', sha256('2'), 1, null, null, 'food', E'fe\\u0302te ', E'https://exa\\u200Bmple.org/x',
                '0044-03-15 00:00:00+00 BC', '2026-01-02'),
               ('cy', -3, 'o/3', sha256('3'), 1, E'\\u200B', 'Hi', E'\\u00A0', null, 'https://example.org/', '2026-01-03',
                '2026-01-03');
        insert into darkroom.posts (upload_id, uploader, category, event, link, latitude, longitude, location_source, width, height,
                                    format)
        select upload_id, uploader, category, event, link, 47.6, -122.3, 'device', 1, 1, 'jpeg' from darkroom.uploads order by 1;
        insert into darkroom.events values (E'fe\\u0302te ', '2030-01-01 00:00+00'), ('gala', '2030-01-01 00:00+00'),
                                           ('gala ', '2031-01-01 00:00+00'), ('  ', '2032-01-01 00:00+00');
        insert into darkroom.location_policies (category, privacy, note)
        values ('food ', 'place', 'strict'), (' ', 'exact', 'blank'), ('art', 'grid_1km', 'clean');
        insert into darkroom.expiry_policies (event, ends_with_event, note) values (E'fe\\u0302te', true, 'ends');
        insert into darkroom.reports (post_id, reporter, reason, details)
        values (1, 'ria', 'spam', E'a\\u0001b'), (1, 'rob', 'spam', 'fine');
        insert into darkroom.appeals (post_id, uploader, text) values (1, 'ada', E'please\\u202E'), (2, 'bob', '  ');
        insert into darkroom.people (person, display_name, first_seen_at)
        values ('p1', 'Mia ', '2026-01-01'), ('p2', 'Mia', '2026-01-05'), ('p3', E'M\\u200Bia', '2026-01-01'),
               ('p4', E'Stra\\u00DFe', '2026-01-02'), ('p5', 'STRASSE', '2026-01-03'), ('p6', E'O\\u00ADtto', '2026-01-04'),
               ('p7', E'\\u3164', '2026-01-04'), ('p8', E'Zo\\u00EB', '2026-01-04'), ('p9', E'x\\u0007y', '2026-01-04');
        """

    @Test("fails for none of them, and leaves none that breaks a rule when something else of it changes")
    func upgrade() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query("drop schema darkroom cascade")
            let connection = try await PostgresConnection.connect(database.configuration)
            _ = try await Migrator(connection).migrate(to: 21)
            try await connection.execute(Self.before)
            _ = try await Migrator(connection).migrate(to: 29)
            try await connection.execute(
                "insert into darkroom.posting_policies (categories, note) values (array['food ', 'art', ' '], 'p')"
            )
            _ = try await Migrator(connection).migrate()
            await connection.close()

            func rows(_ query: PostgresQuery) async throws -> [String] {
                try await database.texts(query).map { $0 ?? "-" }
            }
            #expect(
                try await rows(
                    """
                    select concat_ws('|', uploader, quote_nullable(headline), quote_nullable(caption), quote_nullable(link),
                                     taken_at is null)
                    from darkroom.uploads order by upload_id
                    """)
                    == [
                        "ada|'a b'|'one\n '|NULL|t", "bob|NULL|NULL|'https://example.org/x'|t",
                        "cy|NULL|'Hi'|'https://example.org/'|f",
                    ])
            for table in ["posts", "feed"] {
                #expect(
                    try await rows(
                        """
                        select concat_ws('|', category, event = E'f\\u00EAte') from darkroom.\(unescaped: table) order by post_id
                        """) == ["food|t", "food|t", ""])
            }
            #expect(
                try await rows("select coalesce(link, 'none') from darkroom.posts order by post_id")
                    == ["none", "https://example.org/x", "https://example.org/"])
            #expect(
                try await rows(
                    "select quote_literal(event) || extract(year from ends_at at time zone 'UTC') from darkroom.events order by ends_at, 1"
                ) == ["'f\u{ea}te'2030", "'gala'2030", "'gala '2031", "'  '2032"])
            #expect(
                try await rows("select privacy::text from darkroom.location_policy_for('food', null)") == [
                    "place"
                ])
            #expect(
                try await rows("select privacy::text from darkroom.location_policy_for('other', null)")
                    == ["grid_10m"], "one for blanks is not one for all")
            #expect(
                try await rows(
                    "select (darkroom.expiry_for(null, E'f\\u00EAte', now()) at time zone 'UTC')::date::text")
                    == ["2030-01-01"])
            let policy = try await database.postingPolicies.inForce()
            #expect(policy.categories == ["food", "art"] && policy.version == 3)
            #expect(
                try await rows("select details from darkroom.reports order by reporter") == ["a b", "fine"])
            #expect(
                try await rows("select text from darkroom.appeals order by appeal_id") == ["please ", "-"])
            #expect(
                try await rows(
                    "select person || display_name from darkroom.people where display_name is not null order by 1"
                )
                    == ["p2Mia", "p4Stra\u{df}e", "p6Otto", "p8Zo\u{eb}", "p9x y"])

            for table in ["uploads", "posts", "reports", "appeals", "people", "comments"] {
                let broken = try await rows(
                    """
                    select conname from pg_constraint
                    where conrelid = ('darkroom.' || \(table))::regclass and contype = 'c' and not convalidated
                    """)
                for name in broken {
                    try await database.pool.query(
                        "alter table darkroom.\(unescaped: table) validate constraint \(unescaped: name)")
                }
            }
        }
    }
}
