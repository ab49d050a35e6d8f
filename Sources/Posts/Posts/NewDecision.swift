import FoundationEssentials
import Postgres

/// What is decided on a post. Raw values are those of `darkroom.moderation_decisions.decision`.
package enum DecisionKind: String, Sendable {
    /// A rule's: the post stays as it is, is hidden, comes back, or waits for review before it is seen.
    case keep, hide, show, hold
    /// A person's.
    case approve, remove, restore
}

/// A row of `darkroom.moderation_decisions` to be.
struct NewDecision {
    var post: Int64
    var kind: DecisionKind
    var cause: String
    var policy: Int
    var reports = 0
    var from: PostState
    var to: PostState
    /// nil: a rule.
    var decider: String?
    var note: String?
    var score: Double?
    var threshold: Double?
    var views: Int64?
    var similar: LookAlike?
    var uploaderRemovals: Int?
    var ground: RemovalGround?
    var appeal: Int64?
}

/// What a removal rests on.
package enum RemovalGround: Sendable, Equatable {
    /// The law; the provision.
    case law(String)
    /// The terms of the service; the clause, or nil for the policy's.
    case terms(String?)

    var name: String {
        switch self {
        case .law: "law"
        case .terms: "terms"
        }
    }

    var reference: String? {
        switch self {
        case .law(let provision): provision
        case .terms(let clause): clause
        }
    }
}

extension PostStore {
    /// Appends a decision, in the caller's transaction, and answers its number.
    static func append(_ decision: NewDecision, in transaction: PostgresConnection) async throws -> Int64 {
        let rows = try await transaction.query(
            """
            insert into darkroom.moderation_decisions (
                post_id, decision, cause, policy_version, reports, from_state, to_state, decider, note, score, threshold,
                views, similar_to, similar_distance, uploader_removals, ground, ground_reference, appeal_id, decided_at)
            values (
                \(decision.post), \(decision.kind.rawValue), \(decision.cause), \(decision.policy), \(decision.reports),
                \(decision.from.rawValue)::darkroom.post_state, \(decision.to.rawValue)::darkroom.post_state,
                \(decision.decider), \(decision.note), \(decision.score)::float8, \(decision.threshold)::float8,
                \(decision.views)::bigint, \(decision.similar?.post)::bigint, \(decision.similar?.distance)::smallint,
                \(decision.uploaderRemovals)::integer, \(decision.ground?.name), \(decision.ground?.reference),
                \(decision.appeal)::bigint, clock_timestamp())
            returning decision_id
            """)
        guard let row = rows.first else { throw PostError(.noPost(decision.post)) }
        return try row.decode("decision_id", as: Int64.self)
    }

    /// Appends what each report on a post counted in a decision.
    ///
    /// Waits for the erasure of a reporter that is under way, and the other way round: what names somebody who was
    /// erased since the reports were read is left out.
    static func append(
        _ weights: [ReportWeight], of reports: [FiledReport], on post: Int64, to decision: Int64,
        in transaction: PostgresConnection
    ) async throws {
        try await transaction.query(
            """
            with filed as (
                select reporter from darkroom.reports
                where post_id = \(post) and reporter = any (\(reports.map(\.reporter))::text[])
                order by reporter for key share)
            insert into darkroom.moderation_evidence (
                decision_id, reporter, reason, reported_at, account_since, agreed, disagreed,
                record_weight, account_weight, reason_weight, group_number, counted, disregarded)
            select \(decision)::bigint, e.*
            from unnest(\(reports.map(\.reporter))::text[], \(reports.map(\.reason.rawValue))::darkroom.report_reason[],
                        \(reports.map(\.at))::timestamptz[], \(reports.map(\.accountSince))::timestamptz[],
                        \(reports.map(\.agreed))::integer[], \(reports.map(\.disagreed))::integer[],
                        \(weights.map(\.record))::float8[], \(weights.map(\.account))::float8[],
                        \(weights.map(\.reason))::float8[], \(weights.map(\.group))::integer[],
                        \(weights.map(\.counted))::float8[], \(weights.map { $0.disregarded?.rawValue })::text[])
                 as e (reporter)
            where e.reporter in (select reporter from filed)
            """)
    }
}
