import Postgres
import Posts
import TestKit
import Testing

@Suite("An edit of a post", .timeLimit(.minutes(15)))
struct EditTests {
    /// A post by `ada` in the category `food`, with two likes.
    private static func post(in database: QueueDatabase, headline: String = "Soup") async throws -> Int64 {
        let made = try await database.pool.query(
            """
            with upload as (
                insert into darkroom.uploads (uploader, job_id, original_key, original_sha256, original_bytes)
                values ('ada', -1, 'originals/1', sha256('x'), 1) returning upload_id)
            insert into darkroom.posts (
                upload_id, uploader, headline, category, link, latitude, longitude, location_source, width, height, format,
                perceptual_hash, location_accuracy_m, location_policy, location_privacy, published_at)
            select upload_id, 'ada', \(headline), 'food', 'https://example.org', 47.6, -122.3, 'device', 10, 10, 'jpeg', 7, 50,
                   1, 'grid_10m', now() - interval '2 hours'
            from upload returning post_id
            """)[0].decode("post_id", as: Int64.self)
        for voter in ["bob", "cleo"] {
            try await database.pool.query("select darkroom.vote_on_post(\(made), \(voter), 'like')")
        }
        try await database.pool.query("select darkroom.tally_counters(), darkroom.tally_map()")
        return made
    }

    @discardableResult
    private static func edit(
        _ post: Int64, _ headline: String?, _ caption: String?, _ category: String?,
        by person: String = "ada",
        in database: QueueDatabase
    ) async throws -> String {
        try await database.pool.query(
            "select darkroom.edit_post(\(post), \(person), \(headline), \(caption), \(category)) as state")[0]
            .decode("state", as: String.self)
    }

    @Test("changes feeds, boards, the map and the time of expiry, and keeps what it said before")
    func changes() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await Self.post(in: database)
            try await database.pool.query(
                "insert into darkroom.expiry_policies (category, lifetime, note) values ('art', '5 hours', 'x')"
            )
            #expect(try await Self.edit(post, "Soup", nil, "food", in: database) == "published")
            #expect(try await database.events(of: post) == [], "nothing has changed")
            #expect(try await Self.edit(post, " Mural ", "cafe\u{301}", " art ", in: database) == "published")
            #expect(
                try await database.texts(
                    """
                    select concat_ws(' ', headline, char_length(caption), category, likes) from darkroom.latest_posts(in_category => 'art')
                    """) == [" Mural  4 art 2"])
            #expect(
                try await database.texts("select headline from darkroom.latest_posts(in_category => 'food')")
                    == [])
            #expect(
                try await database.texts(
                    "select category from darkroom.top_posts('likes', in_category => 'art')") == ["art"])
            #expect(
                try await database.texts(
                    "select round(extract(epoch from expires_at - published_at) / 3600)::int::text from darkroom.posts"
                )
                    == ["5"])
            try await Self.edit(post, nil, "Now without", "food", in: database)
            #expect(try await database.texts("select expires_at::text from darkroom.posts") == [nil])
            #expect(try await database.events(of: post) == ["edited", "edited"])
            let edits = try await database.reading.edits(of: post)
            #expect(edits.map(\.headline) == [" Mural ", "Soup"])
            #expect(edits.map(\.category) == ["art", "food"] && edits.map(\.caption) == ["caf\u{e9}", nil])
            #expect(try await database.inconsistencies() == [])
            try await database.pool.query("select darkroom.erase_post_rows(\(post))")
            #expect(try await database.number("select count(*) from darkroom.post_edits") == 0)
        }
    }

    @Test("is refused to others, for what an upload must not say, and once the post is gone")
    func refusals() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await Self.post(in: database)
            _ = try await database.postingPolicies.set(note: "x") {
                $0.headlineRequired = true
                $0.categories = ["food", "art", "fine"]
            }
            _ = try await database.postingPolicies.set(for: "fine", note: "x") { $0.mostAccuracyMetres = 20 }
            func failure(
                _ headline: String?, _ category: String?, by person: String = "ada"
            ) async throws -> String {
                do {
                    try await Self.edit(post, headline, nil, category, by: person, in: database)
                    return "none"
                } catch let error as PostgresError {
                    return "\(error.sqlState.map { "\($0)" } ?? "") \(error.constraint ?? "")"
                }
            }
            #expect(try await failure("x", "food", by: "bob").contains("P0002"))
            #expect(
                try await failure(String(repeating: "x", count: 201), "food")
                    .contains("line_is_one_line_of_at_most_200_characters"))
            #expect(try await failure(" ", "food").contains("headline_missing"))
            #expect(try await failure("x", "other").contains("category_unknown"))
            #expect(try await failure("x", "fine").contains("location_too_inaccurate"), "it is known to 50 m")
            #expect(
                try await failure(String(repeating: "x", count: 40_001), "food").contains(
                    "a_text_has_at_most"))
            #expect(try await failure("x", "art") == "none")
            #expect(try await database.events(of: post) == ["edited"])
            for state in ["removed", "expired"] {
                try await database.pool.query(
                    "update darkroom.posts set state = \(state)::darkroom.post_state where post_id = \(post)")
                #expect(try await failure("y", "art").contains("55000"))
            }
        }
    }

    @Test("is possible as long as the post is held, whose time has not begun, and not once it is over")
    func held() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await Self.post(in: database)
            for (state, isPossible) in [("held", true), ("hidden", false), ("published", false)] {
                try await database.pool.query(
                    "update darkroom.posts set state = \(state)::darkroom.post_state, expires_at = now() - interval '1 hour'"
                )
                if isPossible {
                    #expect(try await Self.edit(post, state, nil, "food", in: database) == state)
                } else {
                    let error = await #expect(throws: PostgresError.self) {
                        try await Self.edit(post, state, nil, "food", in: database)
                    }
                    #expect(error?.sqlState == "55000", "\(state)")
                }
            }
        }
    }

    @Test("cannot leave a text without a headline and a caption, and happens at most 100 times")
    func limits() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await Self.post(in: database)
            try await Self.edit(post, nil, nil, "food", in: database)
            try await Self.edit(post, "a text", nil, "food", in: database)
            try await database.pool.query(
                "update darkroom.posts set width = null, height = null, format = null, link = null")
            let empty = await #expect(throws: PostgresError.self) {
                try await Self.edit(post, nil, nil, "food", in: database)
            }
            #expect(empty?.constraint == "upload_without_a_photo_has_a_headline_a_caption_or_a_link")
            for number in 2..<100 { try await Self.edit(post, "\(number)", nil, "food", in: database) }
            let many = await #expect(throws: PostgresError.self) {
                try await Self.edit(post, "x", nil, "food", in: database)
            }
            #expect(many?.sqlState == "55000")
        }
    }

    @Test("has a post that only reports have hidden wait for a person, if it would be held were it new")
    func screenedWhileHidden() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await Self.post(in: database)
            for number in 0..<20 { try await database.report(post, by: "r\(number)") }
            try await database.moderateAll()
            #expect(try await database.texts("select cause from darkroom.reviews") == ["score"])
            try await database.pool.query(
                "insert into darkroom.removals (post_id, uploader) select 100 + n, 'ada' from generate_series(1, 3) n"
            )
            for text in ["Buy", "Buy!"] {
                #expect(try await Self.edit(post, text, nil, "food", in: database) == "hidden")
                #expect(try await database.texts("select cause from darkroom.reviews") == ["uploader_record"])
            }
            let decisions = try await database.decisions.decisions(on: post)
            #expect(decisions.map(\.cause) == ["score", "uploader_record"], "found once")
            // The reports were wrong; the record stays.
            try await database.pool.query("update darkroom.people set disagreed = 50 where person like 'r%'")
            try await database.pool.query(
                "insert into darkroom.moderation_backlog (post_id) values (\(post))")
            try await database.moderateAll()
            #expect(try await database.state(ofPost: post) == .hidden)
        }
    }

    @Test(
        "hides a post that would be held if it were new, until a person has looked", arguments: [true, false])
    func screened(isAlike: Bool) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await Self.post(in: database)
            if isAlike {
                try await database.pool.query("insert into darkroom.removed_hashes values (99, 7)")
            } else {
                try await database.pool.query(
                    "insert into darkroom.removals (post_id, uploader) select 100 + n, 'ada' from generate_series(1, 3) n"
                )
            }
            let published = try await database.texts("select published_at::text from darkroom.posts")
            #expect(try await Self.edit(post, "Buy", nil, "food", in: database) == "hidden")
            let cause = isAlike ? "look_alike" : "uploader_record"
            #expect(
                try await database.texts("select concat_ws(' ', cause, severity) from darkroom.reviews")
                    == ["\(cause) \(isAlike ? 4 : 3)"])
            #expect(
                try await database.texts(
                    "select concat_ws(' ', decision, cause, similar_to, uploader_removals) from darkroom.moderation_decisions"
                )
                    == [isAlike ? "hide look_alike 99" : "hide uploader_record 3"])
            // The same photo must not come again meanwhile.
            let kept: PostgresQuery = "select count(*) from darkroom.removed_hashes where post_id = \(post)"
            #expect(try await database.number(kept) == 1)
            // A weak report does not show it again.
            try await database.pool.reportLate(post, by: "bob")
            try await database.moderateAll()
            #expect(try await database.state(ofPost: post) == .hidden)
            #expect(
                try await Self.edit(post, "Buy!", nil, "food", in: database) == "hidden",
                "it can be edited again")
            _ = try await database.reviews.review(post, .approve, by: "olga")
            #expect(try await database.number(kept) == 0)
            #expect(try await database.texts("select published_at::text from darkroom.posts") == published)
            #expect(try await database.events(of: post) == ["edited", "hidden", "edited", "restored"])
            #expect(try await database.inconsistencies() == [])
        }
    }
}
