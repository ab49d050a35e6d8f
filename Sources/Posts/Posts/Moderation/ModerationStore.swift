import FoundationEssentials
package import Postgres

/// Applies the policy in force to reported posts and comments.
package struct ModerationStore: Sendable {
    let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// The result of a moderation.
    package enum Decision: Sendable {
        /// The policy's verdict, which was recorded.
        case decided(ModerationVerdict, policy: Int)
        /// A review has removed the post or comment, or it is expired and no report needs a person. Its reports are kept but change
        /// nothing.
        case gone(PostState)
    }

    /// Applies the policy in force to a post or comment in the caller's transaction.
    ///
    /// A verdict that changes something becomes a row of `darkroom.moderation_decisions`; one that changes its
    /// state also gets its evidence and an event. Everything reported enters the review list, see
    /// ``ModerationPolicy/listing(of:after:in:)``. If the time of a post is over when it is shown again, it expires at once.
    /// The reports on what its author has deleted are weighed as if readers still saw it, and the verdict only
    /// decides on a review.
    ///
    /// - Throws: ``PostError`` with `noPost`, `noComment` or `noPolicy`; ``PostgresError`` with `lockNotAvailable` if another transaction
    ///   holds the post or comment. It may be an app's and take long, so this does not wait for it.
    package static func moderate(
        _ id: Int64, as kind: ModeratedKind = .post, in transaction: PostgresConnection
    ) async throws -> Decision {
        // The lock serialises decisions but does not block transactions that only need the key.
        let rows = try await transaction.query(kind.locking(id))
        guard let row = rows.first else { throw PostError(kind == .post ? .noPost(id) : .noComment(id)) }
        let subject = ModerationSubject(
            post: try row.decode("post_id", as: Int64.self), comment: kind == .comment ? id : 0)
        let state = try PostState(name: try row.decode("state", as: String.self))
        guard let weighedAs = try await weighedState(of: subject, state, in: transaction) else {
            return .gone(state)
        }
        let now = try row.decode("moment", as: Date.self)
        let policy = try await ModerationPolicyStore.inForce(in: transaction)
        var known = ModerationCase(
            state: weighedAs,
            standing: state == .removed && weighedAs == .hidden
                ? .reserved : try await ReportStore.standing(of: subject, weighedAs, in: transaction),
            views: try row.decode("views", as: Int64?.self),
            reports: try await ReportStore.filedReports(on: subject, in: transaction).map(policy.weakened))
        var verdict = policy.verdict(on: known, at: now)
        // Groups can only lower a score, so they do not matter if it is already too low.
        if verdict.cause == .score || verdict.cause == .waitsForReview {
            try await ReportStore.findGroups(among: &known.reports, of: subject, policy, in: transaction)
            verdict = policy.verdict(on: known, at: now)
            try await ReportStore.weighElsewhere(newlyGrouped: known.reports, on: subject, in: transaction)
        }
        let newState =
            state == .removed
            ? state
            : verdict.action.state(
                from: state, isOver: try row.decode("is_over", as: Bool?.self) ?? false)
        try await ReportStore.keepWeights(verdict.evidence, of: known.reports, on: subject, in: transaction)
        let listing = policy.listing(of: known, after: verdict, in: newState)
        if state == .expired, listing == nil { return .gone(state) }
        let count = try row.decode("report_count", as: Int.self)
        // Keeping a post is no news if the latest decision weighed all of its reports.
        if try verdict.action != .keep || !row.decode("is_weighed", as: Bool.self) {
            try await record(verdict, on: subject, known, newState, policy, in: transaction)
        }
        try await list(
            subject, as: listing, weighAt: policy.nextExpiry(of: known.reports, verdict.evidence), policy,
            in: transaction)
        if subject.comment > 0 {
            try await transaction.query(
                "select darkroom.set_comment_state(\(subject.comment), \(newState.rawValue)::darkroom.post_state)"
            )
            if state == .removed {
                try await transaction.query("select darkroom.forget_comment_text(\(subject.comment))")
            }
        } else {
            try await apply(
                verdict, to: subject.post, isListed: listing != nil, from: state, newState, in: transaction)
            if newState != state || known.reports.count != count {
                try await transaction.query(
                    """
                    update darkroom.posts
                    set report_count = \(known.reports.count), state = \(newState.rawValue)::darkroom.post_state
                    where post_id = \(subject.post)
                    """)
            }
        }
        return .decided(verdict, policy: policy.version)
    }

    /// The state as which a post or comment is weighed; nil if reports on it change nothing.
    ///
    /// Reports may have come just before it was deleted.
    private static func weighedState(
        of subject: ModerationSubject, _ state: PostState, in transaction: PostgresConnection
    ) async throws -> PostState? {
        guard state == .removed else { return state }
        let rows = try await transaction.query(
            """
            select exists (select from darkroom.reviews r
                           where r.post_id = \(subject.post) and r.comment_id = \(subject.comment)) as is_open
            where exists (select from darkroom.post_erasures e
                          where \(subject.comment) = 0 and e.post_id = \(subject.post) and e.cause = 'uploader'
                            and not exists (select from darkroom.removals x where x.post_id = e.post_id))
               or exists (select from darkroom.comments c where c.comment_id = \(subject.comment) and c.is_deleted and c.body <> '-')
            """)
        return try rows.first.map { try $0.decode("is_open", as: Bool.self) ? .hidden : .published }
    }

    /// Queues the moderation of at most `limit` posts and comments that only reports have listed. Returns how many.
    package func weighAgain(atMost limit: Int) async throws -> Int {
        let rows = try await pool.query("select darkroom.weigh_again(\(limit)) as posts")
        return try rows[0].decode("posts", as: Int.self)
    }

    private static func record(
        _ verdict: ModerationVerdict, on subject: ModerationSubject, _ known: ModerationCase,
        _ newState: PostState,
        _ policy: ModerationPolicy, in transaction: PostgresConnection
    ) async throws {
        let rows = try await transaction.query(
            """
            select darkroom.add_decision(
                \(subject.post), \(verdict.action.kind.rawValue), \(verdict.cause.rawValue),
                \(newState.rawValue)::darkroom.post_state, \(policy.version), \(known.reports.count),
                \(verdict.score), \(verdict.threshold), \(known.views)::bigint, of_comment => \(subject.comment)) as decision
            """)
        if verdict.action != .keep {
            let decision = try rows[0].decode("decision", as: Int64.self)
            try await transaction.query(
                "select darkroom.keep_evidence(\(decision), \(subject.post), \(subject.comment))")
        }
    }

    /// Gives it its place in the review list, or takes it out if nothing lists it. While an appeal is open, it stays.
    ///
    /// - Parameter weighAt: when the reports will count less, for `darkroom.weigh_again`.
    private static func list(
        _ subject: ModerationSubject, as listing: ReviewListing?, weighAt: Date?, _ policy: ModerationPolicy,
        in transaction: PostgresConnection
    ) async throws {
        guard let listing else {
            try await transaction.query(
                """
                delete from darkroom.reviews
                where post_id = \(subject.post) and comment_id = \(subject.comment) and appeal_id is null
                """)
            return
        }
        try await transaction.query(
            """
            select darkroom.list_for_review(
                \(subject.post), \(listing.cause)::text, \(listing.severity), \(listing.score), \(listing.isBinding),
                weighed_by => \(policy.version), weigh_at => \(weighAt)::timestamptz,
                of_comment => \(subject.comment))
            """)
    }

    /// Carries out the verdict on a post, except for the state itself and the review list.
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

/// What is moderated.
package enum ModeratedKind: String, Sendable {
    case post, comment

    /// Locks the row, without waiting for whoever holds it.
    fileprivate func locking(_ id: Int64) -> PostgresQuery {
        switch self {
        case .post:
            """
            select post_id, state::text as state, report_count, darkroom.audience(post_id) as views,
                   expires_at <= clock_timestamp() as is_over, clock_timestamp() as moment,
                   darkroom.is_weighed(post_id, 0) as is_weighed
            from darkroom.posts where post_id = \(id) for no key update nowait
            """
        // Nobody counts who reads a comment, and it has no time of its own. The review refers to the post, which is locked first, as
        // by its erasure: `nowait` does wait where a row has a newer version.
        case .comment:
            """
            select c.post_id, c.state::text as state, 0 as report_count, null::bigint as views, false as is_over,
                   clock_timestamp() as moment, darkroom.is_weighed(c.post_id, c.comment_id) as is_weighed
            from darkroom.comments c join darkroom.posts p using (post_id)
            where c.comment_id = \(id) for key share of p nowait for no key update of c nowait
            """
        }
    }
}
