import FoundationEssentials
import Ingestion
import JobQueue
import JobStore
import MediaStore
import Postgres
import Posts
import TestKit
import Testing

/// An app does not learn at once that somebody is being erased, and people stay logged in.
@Suite("An action of somebody who is being erased", .timeLimit(.minutes(10)))
struct LateActTests {
    static let person = PersonErasureTests.person
    static let words = PersonErasureTests.words

    /// Actions by the person and by a member of staff.
    static let acts: [PostgresQuery] = [
        """
        select darkroom.enqueue_upload(uploader => \(person), original_key => 'originals/late',
            original_sha256 => repeat('ab', 32), original_bytes => 1, caption => \(words))
        """,
        """
        insert into darkroom.uploads (uploader, job_id, original_key, original_sha256, original_bytes, caption)
        select u, -1, 'originals/late', sha256('late'), 1, case u when \(person) then \(words) end
        from unnest(array['other', \(person), 'third']) u
        """,
        "select darkroom.vote_on_post(1, \(person), 'like')",
        "select darkroom.vote_on_comment(1, \(person), 'dislike')",
        "select darkroom.report_comment(1, \(person), 'spam')",
        "select darkroom.add_comment(1, \(person), \(words))",
        "select darkroom.report_post(1, \(person), 'spam', \(words))",
        "select darkroom.set_display_name(\(person), \(words))",
        "select darkroom.erase_person('somebody else', \(person))",
        "insert into darkroom.fair_keys (fair_key, weight) values (\(person), 2)",
        "insert into darkroom.pauses (kind, drains, paused_by) values ('noop', false, \(person))",
        "insert into darkroom.hash_lists (name, action, added_by) values ('list', 'hold', \(person))",
        """
        insert into darkroom.replays (job_id, from_state, replayed_by, why) values (1, 'failed', \(person), '')
        """,
        """
        insert into darkroom.moderation_decisions (post_id, decision, policy_version, reports, decider)
        values (1, 'approve', 1, 1, \(person))
        """,
    ]

    /// Somebody else's post, number 1, with a comment, number 1; and an order to erase the person.
    static func prepare(_ library: PhotoLibrary) async throws -> Int64 {
        try #require(try await library.publish("other's", ["other's"], uploader: "other") == 1)
        try #require(
            try await library.number("select darkroom.add_comment(1, 'other', 'a comment') as comment") == 1)
        return try await PersonStore(pool: library.pool).erase(person)
    }

    /// Goes through the steps of each order once. An order that is not finished then waits for the next round.
    static func erase(_ library: PhotoLibrary) async throws {
        let worker = try await library.database.worker(concurrency: 10)
        for job in try await library.database.store.claim(limit: 10, worker: worker, kinds: [.erasePerson]) {
            do {
                try await library.finish(job, library.erasePerson)
            } catch let error as AttemptError {
                guard case .notYet(let reason, _) = error.failure else { throw error }
                try await library.database.store.end(job.lease, as: .snoozed(reason, delay: .zero))
            }
        }
    }

    /// Lets the erasures finish, and checks whether anything is left of the person.
    static func expectNothingLeft(_ library: PhotoLibrary) async throws {
        let unfinished: PostgresQuery =
            "select count(*) from darkroom.person_erasures where state <> 'finished'"
        while try await library.number(unfinished) > 0 {
            try await library.pool.query(
                "update darkroom.jobs set waits_for = null where kind = 'erase_person'")
            try await Self.erase(library)
        }
        try await library.pool.query("delete from darkroom.jobs where kind = 'moderate'")
        #expect(try await PersonErasureTests.tables(naming: person, or: words, in: library) == [])
        // Nothing is left under the pseudonym either, unless the records of others need it.
        for (table, column) in [
            ("uploads", "uploader"), ("votes", "voter"), ("comment_votes", "voter"), ("comments", "author"),
            ("people", "person"), ("fair_keys", "fair_key"), ("jobs", "fair_key"),
        ] {
            let left = try await library.number(
                """
                select count(*) from darkroom.\(unescaped: table)
                where \(unescaped: column) like 'erased-%'
                """)
            #expect(left == 0, "\(table)")
        }
    }

    @Test(
        "is erased too if it began before the end and committed after it",
        arguments: Array(acts.indices).every(2))
    func uncommitted(index: Int) async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            _ = try await Self.prepare(library)
            let session = try await PostgresConnection.connect(library.database.configuration)
            try await session.query("begin")
            try await session.query(Self.acts[index])
            try await PersonErasureTests.expectNotYet("person_active", library)
            try await session.query("commit")
            await session.close()
            try await Self.expectNothingLeft(library)
        }
    }

    @Test(
        "is erased too if it came while the record was being erased",
        arguments: Array(acts.indices.dropFirst()).every(2))
    func whileRecordIsErased(index: Int) async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            _ = try await Self.prepare(library)
            // A lock on the record of a removal makes the erasure wait in the middle.
            try await library.pool.query(
                "insert into darkroom.removals (post_id, uploader) values (2, \(Self.person))")
            let session = try await PostgresConnection.connect(library.database.configuration)
            try await session.query("begin")
            try await session.query(
                "select from darkroom.removals where uploader = \(Self.person) for update")
            let erasing = Task { try await Self.erase(library) }
            while try await library.number(
                """
                select count(*) from pg_stat_activity
                where datname = current_database() and wait_event_type = 'Lock'
                """) == 0
            {
                try await Task.sleep(for: .milliseconds(1))
            }
            try await library.pool.query(Self.acts[index])
            try await session.query("commit")
            await session.close()
            try await erasing.value
            try await Self.expectNothingLeft(library)
        }
    }

    @Test("is erased too if only the queue still remembers it")
    func gone() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let order = try await Self.prepare(library)
            try await PersonStore(pool: library.pool).eraseRecord(order)
            let post = try await library.publish("late", ["late"], uploader: Self.person)
            _ = try await library.erasure.delete(post, of: Self.person)
            try await library.run(.erasePost, library.erasePost)
            #expect(
                try await PersonErasureTests.tables(naming: Self.person, or: Self.words, in: library)
                    == ["finished_jobs", "person_erasures"])
            let isFinished = try await library.pool.withTransaction { (transaction) async throws -> Bool in
                try await PersonStore.finish(order, in: transaction)
            }
            #expect(!isFinished)
            try await Self.expectNothingLeft(library)
        }
    }

    @Test("counts as that of a new person if it began while the order was being finished")
    func afterwards() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let order = try await Self.prepare(library)
            try await PersonStore(pool: library.pool).eraseRecord(order)
            let voting = try await library.pool.withTransaction { (transaction) async throws in
                #expect(try await PersonStore.finish(order, in: transaction))
                let voting = Task {
                    try await library.pool.query("select darkroom.vote_on_post(1, \(Self.person), 'like')")
                }
                while try await library.number(
                    """
                    select count(*) from pg_stat_activity where wait_event_type = 'Lock'
                      and datname = current_database()
                    """) == 0
                {
                    try await Task.sleep(for: .milliseconds(1))
                }
                return voting
            }
            _ = try await voting.value
            let voted = try await library.number(
                """
                select count(*) from darkroom.votes v join darkroom.person_erasures e
                on e.state = 'finished' and v.changed_at <= clock_timestamp() where v.voter = \(Self.person)
                """)
            #expect(voted == 1)
        }
    }
}
