import FoundationEssentials
import Postgres
import Posts
import TestKit
import Testing

@Suite("Statements of reasons", .timeLimit(.minutes(15)))
struct StatementTests {
    /// The values of the DSA Transparency Database (`Statement.php`, revision 69e80a0b) that may occur here.
    private static let categories = [
        "minors": "STATEMENT_CATEGORY_PROTECTION_OF_MINORS", "violence": "STATEMENT_CATEGORY_VIOLENCE",
        "harassment": "STATEMENT_CATEGORY_CYBER_VIOLENCE",
        "private_information": "STATEMENT_CATEGORY_DATA_PROTECTION_AND_PRIVACY_VIOLATIONS",
        "illegal": "STATEMENT_CATEGORY_NOT_SPECIFIED_NOTICE",
        "explicit": "STATEMENT_CATEGORY_OTHER_VIOLATION_TC", "spam": "STATEMENT_CATEGORY_OTHER_VIOLATION_TC",
        "other": "STATEMENT_CATEGORY_OTHER_VIOLATION_TC",
    ]

    @Test(
        "say that a person approved the post before, and name the ground of an urgent report",
        arguments: ReportGround.allCases)
    func grounds(reason: ReportGround) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let isUrgent = ModerationPolicy(version: 1).urgentReasons.contains(reason)
            try await database.pool.query(
                "insert into darkroom.people (person, agreed, first_seen_at) values ('expert', 10, now() - interval '1 year')"
            )
            let post = try await PublishingTests.publish(in: database)
            try await database.report(post, by: "expert", reason: reason)
            for reporter in 0..<(isUrgent ? 0 : 10) {
                try await database.report(post, by: "r\(reporter)", reason: reason)
            }
            try await database.moderateAll()
            _ = try await database.reviews.review(post, .approve, by: "olga")
            for reporter in 20..<60 { try await database.report(post, by: "r\(reporter)", reason: reason) }
            try await database.moderateAll()
            let decisions = try await database.decisions.decisions(on: post)
            #expect(decisions.map(\.kind) == [.hide, .approve, .hide])

            let first = try #require(try await database.decisions.statementOfReasons(for: decisions[0].id))
            #expect(first.explanation.contains("No person has reviewed the post yet."))
            if isUrgent && reason != .explicit {
                #expect(
                    first.groundText.hasPrefix(
                        "the law that applies where this service is offered (reported as "))
                guard case .law = first.ground else { return #expect(Bool(false), "\(first.ground)") }
            } else {
                #expect(first.ground == .terms(nil) && first.groundText == "the rules of this service")
            }
            #expect(first.facts.contains { $0.contains("urgent reason (\(reason.rawValue))") } == isUrgent)
            #expect(first.record.category == Self.categories[reason.rawValue])
            #expect(
                first.record.sourceType
                    == (reason.needsPerson ? "SOURCE_ARTICLE_16" : "SOURCE_TYPE_OTHER_NOTIFICATION"))

            let again = try #require(try await database.decisions.statementOfReasons(for: decisions[2].id))
            #expect(
                again.explanation.hasPrefix("A person approved the post on \(first.record.applicationDate)."))
            #expect(!again.explanation.contains("No person has reviewed"))
            #expect(again.ground == .terms(nil), "no single report has hidden it")
        }
    }

    @Test("have the fields of the transparency database, for each kind of restriction")
    func records() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await ReviewTests.hiddenPost(in: database)
            try await database.pool.query(
                "update darkroom.posts set published_at = '2026-01-31 23:30:00+00', caption = null, headline = null, link = null"
            )
            _ = try await database.reviews.review(
                post, .remove(.law(String(repeating: "§", count: 600))), by: "olga",
                note: String(repeating: "x", count: 3000))
            let own = try await PublishingTests.publish(in: database)
            try await database.pool.query(
                "update darkroom.posts set caption = 'Hello' where post_id = \(own)")
            _ = try await database.reviews.review(own, .remove(.terms("section 4")), by: "olga")
            var records: [TransparencyRecord] = []
            try await database.decisions.statementsOfReasons(
                since: Date(timeIntervalSince1970: 0), until: Date(timeIntervalSince1970: 4e9)
            ) {
                records.append($0.record)
            }
            #expect(
                records.map(\.decisionVisibility) == [
                    "DECISION_VISIBILITY_CONTENT_DISABLED", "DECISION_VISIBILITY_CONTENT_REMOVED",
                    "DECISION_VISIBILITY_CONTENT_REMOVED",
                ])
            #expect(
                records.map(\.decisionGround) == [
                    "DECISION_GROUND_INCOMPATIBLE_CONTENT", "DECISION_GROUND_ILLEGAL_CONTENT",
                    "DECISION_GROUND_INCOMPATIBLE_CONTENT",
                ])
            #expect(
                records.map(\.automatedDecision) == [
                    "AUTOMATED_DECISION_FULLY", "AUTOMATED_DECISION_NOT_AUTOMATED",
                    "AUTOMATED_DECISION_NOT_AUTOMATED",
                ])
            #expect(
                records.map(\.sourceType) == [
                    "SOURCE_TYPE_OTHER_NOTIFICATION", "SOURCE_TYPE_OTHER_NOTIFICATION", "SOURCE_VOLUNTARY",
                ])
            #expect(
                records[1].contentDate == "2026-01-31" && records[1].contentTypes == ["CONTENT_TYPE_IMAGE"])
            #expect(records[2].contentTypes == ["CONTENT_TYPE_IMAGE", "CONTENT_TYPE_TEXT"])
            #expect(records[1].ground.count == 500 && records[1].explanation.count == 2000)
            #expect(
                Set(records.map(\.puid)).count == 3 && records.allSatisfy { $0.automatedDetection == "No" })
            #expect(TransparencyRecord.territorialScope.count == 30)

            // An erased post leaves its date behind.
            try await database.pool.query("delete from darkroom.posts where post_id = \(post)")
            let decision = try #require(try await database.decisions.decisions(on: post).last)
            let kept = try #require(try await database.decisions.statementOfReasons(for: decision.id))
            #expect(kept.record.contentDate == "2026-01-31")
        }
    }
}
