import FoundationEssentials
import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("Trying a policy", .timeLimit(.minutes(15)))
struct PolicyTrialTests {
    private static let now = ModerationScenario.now
    private static let policy = ModerationScenario.policy

    /// Ordinary reports, an hour apart, the last one an hour ago, oldest first.
    private static func subject(
        _ count: Int, rulings: [(at: Date, ruling: PolicyTrial.Ruling)] = []
    ) -> PolicyTrial.Subject {
        PolicyTrial.Subject(
            post: 1, views: nil, reports: ModerationScenario.plain(count).reversed(), rulings: rulings)
    }

    private static func hours(_ count: Double) -> Date { ModerationScenario.hours(count) }

    @Test("tells at which report a post would have been hidden", arguments: [1.0, 5, 7.5, 20, 21])
    func threshold(threshold: Double) {
        var policy = Self.policy
        policy.hideThreshold = threshold
        let hiding = PolicyTrial.hiding(of: Self.subject(20), by: policy, since: .distantPast)
        let report = Int(threshold.rounded(.up))
        #expect(hiding?.reports == (report <= 20 ? report : nil))
        #expect(hiding?.at == (report <= 20 ? Self.hours(Double(21 - report)) : nil))
    }

    @Test("counts all reports, but decides only since the time given")
    func since() {
        let hiding = PolicyTrial.hiding(of: Self.subject(20), by: Self.policy, since: Self.hours(4.5))
        #expect(hiding?.at == Self.hours(4) && hiding?.reports == 17)
        #expect(PolicyTrial.hiding(of: Self.subject(20), by: Self.policy, since: Self.now) == nil)
    }

    @Test("respects the decisions of people")
    func rulings() {
        // Twenty reports; those of the last ten and a half hours come after an approval.
        let approved = Self.subject(20, rulings: [(Self.hours(10.5), .approved)])
        let late = PolicyTrial.hiding(of: approved, by: Self.policy, since: Self.hours(10.5))
        #expect(late == nil, "ten of fifteen")
        #expect(PolicyTrial.hiding(of: approved, by: Self.policy, since: .distantPast)?.reports == 5)
        let removed = Self.subject(20, rulings: [(Self.hours(18.5), .removed)])
        #expect(PolicyTrial.hiding(of: removed, by: Self.policy, since: .distantPast) == nil)
    }

    @Test("takes a bounded number of verdicts on a post with many reports, and always the last")
    func many() {
        var policy = Self.policy
        policy.hideThreshold = 1001
        let subject = Self.subject(1001)
        #expect(PolicyTrial.hiding(of: subject, by: policy, since: .distantPast)?.reports == 1001)
        policy.hideThreshold = 100
        let hiding = PolicyTrial.hiding(of: subject, by: policy, since: .distantPast)
        #expect(hiding?.reports == 102, "every third report")
    }

    @Test("reads all posts page by page, compares both policies with the reviews, and writes nothing")
    func database() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            // Post n has n mod 10 reports of old accounts. Of the posts with six, reviews removed every second one.
            try await database.pool.query(
                """
                with u as (
                    insert into darkroom.uploads (uploader, job_id, original_key, original_sha256, original_bytes)
                    select 'ada', n, 'k', decode(repeat('ab', 32), 'hex'), 1 from generate_series(1, 450) n
                    returning upload_id)
                insert into darkroom.posts (upload_id, uploader, latitude, longitude, location_source, width, height, format)
                select upload_id, 'ada', 0, 0, 'exif', 1, 1, 'jpeg' from u order by upload_id
                """)
            try await database.pool.query(
                """
                insert into darkroom.reports (post_id, reporter, reason, reporter_since, created_at)
                select p.post_id, format('r%s-%s', p.post_id, n), 'spam', now() - interval '1 year',
                       now() - make_interval(hours => 10 - n)
                from darkroom.posts p, generate_series(1, 9) n where n <= p.post_id % 10
                """)
            try await database.pool.query(
                """
                insert into darkroom.moderation_decisions (
                    post_id, decision, cause, policy_version, reports, from_state, to_state, decider)
                select post_id, case when post_id % 20 = 6 then 'remove' else 'approve' end, 'review', 1, 6, 'hidden',
                       case when post_id % 20 = 6 then 'removed' else 'published' end::darkroom.post_state, 'olga'
                from darkroom.posts where post_id % 10 = 6
                """)
            try await database.pool.query(
                "update darkroom.reports set is_agreed = post_id % 20 = 6 where post_id % 10 = 6")
            let tables = [
                "moderation_decisions", "moderation_evidence", "moderation_policies", "outbox", "jobs",
                "reviews",
            ]
            func sizes() async throws -> [Int] {
                var sizes: [Int] = []
                for table in tables {
                    sizes.append(
                        try await database.number("select count(*) from darkroom.\(unescaped: table)"))
                }
                return sizes
            }
            let before = try await sizes()
            let store = ModerationPolicyStore(pool: database.pool)
            var candidate = try await store.inForce()
            candidate.hideThreshold = 7
            var pages = 0
            let stricter = try await store.trial(of: candidate, since: Date(timeIntervalSinceNow: -86_400)) {
                _, _ in
                pages += 1
            }
            #expect(stricter.posts == 405 && stricter.reports == 45 * 45 && pages == 3)
            #expect(stricter.hiddenByBoth == 135 && stricter.onlyByCandidate.count == 0)
            #expect(stricter.onlyByInForce.count == 90)
            #expect(stricter.onlyByInForce.removed == 23 && stricter.onlyByInForce.approved == 22)
            #expect(stricter.onlyByInForce.examples.map(\.post).prefix(4) == [5, 6, 15, 16])
            candidate.hideThreshold = 4
            let laxer = try await store.trial(of: candidate, since: Date(timeIntervalSinceNow: -86_400))
            #expect(laxer.onlyByCandidate.count == 45 && laxer.onlyByInForce.count == 0)
            let none = try await store.trial(of: candidate, since: Date())
            #expect(none.posts == 0)
            #expect(try await sizes() == before)

            candidate.accountHalfLife = .zero
            let odd = candidate
            let error = await #expect(throws: PostgresError.self) {
                try await store.trial(of: odd, since: Date())
            }
            #expect(error?.constraint == "account_half_life_is_positive")
        }
    }
}
