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

    /// Decides on a post or comment, see `darkroom.decide_on_post` and `darkroom.decide_on_comment`.
    ///
    /// - Parameters:
    ///   - reviewer: who decides; 1 to 200 characters.
    ///   - seen: the latest decision that the reviewer has seen, which then does not count as a conflict.
    /// - Throws: ``ReviewError`` if another person decided in the meantime or the action does not apply to the post's
    ///   state; ``PostError`` with `noPost` or `noComment`.
    package func review(
        _ id: Int64, of kind: ModeratedKind = .post, _ action: ReviewAction, by reviewer: String,
        note: String? = nil, seen: Int64? = nil
    ) async throws -> ReviewOutcome {
        let ground: RemovalGround? = if case .remove(let ground) = action { ground } else { nil }
        let law: String? = if case .law(let provision) = ground { provision } else { nil }
        let terms: String? = if case .terms(let clause) = ground { clause } else { nil }
        do {
            let rows = try await pool.query(
                """
                select * from darkroom.\(unescaped: "decide_on_\(kind.rawValue)")(
                    \(id), \(action.kind.rawValue), \(reviewer), note => \(note), law => \(law), terms => \(terms),
                    seen => \(seen))
                """)
            return ReviewOutcome(
                decision: try rows[0].decode("decision_id", as: Int64.self),
                state: try PostState(name: try rows[0].decode("state", as: String.self)),
                judged: try rows[0].decode("reports_judged", as: Int.self),
                appeal: try rows[0].decode("appeal_id", as: Int64?.self),
                isErased: try rows[0].decode("is_erased", as: Bool.self))
        } catch let error as PostgresError {
            if error.sqlState == "P0002" { throw PostError(kind == .post ? .noPost(id) : .noComment(id)) }
            guard let refusal = try ReviewError.Code(error) else { throw error }
            throw ReviewError(code: refusal, kind, id)
        }
    }

    /// What a review of the post would find now, and the time by the database's clock.
    ///
    /// - Throws: ``PostError`` with `noPost`.
    package func reviewCase(_ post: Int64) async throws -> (found: ReviewCase, now: Date) {
        let rows = try await pool.query("select * from darkroom.review_case(\(post))")
        guard let row = rows.first else { throw PostError(.noPost(post)) }
        let latest = try row.decode("latest", as: Int64?.self).map {
            ReviewCase.Latest(
                decision: $0, reviewer: try row.decode("latest_decider", as: String.self),
                at: try row.decode("latest_at", as: Date.self))
        }
        let found = ReviewCase(
            applicable: try row.decode("may_decide", as: [String].self).compactMap(DecisionKind.init),
            isLocatedTooExactly: try row.decode("is_located_too_exactly", as: Bool.self),
            isUndecided: try row.decode("is_undecided", as: Bool.self), latest: latest)
        return (found, try row.decode("moment", as: Date.self))
    }
}

extension ReviewError.Code {
    /// Nil for other errors.
    fileprivate init?(_ error: PostgresError) throws {
        let detail = error.detail ?? ""
        switch error.constraint {
        case "nobody_decided_meanwhile":
            let parts = detail.split(separator: " ", maxSplits: 2)
            guard parts.count == 3, let decision = Int64(parts[0]), let seconds = Int(parts[1]) else {
                return nil
            }
            self = .decidedMeanwhile(by: String(parts[2]), decision: decision, secondsAgo: seconds)
        case "decision_applies": self = .notApplicable(try PostState(name: detail))
        case "post_stays", "comment_stays": self = .leaving
        case "location_follows_the_policy": self = .locatedTooExactly
        default: return nil
        }
    }
}
