import Ingestion
import JobQueue
import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("A post that its uploader deletes before its review", .timeLimit(.minutes(15)))
struct DeletedUnderReviewTests {
    /// Reports a post as accounts that are a year old; five of them hide it.
    static func report(_ post: Int64, times: Int, in library: PhotoLibrary) async throws {
        for reporter in 0..<times {
            try await library.pool.query(
                """
                select darkroom.report_post(\(post), \("r\(reporter)"), 'spam',
                                            reporter_since => now() - interval '1 year')
                """)
        }
    }

    static func moderate(in library: PhotoLibrary) async throws {
        try await library.run(.moderate, library.moderate)
    }

    static func hiddenPost(in library: PhotoLibrary) async throws -> Int64 {
        let post = try await library.publish("mine", ["mine"])
        try await report(post, times: 5, in: library)
        try await moderate(in: library)
        try #require(try await state(of: post, in: library) == "hidden")
        return post
    }

    static func state(of post: Int64, in library: PhotoLibrary) async throws -> String? {
        try await library.texts("select state::text from darkroom.posts where post_id = \(post)").first ?? nil
    }

    /// Unfinished jobs that erase a post.
    static func erasures(in library: PhotoLibrary) async throws -> Int {
        try await library.number("select count(*) from darkroom.jobs where kind = 'erase_post'")
    }

    static func hashes(in library: PhotoLibrary) async throws -> Int {
        try await library.number("select count(*) from darkroom.removed_hashes")
    }

    static func records(in library: PhotoLibrary) async throws -> [String?] {
        try await library.texts(
            """
            select concat_ws(' ', person, agreed, disagreed, removals) from darkroom.people
            where agreed > 0 or disagreed > 0 or removals > 0 order by person
            """)
    }

    /// What a worker does with the erasure, if there is one: the reason to try again later, or nil.
    static func erase(in library: PhotoLibrary) async throws -> String? {
        try await library.pool.query(
            "update darkroom.jobs set waits_for = null where kind = 'erase_post' and waits_for = 'time'")
        let worker = try await library.database.worker()
        let job = try #require(
            try await library.database.store.claim(limit: 1, worker: worker, kinds: [.erasePost]).first)
        do {
            try await library.finish(job, library.erasePost)
            return nil
        } catch let error as AttemptError {
            guard case .notYet(let reason, let delay) = error.failure else { throw error }
            #expect(delay == .seconds(5))
            try await library.database.store.end(job.lease, as: .snoozed(reason, delay: delay))
            return reason.code
        }
    }

    @Test(
        "stays until a person decides, without ever being seen again, and is erased then",
        arguments: [PostState.hidden, .held, .published], [true, false])
    func decided(state: PostState, isRemoved: Bool) async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let post = try await Self.hiddenPost(in: library)
            try await library.pool.query(
                "update darkroom.posts set state = \(state.rawValue)::darkroom.post_state")
            let files = try await library.files()
            #expect(try await library.erasure.delete(post, of: "ada"))
            #expect(try await !library.erasure.delete(post, of: "ada"), "only once")
            #expect(try await Self.state(of: post, in: library) == "removed")
            #expect(
                try await library.texts("select event from darkroom.outbox order by event_id")
                    == ["published", "hidden", "removed"])
            #expect(try await Self.erasures(in: library) == 0)
            #expect(try await library.files() == files)
            #expect(try await library.reviews.waiting(limit: 10).map(\.position.post) == [post])
            #expect(try await Self.hashes(in: library) == 1, "the same photo is held meanwhile")
            #expect(
                try await library.reviews.reviewCase(post).found.applicable == [.approve, .remove])

            let error = await #expect(throws: ReviewError.self) {
                try await library.reviews.review(post, .restore, by: "olga")
            }
            #expect(error?.code == .leaving)
            let outcome = try await library.reviews.review(
                post, isRemoved ? .remove(.terms(nil)) : .approve, by: "olga")
            #expect(outcome.state == .removed && outcome.judged == 5)
            #expect(
                try await Self.records(in: library)
                    == (isRemoved ? ["ada 0 0 1"] : [])
                    + (0..<5).map { "r\($0) \(isRemoved ? "1 0" : "0 1") 0" })
            #expect(try await Self.hashes(in: library) == (isRemoved ? 1 : 0))
            #expect(try await library.reviews.waiting(limit: 10).isEmpty)

            #expect(try await Self.erase(in: library) == nil)
            #expect(try await library.reading.post(post) == nil)
            #expect(try await library.files().isEmpty)
            #expect(try await Self.hashes(in: library) == (isRemoved ? 1 : 0))
            #expect(
                try await library.texts("select event from darkroom.outbox order by event_id")
                    == ["published", "hidden", "removed"])
        }
    }

    @Test("waits for the weighing of reports that came before", arguments: [1, 5])
    func unweighed(reports: Int) async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let post = try await library.publish("mine", ["mine"])
            try await Self.report(post, times: reports, in: library)
            // Its moderation failed for good: the erasure orders another.
            try await library.pool.query("delete from darkroom.moderation_backlog")
            #expect(try await library.erasure.delete(post, of: "ada"))
            #expect(try await Self.hashes(in: library) == 1)
            #expect(try await Self.erase(in: library) == "reports_unweighed")
            #expect(try await Self.state(of: post, in: library) == "removed")
            try await Self.moderate(in: library)
            let isUnderReview = reports == 5
            #expect(
                try await library.texts(
                    "select concat_ws(' ', decision, cause, to_state) from darkroom.moderation_decisions")
                    == [isUnderReview ? "hide score removed" : "keep below_threshold removed"])
            #expect(try await library.reviews.waiting(limit: 10).count == (isUnderReview ? 1 : 0))
            #expect(try await Self.hashes(in: library) == (isUnderReview ? 1 : 0))
            #expect(
                try await library.texts("select event from darkroom.outbox order by event_id")
                    == ["published", "removed"])

            #expect(try await Self.erase(in: library) == nil)
            #expect(try await Self.state(of: post, in: library) == (isUnderReview ? "removed" : nil))
            #expect(try await Self.erasures(in: library) == 0)
            guard isUnderReview else { return }
            // More reports change nothing but the score.
            try await library.pool.reportLate(post, by: "late", reason: "illegal")
            try await Self.moderate(in: library)
            #expect(try await library.reviews.waiting(limit: 10).map(\.position.severity) == [9])
            _ = try await library.reviews.review(post, .remove(.terms(nil)), by: "olga")
            #expect(try await Self.erase(in: library) == nil)
            #expect(try await library.reading.post(post) == nil)
            #expect(try await Self.records(in: library).first == "ada 0 0 1")
        }
    }

    @Test("waits for a report that counted in no weighing, though it was begun before the last one")
    func lateCommit() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let post = try await library.publish("mine", ["mine"])
            try await library.pool.withTransaction { (reporter) async throws -> Void in
                try await reporter.query("select darkroom.report_post(\(post), 'late', 'spam')")
                try await library.pool.withTransaction { (transaction) async throws -> Void in
                    _ = try await ModerationStore.moderate(post, in: transaction)
                }
            }
            #expect(try await library.number("select count(*) from darkroom.moderation_decisions") == 1)
            #expect(try await library.erasure.delete(post, of: "ada"))
            #expect(try await Self.erase(in: library) == "reports_unweighed")
            try await Self.moderate(in: library)
            #expect(try await Self.erase(in: library) == nil)
            #expect(try await library.reading.post(post) == nil)
        }
    }

    /// The reviewer's transaction finds the erasure's job still waiting. If that job ended before the decision commits,
    /// because the review is open for it, nobody would erase the post.
    @Test("is erased after a decision that commits while the job looks at it")
    func decidedMeanwhile() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let post = try await library.publish("mine", ["mine"])
            try await Self.report(post, times: 5, in: library)
            #expect(try await library.erasure.delete(post, of: "ada"))
            try await Self.moderate(in: library)
            try #require(try await Self.erasures(in: library) == 1)
            let review = try await library.pool.withTransaction {
                (holder) async throws -> Task<ReviewOutcome, any Error> in
                try await holder.query("select from darkroom.people where person = 'r0' for update")
                let review = try await library.database.start {
                    try await library.reviews.review(post, .approve, by: "olga")
                }
                #expect(try await Self.erase(in: library) == "post_held")
                return review
            }
            #expect(try await review.value.judged == 5)
            #expect(try await Self.erase(in: library) == nil)
            #expect(try await library.reading.post(post) == nil)
        }
    }

    @Test("is erased if nobody decides for three months, and its photo is forgotten")
    func undecided() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let post = try await Self.hiddenPost(in: library)
            #expect(try await library.erasure.delete(post, of: "ada"))
            for (days, isErased) in [(89, false), (2, true)] {
                try await library.pool.query(
                    "update darkroom.post_erasures set requested_at = requested_at - make_interval(days => \(days))"
                )
                try await library.pool.query("select darkroom.enqueue_job('expire', 0, 'expire')")
                try await library.run(.expire, library.expire)
                #expect(try await Self.erasures(in: library) == (isErased ? 1 : 0))
                #expect(try await Self.hashes(in: library) == (isErased ? 0 : 1))
            }
            #expect(try await library.reviews.waiting(limit: 10).isEmpty)
            #expect(try await Self.erase(in: library) == nil)
            #expect(try await library.reading.post(post) == nil)
            #expect(try await library.files().isEmpty)
            #expect(try await Self.records(in: library) == [])
        }
    }

    @Test("is erased at once if the only review is of an appeal against a removal that stands")
    func standingRemoval() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let post = try await Self.hiddenPost(in: library)
            _ = try await library.reviews.review(post, .remove(.terms(nil)), by: "olga")
            _ = try await library.reviews.appeal(post, by: "ada", text: "Why?")
            // Reports on a removed post change nothing, so nobody waits for them.
            try await library.pool.reportLate(post, by: "late")
            #expect(try await library.erasure.delete(post, of: "ada"))
            #expect(try await library.reviews.waiting(limit: 10).isEmpty)
            #expect(try await Self.erase(in: library) == nil)
            #expect(try await library.reading.post(post) == nil)
            #expect(try await Self.hashes(in: library) == 1)
            #expect(try await Self.records(in: library).first == "ada 0 0 1")
        }
    }

    @Test("is erased with its uploader, decided or not")
    func person() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let post = try await Self.hiddenPost(in: library)
            #expect(try await library.erasure.delete(post, of: "ada"))
            _ = try await PersonStore(pool: library.pool).erase("ada")
            try await library.run(.erasePerson, library.erasePerson)
            #expect(try await library.reading.post(post) == nil)
            #expect(try await library.reviews.waiting(limit: 10).isEmpty)
            #expect(try await Self.hashes(in: library) == 0)
            #expect(try await library.files().isEmpty)
        }
    }
}
