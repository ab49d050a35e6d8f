import FoundationEssentials
import Ingestion
import JobQueue
import JobStore
import Postgres
import Posts
import Telemetry
import TestKit
import Testing

@Suite("What has an end", .timeLimit(.minutes(10)))
struct RetentionTests {
    /// Runs the hourly job, and returns whether it would find anything more.
    private static func prune(_ library: PhotoLibrary) async throws {
        try await library.pool.query("select darkroom.enqueue_job('prune_history', 0, 'upkeep')")
        try await library.run(.pruneHistory, PruneHistoryHandler(store: library.database.store, log: .silent))
        #expect(try await library.database.store.pruneHistory() == nil)
        #expect(try await library.database.store.pruneRecords() == nil, "a second run finds nothing")
    }

    private static func expire(_ library: PhotoLibrary) async throws {
        try await library.pool.query("select darkroom.enqueue_job('expire', 0, 'expire')")
        try await library.run(.expire, ExpireHandler(pool: library.pool, log: .silent, batch: 2))
        #expect(try await library.erasure.eraseRemoved(atMost: 10) == 0, "a second run finds nothing")
    }

    @Test("An upload that became no post goes with the history of its job, and its original too")
    func uploads() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let reason = Reason(code: "test", message: "Test.")
            var jobs: [String: JobID] = [:]
            let ends: [(String, Outcome)] = [
                ("rejected", .rejected(reason)), ("cancelled", .cancelled(reason)),
                ("failed", .failed(reason)),
                ("replayed", .failed(reason)), ("recent", .rejected(reason)), ("shared", .rejected(reason)),
            ]
            for (name, outcome) in ends {
                let job = try await library.enqueue(name == "shared" ? "recent" : name).job
                try await library.database.store.end(try await library.claim(job).lease, as: outcome)
                jobs[name] = job
            }
            _ = try await library.publish("published", ["picture"])
            jobs["waiting"] = try await library.enqueue("waiting").job
            let recent = try #require(jobs["recent"]).rawValue
            // 31 days ago. Yesterday's midnight has a partition of its own or not; both are looked through.
            try await library.pool.query(
                """
                update darkroom.finished_jobs set finished_at = finished_at - interval '32 days' where job_id <> \(recent)
                """)
            _ = try await library.database.store.replay([try #require(jobs["replayed"])], by: "operator")
            try await Self.prune(library)
            let left = try await library.texts("select job_id::text from darkroom.uploads order by job_id")
                .compactMap(\.self)
            let published = try await library.number(
                "select u.job_id from darkroom.uploads u join darkroom.posts using (upload_id)")
            let kept =
                ["replayed", "recent", "waiting"].compactMap { jobs[$0]?.rawValue } + [Int64(published)]
            #expect(left == kept.sorted().map(String.init))
            try await OriginalsTests.erase(in: library)
            #expect(try await library.files().count == 5, "four originals, one picture")
        }
    }

    @Test(
        "A replay finds the job of an erased upload gone, and one that comes first keeps the upload",
        arguments: [false, true])
    func replay(isReplayFirst: Bool) async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let job = try await library.enqueue("mine").job
            try await library.database.store.end(
                try await library.claim(job).lease, as: .failed(Reason(code: "test", message: "Test.")))
            let replay: PostgresQuery =
                "select darkroom.replay_jobs(array[\(job.rawValue)]::bigint[], 'operator')"
            let erasure: PostgresQuery = "select darkroom.erase_ended_uploads(now() + interval '1 hour')"
            try await library.database.withRivals { (first: Rival, second: Rival) async throws -> Void in
                try await first.run("begin")
                try await first.run(isReplayFirst ? replay : erasure)
                let waiting = try await second.start(isReplayFirst ? erasure : replay)
                try await first.run("commit")
                try await waiting.value
            }
            #expect(
                try await library.number("select count(*) from darkroom.uploads") == (isReplayFirst ? 1 : 0))
            #expect(try await library.number("select count(*) from darkroom.jobs") == (isReplayFirst ? 1 : 0))
        }
    }

    @Test("Rows of deleted comments, replays and erasures go when their time is over")
    func records() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let post = try await library.publish("mine", ["mine"])
            for query: PostgresQuery in [
                """
                insert into darkroom.comments (post_id, author, body, state, is_deleted, ended_at)
                select \(post), a, '-', case when d is null then 'published' else 'removed' end::darkroom.post_state, d is not null,
                       now() - make_interval(days => d)
                from (values ('old', 31), ('recent', 29), ('there', null)) as c (a, d)
                """,
                "insert into darkroom.comment_votes select comment_id, 'bob', 'like' from darkroom.comments",
                """
                insert into darkroom.replays (job_id, from_state, replayed_by, replayed_at)
                select d, 'failed', 'operator', now() - make_interval(days => d) from unnest(array[29, 31]) d
                """,
                """
                insert into darkroom.post_erasures (post_id, upload_id, cause, erased_at)
                select 1000 + n, n, 'uploader', now() - make_interval(days => d)
                from (values (1, 729), (2, 731), (3, null)) as e (n, d)
                """,
                """
                insert into darkroom.person_erasures (person, pseudonym, state, requested_at, finished_at)
                select p, p, s, now() - interval '731 days', now() - make_interval(days => d)
                from (values (null, 'finished', 729), (null, 'finished', 731), ('eve', 'running', null)) as e (p, s, d)
                """,
            ] {
                try await library.pool.query(query)
            }
            try await Self.prune(library)
            #expect(
                try await library.texts("select author from darkroom.comments order by 1") == [
                    "recent", "there",
                ])
            #expect(try await library.number("select count(*) from darkroom.comment_votes") == 2)
            #expect(try await library.texts("select job_id::text from darkroom.replays") == ["29"])
            #expect(
                try await library.texts("select post_id::text from darkroom.post_erasures order by 1")
                    == ["1001", "1003"])
            #expect(
                try await library.texts(
                    "select coalesce(person, 'forgotten') from darkroom.person_erasures order by 1")
                    == ["eve", "forgotten"])
        }
    }

    @Test(
        "A removed post is erased after the time for appeals, unless one is open; its removal stays on record"
    )
    func removed() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            var posts: [Int64] = []
            for name in ["old", "recent", "appealed", "restored"] {
                let post = try await library.publish(name, [name])
                _ = try await library.reviews.review(post, .remove(.terms(nil)), by: "reviewer")
                posts.append(post)
            }
            try await library.pool.query("select darkroom.appeal_post(\(posts[2]), 'ada', 'It is mine.')")
            _ = try await library.reviews.review(posts[3], .restore, by: "reviewer")
            let removal: PostgresQuery =
                "insert into darkroom.removals (post_id, uploader, removed_at) values (1000, 'bob', now() - interval '1 year')"
            try await library.pool.query(removal)
            try await library.pool.query(
                """
                update darkroom.removals set removed_at = now() - make_interval(days => case post_id when \(posts[1]) then 179 else 181 end)
                """)
            try await Self.expire(library)
            #expect(
                try await library.texts("select post_id || ' ' || cause from darkroom.post_erasures")
                    == ["\(posts[0]) removed"])
            try await library.run(.erasePost, library.erasePost)
            #expect(try await library.files().count == 6)
            #expect(try await library.number("select count(*) from darkroom.posts") == 3)
            #expect(
                try await library.texts(
                    "select post_id::text from darkroom.removals where is_settled order by post_id")
                    == [String(posts[0]), "1000"])
            #expect(try await library.number("select count(*) from darkroom.removed_hashes") == 3)
            // The appeal is decided; the next run erases the post.
            _ = try await library.reviews.review(posts[2], .remove(.terms(nil)), by: "reviewer")
            try await Self.expire(library)
            try await library.run(.erasePost, library.erasePost)
            #expect(
                try await library.texts("select post_id::text from darkroom.posts order by 1")
                    == [String(posts[1]), String(posts[3])])
        }
    }

    @Test("A removal goes when its record is over, but not before the policy stops counting it")
    func removals() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let post = try await library.publish("mine", ["mine"])
            for query: PostgresQuery in [
                "insert into darkroom.people (person, removals) values ('ada', 4), ('bob', 1)",
                """
                insert into darkroom.removals (post_id, uploader, removed_at, is_settled)
                select p, u, now() - make_interval(days => d), s from (values
                    (1001, 'ada', 731, true), (1002, 'ada', 731, true), (1003, 'bob', 731, true), (1004, 'ada', 729, true),
                    (1005, 'ada', 731, false), (\(post), 'ada', 731, true)) as r (p, u, d, s)
                """,
                "insert into darkroom.removed_hashes select post_id, post_id from darkroom.removals",
                """
                insert into darkroom.moderation_policies (hide_threshold, note, removals_within) values (5, 'Longer.', '800 days')
                """,
            ] {
                try await library.pool.query(query)
            }
            try await Self.prune(library)
            #expect(try await library.number("select count(*) from darkroom.removals") == 6)
            try await library.pool.query(
                "insert into darkroom.moderation_policies (hide_threshold, note) values (5, 'Shorter.')")
            try await Self.prune(library)
            let left = ["\(post)", "1004", "1005"]
            #expect(
                try await library.texts("select post_id::text from darkroom.removals order by post_id")
                    == left)
            #expect(
                try await library.texts("select post_id::text from darkroom.removed_hashes order by post_id")
                    == left)
            #expect(
                try await library.texts("select person || removals from darkroom.people order by 1") == [
                    "ada2", "bob0",
                ])
        }
    }

    @Test("A decision goes with its evidence when its time is over; nobody can delete another one")
    func decisions() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let reviewed = try await library.publish("reviewed", ["1"])
            let appealed = try await library.publish("appealed", ["2"])
            for query: PostgresQuery in [
                """
                insert into darkroom.moderation_decisions (post_id, decision, policy_version, reports, decider, note, decided_at)
                select p, 'approve', 1, 0, 'eve', 'note', now() - make_interval(days => d)
                from (values (1001, 731), (1002, 729), (\(reviewed), 731), (\(appealed), 731)) as x (p, d)
                """,
                """
                insert into darkroom.moderation_evidence (decision_id, reporter, reason, reported_at, account_since, agreed,
                    disagreed, record_weight, account_weight, reason_weight, counted)
                select decision_id, 'fay', 'spam', now(), now(), 0, 0, 1, 1, 1, 1 from darkroom.moderation_decisions
                """,
                "insert into darkroom.reviews (post_id, severity, score, cause) values (\(reviewed), 1, 1, 'score')",
                """
                insert into darkroom.appeals (post_id, uploader, text, decision_id)
                select post_id, 'ada', 'mine', decision_id from darkroom.moderation_decisions where post_id = \(appealed)
                """,
            ] {
                try await library.pool.query(query)
            }
            for table in ["evidence", "decisions"] {
                for condition in ["post_id = 1002", "post_id = \(reviewed)", "true"] {
                    let error = await #expect(throws: PostgresError.self, "\(table), \(condition)") {
                        try await library.pool.query(
                            """
                            delete from darkroom.moderation_\(unescaped: table) where decision_id in (
                                select decision_id from darkroom.moderation_decisions where \(unescaped: condition))
                            """)
                    }
                    #expect(error?.sqlState == "23001")
                }
            }
            try await library.pool.query("update darkroom.settings set decision_days = null")
            try await Self.prune(library)
            #expect(try await library.number("select count(*) from darkroom.moderation_decisions") == 4)
            try await library.pool.query("update darkroom.settings set decision_days = 730")
            try await Self.prune(library)
            #expect(
                try await library.texts(
                    "select post_id::text from darkroom.moderation_decisions order by decision_id")
                    == ["1002", String(reviewed), String(appealed)])
            #expect(try await library.number("select count(*) from darkroom.moderation_evidence") == 3)
        }
    }

    @Test("The page on keeping names every table of the schema, once")
    func page() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let rows = try await database.pool.query(
                """
                select c.relname::text as name from pg_class c
                where c.relnamespace = 'darkroom'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
                order by 1
                """)
            let tables = try rows.map { try $0.decode("name", as: String.self) }
            let page = try String(contentsOfFile: "\(Checkout.root)/docs/keeping.md", encoding: .utf8)
            let section = try #require(page.split(separator: "## Every table\n").last).split(
                separator: "\n## ")[0]
            let named = section.split(separator: "\n").filter { $0.hasPrefix("| `") }
                .flatMap { $0.split(separator: " | ")[0].matches(of: /`(\w+)`/).map { String($0.1) } }
            #expect(named.sorted() == tables)
        }
    }
}
