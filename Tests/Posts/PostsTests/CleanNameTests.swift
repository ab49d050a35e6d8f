import Postgres
import Posts
import TestKit
import Testing

/// Names of categories and activities, which are the same however they are typed.
@Suite("Names of categories and activities", .timeLimit(.minutes(15)))
struct CleanNameTests {
    /// `café` in the form in which it is compared, and in other forms that are stored as it is.
    static let kept = "caf\u{e9}"
    static let spellings = ["cafe\u{301}", " caf\u{e9}", "cafe\u{301}\u{a0}\t", "\u{3000}caf\u{e9}\u{200b}"]
    /// The same name as an app may show it.
    static let shown = ["CAF\u{c9}", "Cafe\u{301}", "\u{ff23}af\u{e9}"]

    static let feeds = [
        "latest_posts(100", "nearest_posts(47.6, -122.33, 100", "posts_within(47.6, -122.33, 50000, 100",
        "near_and_good_posts(47.6, -122.33, 50000, 100", "top_posts('likes', 100",
        "top_posts('wilson', 100, latitude => 47.6, longitude => -122.33, radius_m => 10000",
    ]

    @Test("restrict every feed to the same posts, whatever their form", arguments: feeds)
    func filters(feed: String) async throws {
        try await QueueDatabase.with(FeedFixture(300)) { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query(
                "update darkroom.posts set category = \(Self.kept) where category = 'food'")
            try await database.pool.query(
                "update darkroom.posts set activity = \(Self.kept) where activity = 'picnic'")
            // Posts that are spelled differently are found together.
            try await database.pool.query(
                "update darkroom.posts set category = upper(category), activity = upper(activity) where post_id % 2 = 0"
            )
            try await database.tally()
            for filter in ["in_category", "in_activity"] {
                func found(_ name: String) async throws -> [Int64] {
                    try await database.pool.query(
                        "select post_id from darkroom.\(unescaped: feed), \(unescaped: filter) => \(name))"
                    ).map { try $0.decode("post_id", as: Int64.self) }
                }
                let expected = try await found(Self.kept)
                #expect(expected.count > 10)
                for spelling in Self.spellings + Self.shown {
                    let other = try await found(spelling)
                    #expect(other == expected, "\(filter) \(spelling.unicodeScalars)")
                }
                for blank in ["", "  ", "\u{200b}"] {
                    let none = try await found(blank)
                    #expect(none == [], "a blank filter is not none")
                }
            }
        }
    }

    @Test("are stored in one form with uploads, and select policies and activities in any form")
    func kept() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            for spelling in Self.spellings {
                try await database.pool.query(
                    """
                    select darkroom.enqueue_upload('ada', 'originals/x', repeat('ab', 32), 1,
                                                   category => \(spelling), activity => \(spelling))
                    """)
            }
            #expect(
                try await database.texts("select distinct category || activity from darkroom.uploads")
                    == [Self.kept + Self.kept])
            let spelling = Self.spellings[2]
            try await database.pool.query(
                "insert into darkroom.activities values (\(spelling), '2030-01-01 00:00Z')")
            try await database.pool.query(
                """
                insert into darkroom.expiry_policies (activity, ends_with_activity, note) values (\(spelling), true, 'x')
                """)
            try await database.pool.query(
                """
                insert into darkroom.location_policies (category, privacy, note) values (\(spelling), 'place', 'x')
                """)
            for name in [Self.kept] + Self.spellings + Self.shown {
                let ends = try await database.texts(
                    "select (darkroom.expiry_for(null, \(name), now()) at time zone 'UTC')::date::text")
                #expect(ends == ["2030-01-01"])
                let privacy = try await database.texts(
                    "select privacy::text from darkroom.location_policy_for(\(name), null)")
                #expect(privacy == ["place"])
            }
            let policy = try await database.postingPolicies.set(note: "x") {
                $0.categories = [spelling, "food "]
            }
            #expect(
                policy.categories?.map { Array($0.unicodeScalars) }
                    == [Self.kept, "food"].map {
                        Array($0.unicodeScalars)
                    })
        }
    }

    @Test("are shown as they were written, and are one activity however they are written")
    func shown() async throws {
        try await QueueDatabase.with(FeedFixture(3)) { (database: QueueDatabase) async throws -> Void in
            for (post, name) in zip(1..., Self.shown) {
                try await database.pool.query(
                    "update darkroom.posts set activity = \(name), category = \(name) where post_id = \(post)"
                )
            }
            try await database.pool.query(
                "insert into darkroom.expiry_policies (activity, ends_with_activity, note) values (\(Self.shown[0]), true, 'x')"
            )
            try await database.pool.query(
                "insert into darkroom.activities values (\(Self.shown[1]), '2090-01-01 00:00Z')")
            let posts = try await database.texts(
                """
                select activity || ' ' || category || ' ' || (p.expires_at at time zone 'UTC')::date::text
                from darkroom.latest_posts(in_activity => \(Self.kept)) join darkroom.posts p using (post_id, activity, category)
                order by post_id
                """)
            #expect(posts == Self.shown.map { "\($0) \($0) 2090-01-01" })
            let clash = await #expect(throws: PostgresError.self) {
                try await database.pool.query(
                    "insert into darkroom.activities values (\(Self.shown[2]), '2091-01-01 00:00Z')")
            }
            #expect(clash?.sqlState == .uniqueViolation)
            try await database.pool.query("select darkroom.rebuild_feeds()")
            let rebuilt = try await database.texts(
                "select post_id::text from darkroom.latest_posts(in_category => \(Self.kept)) order by post_id"
            )
            #expect(rebuilt == ["1", "2", "3"])
        }
    }

    @Test("of one character have a key, count as none, or are refused, whatever the character is")
    func singleCharacters() async throws {
        // The gate tries Latin letters, the punctuation, and some of the others up to it: there most rules differ.
        let last = Extent.of(0x2FFF, check: 0x10FFFF)
        let step = Extent.of(7, check: 1)
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query(
                """
                create function public.is_taken(name text) returns boolean language plpgsql as $$
                begin
                    return darkroom.clean_word(name::darkroom.category) is not null;
                exception when check_violation then
                    return false;
                end $$
                """)
            // Alone, and between spaces and other characters that cannot be seen.
            let wrong = try await database.texts(
                """
                select to_hex(n) from generate_series(1, \(unescaped: String(last))) n
                where n not between 55296 and 57343
                  and (n < 768 or n between 8192 and 8303 or n % \(unescaped: String(step)) = 0)
                  and (darkroom.name_key(chr(n)) = '' and public.is_taken(chr(n))
                       or darkroom.name_key(chr(n)) = '' and public.is_taken(U&' \\00AD' || chr(n) || U&'\\3164 ')
                       or darkroom.name_key(chr(n)) <> '' and n > 160 and n not in (8232, 8233, 8237, 8238)
                          and not public.is_taken(chr(n)))
                """)
            #expect(wrong == [])
            for (call, constraint) in [
                ("check_upload('ada', 'Hello', category => U&'\\00AD', latitude => 1, longitude => 1)", nil),
                (
                    "enqueue_upload('ada', 'originals/x', repeat('ab', 32), 1, category => U&'\\2800')",
                    "word_has_a_visible_character_or_is_blank"
                ),
                (
                    "create_activity('Fair', aliases => array[U&'\\3164'])",
                    "word_has_a_visible_character_or_is_blank"
                ),
            ] {
                do {
                    let rows = try await database.pool.query("select * from darkroom.\(unescaped: call)")
                    #expect(constraint == nil, "\(call)")
                    #expect(
                        try rows.map { try $0.decode("reason", as: String.self) }
                            == ["word_has_a_visible_character_or_is_blank"])
                } catch let error as PostgresError {
                    #expect(error.sqlState == .checkViolation && error.constraint == constraint, "\(call)")
                }
            }
        }
    }

    @Test("of spaces are refused for policies and activities")
    func blank() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let connection = try await PostgresConnection.connect(database.configuration)
            for statement in [
                "insert into darkroom.activities values ('  ', now())",
                "insert into darkroom.activities values (U&'\\00AD', now())",
                "insert into darkroom.expiry_policies (category, note) values ('', 'x')",
                "insert into darkroom.location_policies (activity, note) values (' ', 'x')",
                "insert into darkroom.posting_policies (headline_required, caption_required, category_required, link, categories, note) values (false, false, false, 'optional', array['food', ' '], 'x')",
            ] {
                #expect(try await connection.failure(statement) == .checkViolation, "\(statement)")
            }
            await connection.close()
        }
    }
}
