package import FoundationEssentials
import Postgres

/// A comment in the review list.
package struct ReviewedComment: Sendable {
    package let comment: Int64
    package let post: Int64
    package let state: PostState
    package let author: String
    package let body: String
    /// Whether its author or the uploader of the post has deleted it.
    package let isDeleted: Bool
    /// The number of the latest decision; 0 before the first.
    package let seen: Int64
}

/// Why and since when a comment waits for review.
package struct CommentReviewItem: Sendable {
    package let comment: ReviewedComment
    package let severity: Int
    package let score: Double
    package let cause: String
    /// Whether only a person's decision ends the review.
    package let isBinding: Bool
    package let reportCount: Int
    package let appeal: Int64?
    package let openedAt: Date
    /// The value of `after` for the comments that follow.
    package let cursor: String
}

/// A comment as its moderators see it: without who reported it.
package struct CommentReview: Sendable {
    package let comment: ReviewedComment
    package let createdAt: Date
    package let mayDecide: [String]
    /// Counted to 1,000.
    package let authorComments: Int
    package let authorRemovals: Int
    package let reports: [ReviewedPost.Report]
    package let decisions: [ReviewedPost.Decision]
    package let appeals: [AppealRecord]
}

extension ReviewStore {
    /// Comments that wait for review, in the order of posts that do.
    ///
    /// - Parameters:
    ///   - cursor: that of the last item of the page before; nil for the first page.
    ///   - limit: 1 to 100.
    package func waitingComments(after cursor: String? = nil, limit: Int) async throws -> [CommentReviewItem]
    {
        try await pool.query(
            "select * from darkroom.comments_to_review(at_most => \(limit), after => \(cursor))"
        ).map { row in
            CommentReviewItem(
                comment: try ReviewedComment(row), severity: try row.decode("severity", as: Int.self),
                score: try row.decode("score", as: Double.self),
                cause: try row.decode("cause", as: String.self),
                isBinding: try row.decode("must_decide", as: Bool.self),
                reportCount: try row.decode("report_count", as: Int.self),
                appeal: try row.decode("appeal_id", as: Int64?.self),
                openedAt: try row.decode("opened_at", as: Date.self),
                cursor: try row.decode("cursor", as: String.self))
        }
    }

    /// A comment in any state; nil if there is none.
    package func comment(_ id: Int64) async throws -> CommentReview? {
        let row: PostgresQuery = "darkroom.comment_to_review(\(id))"
        guard
            let found = try await pool.query(
                """
                select comment_id, post_id, state, author, body, is_deleted, seen, created_at, may_decide, author_comments,
                       author_removals from \(row)
                """
            ).first
        else { return nil }
        return CommentReview(
            comment: try ReviewedComment(found), createdAt: try found.decode("created_at", as: Date.self),
            mayDecide: try found.decode("may_decide", as: [String].self),
            authorComments: try found.decode("author_comments", as: Int.self),
            authorRemovals: try found.decode("author_removals", as: Int.self),
            reports: try await reports(in: row), decisions: try await decisions(in: row),
            appeals: try await appeals(in: row))
    }
}

extension ReviewedComment {
    fileprivate init(_ row: PostgresRow) throws {
        self.init(
            comment: try row.decode("comment_id", as: Int64.self),
            post: try row.decode("post_id", as: Int64.self),
            state: try PostState(name: try row.decode("state", as: String.self)),
            author: try row.decode("author", as: String.self), body: try row.decode("body", as: String.self),
            isDeleted: try row.decode("is_deleted", as: Bool.self),
            seen: try row.decode("seen", as: Int64.self))
    }
}
