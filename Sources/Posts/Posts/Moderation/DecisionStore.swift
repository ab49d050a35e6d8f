package import FoundationEssentials
package import Postgres

/// A recorded decision.
package struct DecisionRecord: Sendable, Equatable {
    package let id: Int64
    package let subject: ModerationSubject
    package let kind: DecisionKind
    /// Nil in decisions of older releases.
    package let cause: String?
    package let policy: Int
    package let reports: Int
    package let from: PostState?
    package let to: PostState?
    /// Nil if a rule decided.
    package let decider: String?
    package let note: String?
    package let score: Double?
    package let threshold: Double?
    package let views: Int64?
    package let similar: LookAlike?
    package let uploaderRemovals: Int?
    package let listed: ListMatch?
    package let ground: RemovalGround?
    package let appeal: Int64?
    package let at: Date
    /// When the post was published, or would have been, and what it has; nil in decisions of older releases.
    package let contentAt: Date?
    package let contentHasPhoto: Bool?
    package let contentHasText: Bool?
}

/// The weight of one report in a decision.
package struct EvidenceRecord: Sendable, Equatable {
    package let reporter: String
    package let reason: String
    package let at: Date
    package let accountSince: Date
    package let agreed: Int
    package let disagreed: Int
    package let record: Double
    package let account: Double
    package let weight: Double
    package let group: Int?
    package let counted: Double
    package let disregarded: String?
}

/// The decisions of rules and people on posts and comments, with their evidence.
package struct DecisionStore: Sendable {
    let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Every decision on a post or comment, oldest first.
    package func decisions(on post: Int64, comment: Int64 = 0) async throws -> [DecisionRecord] {
        try await pool.query(
            "\(Self.decisionSelection) where post_id = \(post) and comment_id = \(comment) order by decision_id"
        ).map(DecisionRecord.init)
    }

    package func decision(_ id: Int64) async throws -> DecisionRecord? {
        try await pool.query("\(Self.decisionSelection) where decision_id = \(id)").first.map(
            DecisionRecord.init)
    }

    /// Decisions that restrict a post or comment, in the order of their numbers, from a time on and before another.
    func restrictions(since: Date, until: Date, after: Int64, limit: Int) async throws -> [DecisionRecord] {
        try await pool.query(
            """
            \(Self.decisionSelection)
            where decided_at >= \(since) and decided_at < \(until) and decision_id > \(after)
              and decision in ('hide', 'hold', 'remove') and from_state <> 'removed'
            order by decision_id limit \(limit)
            """
        ).map(DecisionRecord.init)
    }

    static let decisionSelection: PostgresQuery = """
        select decision_id, post_id, comment_id, decision, cause, policy_version, reports, from_state::text as from_state,
               to_state::text as to_state, decider, note, score, threshold, views, similar_to, similar_distance,
               uploader_removals, hash_list, hash_list_name, hash_distance, ground, ground_reference, appeal_id, decided_at,
               content_at, content_has_photo, content_has_text
        from darkroom.moderation_decisions
        """

    /// The weights of the reports in a decision, oldest report first.
    package func evidence(of decision: Int64) async throws -> [EvidenceRecord] {
        try await pool.query(
            """
            select reporter, reason::text as reason, reported_at, account_since, agreed, disagreed, record_weight,
                   account_weight, reason_weight, group_number, counted, disregarded
            from darkroom.moderation_evidence where decision_id = \(decision) order by reported_at, reporter
            """
        ).map(EvidenceRecord.init)
    }
}

extension DecisionRecord {
    /// Whether it rests on what the photo resembles or on its uploader's record, not on reports.
    package var isScreening: Bool { similar != nil || uploaderRemovals != nil || listed != nil }

    init(row: PostgresRow) throws {
        func state(_ column: String) throws -> PostState? {
            try row.decode(column, as: String?.self).map(PostState.init(name:))
        }
        let kind = try row.decode("decision", as: String.self)
        guard let kind = DecisionKind(rawValue: kind) else { throw PostError(.unknownDecision(kind)) }
        let reference = try row.decode("ground_reference", as: String?.self)
        let ground: RemovalGround? =
            switch try row.decode("ground", as: String?.self) {
            case "law": .law(reference ?? "")
            case "terms": .terms(reference)
            default: nil
            }
        self.init(
            id: try row.decode("decision_id", as: Int64.self),
            subject: ModerationSubject(
                post: try row.decode("post_id", as: Int64.self),
                comment: try row.decode("comment_id", as: Int64.self)),
            kind: kind, cause: try row.decode("cause", as: String?.self),
            policy: try row.decode("policy_version", as: Int.self),
            reports: try row.decode("reports", as: Int.self),
            from: try state("from_state"), to: try state("to_state"),
            decider: try row.decode("decider", as: String?.self),
            note: try row.decode("note", as: String?.self),
            score: try row.decode("score", as: Double?.self),
            threshold: try row.decode("threshold", as: Double?.self),
            views: try row.decode("views", as: Int64?.self),
            similar: try row.decode("similar_to", as: Int64?.self).map {
                LookAlike(post: $0, distance: try row.decode("similar_distance", as: Int.self))
            },
            uploaderRemovals: try row.decode("uploader_removals", as: Int?.self),
            listed: try row.decode("hash_list", as: Int64?.self).map {
                ListMatch(
                    list: $0, name: try row.decode("hash_list_name", as: String.self),
                    distance: try row.decode("hash_distance", as: Int.self))
            },
            ground: ground,
            appeal: try row.decode("appeal_id", as: Int64?.self),
            at: try row.decode("decided_at", as: Date.self),
            contentAt: try row.decode("content_at", as: Date?.self),
            contentHasPhoto: try row.decode("content_has_photo", as: Bool?.self),
            contentHasText: try row.decode("content_has_text", as: Bool?.self))
    }
}

extension EvidenceRecord {
    /// The current weight of a report.
    package init(_ report: FiledReport, _ weight: ReportWeight) {
        self.init(
            reporter: report.reporter, reason: report.reason.rawValue, at: report.at,
            accountSince: report.accountSince, agreed: report.agreed, disagreed: report.disagreed,
            record: weight.record, account: weight.account, weight: weight.reason, group: weight.group,
            counted: weight.counted, disregarded: weight.disregarded?.rawValue)
    }

    fileprivate init(row: PostgresRow) throws {
        self.init(
            reporter: try row.decode("reporter", as: String.self),
            reason: try row.decode("reason", as: String.self),
            at: try row.decode("reported_at", as: Date.self),
            accountSince: try row.decode("account_since", as: Date.self),
            agreed: try row.decode("agreed", as: Int.self),
            disagreed: try row.decode("disagreed", as: Int.self),
            record: try row.decode("record_weight", as: Double.self),
            account: try row.decode("account_weight", as: Double.self),
            weight: try row.decode("reason_weight", as: Double.self),
            group: try row.decode("group_number", as: Int?.self),
            counted: try row.decode("counted", as: Double.self),
            disregarded: try row.decode("disregarded", as: String?.self))
    }
}
