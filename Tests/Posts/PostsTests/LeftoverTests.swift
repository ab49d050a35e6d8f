import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("What people do with a post while it is being erased", .timeLimit(.minutes(10)))
struct LeftoverTests {
    @Test("leaves no vote on a comment that is gone", arguments: [false, true])
    func commentVotes(isErasureFirst: Bool) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.publishPosts(1)
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
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.publishPosts(1)
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

    @Test("is erased by the sweep, page by page, for days after", arguments: [1, 2, 500])
    func sweep(batch: Int) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.publishPosts(5)
            let posts = try await database.visiblePosts().map(\.id).sorted()
            for post in posts.dropLast() {
                try await database.pool.query("select darkroom.erase_post_rows(\(post))")
            }
            try await database.pool.query(
                "update darkroom.post_erasures set erased_at = now() - interval '4 days' where post_id = \(posts[1])"
            )
            // As left by transactions that were running then.
            try await database.pool.query(
                "insert into darkroom.votes (post_id, voter, vote) select p, 'late', 'like' from unnest(\(posts)::bigint[]) p"
            )
            try await database.erasure.eraseRecentLeftovers(batch: batch)
            #expect(
                try await database.texts(
                    "select post_id::text from darkroom.votes where voter = 'late' order by post_id")
                    == [String(posts[1]), String(posts[4])])
        }
    }

    @Test("refuses a report that waited for the erasure")
    func report() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.publishPosts(1)
            let post = try #require(try await database.visiblePosts().first).id
            try await database.withRivals { (erasing: Rival, reporting: Rival) async throws -> Void in
                try await erasing.run("begin")
                try await erasing.run("select darkroom.erase_post_rows(\(post))")
                let report = try await reporting.start("select darkroom.report_post(\(post), 'late', 'spam')")
                try await erasing.run("commit")
                let error = await #expect(throws: PostgresError.self) { try await report.value }
                #expect(error?.sqlState == "P0002")
            }
            #expect(try await database.number("select count(*) from darkroom.reports") == 0)
        }
    }
}
