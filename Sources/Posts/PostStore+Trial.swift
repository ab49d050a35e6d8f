package import FoundationEssentials
import Postgres

extension PostStore {
    /// Replays the reports since a time by a policy and by the one in force, and compares; writes nothing.
    ///
    /// Posts are read a page at a time, in order of their numbers, so that memory does not grow with their number.
    ///
    /// - Parameter progress: told after every page, with the number of the last post.
    /// - Throws: ``PostgresError`` with `checkViolation` where the candidate has a value out of its range.
    package func tryPolicy(
        _ candidate: ModerationPolicy, since: Date,
        progress: (PolicyTrialResult, _ lastPost: Int64) async throws -> Void = { _, _ in }
    ) async throws -> PolicyTrialResult {
        try await pool.withConnection { connection in
            try await connection.transaction { try await Self.check(candidate, in: $0) }
            let inForce = try await Self.policyInForce(in: connection)
            var result = PolicyTrialResult()
            var last: Int64 = 0
            while true {
                try Task.checkCancellation()
                let posts = try await Self.reportedPosts(after: last, since: since, in: connection)
                guard let end = posts.last?.id else { return result }
                for post in posts {
                    let subject = try await Self.trialSubject(
                        post.id, views: post.views, candidate, in: connection)
                    result.add(subject, candidate: candidate, inForce: inForce, since: since)
                }
                last = end
                try await progress(result, last)
            }
        }
    }

    /// The numbers of the next posts with a report since a time.
    private static func reportedPosts(
        after last: Int64, since: Date, in connection: PostgresConnection
    ) async throws -> [(id: Int64, views: Int64?)] {
        try await connection.query(
            """
            select post_id, darkroom.audience(post_id) as views
            from (select distinct post_id from darkroom.reports
                  where post_id > \(last) and created_at >= \(since) order by post_id limit 200) r
            order by post_id
            """
        ).map { (try $0.decode("post_id", as: Int64.self), try $0.decode("views", as: Int64?.self)) }
    }

    private static func trialSubject(
        _ post: Int64, views: Int64?, _ policy: ModerationPolicy, in connection: PostgresConnection
    ) async throws -> PolicyTrial.Subject {
        var reports = try await filedReports(on: post, in: connection)
        try await findGroups(among: &reports, of: post, policy, in: connection)
        let rulings = try await connection.query(
            """
            select decided_at, decision from darkroom.moderation_decisions
            where post_id = \(post) and decision in ('approve', 'restore', 'remove') order by decision_id
            """
        ).map { row in
            let isRemoval = try row.decode("decision", as: String.self) == "remove"
            return (
                at: try row.decode("decided_at", as: Date.self),
                ruling: isRemoval ? PolicyTrial.Ruling.removed : .approved
            )
        }
        return PolicyTrial.Subject(post: post, views: views, reports: reports, rulings: rulings)
    }
}
