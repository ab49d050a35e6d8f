import FoundationEssentials
import Ingestion
import JobQueue
import JobStore
import MediaStore
import Postgres
import Posts
import TestKit
import Testing

/// What a person leaves behind, and where it can be found.
extension PersonErasureTests {
    /// Does everything that a person can do. Returns another person's post, and the files of others.
    static func live(in library: PhotoLibrary) async throws -> (post: Int64, files: [String]) {
        let other = try await library.publish("bob's", ["shared"], uploader: "bob")
        let files = try await library.files()
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
            "select darkroom.decide_on_comment(darkroom.add_comment(\(other), \(person), \(words)), 'remove', 'olga', note => \(words))",
            "select darkroom.decide_on_comment(darkroom.add_comment(\(other), \(person), \(words)), 'remove', 'olga', note => \(words))",
            // As if it had been pruned.
            "delete from darkroom.comments where comment_id = (select max(comment_id) from darkroom.comments)",
            "select darkroom.appeal_comment(comment_id, author, \(words)) from darkroom.comments where author = \(person) and state = 'removed'",
            "select darkroom.set_display_name(\(person), \(words))",
            "select darkroom.set_display_name(\(person), 'Another')",
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
            "insert into darkroom.operator_actions (requested_by, role, source, action, filter, uploader, why, fault) values (\(person), 'operator', 'console', 'replay jobs', \(words), \(person), \(words), \(words))",
            "select darkroom.block_author(\(person), author_handle) from darkroom.comments where author = 'cleo'",
            "select darkroom.block_author('bob', author_handle) from darkroom.posts where uploader = \(person)",
            "select darkroom.follow(\(person), ('city', 5809844), in_category => 'food')",
            "select darkroom.bar_person('dan', \(person), 'No.')",
            "select darkroom.bar_person(\(person), 'olga', 'No.', note => \(words))",
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
                   or strpos(t::text, darkroom.handle_of(\(person))) > 0
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
}
