import Ingestion
import JobQueue
import JobStore
import Postgres
import Posts
import Telemetry
import TestKit
import Testing

@Suite("Erasure of a person and concurrent changes", .timeLimit(.minutes(10)))
struct PersonErasureRaceTests {
    static let person = "person-5d1f0c"

    /// People who leave often delete posts first, so the erasures of these posts are then under way.
    @Test("erases all posts, even if the first one was erased by its own order")
    func postBetween() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            var posts: [Int64] = []
            for number in 0..<3 {
                posts.append(try await library.publish("\(number)", ["\(number)"], uploader: Self.person))
            }
            _ = try await library.reviews.review(
                posts[2], .remove(.terms(nil)), by: "reviewer", note: "by \(Self.person)")
            let people = PersonStore(pool: library.pool)
            let order = try await people.erase(Self.person)
            try await library.database.withRivals { (deleting: Rival, erasing: Rival) async throws -> Void in
                try await deleting.run("begin")
                try await deleting.run("select darkroom.erase_post_rows(\(posts[2]))")
                let step = try await erasing.start { (session: PostgresConnection) async throws -> Bool in
                    try await session.query("select darkroom.erase_person_post(\(order)) as went_on")[0]
                        .decode("went_on", as: Bool.self)
                }
                try await deleting.run("commit")
                #expect(try await step.value, "there are two more")
            }
            try await library.run(.erasePerson, library.erasePerson)
            #expect(try await library.number("select count(*) from darkroom.posts") == 0)
            #expect(try await library.number("select count(*) from darkroom.uploads") == 0)
            #expect(
                try await library.files().isEmpty,
                "nor is a file left of the one that had an order of its own")
            #expect(
                try await PersonErasureTests.tables(naming: Self.person, or: Self.person, in: library) == [])
            #expect(try await people.erasures(limit: 1).first?.state == .finished)
        }
    }

    /// What a person can do between two steps of the erasure, which runs as long as originals are protected.
    static let returns: [PostgresQuery] = [
        "select darkroom.enqueue_upload(\(person), 'originals/late', repeat('ab', 32), 1)",
        "select darkroom.vote_on_post(1, \(person), 'like')",
        "select darkroom.vote_on_comment(1, \(person), 'dislike')",
        "select darkroom.report_comment(1, \(person), 'spam')",
        "select darkroom.add_comment(1, \(person), 'late')",
        "select darkroom.report_post(1, \(person), 'spam')",
        "select darkroom.set_display_name(\(person), 'Late')",
        "select darkroom.choose_inbox_events(\(person), '{}')",
    ]

    @Test("goes on until what comes meanwhile is erased too", arguments: returns.indices, [false, true])
    func returning(index: Int, isAfterRecord: Bool) async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let post = try await library.publish("other", ["other"], uploader: "other")
            try #require(post == 1)
            #expect(try await library.number("select darkroom.add_comment(1, 'other', 'a comment')") == 1)
            let people = PersonStore(pool: library.pool)
            let order = try await people.erase(Self.person)
            _ = try await people.cancelJobs(order)
            while try await people.erasePost(order) {}
            _ = try await people.eraseUploads(order)
            _ = try await people.eraseReactions(order)
            if isAfterRecord { try await people.eraseRecord(order) }
            try await library.pool.query(Self.returns[index])
            if !isAfterRecord { try await people.eraseRecord(order) }
            try await library.pool.query("delete from darkroom.jobs where kind = 'moderate'")
            // It may be finished by then or not: the repeated steps find the rest.
            let isFinished = try await library.pool.withTransaction { (transaction) async throws -> Bool in
                try await PersonStore.finish(order, in: transaction)
            }
            if !isFinished { try await library.run(.erasePerson, library.erasePerson) }
            #expect(
                try await PersonErasureTests.tables(naming: Self.person, or: Self.person, in: library) == [])
            // Nothing is left under the pseudonym either, unless the records of others need it.
            #expect(try await library.number("select count(*) from darkroom.uploads") == 1)
            #expect(try await library.number("select count(*) from darkroom.jobs where kind = 'ingest'") == 0)
            #expect(try await library.number("select count(*) from darkroom.votes") == 0)
            #expect(try await library.number("select count(*) from darkroom.comment_votes") == 0)
            #expect(try await library.number("select count(*) from darkroom.comments") == 1)
        }
    }

    /// People press the button again, and the first job has been claimed by then.
    @Test("ends a second job of an order that the first has finished", arguments: [false, true])
    func orderedAgain(isAnotherErased: Bool) async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let people = PersonStore(pool: library.pool)
            let order = try await people.erase(Self.person)
            let worker = try await library.database.worker()
            let first = try #require(
                try await library.database.store.claim(limit: 1, worker: worker, kinds: [.erasePerson]).first)
            #expect(try await people.erase(Self.person) == order)
            try await library.finish(first, library.erasePerson)
            let storing = try await library.claim(library.enqueue("other", uploader: "other").job)
            #expect(try await library.unpublished.note(["renditions/other"], under: storing.lease) == nil)
            if isAnotherErased {
                let another = try await people.erase("eve")
                try await library.pool.query("select darkroom.erased_person(\(another))")
            }
            let second = try #require(
                try await library.database.store.claim(limit: 1, worker: worker, kinds: [.erasePerson]).first)
            #expect(second.subject == order)
            try await library.finish(second, library.erasePerson)
            #expect(
                try await library.number("select count(*) from darkroom.jobs where cancel_requested") == 0,
                "nobody else's photo is cancelled")
            #expect(try await library.number("select count(*) from darkroom.unpublished_media") == 1)
        }
    }

    @Test("allows a post that the person reports again, even if both reports counted in one decision")
    func reportedAgain() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let post = try await library.publish("other", ["other"], uploader: "other")
            let people = PersonStore(pool: library.pool)
            let order = try await people.erase(Self.person)
            let report: PostgresQuery = "select darkroom.report_post(\(post), \(Self.person), 'spam')"
            try await library.pool.query(report)
            try await people.eraseRecord(order)
            try await library.pool.query(report)
            try await people.eraseRecord(order)
            #expect(try await library.number("select count(*) from darkroom.reports") == 1, "one a person")
            try await library.pool.query(report)
            _ = try await library.reviews.review(post, .remove(.terms(nil)), by: "reviewer")
            #expect(try await library.number("select count(*) from darkroom.moderation_evidence") == 2)
            try await library.pool.query("delete from darkroom.jobs where kind = 'moderate'")
            try await library.run(.erasePerson, library.erasePerson)
            #expect(
                try await PersonErasureTests.tables(naming: Self.person, or: Self.person, in: library) == [])
            #expect(try await library.number("select count(*) from darkroom.moderation_evidence") == 2)
        }
    }

    /// `erase_person_record` locks the person's reports, those on posts first, and then their inbox.
    @Test("does not deadlock with the erasure of a post that the person has reported and commented on")
    func reportsErased() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let post = try await library.publish("other", ["other"], uploader: "other")
            let comments = [
                try await library.number("select darkroom.add_comment(\(post), \(Self.person), 'one')"),
                try await library.number("select darkroom.add_comment(\(post), \(Self.person), 'two')"),
            ]
            // In another order than they are locked in.
            for comment in [comments[1], comments[0], 0] {
                try await library.pool.query(
                    """
                    insert into darkroom.reports (post_id, comment_id, reporter, reason)
                    values (\(post), \(comment), \(Self.person), 'spam')
                    """)
            }
            try await library.pool.query(
                """
                insert into darkroom.inbox_entries (person, subject_id, event, number, times, occurred_at)
                values (\(Self.person), \(post), 'comment_hidden', 1, 1, now())
                """)
            try await library.database.withRivals { (first: Rival, second: Rival) async throws -> Void in
                try await first.run("begin")
                try await first.run(
                    """
                    select from darkroom.reports r where r.reporter = \(Self.person)
                    order by r.post_id, r.comment_id limit 1 for update
                    """)
                let erasing = try await second.start("select darkroom.erase_leftovers(\(post))")
                try await first.run("set lock_timeout = '1ms'")
                try await first.run("select from darkroom.reports where reporter = \(Self.person) for update")
                try await first.run("delete from darkroom.inbox_entries where person = \(Self.person)")
                try await first.run("rollback")
                try await erasing.value
            }
            #expect(try await library.number("select count(*) from darkroom.reports") == 0)
        }
    }

    /// `erase_leftovers` locks the votes on a post's comments, and then those on the post.
    @Test("does not deadlock with the erasure of a post on which, and under which, the person has voted")
    func votesErased() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let post = try await library.publish("other", ["other"], uploader: "other")
            let comment = try await library.number("select darkroom.add_comment(\(post), 'other', 'one')")
            for voter in ["a voter", Self.person] {
                try await library.pool.query("select darkroom.vote_on_post(\(post), \(voter), 'like')")
                try await library.pool.query("select darkroom.vote_on_comment(\(comment), \(voter), 'like')")
            }
            let order = try await PersonStore(pool: library.pool).erase(Self.person)
            try await library.database.withRivals { (first: Rival, second: Rival) async throws -> Void in
                // The erasure of the post comes as far as the votes of the first voter.
                try await first.run("begin")
                try await first.run("select from darkroom.votes where voter = 'a voter' for update")
                let ofPost = try await second.start("select darkroom.erase_leftovers(\(post))")
                let pool = library.pool
                let ofPerson = try await library.database.start {
                    try await pool.query("select darkroom.erase_person_reactions(\(order))")
                }
                try await first.run("set lock_timeout = '1ms'")
                try await first.run("select from darkroom.votes where voter = \(Self.person) for update")
                try await first.run("rollback")
                try await ofPost.value
                _ = try await ofPerson.value
            }
            #expect(try await library.number("select count(*) from darkroom.votes") == 0)
            #expect(try await library.number("select count(*) from darkroom.comment_votes") == 0)
        }
    }

    @Test("and a decision by the person's report wait for each other", arguments: [false, true])
    func decision(isErasureFirst: Bool) async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let post = try await library.publish("other", ["other"], uploader: "other")
            for reporter in [Self.person, "b", "c", "d", "e", "f"] {
                try await library.pool.query(
                    "select darkroom.report_post(\(post), \(reporter), 'spam', reporter_since => now() - interval '1 year')"
                )
            }
            let people = PersonStore(pool: library.pool)
            let order = try await people.erase(Self.person)
            try await library.database.withRivals { (first: Rival, second: Rival) async throws -> Void in
                let erasing: @Sendable (PostgresConnection) async throws -> Void = { session in
                    try await session.query("select darkroom.erase_person_record(\(order))")
                }
                let deciding: @Sendable (PostgresConnection) async throws -> Void = { session in
                    _ = try await ModerationStore.moderate(post, in: session)
                }
                try await first.run("begin")
                try await second.run("begin")
                try await (isErasureFirst ? erasing : deciding)(first.session)
                let waiting = try await second.start { (session: PostgresConnection) async throws -> Void in
                    try await (isErasureFirst ? deciding : erasing)(session)
                    try await session.query("commit")
                }
                try await first.run("commit")
                try await waiting.value
            }
            #expect(try await library.texts("select state::text from darkroom.posts") == ["hidden"])
            #expect(try await library.number("select count(*) from darkroom.moderation_evidence") >= 5)
            #expect(
                try await library.number(
                    "select count(*) from darkroom.moderation_evidence where reporter = \(Self.person)") == 0)
        }
    }
}
