import JobQueue
import JobStore
import Postgres
import Posts
import Telemetry
import TestKit
import Testing

@Suite("What people do with a post while it is being erased", .timeLimit(.minutes(10)))
struct LeftoverTests {
    @Test("leaves no vote on a comment that is gone", arguments: [false, true])
    func commentVotes(isErasureFirst: Bool) async throws {
        try await QueueDatabase.with(FeedFixture(1)) { (database: QueueDatabase) async throws -> Void in
            let post = try #require(try await database.visiblePosts().first).id
            let comment = try await database.number("select darkroom.add_comment(\(post), 'ada', 'first')")
            let vote: PostgresQuery = "select darkroom.vote_on_comment(\(comment), 'late', 'like')"
            let erasure: PostgresQuery = "select darkroom.erase_post_rows(\(post))"
            try await database.withRivals { (first: Rival, second: Rival) async throws -> Void in
                try await first.run("begin")
                try await first.run(isErasureFirst ? erasure : vote)
                let waiting = try await second.start(isErasureFirst ? vote : erasure)
                try await first.run("commit")
                if isErasureFirst {
                    let error = await #expect(throws: PostgresError.self) { try await waiting.value }
                    #expect(error?.sqlState == "P0002")
                } else {
                    try await waiting.value
                }
            }
            try await database.pool.query("select darkroom.erase_leftovers(\(post))")
            #expect(try await database.number("select count(*) from darkroom.comment_votes") == 0)
            #expect(try await database.number("select count(*) from darkroom.comments") == 0)
        }
    }

    @Test("leaves no vote on a comment whose author is erased")
    func authors() async throws {
        try await QueueDatabase.with(FeedFixture(1)) { (database: QueueDatabase) async throws -> Void in
            let post = try #require(try await database.visiblePosts().first).id
            let comment = try await database.number("select darkroom.add_comment(\(post), 'author', 'first')")
            let order = try await PersonStore(pool: database.pool).erase("author")
            try await database.withRivals { (voting: Rival, erasing: Rival) async throws -> Void in
                try await voting.run("begin")
                try await voting.run("select darkroom.vote_on_comment(\(comment), 'late', 'like')")
                let erasure = try await erasing.start("select darkroom.erase_person_reactions(\(order))")
                try await voting.run("commit")
                try await erasure.value
            }
            #expect(try await database.number("select count(*) from darkroom.comment_votes") == 0)
            try await database.tally()
            #expect(try await VoteTests.counters(of: post, in: database).comments == 0)
        }
    }

    /// Every act leaves something that workers must count or weigh; that shows them what came too late.
    @Test("is erased as soon as its transaction ends, though the post's erasure ended before")
    func late() async throws {
        try await QueueDatabase.with(FeedFixture(2)) { (database: QueueDatabase) async throws -> Void in
            let posts = try await database.visiblePosts().map(\.id)
            try await database.withRivals { (acting: Rival, _: Rival) async throws -> Void in
                try await acting.run("begin")
                for post in posts {
                    try await acting.run("select darkroom.vote_on_post(\(post), 'late', 'like')")
                    try await acting.run("select darkroom.add_comment(\(post), 'late', 'hello')")
                    try await acting.run("select darkroom.report_post(\(post), 'late', 'spam')")
                    try await acting.run("select darkroom.count_views(array[\(post)]::bigint[])")
                }
                try await database.pool.query("select darkroom.erase_post_rows(\(posts[0]))")
                try await database.erasure.eraseLeftovers(of: posts[0])
                try await acting.run("commit")
            }
            try await database.tally()
            for turn in 1...2 {
                let job = try await database.claimModeration()
                do {
                    _ = try await ModerateHandler(pool: database.pool, log: .silent).run(
                        job, trace: AttemptTrace())
                    #expect(job.subject == posts[1])
                } catch let error as AttemptError {
                    #expect(job.subject == posts[0], "turn \(turn): \(error)")
                }
            }
            for table in ["votes", "comments", "reports", "post_counters", "counter_changes"] {
                #expect(
                    try await database.texts(
                        "select distinct post_id::text from darkroom.\(unescaped: table)")
                        == (table == "counter_changes" ? [] : [String(posts[1])]), "\(table)")
            }
        }
    }

    @Test("is not seen by an erasure that is open, and erased after it", arguments: [true, false])
    func openErasure(isTallyFirst: Bool) async throws {
        try await QueueDatabase.with(FeedFixture(1)) { (database: QueueDatabase) async throws -> Void in
            let post = try #require(try await database.visiblePosts().first).id
            try await database.withRivals { (erasing: Rival, acting: Rival) async throws -> Void in
                try await erasing.run("begin")
                try await erasing.run("select darkroom.erase_post_rows(\(post))")
                try await acting.run("set lock_timeout = '1min'")
                try await acting.run("select darkroom.report_post(\(post), 'late', 'spam')")
                try await acting.run("select darkroom.vote_on_post(\(post), 'late', 'like')")
                if isTallyFirst {
                    try await acting.run("select darkroom.tally_counters()")
                    #expect(try await database.number("select count(*) from darkroom.counter_changes") == 1)
                }
                try await erasing.run("commit")
            }
            try await database.tally()
            for table in ["votes", "reports", "post_counters", "counter_changes", "ranks"] {
                #expect(
                    try await database.number("select count(*) from darkroom.\(unescaped: table)") == 0,
                    "\(table)")
            }
        }
    }

    @Test(
        "is erased after an erasure during which its transaction ended",
        arguments: ["comments", "votes", "reports"])
    func endsMeanwhile(table: String) async throws {
        try await QueueDatabase.with(FeedFixture(1)) { (database: QueueDatabase) async throws -> Void in
            let post = try #require(try await database.visiblePosts().first).id
            let earlier = try await PostgresConnection.connect(database.configuration)
            try await database.withRivals { (erasing: Rival, acting: Rival) async throws -> Void in
                try await erasing.run("select darkroom.vote_on_post(\(post), 'early', 'like')")
                try await erasing.run("select darkroom.add_comment(\(post), 'early', 'hello')")
                try await erasing.run("select darkroom.report_post(\(post), 'early', 'spam')")
                // The erasure waits for this row, when it has deleted others.
                try await earlier.query("begin")
                try await earlier.query(
                    "select from darkroom.\(unescaped: table) where post_id = \(post) for update")
                try await acting.run("begin")
                try await acting.run("select darkroom.vote_on_post(\(post), 'late', 'like')")
                try await acting.run("select darkroom.add_comment(\(post), 'late', 'hello')")
                let erasure = try await erasing.start("select darkroom.erase_post_rows(\(post))")
                try await acting.run("commit")
                try await earlier.query("commit")
                try await erasure.value
            }
            await earlier.close()
            try await database.tally()
            #expect(try await database.inconsistencies() == [])
        }
    }
}
