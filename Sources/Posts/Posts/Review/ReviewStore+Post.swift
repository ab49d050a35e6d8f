package import FoundationEssentials
import Postgres

/// A post as its moderators see it: without who reported it.
package struct ReviewedPost: Sendable {
    package struct Report: Sendable {
        package let reason: String
        package let details: String?
        package let at: Date
        package let counted: Double?
        package let group: Int?
        package let disregarded: String?
        /// How many reports of the reporter were right, and how many wrong.
        package let agreed: Int
        package let disagreed: Int
        /// How many reports of the reporter nobody has decided on; counted to 100.
        package let undecided: Int
    }

    package struct Decision: Sendable {
        package let id: Int64
        package let kind: String
        package let cause: String?
        /// Nil if a rule decided.
        package let decider: String?
        package let note: String?
        package let at: Date
        package let similar: Int64?
    }

    package let post: Int64
    package let state: String
    package let uploader: String
    package let headline: String?
    package let caption: String?
    package let link: String?
    package let venueName: String?
    package let credit: String?
    package let licence: String?
    package let pictures: [String]
    package let mayDecide: [String]
    /// The latest decision; 0 if there is none.
    package let seen: Int64
    package let isDeleted: Bool
    /// Counted to 1,000.
    package let uploaderPosts: Int
    package let uploaderRemovals: Int
    package let reports: [Report]
    package let decisions: [Decision]
    package let appeals: [AppealRecord]
}

extension ReviewStore {
    /// A post in any state, by the function that moderators may call; nil if there is none.
    package func post(_ id: Int64) async throws -> ReviewedPost? {
        let found = try await pool.query(
            """
            select post_id, state, uploader, headline, caption, link, venue_name, credit, licence, media_keys, may_decide, seen, is_deleted, uploader_posts,
                   uploader_removals from darkroom.post_to_review(\(id))
            """)
        guard let row = found.first else { return nil }
        return ReviewedPost(
            post: id, state: try row.decode("state", as: String.self),
            uploader: try row.decode("uploader", as: String.self),
            headline: try row.decode("headline", as: String?.self),
            caption: try row.decode("caption", as: String?.self),
            link: try row.decode("link", as: String?.self),
            venueName: try row.decode("venue_name", as: String?.self),
            credit: try row.decode("credit", as: String?.self),
            licence: try row.decode("licence", as: String?.self),
            pictures: try row.decode("media_keys", as: [String].self),
            mayDecide: try row.decode("may_decide", as: [String].self),
            seen: try row.decode("seen", as: Int64.self),
            isDeleted: try row.decode("is_deleted", as: Bool.self),
            uploaderPosts: try row.decode("uploader_posts", as: Int.self),
            uploaderRemovals: try row.decode("uploader_removals", as: Int.self),
            reports: try await reports(in: "darkroom.post_to_review(\(id))"),
            decisions: try await decisions(in: "darkroom.post_to_review(\(id))"),
            appeals: try await appeals(in: "darkroom.post_to_review(\(id))"))
    }

    func reports(in row: PostgresQuery) async throws -> [ReviewedPost.Report] {
        try await pool.query(
            """
            select r.* from \(row) p, jsonb_to_recordset(p.reports) r (
                reason text, details text, reported_at timestamptz, counted float8, "group" integer, disregarded text,
                agreed integer, disagreed integer, undecided integer)
            order by r.reported_at desc
            """
        ).map { row in
            ReviewedPost.Report(
                reason: try row.decode("reason", as: String.self),
                details: try row.decode("details", as: String?.self),
                at: try row.decode("reported_at", as: Date.self),
                counted: try row.decode("counted", as: Double?.self),
                group: try row.decode("group", as: Int?.self),
                disregarded: try row.decode("disregarded", as: String?.self),
                agreed: try row.decode("agreed", as: Int?.self) ?? 0,
                disagreed: try row.decode("disagreed", as: Int?.self) ?? 0,
                undecided: try row.decode("undecided", as: Int.self))
        }
    }

    func decisions(in row: PostgresQuery) async throws -> [ReviewedPost.Decision] {
        try await pool.query(
            """
            select d.* from \(row) p, jsonb_to_recordset(p.decisions) d (
                decision_id bigint, decision text, cause text, decider text, note text, decided_at timestamptz, similar_to bigint)
            order by d.decision_id desc
            """
        ).map { row in
            ReviewedPost.Decision(
                id: try row.decode("decision_id", as: Int64.self),
                kind: try row.decode("decision", as: String.self),
                cause: try row.decode("cause", as: String?.self),
                decider: try row.decode("decider", as: String?.self),
                note: try row.decode("note", as: String?.self),
                at: try row.decode("decided_at", as: Date.self),
                similar: try row.decode("similar_to", as: Int64?.self))
        }
    }

    func appeals(in row: PostgresQuery) async throws -> [AppealRecord] {
        try await pool.query(
            """
            select a.* from \(row) p, jsonb_to_recordset(p.appeals) a (
                appeal_id bigint, text text, created_at timestamptz, decision_id bigint)
            order by a.appeal_id desc
            """
        ).map { row in
            AppealRecord(
                id: try row.decode("appeal_id", as: Int64.self),
                text: try row.decode("text", as: String.self),
                at: try row.decode("created_at", as: Date.self),
                decision: try row.decode("decision_id", as: Int64?.self))
        }
    }

    /// Decides the same on up to 100 posts, see `darkroom.decide_on_posts`.
    ///
    /// - Returns: the problems of those that could not be decided.
    package func review(
        _ posts: [Int64], _ kind: DecisionKind, by reviewer: String, note: String?, terms: String?
    ) async throws -> [String] {
        let rows = try await pool.query(
            """
            select problem from darkroom.decide_on_posts(
                \(posts), \(kind.rawValue), \(reviewer), note => \(note), terms => \(terms))
            """)
        return try rows.compactMap { try $0.decode("problem", as: String?.self) }
    }
}
