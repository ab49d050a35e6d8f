package import FoundationEssentials
import Postgres

/// An uploader's appeal against a decision.
package struct AppealRecord: Sendable, Equatable {
    package let id: Int64
    package let text: String
    package let at: Date
    /// Nil while the appeal is open.
    package let decision: Int64?
}

extension ReviewStore {
    /// The appeals of a post's uploader, oldest first.
    package func appeals(on post: Int64) async throws -> [AppealRecord] {
        try await pool.query(
            """
            select appeal_id, text, created_at, decision_id from darkroom.appeals
            where post_id = \(post) and comment_id = 0 order by appeal_id
            """
        ).map { row in
            AppealRecord(
                id: try row.decode("appeal_id", as: Int64.self),
                text: try row.decode("text", as: String.self),
                at: try row.decode("created_at", as: Date.self),
                decision: try row.decode("decision_id", as: Int64?.self))
        }
    }

    /// Files an appeal for a post's uploader and returns its number.
    ///
    /// - Throws: ``PostgresError`` with `P0002` if the uploader has no such post, `55000` if there is no decision
    ///   against it, and `uniqueViolation` if an appeal is already open.
    package func appeal(_ post: Int64, by uploader: String, text: String) async throws -> Int64 {
        try await pool.query("select darkroom.appeal_post(\(post), \(uploader), \(text)) as appeal")[0]
            .decode("appeal", as: Int64.self)
    }
}
