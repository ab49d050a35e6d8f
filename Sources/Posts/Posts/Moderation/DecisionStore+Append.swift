import Postgres

extension DecisionStore {
    /// Appends a decision in the caller's transaction, and returns its number.
    static func append(_ decision: NewDecision, in transaction: PostgresConnection) async throws -> Int64 {
        let rows = try await transaction.query(
            """
            insert into darkroom.moderation_decisions (
                post_id, decision, cause, policy_version, reports, from_state, to_state, decider, note, score, threshold,
                views, similar_to, similar_distance, uploader_removals, ground, ground_reference, appeal_id, decided_at,
                content_at, content_has_text)
            values (
                \(decision.post), \(decision.kind.rawValue), \(decision.cause), \(decision.policy), \(decision.reports),
                \(decision.from.rawValue)::darkroom.post_state, \(decision.to.rawValue)::darkroom.post_state,
                \(decision.decider), \(decision.note), \(decision.score)::float8, \(decision.threshold)::float8,
                \(decision.views)::bigint, \(decision.similar?.post)::bigint, \(decision.similar?.distance)::smallint,
                \(decision.uploaderRemovals)::integer, \(decision.ground?.name), \(decision.ground?.reference),
                \(decision.appeal)::bigint, clock_timestamp(),
                (select p.published_at from darkroom.posts p where p.post_id = \(decision.post)),
                (select coalesce(p.headline, p.caption, p.link) is not null from darkroom.posts p
                 where p.post_id = \(decision.post)))
            returning decision_id
            """)
        guard let row = rows.first else { throw PostError(.noPost(decision.post)) }
        return try row.decode("decision_id", as: Int64.self)
    }

    /// Appends the weight of each report on a post in a decision.
    ///
    /// This and the erasure of a reporter wait for each other. Rows that name a person who was erased after the reports
    /// were read are left out.
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
