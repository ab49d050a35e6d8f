import Postgres

extension DecisionStore {
    /// Appends a decision in the caller's transaction, and returns its number.
    static func append(_ decision: NewDecision, in transaction: PostgresConnection) async throws -> Int64 {
        let rows = try await transaction.query(
            """
            insert into darkroom.moderation_decisions (
                post_id, decision, cause, policy_version, reports, from_state, to_state, decider, note, score, threshold,
                views, similar_to, similar_distance, uploader_removals, hash_list, hash_list_name, hash_distance, ground,
                ground_reference, appeal_id, decided_at,
                content_at, content_has_text)
            values (
                \(decision.post), \(decision.kind.rawValue), \(decision.cause), \(decision.policy), \(decision.reports),
                \(decision.from.rawValue)::darkroom.post_state, \(decision.to.rawValue)::darkroom.post_state,
                \(decision.decider), \(decision.note), \(decision.score)::float8, \(decision.threshold)::float8,
                \(decision.views)::bigint, \(decision.similar?.post)::bigint, \(decision.similar?.distance)::smallint,
                \(decision.uploaderRemovals)::integer, \(decision.listed?.list)::bigint, \(decision.listed?.name),
                \(decision.listed?.distance)::smallint, \(decision.ground?.name), \(decision.ground?.reference),
                \(decision.appeal)::bigint, clock_timestamp(),
                (select p.published_at from darkroom.posts p where p.post_id = \(decision.post)),
                (select coalesce(p.headline, p.caption, p.link) is not null from darkroom.posts p
                 where p.post_id = \(decision.post)))
            returning decision_id
            """)
        guard let row = rows.first else { throw PostError(.noPost(decision.post)) }
        return try row.decode("decision_id", as: Int64.self)
    }
}
