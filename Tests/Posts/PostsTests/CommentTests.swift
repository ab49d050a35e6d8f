import JobStore
import Postgres
import TestKit
import Testing

@Suite("Comments", .timeLimit(.minutes(15)))
struct CommentTests {
    /// A post of `ada` with comments: number n has n % 7 likes and n % 3 dislikes.
    static func discussed(_ database: QueueDatabase, comments: Int = 40) async throws -> Int64 {
        try await database.publishPosts(1, areVotedOn: false)
        let post = try #require(try await database.visiblePosts().first).id
        try await database.pool.query("update darkroom.posts set uploader = 'ada'")
        try await database.pool.query(
            "select darkroom.add_comment(\(post), 'author-' || n, 'No. ' || n) from generate_series(1, \(comments)) n"
        )
        try await database.pool.query(
            """
            select darkroom.vote_on_comment(c.comment_id, kind || n, kind)
            from darkroom.comments c, (values ('like', 7), ('dislike', 3)) v (kind, of),
                 lateral generate_series(1, c.comment_id % of) n
            """)
        try await database.tally()
        return post
    }

    private static func pages(
        _ database: QueueDatabase, _ post: Int64, _ order: String
    ) async throws -> [Int64] {
        var ids: [Int64] = []
        var after: String?
        repeat {
            let rows = try await database.pool.query(
                """
                select comment_id, cursor from darkroom.post_comments(
                    \(post), order_by => \(order), at_most => 7, after => \(after))
                """)
            ids += try rows.map { try $0.decode("comment_id", as: Int64.self) }
            after = try rows.last?.decode("cursor", as: String.self)
        } while after != nil
        return ids
    }

    @Test("come newest first or by their lead in likes, page by page, each once")
    func orders() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await Self.discussed(database)
            #expect(try await Self.pages(database, post, "newest") == (1...40).reversed().map(Int64.init))
            let leads = (1...40).map { (lead: $0 % 7 - $0 % 3, id: Int64($0)) }
            #expect(
                try await Self.pages(database, post, "popular")
                    == leads.sorted { ($0.lead, $0.id) > ($1.lead, $1.id) }.map(\.id))
            for (order, cursor) in [
                ("newest", "popular:3~9"), ("popular", "newest:0~9"), ("newest", "9"),
                ("popular", "popular:1e18~9"), ("newest", "latest:0~9"),
            ] {
                let error = await #expect(throws: PostgresError.self) {
                    try await database.pool.query(
                        "select * from darkroom.post_comments(\(post), order_by => \(order), after => \(cursor))"
                    )
                }
                #expect(error?.sqlState == .invalidParameterValue, "\(order) \(cursor)")
            }
        }
    }

    @Test(
        "have their author's name and the viewer's vote, and one is read by its number with what is not tallied yet"
    )
    func details() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await Self.discussed(database)
            try await database.pool.query("select darkroom.set_display_name('author-5', 'Zoë')")
            try await database.pool.query("select darkroom.vote_on_comment(5, 'like1', 'dislike')")
            try await database.makeLogins()
            for role in [InstallationRole.api, .reader] {
                try await database.connected(as: role) { (app: PostgresConnection) async throws -> Void in
                    let calls: [(PostgresQuery, likes: Int, dislikes: Int)] = [
                        ("darkroom.comment_details(5, viewer => 'like1')", 4, 3),
                        ("darkroom.post_comments(\(post), at_most => 100, viewer => 'like1')", 5, 2),
                    ]
                    for (call, likes, dislikes) in calls {
                        let rows = try await app.query("select * from \(call) where comment_id = 5")
                        let row = try #require(rows.first)
                        #expect(try row.decode("post_id", as: Int64.self) == post)
                        #expect(try row.decode("display_name", as: String?.self) == "Zoë")
                        #expect(try row.decode("likes", as: Int.self) == likes)
                        #expect(try row.decode("dislikes", as: Int.self) == dislikes)
                        let vote = try row.decode("my_vote", as: String?.self)
                        #expect(vote == (role == .api ? "dislike" : nil))
                    }
                    #expect(try await app.query("select * from darkroom.comment_details(404)").isEmpty)
                }
            }
            try await database.pool.query("update darkroom.posts set state = 'hidden'")
            #expect(try await database.pool.query("select * from darkroom.comment_details(5)").isEmpty)
        }
    }

    @Test("are removed by their authors and the post's uploader alone, with the event and the counter")
    func deleted() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await Self.discussed(database, comments: 3)
            func delete(_ comment: Int, _ person: String?) async throws -> Bool {
                try await database.pool.query(
                    "select darkroom.delete_comment(\(comment), \(person)) as done")[0]
                    .decode("done", as: Bool.self)
            }
            let deletions: [(comment: Int, person: String?, works: Bool)] = [
                (1, "eve", false), (1, "author-2", false), (1, nil, false), (1, "ada", true),
                (1, "ada", false),
                (2, "author-2", true), (404, "ada", false),
            ]
            for (comment, person, works) in deletions {
                #expect(try await delete(comment, person) == works, "\(comment) \(person ?? "nobody")")
            }
            #expect(try await VoteTests.counters(of: post, in: database).comments == 1)
            let told = try await database.texts(
                "select comment_id::text from darkroom.outbox where event = 'comment_deleted' order by 1")
            #expect(told == ["1", "2"])
            let left = try await database.texts("select body from darkroom.comments order by comment_id")
            #expect(left == ["-", "-", "No. 3"])
            #expect(try await database.pool.query("select * from darkroom.comment_details(1)").isEmpty)
        }
    }

    @Test("are reported once a person, are listed until they are deleted, and take their reports along")
    func reported() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await Self.discussed(database, comments: 3)
            func report(_ call: String) async throws -> Bool {
                try await database.pool.query(
                    PostgresQuery(unescaped: "select darkroom.report_comment(\(call)) as done"))[0]
                    .decode("done", as: Bool.self)
            }
            #expect(try await report("2, 'bob', 'spam', E'cafe\\u0301\\r\\ntwo'"))
            #expect(try await !report("2, 'bob', 'illegal'"))
            #expect(try await report("2, 'eve', 'illegal'"))
            #expect(try await report("3, 'eve', 'spam', ''"))
            let details = try await database.texts(
                "select details from darkroom.reports where details is not null")
            #expect(details == ["caf\u{e9}\ntwo"])
            func listed() async throws -> [String?] {
                try await database.texts(
                    """
                    select concat_ws(' ', comment_id, post_id, author, body, report_count)
                    from darkroom.comments_to_review() order by comment_id
                    """)
            }
            let all = [
                "2 \(post) author-2 No. 2 2", "3 \(post) author-3 No. 3 1",
            ]
            try await database.moderateAll()
            #expect(try await listed() == all)
            let refusals: [(String, SQLState)] = [
                ("404, 'bob', 'spam'", "P0002"), ("null, 'bob', 'spam'", "23502"),
                ("1, null, 'spam'", "23502"), ("1, '', 'spam'", .checkViolation),
                ("1, repeat('x', 201), 'spam'", .checkViolation),
                ("1, 'bob', 'spam', repeat('x', 2001)", .checkViolation),
                ("1, 'bob', 'spam', E'a\\u0007b'", .checkViolation),
            ]
            for (call, state) in refusals {
                let error = await #expect(throws: PostgresError.self) { _ = try await report(call) }
                #expect(error?.sqlState == state, "\(call)")
            }
            try await database.pool.query("select darkroom.delete_comment(3, 'ada')")
            try await database.moderateAll()
            #expect(try await listed() == [all[0]])
            let gone = await #expect(throws: PostgresError.self) { _ = try await report("3, 'dan', 'spam'") }
            #expect(gone?.sqlState == "P0002")
            try await database.pool.query("update darkroom.posts set state = 'hidden'")
            let hidden = await #expect(throws: PostgresError.self) {
                _ = try await report("2, 'dan', 'spam'")
            }
            #expect(hidden?.sqlState == "P0002")
            try await database.pool.query(
                "update darkroom.comments set ended_at = '2020-01-01' where comment_id = 3")
            try await database.pool.query("select darkroom.prune_comments()")
            let kept = try await database.texts("select distinct comment_id::text from darkroom.reports")
            #expect(kept == ["2"])
            try await database.pool.query("select darkroom.erase_leftovers(\(post))")
            #expect(try await database.pool.query("select from darkroom.reports").isEmpty)
        }
    }
}
