import JobQueue
import JobStore
import Postgres
import Posts
import Telemetry
import TestKit
import Testing

@Suite("Weighted ratings", .timeLimit(.minutes(15)))
struct ReweighTests {
    @Test("are rewritten only if the averages have moved much")
    func rewritten() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.publishPosts(200)
            try await database.reweigh()
            let ranks: PostgresQuery =
                "select concat_ws(' ', post_id, weighted, xmin) from darkroom.ranks order by post_id"
            let before = try await database.texts(ranks)
            // A fifth more votes, and slightly better ones.
            try await database.pool.query(
                "insert into darkroom.counter_changes (post_id, likes) select post_id, 10 from darkroom.ranks where post_id % 20 = 0"
            )
            try await database.tally()
            let voted = try await database.number(
                "select count(*) from darkroom.ranks where post_id % 20 = 0")
            try await database.reweigh()
            let after = try await database.texts(ranks)
            #expect(Set(before).subtracting(after).count == voted && voted > 2)
            try await database.pool.query(
                "insert into darkroom.counter_changes (post_id, likes) select post_id, 1000 from darkroom.ranks where post_id % 20 = 0"
            )
            try await database.tally()
            try await database.reweigh()
            #expect(try await Set(after).isDisjoint(with: database.texts(ranks)))
        }
    }

    @Test("are rewritten in the end, also one that an open transaction has added by earlier averages")
    func added() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.publishPosts(60)
            try await database.reweigh()
            let post = try await database.number("select min(post_id) from darkroom.ranks")
            try await database.pool.query(
                "update darkroom.posts set state = 'hidden' where post_id = \(post)")
            try await database.withRivals { (showing: Rival, _: Rival) async throws -> Void in
                try await showing.run("begin")
                try await showing.run(
                    "update darkroom.posts set state = 'published' where post_id = \(post)")
                try await database.pool.query(
                    "insert into darkroom.counter_changes (post_id, likes) select post_id, 1000 from darkroom.ranks"
                )
                try await database.tally()
                try await showing.run("commit")
            }
            #expect(try await database.late() == 1)
            let handler = ReweighHandler(pool: database.pool, log: .silent)
            _ = try await handler.run(VoteTests.job, trace: AttemptTrace())
            #expect(try await database.late() == 0)
        }
    }

    @Test("are rewritten in the end, though a transaction holds one of them or the job was interrupted")
    func interrupted() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.publishPosts(60)
            // As tallies leave it while many posts have votes.
            try await database.pool.query("update darkroom.ranks set weighted = 0")
            try await database.pool.query("update darkroom.rating_averages set average_votes = 100")
            let post = try await database.number("select min(post_id) from darkroom.ranks")
            let handler = ReweighHandler(pool: database.pool, log: .silent)
            try await database.withRivals { (deleting: Rival, _: Rival) async throws -> Void in
                try await deleting.run("begin")
                try await deleting.run("update darkroom.posts set state = 'hidden' where post_id = \(post)")
                await #expect(throws: AttemptError.self) {
                    try await handler.run(VoteTests.job, trace: AttemptTrace())
                }
                try await deleting.run("rollback")
            }
            _ = try await handler.run(VoteTests.job, trace: AttemptTrace())
            #expect(try await database.late() == 0)
            #expect(
                try await database.number("select count(*) from darkroom.rating_averages where is_applied")
                    == 1)
        }
    }
}

extension QueueDatabase {
    /// How many ranks have a weighted rating by other averages.
    fileprivate func late() async throws -> Int {
        try await number(
            """
            select count(*) from darkroom.ranks r, darkroom.rating_averages a
            where r.weighted is distinct from darkroom.weighted_rating(r.likes, r.dislikes, a.average_rating, a.average_votes)
            """)
    }
}
