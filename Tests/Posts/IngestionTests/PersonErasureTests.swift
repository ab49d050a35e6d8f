import FoundationEssentials
import Ingestion
import JobQueue
import JobStore
import MediaStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("Erasure of a person", .timeLimit(.minutes(15)))
struct PersonErasureTests {
    static let person = "person-5d1f0c"
    static let words = "SECRET WORDS"

    @Test("leaves no name, words or files, wherever it is stopped", arguments: 0...7)
    func nothingLeft(stepsBeforeStop: Int) async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let theirs = try await Self.live(in: library)
            let before = try await Self.counters(of: theirs.post, in: library)
            #expect(before == ["1 1 2"], "the person's like and comment are counted")
            let found = try await Self.tables(naming: Self.person, or: Self.words, in: library)
            let places = try await Self.tablesOfPersons(in: library)
            #expect(
                places.subtracting(found) == [], "the person must leave something in each of these tables too"
            )

            let people = PersonStore(pool: library.pool)
            let order = try await people.erase(Self.person, requestedBy: Self.person)
            #expect(try await people.erase(Self.person) == order, "twice is once")
            try await Self.suffer(stepsBeforeStop, order, people, library)
            try await library.run(.erasePerson, library.erasePerson)

            #expect(try await Self.tables(naming: Self.person, or: Self.words, in: library) == [])
            #expect(try library.files() == theirs.files)
            #expect(try await library.number("select count(*) from darkroom.retired_media") == 0)
            #expect(try #require(try await library.reading.post(theirs.post)).renditions.count == 1)
            #expect(try await Self.counters(of: theirs.post, in: library) == ["0 1 1"])
            let done = try #require(try await people.erasures(limit: 1).first)
            #expect(done.state == .finished && done.person == nil && done.finishedAt != nil)
            let counts = Dictionary(uniqueKeysWithValues: done.counts.map { ($0.what, $0.rows) })
            #expect(counts["posts"] == 2 && counts["uploads"] == 5 && counts["votes"] == 2)
            #expect(counts["comments"] == 1 && counts["reports"] == 2 && counts["decisions"] == 1)

            // The rows that had to stay have one pseudonym.
            let aliases = try await library.texts(
                """
                select reporter from darkroom.reports where reporter like 'erased-%'
                union select reporter from darkroom.moderation_evidence where reporter like 'erased-%'
                union select fair_key from darkroom.finished_jobs where fair_key like 'erased-%'
                """)
            #expect(aliases.count == 1)
            #expect(try await library.number("select count(*) from darkroom.moderation_evidence") == 1)
        }
    }

    /// Stops the erasure after some steps. The last two stops are a file that cannot be deleted and a running job.
    static func suffer(_ steps: Int, _ order: Int64, _ people: PersonStore, _ library: PhotoLibrary)
        async throws
    {
        if steps > 0 { _ = try await people.cancelJobs(order) }
        if steps > 1 { #expect(try await people.erasePost(order)) }
        if steps > 2 { while try await people.erasePost(order) {} }
        if steps > 3 { _ = try await people.eraseUploads(order) }
        if steps > 4 { _ = try await people.eraseReactions(order) }
        if steps > 5 { try await people.eraseRecord(order) }
        guard steps > 6 else { return }
        let retired = try await library.texts("select media_key from darkroom.retired_media order by 1")
        let path = library.media.path(of: try MediaKey(validating: try #require(retired.last ?? nil)))
        try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let worker = try await library.database.worker()
        let job = try #require(
            try await library.database.store.claim(limit: 1, worker: worker, kinds: [.erasePerson]).first)
        await #expect(throws: AttemptError.self) { try await library.finish(job, library.erasePerson) }
        #expect(try await people.erasures(limit: 1).first?.state == .running)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
        try await library.database.store.end(
            job.lease, as: .returned(Reason(code: "shutdown", message: "stops")))
    }

    /// Does everything that a person can do. Returns another person's post, and the files of others.
    static func live(in library: PhotoLibrary) async throws -> (post: Int64, files: [String]) {
        let other = try await library.publish("bob's", ["shared"], uploader: "bob")
        let files = try library.files()
        let first = try await library.publish("1", ["shared", "first"], uploader: person, caption: words)
        let second = try await library.publish(
            "2", ["second"], uploader: person, category: words, activity: words)
        // A job that failed with a message that quotes the person, a replayed one and a waiting one.
        let failed = try await library.enqueue("3", uploader: person)
        let claimed = try await library.claim(failed.job)
        try await library.database.store.end(
            claimed.lease, as: .retry(Reason(code: "test", message: "“\(words)”"), delay: .zero), cause: words
        )
        try await library.pool.query("update darkroom.jobs set waits_for = null")
        let again = try await library.claim(failed.job)
        try await library.database.store.end(
            again.lease, as: .failed(Reason(code: "test", message: "“\(words)”")), cause: words)
        let waiting = try await library.enqueue("4", uploader: person)
        try await library.pool.query(
            "insert into darkroom.replays (job_id, from_state, message, replayed_by, why) values (\(failed.job.rawValue), 'failed', \(words), \(person), \(words))"
        )
        try await library.pool.query(
            "update darkroom.uploads set place_text = \(words), idempotency_key = \(words) where upload_id = \(waiting.upload)"
        )
        let comment = try await library.number(
            "select darkroom.add_comment(\(other), 'cleo', 'something else') as id")
        for query: PostgresQuery in [
            "select darkroom.vote_on_post(\(other), \(person), 'like')",
            "select darkroom.vote_on_post(\(other), 'dan', 'dislike')",
            "select darkroom.vote_on_comment(\(comment), \(person), 'dislike')",
            "select darkroom.add_comment(\(other), \(person), \(words))",
            "select darkroom.report_post(\(other), \(person), 'spam', \(words))",
            "select darkroom.report_post(\(first), 'bob', 'spam', \(words))",
            "select darkroom.edit_post(\(first), \(person), 'once', null, null)",
            "select darkroom.enqueue_upload(\(person), headline => \(words), latitude => 1, longitude => 2)",
            "select darkroom.report_comment(\(comment), \(person), 'spam', \(words))",
            "select darkroom.report_comment(comment_id, 'dan', 'spam', \(words)) from darkroom.comments where author = \(person)",
            "update darkroom.people set display_name = \(words) where person = \(person)",
            "insert into darkroom.fair_keys (fair_key) values (\(person))",
            "insert into darkroom.fair_key_paces (fair_hash, next_at) values (hashtextextended(\(person), 0), now())",
            "insert into darkroom.place_corrections (post_id, corrected_by, note, place_text) values (\(first), 'eve', \(words), \(words))",
            "insert into darkroom.place_corrections (post_id, corrected_by, place_text) values (\(other), \(person), 'Seattle')",
            "insert into darkroom.pauses (kind, drains, paused_by) values ('noop', false, \(person))",
            "select darkroom.add_comment(\(first), 'bob', 'Hello')",
            "select darkroom.choose_inbox_events(\(person), array['commented'])",
            "select darkroom.notify_of_events()",
            "select darkroom.fill_inboxes()",
            "insert into darkroom.hash_lists (name, action, added_by) values ('list', 'hold', \(person))",
        ] {
            try await library.pool.query(query)
        }
        try await library.pool.query("delete from darkroom.jobs where kind = 'moderate'")
        // The person reported another's post, which led to a decision. Their own post was removed, and they appealed.
        let decision = try await library.number(
            """
            insert into darkroom.moderation_decisions (post_id, decision, policy_version, reports, decider)
            values (\(other), 'approve', 1, 1, \(person)) returning decision_id
            """)
        try await library.pool.query(
            """
            insert into darkroom.moderation_evidence (
                decision_id, reporter, reason, reported_at, account_since, agreed, disagreed, record_weight,
                account_weight, reason_weight, counted)
            values (\(decision), \(person), 'spam', now(), now(), 0, 0, 1, 1, 1, 1)
            """)
        _ = try await library.reviews.review(
            second, .remove(.terms(nil)), by: "reviewer", note: "\(words) by \(person)")
        try await library.pool.query("select darkroom.appeal_post(\(second), \(person), \(words))")
        try await Self.leaveFiles(of: first, failed.upload, in: library)
        return (other, files)
    }

    /// A picture that was replaced and is kept for a day, and one that a worker had stored when it died.
    private static func leaveFiles(of post: Int64, _ upload: Int64, in library: PhotoLibrary) async throws {
        let replaced = try await library.rendition("replaced").mediaKey
        let stored = try await library.rendition("stored").mediaKey
        try await library.pool.query(
            "select darkroom.retire_media(array[\(replaced)], now() + interval '1 day', \(post), \(person))")
        try await library.pool.query(
            """
            insert into darkroom.unpublished_media (job_id, lease, upload_id, uploader, media_keys)
            values (-1, 1, \(upload), \(person), array[\(stored)])
            """)
    }

    /// The current likes, dislikes and comments of a post.
    static func counters(of post: Int64, in library: PhotoLibrary) async throws -> [String?] {
        try await library.texts(
            "select concat_ws(' ', likes, dislikes, comments) from darkroom.post_details(\(post))"
        )
    }

    /// Every table that has a row with a person's name, the number that a name is indexed by, or some words in any of
    /// its columns.
    static func tables(naming person: String, or words: String, in library: PhotoLibrary) async throws
        -> [String]
    {
        let tables = try await library.texts(
            """
            select relname::text from pg_class
            where relnamespace = 'darkroom'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1
            """)
        #expect(tables.count > 30)
        var found: [String] = []
        for table in tables.compactMap(\.self) {
            let rows = try await library.pool.query(
                """
                select count(*) as rows from darkroom.\(unescaped: table) t
                where strpos(t::text, \(person)) > 0 or strpos(t::text, \(words)) > 0
                   or strpos(t::text, hashtextextended(\(person), 0)::text) > 0
                """)
            if try rows[0].decode("rows", as: Int.self) > 0 { found.append(table) }
        }
        return found
    }

    /// The tables that a person's name or its number can be in.
    static func tablesOfPersons(in library: PhotoLibrary) async throws -> Set<String> {
        let tables = try await library.texts(
            """
            select relname::text from darkroom.person_columns() join pg_class c on c.oid = of_table
            union select relname::text from pg_class c join pg_attribute a on a.attrelid = c.oid
            where c.relnamespace = 'darkroom'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
              and starts_with(a.attname, 'fair_') and not a.attisdropped
            """)
        return Set(tables.compactMap(\.self))
    }

    @Test("waits for the person's running job, and for an original that was just stored")
    func waits() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let running = try await library.enqueue("1", uploader: Self.person)
            let claimed = try await library.claim(running.job)
            let order = try await PersonStore(pool: library.pool).erase(Self.person)
            try await Self.expectNotYet("jobs_running", library)
            #expect(
                try await library.number("select count(*) from darkroom.jobs where cancel_requested") == 1)
            try await library.database.store.end(
                claimed.lease, as: .cancelled(Reason(code: "cancelled", message: "Cancelled.")))
            try await library.pool.query("update darkroom.settings set original_grace = '1 hour'")
            try await Self.expectNotYet("originals_spared", library)
            #expect(try library.files().count == 1)
            try await library.pool.query("update darkroom.settings set original_grace = '0'")
            try await library.pool.query("update darkroom.retired_media set due_at = now()")
            try await library.pool.query("update darkroom.jobs set waits_for = null")
            try await library.run(.erasePerson, library.erasePerson)
            #expect(try library.files().isEmpty)
            #expect(try await PersonStore(pool: library.pool).erasures(limit: 1).first?.id == order)
        }
    }

    static func expectNotYet(_ code: String, _ library: PhotoLibrary) async throws {
        try await library.pool.query("update darkroom.jobs set waits_for = null where kind = 'erase_person'")
        let worker = try await library.database.worker()
        let job = try #require(
            try await library.database.store.claim(limit: 1, worker: worker, kinds: [.erasePerson]).first)
        let error = await #expect(throws: AttemptError.self) {
            try await library.finish(job, library.erasePerson)
        }
        guard case .notYet(let reason, let delay)? = error?.failure else {
            Issue.record("it is not postponed: \(String(describing: error))")
            return
        }
        #expect(reason.code == code)
        try await library.database.store.end(job.lease, as: .snoozed(reason, delay: delay))
    }

    @Test("takes a reviewer's note even if the post was erased before")
    func noteOfErasedPost() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let post = try await library.publish("mine", ["mine"])
            _ = try await library.reviews.review(
                post, .remove(.terms(nil)), by: "olga", note: "ada is Jane Doe")
            _ = try await library.erasure.delete(post, of: "ada")
            try await library.run(.erasePost, library.erasePost)
            #expect(
                try await library.number(
                    "select count(*) from darkroom.moderation_decisions where note is not null") == 1)
            try await library.pool.query("select darkroom.erase_person('ada')")
            try await library.run(.erasePerson, library.erasePerson)
            #expect(
                try await library.number(
                    "select count(*) from darkroom.moderation_decisions where note is not null") == 0)
            #expect(try await library.number("select count(*) from darkroom.moderation_decisions") == 1)
        }
    }

    @Test("is the only change that the moderation log allows")
    func appendOnly() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let decision = try await library.number(
                """
                insert into darkroom.moderation_decisions (post_id, decision, policy_version, reports, decider, note)
                values (1, 'approve', 1, 1, 'eve', 'a note') returning decision_id
                """)
            try await library.pool.query(
                "insert into darkroom.person_erasures (person, pseudonym, state) values ('eve', 'erased-1', 'running')"
            )
            for change in [
                "decider = 'bob'", "decider = null", "note = null", "note = 'another'", "reports = 2",
                "decider = 'erased-1', reports = 2",
            ] {
                let error = await #expect(throws: PostgresError.self, "\(change)") {
                    try await library.pool.query(
                        "update darkroom.moderation_decisions set \(unescaped: change) where decision_id = \(decision)"
                    )
                }
                #expect(error?.sqlState == "23001")
            }
            for statement in [
                "delete from darkroom.moderation_decisions", "truncate darkroom.moderation_evidence",
            ] {
                let error = await #expect(throws: PostgresError.self) {
                    try await library.pool.query(PostgresQuery(unescaped: statement))
                }
                #expect(error?.sqlState == "23001")
            }
            try await library.pool.query("update darkroom.moderation_decisions set decider = 'erased-1'")
        }
    }
}
