import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("Ranks and concurrent changes to posts", .timeLimit(.minutes(10)))
struct RankRaceTests {
    @Test("have no entry for a post that was hidden while its first votes were counted")
    func hidden() async throws {
        try await QueueDatabase.with(FeedFixture(2, areVotedOn: false)) {
            (database: QueueDatabase) async throws -> Void in
            let posts = try await database.visiblePosts().map(\.id)
            for (post, voter) in [(posts[0], "ada"), (posts[0], "bob"), (posts[1], "ada")] {
                try await database.pool.query("select darkroom.vote_on_post(\(post), \(voter), 'like')")
            }
            try await database.withRivals { (hiding: Rival, counting: Rival) async throws -> Void in
                try await hiding.run("begin")
                try await hiding.run("update darkroom.posts set state = 'hidden' where post_id = \(posts[0])")
                let tally = try await counting.start("select darkroom.tally_counters()")
                try await hiding.run("commit")
                try await tally.value
            }
            let left = [String(posts[1])]
            #expect(try await database.texts("select post_id::text from darkroom.ranks") == left)
            // On a page of one, a post that cannot be shown would leave an empty page without a cursor.
            #expect(
                try await database.texts("select post_id::text from darkroom.top_posts('likes', 1)") == left)
        }
    }

    /// The tally does not see the uncommitted feed row of a restoration, and the restoration does not see the count.
    @Test(
        "have a post that is restored while its votes are counted, in either order",
        arguments: [true, false])
    func restored(tallyIsFirst: Bool) async throws {
        try await QueueDatabase.with(FeedFixture(1, areVotedOn: false)) {
            (database: QueueDatabase) async throws -> Void in
            let post = try #require(try await database.visiblePosts().first).id
            for voter in ["ada", "bob"] {
                try await database.pool.query("select darkroom.vote_on_post(\(post), \(voter), 'like')")
            }
            try await database.pool.query(
                "update darkroom.posts set state = 'hidden' where post_id = \(post)")
            let restore: PostgresQuery =
                "update darkroom.posts set state = 'published' where post_id = \(post)"
            let tally: PostgresQuery = "select darkroom.tally_counters()"
            try await database.withRivals { (first: Rival, second: Rival) async throws -> Void in
                try await first.run("begin")
                try await first.run(tallyIsFirst ? tally : restore)
                let other = try await second.start(
                    tallyIsFirst ? restore : "select darkroom.tally_counters()")
                try await first.run("commit")
                try await other.value
            }
            #expect(try await database.texts("select likes::text from darkroom.ranks") == ["2"])
        }
    }

    @Test("and the map are rebuilt while a tally is under way")
    func rebuilt() async throws {
        try await QueueDatabase.with(FeedFixture(30)) { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query("update darkroom.posts set latitude = latitude * 0.9")
            try await database.withRivals { (counting: Rival, making: Rival) async throws -> Void in
                try await counting.run("begin")
                try await counting.run("select darkroom.tally_map()")
                let rebuild = try await making.start("select darkroom.rebuild_feeds()")
                try await counting.run("commit")
                try await rebuild.value
            }
            let clusters: PostgresQuery =
                "select posts::text from darkroom.map_tiles where level = 20 order by x, y"
            let before = try await database.texts(clusters)
            try await database.pool.query("select darkroom.rebuild_feeds()")
            #expect(try await database.texts(clusters) == before && !before.isEmpty)
        }
    }

    @Test("use the current counters for a post that was changed while a vote was counted")
    func changed() async throws {
        try await QueueDatabase.with(FeedFixture(1, areVotedOn: false)) {
            (database: QueueDatabase) async throws -> Void in
            let post = try #require(try await database.visiblePosts().first).id
            try await database.pool.query("select darkroom.vote_on_post(\(post), 'ada', 'like')")
            try await database.tally()
            try await database.pool.query("select darkroom.vote_on_post(\(post), 'bob', 'like')")
            try await database.withRivals { (counting: Rival, changing: Rival) async throws -> Void in
                try await counting.run("begin")
                try await counting.run("select darkroom.tally_counters()")
                let change = try await changing.start(
                    "update darkroom.posts set category = 'food' where post_id = \(post)")
                try await counting.run("commit")
                try await change.value
            }
            #expect(
                try await database.texts("select concat_ws(' ', likes, category) from darkroom.ranks")
                    == ["2 food"])
        }
    }

    /// The tally has ranked the first post and waits for the second, which another transaction holds. Then posts
    /// expire, the third one before the first, and then the tally reaches the third.
    @Test("and posts that expire in another order do not wait for each other")
    func expiring() async throws {
        try await QueueDatabase.with(FeedFixture(3, areVotedOn: false)) {
            (database: QueueDatabase) async throws -> Void in
            let posts = try await database.visiblePosts().map(\.id).sorted()
            for voter in ["ada", "bob"] {
                try await database.tally()
                for post in posts {
                    try await database.pool.query("select darkroom.vote_on_post(\(post), \(voter), 'like')")
                }
            }
            for (post, minutes) in [(posts[2], 2), (posts[0], 1)] {
                try await database.pool.query(
                    "update darkroom.posts set expires_at = now() - make_interval(mins => \(minutes)) where post_id = \(post)"
                )
            }
            try await database.withRivals { (counting: Rival, expiring: Rival) async throws -> Void in
                let (tally, expiry) = try await database.pool.withTransaction {
                    (holder) async throws -> (Task<Void, any Error>, Task<Void, any Error>) in
                    try await holder.query(
                        "select from darkroom.ranks where post_id = \(posts[1]) for update")
                    return (
                        try await counting.start("select darkroom.tally_counters()"),
                        try await expiring.start("select darkroom.expire_posts()")
                    )
                }
                try await tally.value
                try await expiry.value
            }
            #expect(
                try await database.texts("select concat_ws(' ', post_id, likes) from darkroom.ranks")
                    == ["\(posts[1]) 2"])
            #expect(
                try await database.texts(
                    "select post_id::text from darkroom.outbox where event = 'expired' order by event_id")
                    == [posts[2], posts[0]].map { String($0) }, "in the order of their times")
        }
    }
}
