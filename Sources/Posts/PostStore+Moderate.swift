package import Postgres

extension PostStore {
    /// The decision on one post, with its evidence.
    package struct Decision: Sendable, Equatable {
        package let verdict: ModerationPolicy.Verdict
        package let policy: ModerationPolicy
        package let reports: Int
    }

    /// Applies the policy in force to a post, in the caller's transaction.
    ///
    /// - Throws: ``PostError`` with `noPost` or `noPolicy`.
    package static func moderate(
        _ post: Int64, in transaction: PostgresConnection
    ) async throws -> Decision {
        // The lock makes two decisions on one post follow each other.
        let rows = try await transaction.query(
            "select state::text as state from darkroom.posts where post_id = \(post) for update")
        guard let row = rows.first else { throw PostError(.noPost(post)) }
        let name = try row.decode("state", as: String.self)
        guard let state = PostState(rawValue: name) else { throw PostError(.unknownState(name)) }
        let policy = try await policyInForce(in: transaction)
        let counted = try await transaction.query(
            "select count(*) as reports from darkroom.reports where post_id = \(post)")
        let reports = try counted.first?.decode("reports", as: Int.self) ?? 0

        let verdict = policy.verdict(state: state, distinctReporters: reports)
        try await transaction.query(
            """
            insert into darkroom.moderation_decisions (post_id, decision, policy_version, reports)
            values (\(post), \(verdict.rawValue), \(policy.version), \(reports))
            """)
        let newState = verdict == .hide ? PostState.hidden : state
        try await transaction.query(
            """
            update darkroom.posts
            set report_count = \(reports), state = \(newState.rawValue)::darkroom.post_state
            where post_id = \(post)
            """)
        if verdict == .hide { try await record(.hidden, of: post, in: transaction) }
        return Decision(verdict: verdict, policy: policy, reports: reports)
    }

    static func policyInForce(in transaction: PostgresConnection) async throws -> ModerationPolicy {
        let rows = try await transaction.query(
            """
            select version, hide_threshold from darkroom.moderation_policies
            order by version desc limit 1
            """)
        guard let row = rows.first else { throw PostError(.noPolicy) }
        return ModerationPolicy(
            version: try row.decode("version", as: Int.self),
            hideThreshold: try row.decode("hide_threshold", as: Int.self))
    }
}
