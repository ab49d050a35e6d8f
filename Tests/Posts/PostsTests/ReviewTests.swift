import FoundationEssentials
import JobQueue
import Postgres
import Posts
import TestKit
import Testing

@Suite("Reviews", .timeLimit(.minutes(15)))
struct ReviewTests {
    static func hiddenPost(in database: QueueDatabase, reporters: Int = 5) async throws -> Int64 {
        let post = try await PublishingTests.publish(in: database)
        for reporter in 0..<reporters { try await database.report(post, by: "r\(reporter)") }
        try await database.moderateAll()
        try #require(try await database.state(ofPost: post) == .hidden)
        return post
    }

    static func records(_ database: QueueDatabase) async throws -> [String?] {
        try await database.texts(
            """
            select concat_ws(' ', person, agreed, disagreed, removals) from darkroom.people
            where agreed > 0 or disagreed > 0 or removals > 0 order by person
            """)
    }

    @Test("that approve bring a post back, count against its reporters, and last")
    func approval() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await Self.hiddenPost(in: database)
            let outcome = try await database.reviews.review(post, .approve, by: "olga", note: "satire")
            #expect(outcome.state == .published && outcome.judged == 5)
            #expect(try await database.events(of: post) == ["published", "hidden", "restored"])
            #expect(try await Self.records(database) == (0..<5).map { "r\($0) 0 1 0" })
            #expect(try await database.reviews.waiting(limit: 10).isEmpty)

            for reporter in 10..<20 { try await database.report(post, by: "r\(reporter)") }
            try await database.moderateAll()
            #expect(try await database.state(ofPost: post) == .published, "ten of fifteen")
            for reporter in 20..<25 { try await database.report(post, by: "r\(reporter)") }
            try await database.moderateAll()
            #expect(try await database.state(ofPost: post) == .hidden)
            #expect(try await database.decisions.decisions(on: post).map(\.kind).last == .hide)
            let error = await #expect(throws: ReviewError.self) {
                try await database.reviews.review(post, .restore, by: "olga")
            }
            #expect(error?.code == .notApplicable(.hidden))
        }
    }

    @Test("that remove count for the reporters and against the uploader, and are undone by restoring")
    func removal() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await Self.hiddenPost(in: database)
            let removal = try await database.reviews.review(
                post, .remove(.law("§ 201a StGB")), by: "olga", note: "no consent")
            #expect(removal.state == .removed && removal.judged == 5)
            #expect(try await Self.records(database) == ["ada 0 0 1"] + (0..<5).map { "r\($0) 1 0 0" })
            #expect(try await database.number("select count(*) from darkroom.removed_hashes") == 1)
            // Filed too late for the removal to judge it.
            try await database.pool.reportLate(post, by: "late")

            let restored = try await database.reviews.review(post, .restore, by: "olga")
            #expect(restored.state == .published && restored.judged == 6)
            #expect(
                try await Self.records(database) == ["late 0 1 0"] + (0..<5).map { "r\($0) 0 1 0" })
            #expect(try await database.number("select count(*) from darkroom.removed_hashes") == 0)
            #expect(try await database.number("select count(*) from darkroom.removals") == 0)
            #expect(try await database.events(of: post) == ["published", "hidden", "removed", "restored"])

            // Judged reports stay judged. Another removal judges those that came later.
            try await database.report(post, by: "later")
            let again = try await database.reviews.review(post, .remove(.terms(nil)), by: "olga")
            #expect(again.judged == 1)
            #expect(
                try await Self.records(database) == ["ada 0 0 1", "late 0 1 0", "later 1 0 0"]
                    + (0..<5).map { "r\($0) 0 1 0" })
        }
    }

    @Test("keep what was known about a reporter when the report was filed")
    func records() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            for _ in 0..<4 {
                let post = try await PublishingTests.publish(in: database)
                try await database.report(post, by: "expert")
                try await database.moderateAll()
                _ = try await database.reviews.review(post, .remove(.terms(nil)), by: "olga")
            }
            // Four of four: (4 + 2) / (4 + 4) is the record from which an urgent report hides a post.
            let post = try await PublishingTests.publish(in: database)
            try await database.report(post, by: "expert", reason: .illegal)
            try await database.moderateAll()
            #expect(try await database.state(ofPost: post) == .hidden)
            let item = try #require(try await database.reviews.waiting(limit: 10).first)
            #expect(item.cause == "urgent_report" && item.position.severity == 9)
            // It stays hidden until a person reviews it, whatever the policy becomes.
            _ = try await database.policies.set(note: "lenient") {
                $0.hideThreshold = 100
                $0.urgentReasons = []
            }
            try await database.pool.reportLate(post, by: "other", reason: "other")
            try await database.moderateAll()
            #expect(try await database.state(ofPost: post) == .hidden)
        }
    }

    @Test("by two people at once are decided by one, and the other is told who was first", arguments: 0..<4)
    func twoReviewers(round: Int) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await Self.hiddenPost(in: database)
            let actions: [(String, ReviewAction)] = [("olga", .approve), ("piet", .remove(.terms(nil)))]
            let results = await withTaskGroup(of: (String, Result<ReviewOutcome, any Error>).self) { group in
                for (reviewer, action) in actions {
                    group.addTask {
                        do {
                            return (
                                reviewer,
                                .success(try await database.reviews.review(post, action, by: reviewer))
                            )
                        } catch {
                            return (reviewer, .failure(error))
                        }
                    }
                }
                return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            let winner = try #require(results.first { (try? $0.value.get()) != nil })
            let loser = try #require(results.first { $0.key != winner.key })
            guard case .failure(let error as ReviewError) = loser.value,
                case .decidedMeanwhile(let reviewer, let decision, _) = error.code
            else {
                Issue.record("\(loser)")
                return
            }
            let decided = try winner.value.get().decision
            #expect(reviewer == winner.key && decision == decided)
            #expect(try await database.decisions.decisions(on: post).count { $0.decider != nil } == 1)
            // Having looked again, the second may decide.
            if winner.key == "olga" {
                let later = try await database.reviews.review(
                    post, .remove(.terms(nil)), by: "piet", seen: decision)
                #expect(later.state == .removed && later.judged == 0)
            }
        }
    }

    @Test("are listed by severity, score and age, page by page")
    func list() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            var posts: [Int64] = []
            for _ in 0..<7 { posts.append(try await PublishingTests.publish(in: database)) }
            // (severity, score, minutes of waiting), in the expected order.
            let rows: [(Int, Double, Int)] = [
                (9, 1, 1), (7, 8.25, 1), (7, 2.5, 50), (7, 2.5, 3), (2, 0, 90), (2, 0, 1), (0, 99, 99),
            ]
            for ((severity, score, minutes), post) in zip(rows, posts.reversed()) {
                try await database.pool.query(
                    """
                    insert into darkroom.reviews (post_id, severity, score, cause, opened_at)
                    values (\(post), \(severity), \(score), 'score', clock_timestamp() - make_interval(mins => \(minutes)))
                    """)
            }
            var listed: [Int64] = []
            var position: ReviewItem.Position?
            while true {
                let page = try await database.reviews.waiting(after: position, limit: 2)
                listed += page.map(\.position.post)
                guard let last = page.last else { break }
                position = ReviewItem.Position("\(last.position)")
                #expect(position != nil)
            }
            #expect(listed == posts.reversed())
            #expect(try await database.reviews.count() == 7)
        }
    }

    @Test("answer appeals, which put a post back into the list")
    func appeals() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await Self.hiddenPost(in: database)
            _ = try await database.reviews.review(post, .remove(.terms("section 4")), by: "olga")
            #expect(try await database.reviews.waiting(limit: 10).isEmpty)
            #expect(
                try await Self.refusal {
                    try await database.reviews.appeal(post, by: "mallory", text: "mine")
                }
                    == "P0002")
            let appeal = try await database.reviews.appeal(post, by: "ada", text: "It is a statue.")
            #expect(
                try await Self.refusal { try await database.reviews.appeal(post, by: "ada", text: "!") }
                    == .uniqueViolation)
            let item = try #require(try await database.reviews.waiting(limit: 10).first)
            #expect(item.cause == "appeal" && item.appeal == appeal && item.state == .removed)

            let upheld = try await database.reviews.review(
                post, .remove(.terms("section 4")), by: "piet", seen: .max)
            #expect(upheld.state == .removed && upheld.appeal == appeal && upheld.judged == 0)
            #expect(try await database.reviews.appeals(on: post).map(\.decision) == [upheld.decision])
            #expect(
                try await database.number("select removals from darkroom.people where person = 'ada'") == 1)

            let second = try await database.reviews.appeal(post, by: "ada", text: "Look again.")
            let granted = try await database.reviews.review(post, .restore, by: "quinn", seen: .max)
            #expect(granted.state == .published && granted.appeal == second)
            #expect(
                try await database.decisions.decisions(on: post).suffix(2).map(\.cause) == [
                    "appeal", "appeal",
                ])
            #expect(
                try await database.events(of: post) == [
                    "published", "hidden", "removed", "appeal_answered", "restored", "appeal_answered",
                ])
            #expect(
                try await Self.refusal { try await database.reviews.appeal(post, by: "ada", text: "?") }
                    == "55000")
        }
    }

    static func refusal(_ body: () async throws -> Int64) async throws -> SQLState? {
        do {
            _ = try await body()
            return nil
        } catch let error as PostgresError {
            return error.sqlState
        }
    }

    @Test("have a statement of reasons for each restriction, with everything that the regulation requires")
    func statements() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            _ = try await database.policies.set(note: "terms") { $0.terms = "Our rules, section 2" }
            let post = try await Self.hiddenPost(in: database)
            _ = try await database.reviews.review(
                post, .remove(.law("§ 201a StGB")), by: "olga", note: "No consent.")
            _ = try await database.reviews.review(post, .restore, by: "olga")
            let decisions = try await database.decisions.decisions(on: post)
            #expect(decisions.map(\.kind) == [.hide, .remove, .restore])

            let hiding = try #require(try await database.decisions.statementOfReasons(for: decisions[0].id))
            #expect(hiding.isByNotice && hiding.isAutomaticallyDecided && !hiding.isAutomaticallyDetected)
            #expect(hiding.groundText == "Our rules, section 2" && hiding.ground == .terms(nil))
            #expect(hiding.facts[0] == "5 readers reported the post, for these reasons: spam (5).")
            #expect(hiding.facts[1].contains("5.00"))
            #expect(hiding.redress == ModerationPolicy(version: 1).redress)

            let removal = try #require(try await database.decisions.statementOfReasons(for: decisions[1].id))
            #expect(removal.isByNotice && !removal.isAutomaticallyDecided)
            #expect(removal.groundText == "§ 201a StGB" && removal.explanation == "No consent.")
            #expect(try await database.decisions.statementOfReasons(for: decisions[2].id) == nil)
            let error = await #expect(throws: PostError.self) {
                try await database.decisions.statementOfReasons(for: 4040)
            }
            #expect(error?.code == .noDecision(4040))
        }
    }
}
