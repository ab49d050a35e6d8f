package import FoundationEssentials
import Postgres

extension ModerationPolicyStore {
    /// Replays the reports since a given time with a candidate and the policy in force, and compares. Writes nothing.
    ///
    /// Reads one page of posts at a time, in order of their numbers, so that memory use does not grow with the posts.
    ///
    /// - Parameter progress: called after every page with the number of the last post.
    /// - Throws: ``PostgresError`` with `checkViolation` if the candidate has a value out of range.
    package func trial(
        of candidate: ModerationPolicy, since: Date,
        progress: (PolicyTrialResult, _ lastPost: Int64) async throws -> Void = { _, _ in }
    ) async throws -> PolicyTrialResult {
        try await pool.withConnection { connection in
            try await connection.transaction { try await Self.check(candidate, in: $0) }
            let inForce = try await Self.inForce(in: connection)
            var result = PolicyTrialResult()
            var last: Int64 = 0
            while true {
                try Task.checkCancellation()
                let posts = try await Self.reportedPosts(after: last, since: since, in: connection)
                guard let end = posts.last?.id else { return result }
                let rulings = try await Self.rulings(on: posts.map(\.id), in: connection)
                for post in posts {
                    let subject = PolicyTrial.Subject(
                        post: post.id, views: post.views,
                        reports: try await ReportStore.filedReports(on: .post(post.id), in: connection),
                        rulings: rulings[post.id] ?? [])
                    result.add(
                        subject,
                        byCandidate: try await Self.hiding(of: subject, by: candidate, since, in: connection),
                        byInForce: try await Self.hiding(of: subject, by: inForce, since, in: connection),
                        since: since)
                }
                last = end
                try await progress(result, last)
            }
        }
    }

    /// The numbers of the next posts with a report since a given time.
    private static func reportedPosts(
        after last: Int64, since: Date, in connection: PostgresConnection
    ) async throws -> [(id: Int64, views: Int64?)] {
        try await connection.query(
            """
            select post_id, darkroom.audience(post_id) as views
            from (select distinct post_id from darkroom.reports
                  where comment_id = 0 and post_id > \(last) and created_at >= \(since) order by post_id limit 200) r
            order by post_id
            """
        ).map { (try $0.decode("post_id", as: Int64.self), try $0.decode("views", as: Int64?.self)) }
    }

    /// When a policy would have hidden a post, taking groups among its reporters into account.
    private static func hiding(
        of subject: PolicyTrial.Subject, by policy: ModerationPolicy, _ since: Date,
        in connection: PostgresConnection
    ) async throws -> PolicyTrial.Hiding? {
        // Groups can only lower a score, and most posts are not hidden even without them.
        guard PolicyTrial.hiding(of: subject, by: policy, since: since) != nil else { return nil }
        var grouped = subject
        try await ReportStore.findGroups(
            among: &grouped.reports, of: .post(subject.post), policy, isReplay: true, in: connection)
        return PolicyTrial.hiding(of: grouped, by: policy, since: since)
    }

    /// The decisions of people by post, oldest first.
    private static func rulings(
        on posts: [Int64], in connection: PostgresConnection
    ) async throws -> [Int64: [(at: Date, ruling: PolicyTrial.Ruling)]] {
        let rows = try await connection.query(
            """
            select post_id, decided_at, decision from darkroom.moderation_decisions
            where post_id = any (\(posts)) and comment_id = 0 and decision in ('approve', 'restore', 'remove') order by decision_id
            """)
        var rulings: [Int64: [(at: Date, ruling: PolicyTrial.Ruling)]] = [:]
        for row in rows {
            let isRemoval = try row.decode("decision", as: String.self) == "remove"
            rulings[try row.decode("post_id", as: Int64.self), default: []].append(
                (at: try row.decode("decided_at", as: Date.self), ruling: isRemoval ? .removed : .approved))
        }
        return rulings
    }
}
