import JobStore
import Postgres
import TestKit
import Testing

/// Comments of authors whom a person has blocked, and what the inbox tells of them.
@Suite("A block and comments", .timeLimit(.minutes(15)))
struct BlockedCommentTests {
    @Test("hides comments, does not count them, and tells nothing of them")
    func comments() async throws {
        try await QueueDatabase.with(FeedFixture(3, areVotedOn: false)) {
            (database: QueueDatabase) async throws -> Void in
            try await database.pool.query("update darkroom.posts set uploader = 'ada' where post_id = 1")
            func all() async throws -> [String?] {
                try await database.texts(
                    """
                    select body || ' ' || (select comments from darkroom.post_details(1, 'ada')) || ' '
                           || (select comments from darkroom.latest_posts(viewer => 'ada') where post_id = 1) || ' '
                           || (select count(*) from darkroom.comment_details(comment_id, 'ada'))
                    from darkroom.post_comments(1, viewer => 'ada') order by comment_id
                    """)
            }
            func inbox() async throws -> [String?] {
                for call in ["tally_counters", "notify_of_events", "fill_inboxes"] {
                    try await database.pool.query(PostgresQuery(unescaped: "select darkroom.\(call)()"))
                }
                return try await database.texts("select event || ' ' || times from darkroom.inbox('ada')")
            }
            for (author, body) in [("bob", "one"), ("eve", "two"), ("eve", "three"), ("ada", "four")] {
                try await database.pool.query("select darkroom.add_comment(1, \(author), \(body))")
            }
            #expect(try await inbox() == ["commented 3"])
            #expect(try await all() == ["one 4 4 1", "two 4 4 1", "three 4 4 1", "four 4 4 1"])
            let eve = try await database.texts(
                "select author_handle from darkroom.post_comments(1, viewer => 'ada') where author = 'eve' limit 1"
            )[0]
            try await database.pool.query("select darkroom.block_author('ada', \(eve))")
            #expect(try await all() == ["one 2 2 1", "four 2 2 1"])
            #expect(try await inbox() == ["commented 1"])
            // Not tallied yet, and told to nobody.
            try await database.pool.query("select darkroom.add_comment(1, 'eve', 'five')")
            #expect(try await all() == ["one 2 1 1", "four 2 1 1"])
            #expect(try await inbox() == ["commented 1"])
            #expect(try await all() == ["one 2 2 1", "four 2 2 1"])
            for order in ["newest", "popular"] {
                let pages = try await database.texts(
                    """
                    select (select string_agg(body, ' ') from darkroom.post_comments(1, \(order), 1, viewer => 'ada')) || ', '
                           || (select string_agg(body, ' ') from darkroom.post_comments(1, \(order), 1, (
                               select cursor from darkroom.post_comments(1, \(order), 1, viewer => 'ada')), 'ada'))
                    """)
                #expect(pages == ["four, one"], "\(order)")
            }
            let others = try await database.texts(
                "select count(*)::text from darkroom.post_comments(1, viewer => 'bob')")
            #expect(others == ["5"], "others see them")
            // What is not counted is not taken away either.
            try await database.pool.query(
                "select darkroom.delete_comment(comment_id, 'eve') from darkroom.comments where body = 'five'"
            )
            #expect(try await inbox() == ["commented 1"])
            let ended = try await database.texts("select darkroom.unblock_author('ada', \(eve))::text")
            #expect(ended == ["true"])
            #expect(try await all().count == 4)
            #expect(
                try await database.texts("select darkroom.unblock_author('ada', \(eve))::text") == ["false"])
        }
    }

    /// What happens below one post of ada, and what her inbox then tells: bob has always commented once. A dot fills the inbox.
    @Test(
        "leaves in the inbox what others wrote, whatever happens between two runs",
        arguments: [
            ("eve . block . unblock block .", "1"), ("eve . block . unblock delete .", "1"),
            ("eve . delete block .", "1"),
            ("eve . block zoe-blocked .", "1"), ("eve block .", "1"), (". eve block .", "1"),
            ("eve . block eve . eve .", "1"),
            ("eve delete block .", "1"), ("eve . delete . block .", "1"), ("block eve . unblock eve .", "2"),
            ("eve . block delete .", "1"), ("block . eve delete .", "1"), ("eve . eve . block .", "1"),
        ])
    func inbox(acts: String, times: String) async throws {
        try await QueueDatabase.with(FeedFixture(1, areVotedOn: false)) {
            (database: QueueDatabase) async throws -> Void in
            try await database.pool.query("update darkroom.posts set uploader = 'ada'")
            func run(_ act: String) async throws {
                let statements: [String] =
                    switch act {
                    case ".": ["notify_of_events()", "fill_inboxes()"]
                    case "block": ["block_author('ada', darkroom.handle_of('eve'))"]
                    case "unblock": ["unblock_author('ada', darkroom.handle_of('eve'))"]
                    case "delete":
                        [
                            "delete_comment((select max(comment_id) from darkroom.comments where author = 'eve'), 'eve')"
                        ]
                    case "zoe-blocked":
                        ["add_comment(1, 'zoe', 'Hello')", "block_author('ada', darkroom.handle_of('zoe'))"]
                    default: ["add_comment(1, '\(act)', 'Hello')"]
                    }
                for statement in statements {
                    try await database.pool.query(PostgresQuery(unescaped: "select darkroom.\(statement)"))
                }
            }
            for act in ["bob"] + acts.split(separator: " ").map(String.init) + ["."] { try await run(act) }
            let told = try await database.texts(
                "select times || ' ' || (select author from darkroom.comments c where c.comment_id = i.comment_id) from darkroom.inbox('ada') i"
            )
            #expect(told == [times == "1" ? "1 bob" : "2 eve"])
            #expect(try await database.texts("select event from darkroom.inbox('ada')").count == 1)
        }
    }

    @Test("counts comments in the same way whether there are few or many")
    func manyComments() async throws {
        try await QueueDatabase.with(FeedFixture(2, areVotedOn: false)) {
            (database: QueueDatabase) async throws -> Void in
            try await database.pool.query(
                "select darkroom.add_comment(1, 'user-' || i % 4, 'x') from generate_series(1, 60) i")
            try await database.pool.query("select darkroom.add_comment(2, 'user-1', 'x')")
            try await database.tally()
            try await database.pool.query(
                """
                select darkroom.block_author('ada', author_handle) from darkroom.comments where author = 'user-3' limit 1
                """)
            let found = try await database.texts(
                "select post_id || ' ' || comments from darkroom.latest_posts(viewer => 'ada') order by 1")
            #expect(found == ["1 45", "2 1"])
        }
    }

    @Test(
        "leaves the comments below an anonymous post to its readers, and shows nobody who has blocked it any")
    func belowBlocked() async throws {
        try await QueueDatabase.with(FeedFixture(1, areVotedOn: false)) {
            (database: QueueDatabase) async throws -> Void in
            try await database.pool.query("update darkroom.posts set uploader = 'eve', anonymous = true")
            try await database.pool.query("select darkroom.add_comment(1, 'bob', 'first')")
            try await database.pool.query(
                "select darkroom.add_comment(1, 'eve', 'mine') from generate_series(1, 25)")
            for (block, count) in [("true", "0"), ("false", "20")] {
                try await BlockTests.block(block, database)
                let found = try await database.texts(
                    "select count(*)::text from darkroom.post_comments(1, viewer => 'ada')")
                #expect(found == [count])
            }
        }
    }

    @Test("hides an anonymous author where the handle is in use, and tells nobody who it is")
    func anonymous() async throws {
        try await QueueDatabase.with(FeedFixture(4, areVotedOn: false)) {
            (database: QueueDatabase) async throws -> Void in
            try await database.pool.query(
                "update darkroom.posts set uploader = 'eve', category = null, anonymous = post_id > 1 where post_id < 4"
            )
            try await database.pool.query("select darkroom.add_comment(2, 'eve', 'mine')")
            try await database.pool.query("select darkroom.add_comment(4, 'eve', 'by name')")
            func seen() async throws -> [String?] {
                try await database.texts(
                    """
                    select l.post_id || ' ' || coalesce((
                        select string_agg(body, ' ') from darkroom.post_comments(l.post_id, viewer => 'ada')), '-')
                        || ' ' || (select comments from darkroom.post_details(l.post_id, 'ada'))
                    from darkroom.latest_posts(viewer => 'ada') l order by 1
                    """)
            }
            #expect(try await seen() == ["1 - 0", "2 mine 1", "3 - 0", "4 by name 1"])
            try await BlockTests.block("post_id = 1", database)
            #expect(try await seen() == ["2 mine 1", "3 - 0", "4 - 0"], "by name alone")
            try await BlockTests.block("post_id = 2", database)
            #expect(try await seen() == ["1 - 0", "4 by name 1"], "unnamed alone")
        }
    }

    /// An inbox as it should be: what was told and is still there.
    private struct Model {
        var comments: [(author: String, isLive: Bool)] = []
        var blocked: Set<String> = []
        var isWanted = true
        var taken = 0
        /// Since the entry was last read.
        var told: [Int] = []
        var isRead = false

        mutating func fill() {
            told.removeAll { !comments[$0].isLive || blocked.contains(comments[$0].author) }
            for index in taken..<comments.count
            where isWanted && comments[index].isLive && !blocked.contains(comments[index].author) {
                if isRead { told = [] }
                isRead = false
                told.append(index)
            }
            taken = comments.count
        }
    }

    @Test(
        "leaves in the inbox what it told and what is still there, after any history",
        arguments: 1...Extent.of(1, check: 4))
    func histories(seed: UInt64) async throws {
        try await QueueDatabase.with(FeedFixture(25, areVotedOn: false)) {
            (database: QueueDatabase) async throws -> Void in
            try await database.pool.query("update darkroom.posts set uploader = 'owner-' || post_id")
            var random = SplitMix(state: seed)
            for post in 1...25 {
                let owner = "owner-\(post)"
                var (model, ids, history) = (Model(), [Int64](), [String]())
                func fill() async throws {
                    try await database.pool.query("select darkroom.notify_of_events()")
                    for _ in 0..<100 {
                        let rows = try await database.pool.query(
                            "select darkroom.fill_inboxes(\(Int(random.next() % 3) + 1)) as n")
                        if try rows[0].decode("n", as: Int.self) == 0 { break }
                    }
                    model.fill()
                }
                for _ in 0..<20 {
                    let author = ["bob", "eve", "zoe"][Int(random.next() % 3)]
                    let act = [
                        "comment", "comment", "delete", "block", "unblock", "choose", "read", "fill", "fill",
                    ][
                        Int(random.next() % 9)]
                    history.append("\(act) \(author)")
                    switch act {
                    case "comment":
                        ids.append(
                            try await database.pool.query(
                                "select darkroom.add_comment(\(Int64(post)), \(author), 'Hello') as id")[0]
                                .decode("id"))
                        model.comments.append((author, true))
                    case "delete":
                        guard
                            let index = model.comments.lastIndex(where: { $0.isLive && $0.author == author })
                        else { break }
                        model.comments[index].isLive = false
                        try await database.pool.query(
                            "select darkroom.delete_comment(\(ids[index]), \(author))")
                    case "block":
                        model.blocked.insert(author)
                        try await database.pool.query(
                            "select darkroom.block_author(\(owner), darkroom.handle_of(\(author)))")
                    case "unblock":
                        model.blocked.remove(author)
                        try await database.pool.query(
                            "select darkroom.unblock_author(\(owner), darkroom.handle_of(\(author)))")
                    case "choose":
                        model.isWanted.toggle()
                        let events: [String]? = model.isWanted ? nil : ["liked"]
                        try await database.pool.query(
                            "select darkroom.choose_inbox_events(\(owner), \(events)::text[])")
                    case "read":
                        try await fill()
                        try await database.pool.query(
                            "select darkroom.read_inbox(\(owner), number) from darkroom.inbox(\(owner))")
                        model.isRead = true
                    default: try await fill()
                    }
                    guard act == "fill" || act == "read" else { continue }
                    let found = try await database.pool.query(
                        "select times, comment_id, is_read from darkroom.inbox(\(owner))")
                    #expect(
                        try found.first?.decode("times", as: Int.self) ?? 0 == model.told.count, "\(history)")
                    #expect(
                        try found.first?.decode("comment_id", as: Int64?.self)
                            == model.told.last.map { ids[$0] }, "\(history)")
                }
            }
        }
    }
}
