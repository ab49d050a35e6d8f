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
        /// A review has removed the post, or it is expired and no report needs a person. Its reports are kept but change
        /// nothing.
        case gone(PostState)
    }

    /// Applies the policy in force to a post in the caller's transaction.
    ///
    /// A verdict that changes something becomes a row of `darkroom.moderation_decisions`; one that changes the post's
    /// state also gets its evidence and an event. Every reported post enters the review list, see
    /// ``ModerationPolicy/listing(of:after:in:)``. If the time of a post is over when it is shown again, it expires at once.
    /// The reports on a post that its uploader has deleted are weighed as if readers still saw it, and the verdict only
    /// decides on a review.
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
                   expires_at <= clock_timestamp() as is_over, clock_timestamp() as moment,
                   exists (
                       select from (select d.decided_at, d.reports from darkroom.moderation_decisions d
                                    where d.post_id = posts.post_id order by d.decision_id desc limit 1) l
                       where l.reports = (select count(*) from darkroom.reports r where r.post_id = posts.post_id)
                         and not exists (select from darkroom.reports r
                                         where r.post_id = posts.post_id and r.created_at > l.decided_at)) as is_weighed
            from darkroom.posts where post_id = \(post) for no key update nowait
            """)
        guard let row = rows.first else { throw PostError(.noPost(post)) }
        let state = try PostState(name: try row.decode("state", as: String.self))
        guard let weighedAs = try await weighedState(of: post, state, in: transaction) else {
            return .gone(state)
        }
        let now = try row.decode("moment", as: Date.self)
        let policy = try await ModerationPolicyStore.inForce(in: transaction)
        var known = ModerationCase(
            state: weighedAs,
            standing: state == .removed && weighedAs == .hidden
                ? .reserved : try await ReportStore.standing(of: post, weighedAs, in: transaction),
            views: try row.decode("views", as: Int64?.self),
            reports: try await ReportStore.filedReports(on: post, in: transaction).map(policy.weakened))
        var verdict = policy.verdict(on: known, at: now)
        // Groups can only lower a score, so they do not matter if it is already too low.
        if verdict.cause == .score || verdict.cause == .waitsForReview {
            try await ReportStore.findGroups(among: &known.reports, of: post, policy, in: transaction)
            verdict = policy.verdict(on: known, at: now)
            try await ReportStore.weighElsewhere(newlyGrouped: known.reports, on: post, in: transaction)
        }
        let newState =
            state == .removed
            ? state
            : verdict.action.state(
                from: state, isOver: try row.decode("is_over", as: Bool?.self) ?? false)
        try await ReportStore.keepWeights(verdict.evidence, of: known.reports, on: post, in: transaction)
        let listing = policy.listing(of: known, after: verdict, in: newState)
        if state == .expired, listing == nil { return .gone(state) }
        let count = try row.decode("report_count", as: Int.self)
        // Keeping a post is no news if the latest decision weighed all of its reports.
        if try verdict.action != .keep || !row.decode("is_weighed", as: Bool.self) {
            try await record(verdict, on: post, known, newState, policy, in: transaction)
        }
        try await list(
            post, as: listing, weighAt: policy.nextExpiry(of: known.reports, verdict.evidence), policy,
            in: transaction)
        try await apply(verdict, to: post, isListed: listing != nil, from: state, newState, in: transaction)
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

    /// The state as which a post is weighed; nil if reports on it change nothing.
    ///
    /// Reports may have come just before the uploader deleted the post.
    private static func weighedState(
        of post: Int64, _ state: PostState, in transaction: PostgresConnection
    ) async throws -> PostState? {
        guard state == .removed else { return state }
        let rows = try await transaction.query(
            """
            select exists (select from darkroom.reviews r where r.post_id = e.post_id) as is_open
            from darkroom.post_erasures e
            where e.post_id = \(post) and e.cause = 'uploader'
              and not exists (select from darkroom.removals x where x.post_id = e.post_id)
            """)
        return try rows.first.map { try $0.decode("is_open", as: Bool.self) ? .hidden : .published }
    }

    /// Queues the moderation of at most `limit` posts that only reports have listed. Returns how many.
    package func weighAgain(atMost limit: Int) async throws -> Int {
        let rows = try await pool.query("select darkroom.weigh_again(\(limit)) as posts")
        return try rows[0].decode("posts", as: Int.self)
    }

    private static func record(
        _ verdict: ModerationVerdict, on post: Int64, _ known: ModerationCase, _ newState: PostState,
        _ policy: ModerationPolicy, in transaction: PostgresConnection
    ) async throws {
        let rows = try await transaction.query(
            """
            select darkroom.add_decision(
                \(post), \(verdict.action.kind.rawValue), \(verdict.cause.rawValue),
                \(newState.rawValue)::darkroom.post_state, \(policy.version), \(known.reports.count),
                \(verdict.score), \(verdict.threshold), \(known.views)::bigint) as decision
            """)
        if verdict.action != .keep {
            let decision = try rows[0].decode("decision", as: Int64.self)
            try await transaction.query("select darkroom.keep_evidence(\(decision), \(post))")
        }
    }

    /// Gives the post its place in the review list, or takes it out if nothing lists it. While an appeal is open, it stays.
    ///
    /// - Parameter weighAt: when the reports will count less, for `darkroom.weigh_again`.
    private static func list(
        _ post: Int64, as listing: ReviewListing?, weighAt: Date?, _ policy: ModerationPolicy,
        in transaction: PostgresConnection
    ) async throws {
        guard let listing else {
            try await transaction.query(
                "delete from darkroom.reviews where post_id = \(post) and appeal_id is null")
            return
        }
        try await transaction.query(
            """
            select darkroom.list_for_review(
                \(post), \(listing.cause)::text, \(listing.severity), \(listing.score), \(listing.isBinding),
                weighed_by => \(policy.version), weigh_at => \(weighAt)::timestamptz)
            """)
    }

    /// Carries out the verdict, except for the state itself and the review list.
    private static func apply(
        _ verdict: ModerationVerdict, to post: Int64, isListed: Bool, from state: PostState,
        _ newState: PostState, in transaction: PostgresConnection
    ) async throws {
        switch verdict.action {
        case .keep:
            if state == .removed, !isListed {
                try await transaction.query("delete from darkroom.removed_hashes where post_id = \(post)")
            }
        case .hide:
            // The same photo must not come again before a person has decided.
            try await transaction.query("select darkroom.keep_hash(\(post))")
            if state != .removed { try await EventStore.record(.hidden, of: post, in: transaction) }
        case .show:
            try await transaction.query("delete from darkroom.removed_hashes where post_id = \(post)")
            try await EventStore.record(
                newState == .expired ? .expired : .restored, of: post, in: transaction)
        }
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
