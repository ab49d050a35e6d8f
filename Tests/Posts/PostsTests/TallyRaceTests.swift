import JobQueue
import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("Votes that are cast while others are counted", .timeLimit(.minutes(15)))
struct TallyRaceTests {
    @Test("of one person are counted while another person's transaction is open, and its own when it ends")
    func openTransaction() async throws {
        try await QueueDatabase.with(FeedFixture(1, areVotedOn: false)) {
            (database: QueueDatabase) async throws -> Void in
            let post = try #require(try await database.visiblePosts().first).id
            let counted: PostgresQuery = "select coalesce(sum(likes), 0) from darkroom.post_counters"
            for isUndone in [true, false] {
                let before = try await database.number(counted)
                try await database.withRivals { (slow: Rival, _: Rival) async throws -> Void in
                    try await slow.run("begin")
                    try await slow.run("select darkroom.vote_on_post(\(post), 'slow', 'like')")
                    try await slow.run("select darkroom.count_views(array[\(post)]::bigint[])")
                    try await database.pool.query(
                        "select darkroom.vote_on_post(\(post), \(isUndone ? "ada" : "bob"), 'like')")
                    #expect(try await database.store.enqueueBacklogs() == 1)
                    #expect(try await database.store.enqueueBacklogs() == 0, "one tally at a time")
                    try await Self.runTally(database)
                    #expect(try await database.number(counted) == before + 1)
                    #expect(try await database.store.enqueueBacklogs() == 0, "nothing is left to count")
                    try await slow.run(isUndone ? "rollback" : "commit")
                }
                #expect(try await database.store.enqueueBacklogs() == (isUndone ? 0 : 1))
                try await Self.runTally(database)
                #expect(try await database.number(counted) == before + (isUndone ? 1 : 2))
            }
        }
    }

    @Test("on a post or comment that another transaction is deleting are left, and all others are counted")
    func heldRows() async throws {
        try await QueueDatabase.with(FeedFixture(3, areVotedOn: false)) {
            (database: QueueDatabase) async throws -> Void in
            let posts = try await database.visiblePosts().map(\.id).sorted()
            let uploader = try await database.texts(
                "select uploader from darkroom.posts where post_id = \(posts[0])")[0]
            let comments = try await [
                database.number("select darkroom.add_comment(\(posts[1]), 'ada', 'first')"),
                database.number("select darkroom.add_comment(\(posts[1]), 'bob', 'second')"),
            ]
            try await database.tally()
            for isUndone in [true, false] {
                try await database.withRivals { (deleting: Rival, counting: Rival) async throws -> Void in
                    for post in posts {
                        try await database.pool.query(
                            "select darkroom.vote_on_post(\(post), \("voter \(isUndone)"), 'like')")
                    }
                    for comment in comments {
                        try await database.pool.query(
                            "select darkroom.vote_on_comment(\(comment), \("voter \(isUndone)"), 'like')")
                    }
                    try await deleting.run("begin")
                    try await deleting.run("select darkroom.delete_post(\(posts[0]), \(uploader))")
                    try await deleting.run("select darkroom.delete_comment(\(comments[0]), 'ada')")
                    try await counting.run("set lock_timeout = '1ms'")
                    try await counting.run("select darkroom.tally_counters()")
                    #expect(
                        try await database.texts(
                            "select post_id::text from darkroom.counter_changes where likes <> 0 order by post_id"
                        )
                            == [posts[0], posts[1]].map { String($0) })
                    try await deleting.run(isUndone ? "rollback" : "commit")
                }
                try await database.tally()
                #expect(try await database.number("select count(*) from darkroom.counter_changes") == 0)
                let votes = isUndone ? 1 : 2
                #expect(
                    try await database.texts(
                        "select likes::text from darkroom.comments order by comment_id")
                        == ["\(votes)", "\(votes)"])
                #expect(
                    try await database.texts("select likes::text from darkroom.ranks order by post_id")
                        == Array(repeating: "\(votes)", count: isUndone ? 3 : 2))
            }
        }
    }

    @Test("that never end do not block the map or the events", .timeLimit(.minutes(15)))
    func endlessVotes() async throws {
        try await QueueDatabase.with(FeedFixture(1, areVotedOn: false)) {
            (database: QueueDatabase) async throws -> Void in
            let post = try #require(try await database.visiblePosts().first).id
            // Adds another vote for each one that is counted.
            try await database.pool.query(
                """
                create function public.vote_again() returns trigger language plpgsql as $$
                begin
                    insert into darkroom.counter_changes (post_id, likes) values (old.post_id, 1);
                    return null;
                end $$
                """)
            try await database.pool.query(
                """
                create trigger vote_again after delete on darkroom.counter_changes
                for each row execute function public.vote_again()
                """)
            try await database.pool.query("select darkroom.vote_on_post(\(post), 'ada', 'like')")
            try await database.pool.query(
                "insert into darkroom.outbox (post_id, event) values (\(post), 'hidden')")
            _ = try await TallyHandler(pool: database.pool).run(VoteTests.job, trace: AttemptTrace())
            let left = try await database.pool.query(
                """
                select (select count(*) from darkroom.map_changes) as map,
                       (select count(*) from darkroom.outbox) as events
                """)
            #expect(try left[0].decode("map", as: Int.self) == 0)
            #expect(try left[0].decode("events", as: Int.self) == 0)
            #expect(try await database.store.enqueueBacklogs() == 1, "another counts the rest")
        }
    }

    /// Does what a worker does with the tally that is queued.
    private static func runTally(_ database: QueueDatabase) async throws {
        _ = try await TallyHandler(pool: database.pool).run(VoteTests.job, trace: AttemptTrace())
        try await database.pool.query("delete from darkroom.jobs")
    }
}
