import FoundationEssentials
package import Postgres

/// Applies the policy in force to reported posts.
package struct ModerationStore: Sendable {
    let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// The result of a moderation.
    package enum Decision: Sendable {
        /// The policy's verdict, which was recorded.
        case decided(ModerationVerdict, policy: Int)
        /// The post is removed or expired. Its reports are kept but change nothing.
        case gone(PostState)
    }

    /// Applies the policy in force to a post in the caller's transaction.
    ///
    /// A verdict that changes something becomes a row of `darkroom.moderation_decisions`; one that changes the post's
    /// state also gets its evidence and an event. A hidden post enters the review list, and leaves it if it is shown again
    /// automatically. If its time is over by then, it expires at once.
    ///
    /// - Throws: ``PostError`` with `noPost` or `noPolicy`; ``PostgresError`` with `lockNotAvailable` if another transaction
    ///   holds the post. It may be an app's and take long, so this does not wait for it.
    package static func moderate(
        _ post: Int64, in transaction: PostgresConnection
    ) async throws -> Decision {
        // The lock serialises decisions on one post but does not block transactions that only need its key.
        let rows = try await transaction.query(
            """
            select state::text as state, report_count, darkroom.audience(post_id) as views,
                   expires_at <= clock_timestamp() as is_over, clock_timestamp() as moment
            from darkroom.posts where post_id = \(post) for no key update nowait
            """)
        guard let row = rows.first else { throw PostError(.noPost(post)) }
        let state = try PostState(name: try row.decode("state", as: String.self))
        guard state != .removed, state != .expired else { return .gone(state) }
        let now = try row.decode("moment", as: Date.self)
        let policy = try await ModerationPolicyStore.inForce(in: transaction)
        var known = ModerationCase(
            state: state, standing: try await ReportStore.standing(of: post, state, in: transaction),
            views: try row.decode("views", as: Int64?.self),
            reports: try await ReportStore.filedReports(on: post, in: transaction))
        var verdict = policy.verdict(on: known, at: now)
        // Groups can only lower a score, so they do not matter if it is already too low.
        if verdict.cause == .score || verdict.cause == .waitsForReview {
            try await ReportStore.findGroups(among: &known.reports, of: post, policy, in: transaction)
            verdict = policy.verdict(on: known, at: now)
        }
        let newState = verdict.action.state(
            from: state, isOver: try row.decode("is_over", as: Bool?.self) ?? false)
        let count = try row.decode("report_count", as: Int.self)
        // Keeping a post is no news if the reports are the same.
        if verdict.action != .keep || known.reports.count != count {
            try await record(verdict, on: post, known, newState, policy, in: transaction)
        }
        try await apply(verdict, to: post, known, newState, policy, in: transaction)
        if newState != state || known.reports.count != count {
            try await transaction.query(
                """
                update darkroom.posts
                set report_count = \(known.reports.count), state = \(newState.rawValue)::darkroom.post_state
                where post_id = \(post)
                """)
        }
        return .decided(verdict, policy: policy.version)
    }

    /// Queues the moderation of at most `limit` posts that reports have hidden and that may reappear. Returns how many.
    package func weighAgain(atMost limit: Int) async throws -> Int {
        let rows = try await pool.query("select darkroom.weigh_again(\(limit)) as posts")
        return try rows[0].decode("posts", as: Int.self)
    }

    private static func record(
        _ verdict: ModerationVerdict, on post: Int64, _ known: ModerationCase, _ newState: PostState,
        _ policy: ModerationPolicy, in transaction: PostgresConnection
    ) async throws {
        let decision = try await DecisionStore.append(
            NewDecision(
                post: post, kind: verdict.action.kind, cause: verdict.cause.rawValue, policy: policy.version,
                reports: known.reports.count, from: known.state, to: newState,
                score: verdict.score, threshold: verdict.threshold, views: known.views), in: transaction)
        if verdict.action != .keep {
            try await DecisionStore.append(
                verdict.evidence, of: known.reports, on: post, to: decision, in: transaction)
        }
    }

    /// Carries out the verdict, except for the state itself.
    private static func apply(
        _ verdict: ModerationVerdict, to post: Int64, _ known: ModerationCase, _ newState: PostState,
        _ policy: ModerationPolicy, in transaction: PostgresConnection
    ) async throws {
        let severity =
            zip(known.reports, verdict.evidence).filter { $1.disregarded == nil }
            .map(\.0.reason.severity).max() ?? 0
        switch verdict.action {
        case .keep:
            guard verdict.cause == .waitsForReview else { return }
            // A review row that an appeal created keeps its severity if that is higher.
            try await transaction.query(
                """
                update darkroom.reviews set score = \(verdict.score), severity = greatest(severity, \(severity)::smallint)
                where post_id = \(post)
                """)
            try await setNextWeighing(of: post, known, verdict, policy, in: transaction)
        case .hide:
            try await ReviewStore.open(
                for: post, severity: severity, score: verdict.score, cause: verdict.cause.rawValue,
                in: transaction)
            try await setNextWeighing(of: post, known, verdict, policy, in: transaction)
            try await EventStore.record(.hidden, of: post, in: transaction)
        case .show:
            try await transaction.query("delete from darkroom.reviews where post_id = \(post)")
            try await EventStore.record(
                newState == .expired ? .expired : .restored, of: post, in: transaction)
        }
    }

    /// Stores in the review list when the current reports will count less. `darkroom.weigh_again` uses that time.
    private static func setNextWeighing(
        of post: Int64, _ known: ModerationCase, _ verdict: ModerationVerdict, _ policy: ModerationPolicy,
        in transaction: PostgresConnection
    ) async throws {
        let next = policy.nextExpiry(of: known.reports, verdict.evidence)
        try await transaction.query(
            """
            update darkroom.reviews set weighed_by = \(policy.version), weigh_at = \(next)::timestamptz
            where post_id = \(post)
            """)
    }
}

extension ModerationVerdict.Action {
    var kind: DecisionKind {
        switch self {
        case .keep: .keep
        case .hide: .hide
        case .show: .show
        }
    }

    /// - Parameter isOver: whether the post's time is over, so that nobody could see it.
    package func state(from state: PostState, isOver: Bool = false) -> PostState {
        switch self {
        case .keep: state
        case .hide: .hidden
        case .show: isOver ? .expired : .published
        }
    }
}
