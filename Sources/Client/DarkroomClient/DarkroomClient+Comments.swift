public import FoundationEssentials
import Postgres

/// A comment under a post.
public struct PostComment: Sendable, Hashable {
    public let id: Int64
    /// Nil for the uploader of an anonymous post, and if the login does not act for people.
    public let author: String?
    /// Stands for the author; for the uploader of an anonymous post it is the handle of that post.
    public let authorHandle: String
    public let body: String
    /// As of the last tally, a second or two ago.
    public let likes: Int
    public let dislikes: Int
    public let createdAt: Date
}

extension DarkroomClient {
    /// Writes a comment under a post.
    ///
    /// - Parameter body: 1 to 2,000 characters, on one or more lines, without other control characters.
    /// - Returns: the comment's number.
    /// - Throws: ``DarkroomError`` with `notFound` if no such post is visible, `invalidArgument` for a body or author
    ///   out of range.
    @discardableResult
    public func comment(_ body: String, onPost post: Int64, by author: String) async throws -> Int64 {
        try await value("select darkroom.add_comment(\(post), \(author), \(body)) as value")
    }

    /// Deletes a comment and its text on behalf of its author.
    ///
    /// - Returns: false if this author has no such comment.
    @discardableResult
    public func deleteComment(_ comment: Int64, of author: String) async throws -> Bool {
        try await value("select darkroom.delete_comment(\(comment), \(author)) as value")
    }

    /// The visible comments of a post, newest first; none if the post is not visible.
    ///
    /// - Parameters:
    ///   - atMost: how many comments, 1 to 100; other numbers are clamped.
    ///   - after: the `next` of the previous page.
    /// - Throws: ``DarkroomError`` with `invalidArgument` for a cursor that does not belong to comments.
    public func comments(
        ofPost post: Int64, atMost: Int = 20, after: PageCursor? = nil
    ) async throws -> Page<PostComment> {
        let last = try after.map { cursor in
            guard let number = Int64(cursor.text) else {
                throw DarkroomError(PostgresError(.encoding, "“\(cursor)” is not a comment cursor"))
            }
            return number
        }
        let comments = try await rows(
            """
            select comment_id, author, author_handle, body, likes, dislikes, created_at
            from darkroom.post_comments(\(post), at_most => \(Int64(atMost)), after => \(last))
            """
        ) { row in
            PostComment(
                id: try row.decode("comment_id"), author: try row.decode("author"),
                authorHandle: try row.decode("author_handle"),
                body: try row.decode("body"), likes: try row.decode("likes"),
                dislikes: try row.decode("dislikes"), createdAt: try row.decode("created_at"))
        }
        return Page(items: comments, next: comments.last.map { PageCursor(String($0.id)) })
    }
}
