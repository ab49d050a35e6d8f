import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("An inbox", .timeLimit(.minutes(15)))
struct InboxTests {
    /// An entry, as far as most tests look at it.
    private struct Entry: Equatable, CustomStringConvertible {
        var event: String
        var subject: Int64
        var times: Int
        var isRead: Bool

        var description: String { "\(event) \(subject) ×\(times)\(isRead ? " read" : "")" }
    }

    private static func fill(_ database: QueueDatabase) async throws {
        try await database.pool.query("select darkroom.tally_counters()")
        try await database.pool.query("select darkroom.notify_of_likes()")
        try await database.pool.query("select darkroom.notify_of_events()")
        try await database.pool.query("select darkroom.fill_inboxes()")
    }

    private static func inbox(_ person: String, _ database: QueueDatabase) async throws -> [Entry] {
        try await database.pool.query(
            "select event, coalesce(post_id, job_id) as subject, times, is_read from darkroom.inbox(\(person))"
        ).map { row in
            Entry(
                event: try row.decode("event", as: String.self),
                subject: try row.decode("subject", as: Int64.self),
                times: try row.decode("times", as: Int.self), isRead: try row.decode("is_read", as: Bool.self)
            )
        }
    }

    private static func number(_ query: PostgresQuery, _ database: QueueDatabase) async throws -> Int64 {
        try await database.pool.query(query)[0].decode("n", as: Int64.self)
    }

    private static func unread(_ person: String, _ database: QueueDatabase) async throws -> Int64 {
        try await number("select darkroom.count_unread(\(person)) as n", database)
    }

    private static func readAll(_ person: String, _ database: QueueDatabase) async throws {
        try await database.pool.query(
            "select darkroom.read_inbox(\(person), number) from darkroom.inbox(\(person), at_most => 1)")
    }

    @discardableResult
    private static func comment(_ author: String, _ database: QueueDatabase) async throws -> Int64 {
        try await number("select darkroom.add_comment(1, \(author), 'Hello') as n", database)
    }

    /// Runs a body with one post, of `owner`, whose likes are told at once.
    private static func with(_ body: (QueueDatabase) async throws -> Void) async throws {
        try await QueueDatabase.with(FeedFixture(1, areVotedOn: false)) {
            (database: QueueDatabase) async throws -> Void in
            try await database.pool.query("update darkroom.posts set uploader = 'owner'")
            try await database.pool.query("update darkroom.settings set like_gathering = '0'")
            try await body(database)
            #expect(try await database.inconsistencies() == [])
        }
    }

    @Test("gathers likes and comments until it is read, and then begins again, at the top")
    func gathering() async throws {
        try await Self.with { (database: QueueDatabase) async throws -> Void in
            for voters in [["ada", "bob"], ["eve"]] {
                try await database.pool.query(
                    "select darkroom.vote_on_post(1, v, 'like') from unnest(\(voters)::text[]) v")
                try await Self.fill(database)
            }
            try await Self.comment("ada", database)
            try await Self.fill(database)
            try await Self.comment("bob", database)
            try await Self.fill(database)
            #expect(
                try await Self.inbox("owner", database) == [
                    Entry(event: "commented", subject: 1, times: 2, isRead: false),
                    Entry(event: "liked", subject: 1, times: 3, isRead: false),
                ])
            #expect(try await Self.unread("owner", database) == 2)
            try await Self.readAll("owner", database)
            #expect(try await Self.unread("owner", database) == 0)
            #expect(try await Self.inbox("owner", database).allSatisfy(\.isRead))

            try await database.pool.query("select darkroom.vote_on_post(1, 'dan', 'like')")
            try await Self.fill(database)
            #expect(
                try await Self.inbox("owner", database) == [
                    Entry(event: "liked", subject: 1, times: 1, isRead: false),
                    Entry(event: "commented", subject: 1, times: 2, isRead: true),
                ])
            #expect(try await Self.unread("owner", database) == 1)
            let late = try await Self.comment("ada", database)
            try await Self.fill(database)
            #expect(
                try await Self.inbox("owner", database).first
                    == Entry(event: "commented", subject: 1, times: 1, isRead: false))
            try await database.pool.query("select darkroom.delete_comment(\(late), 'ada')")
            try await Self.fill(database)
            #expect(try await Self.inbox("owner", database).map(\.event) == ["liked"], "it is gone")
        }
    }

    @Test("does not tell people of what they do themselves")
    func ownActions() async throws {
        try await Self.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query("select darkroom.vote_on_post(1, 'owner', 'like')")
            let own = try await Self.comment("owner", database)
            try await Self.fill(database)
            #expect(try await Self.inbox("owner", database).isEmpty)
            try await Self.comment("ada", database)
            try await Self.fill(database)
            try await database.pool.query("select darkroom.delete_comment(\(own), 'owner')")
            try await Self.fill(database)
            #expect(
                try await Self.inbox("owner", database) == [
                    Entry(event: "commented", subject: 1, times: 1, isRead: false)
                ], "their own comment was not counted")
            try await database.pool.query("select darkroom.delete_post(1, 'owner')")
            try await Self.fill(database)
            #expect(try await Self.inbox("owner", database).map(\.event) == ["commented"])
            try await database.pool.query("select darkroom.erase_post_rows(1)")
            #expect(try await Self.inbox("owner", database).isEmpty, "an erased post leaves nothing")
        }
    }

    @Test("tells of a rejection and of what a review does, with the numbers")
    func others() async throws {
        try await Self.with { (database: QueueDatabase) async throws -> Void in
            let job = try await Self.number(
                "select darkroom.enqueue_upload('owner', 'originals/a', repeat('ab', 32), 1) as n", database)
            _ = try await database.claimOne()
            try await database.pool.query(
                """
                select darkroom.finish_jobs(array[job_id], array[lease], 'rejected', 'no_location', 'Message.')
                from darkroom.jobs where job_id = \(job)
                """)
            _ = try await database.reviews.review(1, .remove(.terms(nil)), by: "olga")
            try await Self.fill(database)
            #expect(try await Self.inbox("owner", database).map(\.event) == ["removed", "rejected"])
            let rows = try await database.pool.query("select * from darkroom.inbox('owner')")
            #expect(try rows[1].decode("job_id", as: Int64?.self) == job)
            #expect(try rows[1].decode("post_id", as: Int64?.self) == nil)
            #expect(try rows[1].decode("reason", as: String?.self) == "no_location")
            #expect(try rows[0].decode("post_id", as: Int64?.self) == 1)
            #expect(try rows[0].decode("job_id", as: Int64?.self) == nil)
            #expect(try await Self.inbox("olga", database).isEmpty)
        }
    }

    @Test("takes each event once, if two fill inboxes, one fails, or there are more than a round takes")
    func once() async throws {
        try await Self.with { (database: QueueDatabase) async throws -> Void in
            for author in ["ada", "bob", "eve"] { try await Self.comment(author, database) }
            try await database.pool.query("select darkroom.notify_of_events()")
            let failed = try await PostgresConnection.connect(database.configuration)
            try await failed.query("begin")
            try await failed.query("select darkroom.fill_inboxes()")
            try await failed.query("rollback")
            await failed.close()
            #expect(try await Self.inbox("owner", database).isEmpty)
            let backlog = try await database.store.enqueueBacklogs()
            #expect(backlog == 1, "the events have numbers, but the inboxes are behind")
            try await withThrowingTaskGroup(of: Void.self) { (group) async throws -> Void in
                for _ in 0..<4 {
                    group.addTask { try await database.pool.query("select darkroom.fill_inboxes(1)") }
                }
                try await group.waitForAll()
            }
            #expect(try await Self.number("select darkroom.fill_inboxes(1) as n", database) == 0)
            #expect(try await Self.inbox("owner", database).map(\.times) == [3])
        }
    }

    @Test("holds only the events that its person has chosen, from then on")
    func choice() async throws {
        try await Self.with { (database: QueueDatabase) async throws -> Void in
            try await Self.comment("ada", database)
            try await Self.fill(database)
            try await database.pool.query("select darkroom.choose_inbox_events('owner', array['liked'])")
            try await database.pool.query("select darkroom.vote_on_post(1, 'bob', 'like')")
            try await Self.comment("bob", database)
            try await Self.fill(database)
            #expect(
                try await Self.inbox("owner", database) == [
                    Entry(event: "liked", subject: 1, times: 1, isRead: false),
                    Entry(event: "commented", subject: 1, times: 1, isRead: false),
                ], "what was there stays")
            let chosen = try await database.pool.query("select darkroom.inbox_events('owner') as events")
            #expect(try chosen[0].decode("events", as: [String].self) == ["liked"])
            try await database.pool.query("select darkroom.choose_inbox_events('owner')")
            let all = try await database.pool.query("select cardinality(darkroom.inbox_events('owner')) as n")
            #expect(try all[0].decode("n", as: Int.self) == 16)
            for wrong in [
                "array['rerendered']", "array[null]::text[]", "array_fill('liked'::text, array[101])",
                "array[array['liked'], array['liked']]",
            ] {
                let error = await #expect(throws: PostgresError.self) {
                    try await database.pool.query(
                        "select darkroom.choose_inbox_events('owner', \(unescaped: wrong))")
                }
                #expect(error?.sqlState == "22023", "\(wrong)")
            }
        }
    }

    @Test("comes in pages, latest first, and refuses other cursors and numbers of the future")
    func pages() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.publishPosts(7, areVotedOn: false)
            try await database.pool.query("update darkroom.posts set uploader = 'owner'")
            try await database.pool.query(
                "select darkroom.add_comment(p, 'ada', 'Hi') from generate_series(1, 7) p")
            try await Self.fill(database)
            var cursor: String?
            var posts: [Int64] = []
            repeat {
                let rows = try await database.pool.query(
                    "select post_id, cursor from darkroom.inbox('owner', 3, \(cursor))")
                posts += try rows.map { try $0.decode("post_id", as: Int64.self) }
                cursor = try rows.last?.decode("cursor", as: String.self)
            } while cursor != nil
            #expect(posts == [7, 6, 5, 4, 3, 2, 1])
            for call in ["inbox('owner', 3, 'latest:1~1')", "read_inbox('owner', 1000000)"] {
                let error = await #expect(throws: PostgresError.self) {
                    try await database.pool.query(PostgresQuery(unescaped: "select darkroom.\(call)"))
                }
                #expect(error?.sqlState == "22023", "\(call)")
            }
            #expect(try await Self.unread("owner", database) == 7)
        }
    }

    @Test("forgets what is older than the settings say")
    func pruning() async throws {
        try await Self.with { (database: QueueDatabase) async throws -> Void in
            try await Self.comment("ada", database)
            try await database.pool.query("select darkroom.vote_on_post(1, 'bob', 'like')")
            try await Self.fill(database)
            try await database.pool.query(
                "update darkroom.inbox_entries set occurred_at = now() - interval '31 days' where event = 'liked'"
            )
            #expect(try await Self.number("select darkroom.prune_inbox()::bigint as n", database) == 0)
            try await database.pool.query("update darkroom.settings set inbox_days = 30")
            let pruned = try await database.pool.query("select darkroom.prune_records() as what")
            #expect(try pruned[0].decode("what", as: String?.self) == "1 rows of inbox_entries")
            #expect(try await Self.inbox("owner", database).map(\.event) == ["commented"])
        }
    }

    @Test("is erased with its person, whatever was chosen and read")
    func erasure() async throws {
        try await Self.with { (database: QueueDatabase) async throws -> Void in
            try await Self.comment("ada", database)
            try await Self.fill(database)
            try await Self.readAll("owner", database)
            let erasure = try await Self.number("select darkroom.erase_person('owner') as n", database)
            try await database.pool.query("select darkroom.erase_person_post(\(erasure))")
            try await database.pool.query("select darkroom.erase_person_record(\(erasure))")
            #expect(
                try await Self.number(
                    """
                    select (select count(*) from darkroom.inboxes where person = 'owner')
                         + (select count(*) from darkroom.inbox_entries where person = 'owner') as n
                    """, database) == 0)
            // No worker deletes the files.
            try await database.pool.query("delete from darkroom.retired_media")
            #expect(
                try await database.pool.query("select darkroom.has_traces(\(erasure)) as yes")[0]
                    .decode("yes", as: Bool.self) == false)
            try await database.pool.query("select darkroom.choose_inbox_events('owner', '{}')")
            #expect(
                try await database.pool.query("select darkroom.has_traces(\(erasure)) as yes")[0]
                    .decode("yes", as: Bool.self), "a choice is a trace")
        }
    }
}
