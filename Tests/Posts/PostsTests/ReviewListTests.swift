import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("The place of a post in the review list", .timeLimit(.minutes(15)))
struct ReviewListTests {
    /// What lists a post: one call of `darkroom.list_for_review`.
    struct Listing: Hashable, CustomStringConvertible {
        var cause: String?
        var severity: Int
        var isBinding = true
        var isByReports: Bool { cause == "score" || cause == "reported" }
        /// How severe its cause is by itself.
        var rank: Int {
            ["listed_hash": 8, "look_alike": 4, "uploader_record": 3, "appeal": 2][cause ?? ""] ?? 0
        }
        var description: String { "\(cause ?? "weighed") \(severity) \(isBinding)" }
    }

    private static let all = [
        Listing(cause: "reported", severity: 1, isBinding: false),
        Listing(cause: "reported", severity: 9), Listing(cause: "score", severity: 2),
        Listing(cause: "urgent_report", severity: 9), Listing(cause: "uploader_record", severity: 3),
        Listing(cause: "look_alike", severity: 4), Listing(cause: "listed_hash", severity: 8),
        Listing(cause: "appeal", severity: 2), Listing(cause: nil, severity: 5),
    ]

    /// The same rules, one sentence each.
    private static func expected(_ first: Listing, isAppealed: Bool, then next: Listing) -> Listing {
        // While only reports list it, its place follows what they say now.
        if next.cause == "reported", first.isByReports, !isAppealed { return next }
        let cause =
            switch next.cause {
            // Neither an appeal nor a weighing changes why it is there.
            case nil, "appeal": first.cause
            // Anything else comes before reports.
            case _ where first.isByReports: next.cause
            case _ where next.isByReports: first.cause
            // The more severe cause stays, whatever its reports have added.
            default: next.rank < first.rank ? first.cause : next.cause
            }
        return Listing(
            cause: cause, severity: max(first.severity, next.severity),
            isBinding: first.isBinding || next.isBinding)
    }

    @Test("follows one rule for every cause after every other, appealed for or not", arguments: all)
    func merging(first: Listing) async throws {
        guard first.cause != nil else { return }
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await PublishingTests.publish(in: database)
            let appeal = try await database.number(
                "insert into darkroom.appeals (post_id, uploader, text) values (\(post), 'ada', 'x') returning appeal_id"
            )
            func list(_ listing: Listing, appealed: Bool = false) async throws {
                try await database.pool.query(
                    """
                    select darkroom.list_for_review(
                        \(post), \(listing.cause)::text, \(listing.severity), is_binding => \(listing.isBinding),
                        appeal => \(appealed ? Int64(appeal) : nil)::bigint)
                    """)
            }
            for next in Self.all {
                for (isAppealed, isWeighed) in [(false, false), (true, false), (false, true), (true, true)] {
                    try await database.pool.query("delete from darkroom.reviews")
                    try await list(first, appealed: isAppealed)
                    var before = first
                    if isWeighed {
                        let reports = Listing(cause: nil, severity: 9)
                        try await list(reports)
                        before = Self.expected(first, isAppealed: isAppealed, then: reports)
                    }
                    try await list(next)
                    let expected = Self.expected(before, isAppealed: isAppealed, then: next)
                    #expect(
                        try await database.texts(
                            "select concat_ws(' ', cause, severity, is_binding, appeal_id) from darkroom.reviews"
                        )
                            == [
                                "\(expected.cause ?? "") \(expected.severity) \(expected.isBinding ? "t" : "f")"
                                    + (isAppealed ? " \(appeal)" : "")
                            ], "\(first), then \(next), \(isAppealed ? "appealed" : "not appealed")")
                }
            }
        }
    }

    @Test("keeps the score and the next weighing of its reports, which nothing else changes")
    func score() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await PublishingTests.publish(in: database)
            let row: PostgresQuery =
                "select concat_ws(' ', score, weighed_by, weigh_at is null) from darkroom.reviews"
            try await database.pool.query(
                "select darkroom.list_for_review(\(post), 'reported', 1, 2.5, weighed_by => 1, weigh_at => now())"
            )
            #expect(try await database.texts(row) == ["2.5 1 f"])
            try await database.pool.query("select darkroom.list_for_review(\(post), 'listed_hash')")
            #expect(try await database.texts(row) == ["2.5 1 f"])
            try await database.pool.query(
                "select darkroom.list_for_review(\(post), null, 1, 0.5, weighed_by => 2)")
            #expect(try await database.texts(row) == ["0.5 2 t"])
            #expect(try await database.texts("select cause from darkroom.reviews") == ["listed_hash"])
        }
    }

    /// All that decide without a person and without reports.
    enum Screener: String, CaseIterable, Sendable {
        case held, editedLookAlike, editedRecord, listedLater, editedListed
    }

    @Test("is recorded the same way by whatever decided it", arguments: Screener.allCases, [false, true])
    func decisions(by screener: Screener, isText: Bool) async throws {
        if isText, screener != .editedRecord { return }
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            var random = SplitMix(state: 12)
            let hash = KnownHashTests.hash(&random)
            if screener == .held {
                try await database.pool.query(
                    "insert into darkroom.removals (post_id, uploader) select 100 + n, 'ada' from generate_series(1, 3) n"
                )
            }
            let post: Int64
            switch screener {
            case .held: post = try await ScreeningTests.ingest(database, uploader: "ada", hash: nil).post
            case .editedLookAlike:
                post = try await ScreeningTests.ingest(database, uploader: "ada", hash: 7).post
                try await database.pool.query("insert into darkroom.removed_hashes values (99, 7)")
            case .editedRecord:
                post = try await ScreeningTests.ingest(database, uploader: "ada", hash: nil).post
                try await database.pool.query(
                    "insert into darkroom.removals (post_id, uploader) select 100 + n, 'ada' from generate_series(1, 3) n"
                )
            case .listedLater, .editedListed:
                post = try #require(
                    try await KnownHashTests.ingest(database, KnownHashTests.known(hash)).post)
                try await KnownHashTests.add([KnownHashTests.known(hash)], to: "list", in: database)
            }
            // What readers have said of it is not why it is listed now, and it was not binding.
            if screener != .held {
                try await database.report(post, by: "bob", reason: .spam)
                try await database.moderateAll()
            }
            if isText {
                try await database.pool.query(
                    "update darkroom.posts set width = null, height = null, format = null, headline = 'Soup'")
            }
            let uploader = try await database.texts("select uploader from darkroom.posts")[0] ?? ""
            switch screener {
            case .held: break
            case .listedLater: try await database.pool.query("select darkroom.hide_listed(\(post))")
            case .editedLookAlike, .editedRecord, .editedListed:
                try await database.pool.query(
                    "select darkroom.edit_post(\(post), \(uploader), 'Other soup', null, null)")
            }
            let decision = try #require(
                try await database.decisions.decisions(on: post).last { $0.isScreening })
            #expect(decision.policy == 1 && decision.to == (screener == .held ? .held : .hidden))
            let published = try await database.texts("select published_at::text from darkroom.posts")
            #expect(
                try await database.texts(
                    "select content_at::text from darkroom.moderation_decisions where decision_id = \(decision.id)"
                )
                    == published)
            let statement = try #require(
                try await database.decisions.statementOfReasons(for: decision.id))
            #expect(statement.isAutomaticallyDetected && !statement.isByNotice)
            #expect(statement.duration == "Until a person has reviewed it.")
            #expect(
                !statement.facts.contains {
                    $0.contains("reported the post") || $0 == "A reviewer found the post."
                })
            if screener == .editedRecord || screener == .held {
                #expect(
                    statement.facts.contains {
                        $0.contains(screener == .held ? "uploaded this" : "edited this")
                    })
            }
            let isEdited = screener != .held && screener != .listedLater
            #expect(
                statement.record.contentTypes
                    == (isText ? [] : ["CONTENT_TYPE_IMAGE"])
                    + (isEdited || decision.contentHasText == true ? ["CONTENT_TYPE_TEXT"] : []))

            // It cannot be deleted past the review, and a removal that follows names what was detected.
            #expect(
                try await database.texts(
                    "select is_binding::text from darkroom.reviews where post_id = \(post)")
                    == ["true"])
            _ = try await database.pool.query("select darkroom.delete_post(\(post), \(uploader))")
            #expect(
                try await database.reviews.reviewCase(post).found.isUndecided,
                "its erasure waits for a person")
            let removal = try await database.reviews.review(post, .remove(.terms(nil)), by: "olga")
            #expect(removal.isErased)
        }
    }

    @Test(
        "names what a screening has found in the statement of a removal that follows",
        arguments: [true, false])
    func removal(isListed: Bool) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            var random = SplitMix(state: 13)
            let hash = KnownHashTests.hash(&random)
            let post = try #require(
                try await KnownHashTests.ingest(database, KnownHashTests.known(hash)).post)
            if isListed {
                try await KnownHashTests.add([KnownHashTests.known(hash)], to: "list", in: database)
                try await database.pool.query("select darkroom.hide_listed(\(post))")
            }
            let removal = try await database.reviews.review(post, .remove(.terms(nil)), by: "olga")
            let statement = try #require(
                try await database.decisions.statementOfReasons(for: removal.decision))
            #expect(statement.isAutomaticallyDetected == isListed && !statement.isAutomaticallyDecided)
            #expect(statement.facts.contains { $0.contains("list of known photos") } == isListed)
            #expect(statement.facts.contains("A reviewer found the post.") == !isListed)
        }
    }
}
