package import FoundationEssentials
package import Postgres

/// The result of a review.
package struct ReviewOutcome: Sendable, Equatable {
    package let decision: Int64
    package let state: PostState
    /// How many reports it added to the records of their reporters.
    package let judged: Int
    /// The appeal that it decided.
    package let appeal: Int64?
    /// Whether the post's uploader has deleted it, so that it is erased now.
    package let isErased: Bool
}

/// The review list, and decisions by people.
package struct ReviewStore: Sendable {
    let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Decides on a post. One transaction writes its state, the decision with its evidence, the event, the records of
    /// its uploader and reporters, and the answer to an appeal.
    ///
    /// - Parameters:
    ///   - reviewer: who decides; at least 1 character.
    ///   - seen: the latest decision that the reviewer has seen, which then does not count as a conflict.
    /// - Throws: ``ReviewError`` if another person decided in the meantime or the action does not apply to the post's
    ///   state; ``PostError`` with `noPost`.
    package func review(
        _ post: Int64, _ action: ReviewAction, by reviewer: String, note: String? = nil, seen: Int64? = nil
    ) async throws -> ReviewOutcome {
        try await pool.withTransaction { transaction in
            let subject = try await Self.reviewSubject(post, isLocked: true, in: transaction)
            let state = try subject.found.state(
                after: action, on: post, by: reviewer, seen: seen, at: subject.now)
            let decision = try await Self.append(
                action, on: post, subject, to: state, by: reviewer, note: note, in: transaction)
            // Feeds and ranks are locked before people.
            try await Self.move(post, subject, to: state, in: transaction)
            let undone: Int64? = action == .restore ? subject.removal : nil
            let judged = try await transaction.query(
                """
                select darkroom.settle_review(
                    \(post), \(decision), \(action.kind == .remove), \(undone)::bigint) as judged
                """
            )[0].decode("judged", as: Int.self)
            return ReviewOutcome(
                decision: decision, state: state, judged: judged, appeal: subject.appeal,
                isErased: subject.found.isUndecided)
        }
    }

    /// What a review of the post would find now, and the time by the database's clock.
    ///
    /// - Throws: ``PostError`` with `noPost`.
    package func reviewCase(_ post: Int64) async throws -> (found: ReviewCase, now: Date) {
        try await pool.withConnection { connection in
            let subject = try await Self.reviewSubject(post, isLocked: false, in: connection)
            return (subject.found, subject.now)
        }
    }

    /// A post under review.
    private struct ReviewSubject {
        let found: ReviewCase
        let now: Date
        let views: Int64?
        let appeal: Int64?
        /// The decision that removed it, if it is removed.
        let removal: Int64?
        /// Whether readers have never seen it.
        let isNew: Bool
    }

    private static func reviewSubject(
        _ post: Int64, isLocked: Bool, in transaction: PostgresConnection
    ) async throws -> ReviewSubject {
        if isLocked {
            // A move of the activity's end locks this first too, and then the posts. See darkroom.set_expiry.
            try await transaction.query(
                """
                select darkroom.share_lock('activity', darkroom.lock_number(activity)) from darkroom.posts
                where post_id = \(post) and activity is not null
                """)
        }
        let lock: PostgresQuery = isLocked ? "for no key update" : ""
        let rows = try await transaction.query(
            """
            select state::text as state, darkroom.audience(post_id) as views
            from darkroom.posts where post_id = \(post) \(lock)
            """)
        guard let row = rows.first else { throw PostError(.noPost(post)) }
        // A separate statement, so that it sees what was committed while the first one waited for the lock. The time of a
        // post that readers have never seen starts with its approval.
        let found = try await transaction.query(
            """
            select l.decision_id, l.decider, l.decided_at, clock_timestamp() as moment, n.is_new,
                   coalesce(darkroom.expiry_for(
                       p.category, p.activity, case when n.is_new then clock_timestamp() else p.published_at end)
                       <= clock_timestamp(), false) as is_over,
                   darkroom.is_located_too_exactly(p.post_id) as is_located_too_exactly,
                   (select a.appeal_id from darkroom.appeals a
                    where a.post_id = p.post_id and a.decision_id is null) as appeal,
                   (select max(d.decision_id) from darkroom.moderation_decisions d
                    where d.post_id = p.post_id and d.decision = 'remove' and d.from_state <> 'removed') as removal,
                   exists (select from darkroom.post_erasures e where e.post_id = p.post_id) as is_leaving,
                   exists (select from darkroom.removals r where r.post_id = p.post_id) as is_removed,
                   exists (select from darkroom.reviews r where r.post_id = p.post_id) as is_open
            from darkroom.posts p
            cross join lateral (
                select exists (select from darkroom.moderation_decisions d
                               where d.post_id = p.post_id and d.decision = 'hold')
                       and not exists (select from darkroom.moderation_decisions d
                                       where d.post_id = p.post_id and d.to_state = 'published') as is_new) n
            left join lateral (
                select d.decision_id, d.decider, d.decided_at from darkroom.moderation_decisions d
                where d.post_id = p.post_id and d.decider is not null order by d.decision_id desc limit 1) l on true
            where p.post_id = \(post)
            """)
        guard let past = found.first else { throw PostError(.noPost(post)) }
        let latest = try past.decode("decision_id", as: Int64?.self).map {
            ReviewCase.Latest(
                decision: $0, reviewer: try past.decode("decider", as: String.self),
                at: try past.decode("decided_at", as: Date.self))
        }
        let appeal = try past.decode("appeal", as: Int64?.self)
        let isRemoved = try past.decode("is_removed", as: Bool.self)
        let isOpen = try past.decode("is_open", as: Bool.self)
        return ReviewSubject(
            found: ReviewCase(
                state: try PostState(name: try row.decode("state", as: String.self)),
                isAppealed: appeal != nil,
                isOver: try past.decode("is_over", as: Bool.self),
                isLocatedTooExactly: try past.decode("is_located_too_exactly", as: Bool.self),
                isListed: isOpen,
                keeping: try past.decode("is_leaving", as: Bool.self)
                    ? .leaving(isRemoved: isRemoved, isUndecided: isOpen && !isRemoved) : .kept,
                latest: latest),
            now: try past.decode("moment", as: Date.self),
            views: try row.decode("views", as: Int64?.self), appeal: appeal,
            removal: try past.decode("removal", as: Int64?.self),
            isNew: try past.decode("is_new", as: Bool.self))
    }

    /// Appends the decision and the weights of the reports by the policy in force.
    private static func append(
        _ action: ReviewAction, on post: Int64, _ subject: ReviewSubject, to state: PostState,
        by reviewer: String, note: String?, in transaction: PostgresConnection
    ) async throws -> Int64 {
        let policy = try await ModerationPolicyStore.inForce(in: transaction)
        let weighed = try await ReportStore.weighed(
            post, subject.found.state, views: subject.views, by: policy, at: subject.now, in: transaction)
        let ground: RemovalGround? = if case .remove(let ground) = action { ground } else { nil }
        let decision = try await DecisionStore.append(
            NewDecision(
                post: post, kind: action.kind, cause: subject.appeal == nil ? "review" : "appeal",
                policy: policy.version, reports: weighed.post.reports.count, from: subject.found.state,
                to: state, decider: reviewer, note: note, score: weighed.verdict.score,
                threshold: weighed.verdict.threshold, views: subject.views, ground: ground,
                appeal: subject.appeal), in: transaction)
        try await DecisionStore.append(
            weighed.verdict.evidence, of: weighed.post.reports, on: post, to: decision, in: transaction)
        return decision
    }

    /// A post that is shown again, or for the first time, expires by the policy in force now, and when its activity ends now.
    private static func move(
        _ post: Int64, _ subject: ReviewSubject, to state: PostState, in transaction: PostgresConnection
    ) async throws {
        guard state != subject.found.state else { return }
        let appears = state != .removed && subject.isNew
        try await transaction.query(
            """
            update darkroom.posts
            set state = \(state.rawValue)::darkroom.post_state,
                published_at = case when \(appears) then clock_timestamp() else published_at end,
                expires_at = case when \(state == .removed) then expires_at
                                  else darkroom.expiry_for(category, activity, case when \(appears) then clock_timestamp()
                                                                                else published_at end) end
            where post_id = \(post)
            """)
        let event: EventStore.Event =
            switch state {
            case .removed: .removed
            case .expired: .expired
            default: appears ? .published : .restored
            }
        try await EventStore.record(event, of: post, in: transaction)
    }

    /// Puts a post into the review list.
    static func open(
        for post: Int64, severity: Int, score: Double, cause: String, isBinding: Bool = true,
        in transaction: PostgresConnection
    ) async throws {
        try await transaction.query(
            """
            insert into darkroom.reviews as r (post_id, severity, score, cause, is_binding)
            values (\(post), \(severity)::smallint, \(score)::float8, \(cause), \(isBinding))
            on conflict (post_id) do update
            set severity = case when r.appeal_id is null then excluded.severity
                                else greatest(r.severity, excluded.severity) end,
                score = excluded.score, cause = case when r.appeal_id is null then excluded.cause else r.cause end,
                is_binding = excluded.is_binding or r.appeal_id is not null
            """)
    }
}
