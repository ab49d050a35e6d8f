import JobQueue
import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("Votes, comments and views", .timeLimit(.minutes(15)))
struct VoteTests {
    struct Counters: Equatable {
        var likes: Int
        var dislikes: Int
        var comments: Int
        var views: Int64
    }

    static func counters(of post: Int64, in database: QueueDatabase) async throws -> Counters {
        let rows = try await database.pool.query(
            "select likes, dislikes, comments, views from darkroom.post_details(\(post))"
        )
        let row = try #require(rows.first)
        return Counters(
            likes: try row.decode("likes", as: Int.self), dislikes: try row.decode("dislikes", as: Int.self),
            comments: try row.decode("comments", as: Int.self), views: try row.decode("views", as: Int64.self)
        )
    }

    static func vote(_ post: Int64, _ voter: String, _ vote: String?, _ database: QueueDatabase) async throws
        -> Bool
    {
        let rows = try await database.pool.query(
            "select darkroom.vote_on_post(\(post), \(voter), \(vote ?? "none")) as changed")
        return try rows[0].decode("changed", as: Bool.self)
    }

    @Test(
        "are likes only, on posts and comments, where dislikes are turned off; earlier dislikes can be taken back"
    )
    func withoutDislikes() async throws {
        try await QueueDatabase.with(FeedFixture(1)) { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query("select darkroom.add_comment(1, 'bob', 'Hello')")
            for subject in ["post", "comment"] {
                func vote(_ vote: String) async throws {
                    try await database.pool.query(
                        "select darkroom.vote_on_\(unescaped: subject)(1, 'ada', \(vote))")
                }
                try await database.pool.query("update darkroom.settings set takes_dislikes = true")
                try await vote("dislike")
                try await database.pool.query("update darkroom.settings set takes_dislikes = false")
                let error = await #expect(throws: PostgresError.self) { try await vote("dislike") }
                #expect(error?.constraint == "dislikes_are_off")
                try await vote("none")
                try await vote("like")
            }
            #expect(
                try await database.texts("select takes_dislikes::text from darkroom.posting_rules()") == [
                    "false"
                ])
        }
    }

    @Test("are one per person and post, and can be changed and revoked")
    func change() async throws {
        try await QueueDatabase.with(FeedFixture(3)) { database in
            let post = try #require(try await database.visiblePosts().first).id
            let before = try await Self.counters(of: post, in: database)
            #expect(try await Self.vote(post, "ada", "like", database))
            #expect(try await !Self.vote(post, "ada", "like", database), "twice is once")
            #expect(try await Self.counters(of: post, in: database).likes == before.likes + 1)
            #expect(try await Self.vote(post, "ada", "dislike", database))
            #expect(try await Self.counters(of: post, in: database).likes == before.likes)
            #expect(try await Self.counters(of: post, in: database).dislikes == before.dislikes + 1)
            #expect(try await Self.vote(post, "ada", nil, database))
            #expect(try await !Self.vote(post, "ada", nil, database))
            #expect(try await !Self.vote(post, "never voted", nil, database))
            #expect(try await Self.counters(of: post, in: database) == before)
            let times = try await database.pool.query(
                "select vote is null as revoked, changed_at > voted_at as later from darkroom.votes where voter = 'ada'"
            )
            #expect(try times[0].decode("revoked", as: Bool.self) && times[0].decode("later", as: Bool.self))
            #expect(try await Self.vote(post, "ada", "like", database), "and again")
        }
    }

    @Test("on posts that cannot be seen are refused", arguments: ["held", "hidden", "removed", "expired"])
    func invisible(state: String) async throws {
        try await QueueDatabase.with(FeedFixture(1)) { database in
            let post = try #require(try await database.visiblePosts().first).id
            try await database.pool.query("select darkroom.add_comment(\(post), 'ada', 'first')")
            try await database.pool.query("update darkroom.posts set state = \(state)::darkroom.post_state")
            for call in [
                "vote_on_post(\(post), 'ada', 'like')", "add_comment(\(post), 'ada', 'hello')",
                "vote_on_comment(1, 'ada', 'like')", "vote_on_post(404, 'ada', 'like')",
            ] {
                let error = await #expect(throws: PostgresError.self) {
                    try await database.pool.query(PostgresQuery(unescaped: "select darkroom.\(call)"))
                }
                #expect(error?.sqlState == "P0002")
            }
        }
    }

    @Test("and comments end with the time of the post, even if the expire job is late")
    func overdue() async throws {
        try await QueueDatabase.with(FeedFixture(1)) { (database: QueueDatabase) async throws -> Void in
            let post = try #require(try await database.visiblePosts().first).id
            let comment = try await database.number("select darkroom.add_comment(\(post), 'ada', 'first')")
            #expect(try await database.number("select count(*) from darkroom.post_comments(\(post))") == 1)
            try await database.pool.query(
                "update darkroom.posts set expires_at = now() - interval '1 minute'")
            #expect(try await database.number("select count(*) from darkroom.post_comments(\(post))") == 0)
            for call in [
                "vote_on_post(\(post), 'ada', 'like')", "add_comment(\(post), 'ada', 'hello')",
                "vote_on_comment(\(comment), 'ada', 'like')",
            ] {
                let error = await #expect(throws: PostgresError.self) {
                    try await database.pool.query(PostgresQuery(unescaped: "select darkroom.\(call)"))
                }
                #expect(error?.sqlState == "P0002")
            }
        }
    }

    @Test("are counted by the thousand, but never more per post than one step of a counter allows")
    func manyViews() async throws {
        try await QueueDatabase.with(FeedFixture(1)) { (database: QueueDatabase) async throws -> Void in
            let post = try #require(try await database.visiblePosts().first).id
            let before = try await Self.counters(of: post, in: database).views
            try await database.pool.query(
                "select darkroom.count_views(array_fill(\(post)::bigint, array[3000]), array_fill(1000000, array[3000]))"
            )
            #expect(try await Self.counters(of: post, in: database).views == before + 2_147_483_647)
        }
    }

    @Test(
        "are counted correctly after 16 concurrent connections have voted, commented and viewed, some without effect"
    )
    func concurrent() async throws {
        try await QueueDatabase.with(connections: 16) { (database: QueueDatabase) async throws -> Void in
            try await database.publishPosts(4, areVotedOn: false)
            let posts = try await database.visiblePosts().map(\.id)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<16 {
                    group.addTask {
                        for turn in 0..<40 {
                            let post = posts[turn % posts.count]
                            let wish = ["like", "dislike", nil][(writer + turn / 4) % 3]
                            _ = try await Self.vote(post, "voter-\((writer * 7 + turn) % 24)", wish, database)
                            try await database.pool.query(
                                "select darkroom.count_views(array[\(post), 404]::bigint[])")
                            if turn % 10 == 0 {
                                try await database.pool.query(
                                    "select darkroom.add_comment(\(post), 'w', 'hello')")
                            }
                            if turn % 13 == 0 {
                                try? await database.pool.withTransaction { transaction in
                                    try await transaction.query(
                                        "select darkroom.vote_on_post(\(post), 'undone', 'like')")
                                    throw CancellationError()
                                }
                            }
                            if turn % 5 == 0 { try await database.tally() }
                        }
                    }
                }
                try await group.waitForAll()
            }
            for isTallied in [false, true] {
                // Before the last tally the details add pending changes. After it the counters have the same values.
                if isTallied { try await database.tally() }
                for post in posts {
                    let rows = try await database.pool.query(
                        """
                        select count(*) filter (where vote = 'like') as likes,
                               count(*) filter (where vote = 'dislike') as dislikes,
                               (select count(*) from darkroom.comments where post_id = \(post)) as comments
                        from darkroom.votes where post_id = \(post)
                        """)
                    let counters = try await Self.counters(of: post, in: database)
                    let truth = Counters(
                        likes: try rows[0].decode("likes", as: Int.self),
                        dislikes: try rows[0].decode("dislikes", as: Int.self),
                        comments: try rows[0].decode("comments", as: Int.self), views: 160)
                    #expect(counters == truth)
                    #expect(truth.likes + truth.dislikes > 0)
                }
            }
            let ranked = try await database.pool.query(
                """
                select from darkroom.ranks r join darkroom.post_counters c using (post_id)
                where (r.likes, r.dislikes) <> (c.likes, c.dislikes)
                """)
            #expect(ranked.isEmpty)
            let left = try await database.pool.query("select from darkroom.counter_changes")
            #expect(left.isEmpty)
        }
    }

    static var job: ClaimedJob {
        ClaimedJob(
            lease: Lease(job: JobID(rawValue: 1), token: ClaimToken(rawValue: 1)), kind: .tally,
            subject: 0,
            attempt: 1, failures: 0, crashes: 0)
    }

    @Test("on comments count for the comment, and deleted comments lose their text")
    func comments() async throws {
        try await QueueDatabase.with(FeedFixture(1, areVotedOn: false)) { database in
            let post = try #require(try await database.visiblePosts().first).id
            for body in ["Grüße 👋🏽", "two\nlines", "third"] {
                try await database.pool.query("select darkroom.add_comment(\(post), 'ada', \(body))")
            }
            try await database.pool.query("select darkroom.vote_on_comment(2, 'bob', 'like')")
            try await database.pool.query("select darkroom.vote_on_comment(2, 'eve', 'dislike')")
            try await database.pool.query("select darkroom.vote_on_comment(2, 'eve', 'like')")
            let refused = try await database.pool.query("select darkroom.delete_comment(1, 'bob') as done")
            #expect(try refused[0].decode("done", as: Bool.self) == false)
            try await database.pool.query("select darkroom.delete_comment(1, 'ada')")
            try await database.tally()
            let rows = try await database.pool.query("select * from darkroom.post_comments(\(post))")
            #expect(try rows.map { try $0.decode("body", as: String.self) } == ["third", "two\nlines"])
            #expect(try rows.map { try $0.decode("likes", as: Int.self) } == [0, 2])
            #expect(try rows.map { try $0.decode("dislikes", as: Int.self) } == [0, 0])
            #expect(try await Self.counters(of: post, in: database).comments == 2)
            let texts = try await database.pool.query("select from darkroom.comments where body like '%👋%'")
            #expect(texts.isEmpty)
            let events = try await database.pool.query(
                "select comment_id from darkroom.outbox where event = 'commented'")
            #expect(events.count == 3)
        }
    }

    @Test(
        "refuse text that cannot be shown",
        arguments: [
            "", "   ", "\u{200B}\u{FEFF}", "bell\u{7}", "\u{1B}[31mred", "turn\u{202E}ed",
            String(repeating: "x", count: 2001),
        ])
    func unfitTexts(body: String) async throws {
        try await QueueDatabase.with(FeedFixture(1, areVotedOn: false)) { database in
            let post = try #require(try await database.visiblePosts().first).id
            let error = await #expect(throws: PostgresError.self) {
                try await database.pool.query("select darkroom.add_comment(\(post), 'ada', \(body))")
            }
            #expect(error?.sqlState == .checkViolation)
        }
    }

    @Test("add up to an uploader's statistics")
    func statistics() async throws {
        try await QueueDatabase.with { database in
            try await database.publishPosts(120)
            let mine = try await database.visiblePosts().filter { $0.uploader == "user-3" }
            let rows = try await database.pool.query("select * from darkroom.uploader_statistics('user-3')")
            let likes = mine.reduce(0) { $0 + $1.likes }
            let dislikes = mine.reduce(0) { $0 + $1.dislikes }
            #expect(try rows[0].decode("posts", as: Int.self) == mine.count && !mine.isEmpty)
            #expect(try rows[0].decode("likes", as: Int.self) == likes)
            let share = try rows[0].decode("share_of_likes", as: Double.self)
            #expect(abs(share - Double(likes) / Double(likes + dislikes)) < 1e-12)
        }
    }
}
