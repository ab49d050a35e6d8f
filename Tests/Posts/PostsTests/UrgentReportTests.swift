import FoundationEssentials
import Postgres
import Posts
import TestKit
import Testing

@Suite("An urgent report", .timeLimit(.minutes(15)))
struct UrgentReportTests {
    /// Who reports a post that a million people have seen, so that no score comes near the threshold.
    enum Reporter: CaseIterable {
        case nobody
        /// With an urgent reason or an ordinary one, with a good record or none.
        case goodUrgent, goodOrdinary, strangerUrgent, strangerOrdinary
        /// Filed so long ago that it no longer counts.
        case lateUrgent

        var reports: [FiledReport] {
            switch self {
            case .nobody: []
            case .goodUrgent: ModerationScenario.good(1, .illegal)
            case .goodOrdinary: ModerationScenario.good(1, .violence)
            case .strangerUrgent: ModerationScenario.plain(1, .illegal)
            case .strangerOrdinary: ModerationScenario.plain(1, .spam)
            case .lateUrgent: ModerationScenario.good(1, .illegal, until: 24 * 181)
            }
        }
    }

    /// What people have decided about the post, before or after the report.
    enum Review: CaseIterable {
        case none, approvedBefore, approvedAfter, reserved

        var standing: ModerationCase.Standing {
            switch self {
            case .none: .open
            case .approvedBefore: .approved(at: ModerationScenario.hours(10_000))
            case .approvedAfter: .approved(at: ModerationScenario.now)
            case .reserved: .reserved
            }
        }
    }

    @Test("hides a published post, and keeps a hidden one hidden, until a person has approved the post")
    func states() {
        for (state, reporter, review) in Self.combinations {
            let post = ModerationCase(
                state: state, standing: review.standing, views: 1_000_000, reports: reporter.reports)
            let verdict = ModerationScenario.policy.verdict(on: post, at: ModerationScenario.now)
            let isUrgent = reporter == .goodUrgent && (review == .none || review == .reserved)
            let expected: (ModerationVerdict.Action, ModerationVerdict.Cause) =
                switch state {
                case .published: isUrgent ? (.hide, .urgentReport) : (.keep, .belowThreshold)
                case .hidden where isUrgent || review == .reserved: (.keep, .waitsForReview)
                case .hidden: (.show, .scoreFell)
                case .held, .removed, .expired: (.keep, .notShown)
                }
            #expect(
                verdict.action == expected.0 && verdict.cause == expected.1,
                "\(state), \(reporter), \(review)")
        }
    }

    private static let combinations = PostState.allCases.flatMap { state in
        Reporter.allCases.flatMap { reporter in Review.allCases.map { (state, reporter, $0) } }
    }

    @Test("outlasts the ordinary reports that follow, in the database too")
    func followed() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query(
                """
                create or replace function darkroom.audience(post_id bigint) returns bigint
                language sql stable as 'select 1000000::bigint'
                """)
            try await database.pool.query(
                "insert into darkroom.people (person, agreed, first_seen_at) values ('expert', 10, now() - interval '1 year')"
            )
            let post = try await PublishingTests.publish(in: database)
            try await database.report(post, by: "expert", reason: .illegal)
            try await database.moderateAll()
            #expect(try await database.state(ofPost: post) == .hidden)
            try await database.pool.reportLate(post, by: "stranger", reason: "other")
            try await database.moderateAll()
            #expect(try await database.state(ofPost: post) == .hidden)
            #expect(try await database.events(of: post) == ["published", "hidden"])
            #expect(
                try await database.texts(
                    "select concat_ws(' ', decision, cause) from darkroom.moderation_decisions order by decision_id"
                ) == ["hide urgent_report", "keep waits_for_review"])
            #expect(try await database.texts("select cause from darkroom.reviews") == ["urgent_report"])
        }
    }
}
