public import FoundationEssentials
import Postgres

/// A comment under a post.
public struct PostComment: Sendable, Hashable {
    public let id: Int64
    /// The post's number.
    public let post: Int64
    /// The author's opaque identifier. Nil for the uploader of an anonymous post, and if the login does not act for people.
    public let author: String?
    /// Stands for the author; for the uploader of an anonymous post it is the handle of that post.
    public let authorHandle: String
    /// The display name that the author chose. Nil without one, and for the uploader of an anonymous post.
    public let displayName: String?
    public let body: String
    /// As of the last tally, a second or two ago; up to date from ``DarkroomClient/comment(_:viewer:)``.
    public let likes: Int
    public let dislikes: Int
    public let createdAt: Date
    /// The viewer's own vote. Nil if there is none, without a viewer, and for the role `darkroom_reader`.
    public let viewerVote: Vote?
    let cursor: PageCursor?
}

/// What moderators, or the rules in force, did with a comment.
public enum CommentOutcome: String, Sendable, Hashable, CaseIterable {
    /// Held for review before anyone has seen it.
    case held
    /// Hidden until a person has looked at it.
    case hidden
    /// Readers see it, for the first time or again.
    case restored
    case removed
    /// A person has decided on the author's appeal.
    case appealAnswered = "appeal_answered"

    init?(event: String) {
        guard event.hasPrefix("comment_") else { return nil }
        self.init(rawValue: String(event.dropFirst("comment_".count)))
    }
}

/// A comment as its author sees it, whatever became of it.
public struct OwnComment: Sendable, Hashable {
    public enum State: String, Sendable, Hashable, CaseIterable {
        case published, held, hidden, removed
    }

    public let id: Int64
    /// The post's number.
    public let post: Int64
    public let state: State
    /// Why it is not published: a code, and a sentence for the author. Nil if it is.
    public let reason: String?
    public let message: String?
    public let body: String
    public let likes: Int
    public let dislikes: Int
    public let createdAt: Date
}

/// The order of comments.
public enum CommentOrder: String, Sendable, Hashable, CaseIterable {
    case newest
    /// The greatest lead in likes (likes less dislikes) first, and of these the newest.
    case popular
}

extension DarkroomClient {
    /// What ``comment(_:onPost:by:)`` would refuse, before the comment is sent; nothing if it is fine.
    public func checkComment(
        _ body: String, onPost post: Int64, by author: String
    ) async throws -> [UploadObjection] {
        try await rows(
            "select * from darkroom.check_comment(\(post), \(author), \(body))", UploadObjection.init)
    }

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

    /// Deletes a comment on behalf of its author or the uploader of the post.
    ///
    /// - Returns: false if there is no such comment, or if it is neither theirs nor under a post of theirs.
    @discardableResult
    public func deleteComment(_ comment: Int64, by person: String) async throws -> Bool {
        try await value("select darkroom.delete_comment(\(comment), \(person)) as value")
    }

    /// A person's own comments, latest first, each with what became of it; not those that were deleted.
    ///
    /// - Parameters:
    ///   - atMost: how many comments, 1 to 100; other numbers are clamped.
    ///   - after: the `next` of the previous page.
    /// - Throws: ``DarkroomError`` with `invalidArgument` for a cursor that does not belong to this list.
    public func comments(
        by author: String, atMost: Int = 20, after: PageCursor? = nil
    ) async throws -> Page<OwnComment> {
        let items = try await rows(
            """
            select * from darkroom.author_comments(\(author), at_most => \(Int64(atMost)), after => \(after?.text))
            """
        ) { row in
            let comment = OwnComment(
                id: try row.decode("comment_id"), post: try row.decode("post_id"),
                state: try row.known("state"), reason: try row.decode("reason"),
                message: try row.decode("message"), body: try row.decode("body"),
                likes: try row.decode("likes"), dislikes: try row.decode("dislikes"),
                createdAt: try row.decode("created_at"))
            return (comment, PageCursor(try row.decode("cursor")))
        }
        return Page(items: items.map(\.0), next: items.last?.1)
    }

    /// Puts a held, hidden or removed comment back into the review list, with its author's text.
    ///
    /// - Parameter text: 1 to 5,000 characters.
    /// - Returns: the appeal's number.
    /// - Throws: ``DarkroomError`` with `notFound` if this author has no such comment, `notPossible` if there is
    ///   nothing to appeal against, `conflict` if an appeal is open, `invalidArgument` for a text out of range.
    @discardableResult
    public func appeal(comment: Int64, by author: String, _ text: String) async throws -> Int64 {
        try await value("select darkroom.appeal_comment(\(comment), \(author), \(text)) as value")
    }

    /// Reports a comment to the moderators. It is weighed as a report on a post is.
    ///
    /// - Parameters:
    ///   - details: at most 2,000 characters.
    ///   - accountSince: when the reporter's account was created; by default when it was first seen.
    /// - Returns: false if this reporter has already reported the comment.
    /// - Throws: ``DarkroomError`` with `notFound` if there is no such comment, `invalidArgument` for details or a reporter
    ///   out of range.
    @discardableResult
    public func report(
        comment: Int64, by reporter: String, for reason: ReportReason, details: String? = nil,
        accountSince: Date? = nil
    ) async throws -> Bool {
        try await value(
            """
            select darkroom.report_comment(\(comment), \(reporter), \(reason.rawValue), \(details), \(accountSince)) as value
            """)
    }

    /// One comment of a visible post, with up-to-date counters; nil if there is no such comment.
    ///
    /// - Parameter viewer: the person logged in to the app; the result includes this person's vote.
    public func comment(_ comment: Int64, viewer: String? = nil) async throws -> PostComment? {
        try await comments("darkroom.comment_details(\(comment), \(viewer))").first
    }

    /// The visible comments of a post; none if the post is not visible.
    ///
    /// - Parameters:
    ///   - atMost: how many comments, 1 to 100; other numbers are clamped.
    ///   - after: the `next` of the previous page, with the same arguments.
    ///   - viewer: the person logged in to the app, whose own votes the comments have.
    /// - Throws: ``DarkroomError`` with `invalidArgument` for a cursor that does not belong to comments in this order.
    public func comments(
        ofPost post: Int64, by order: CommentOrder = .newest, atMost: Int = 20, after: PageCursor? = nil,
        viewer: String? = nil
    ) async throws -> Page<PostComment> {
        let items = try await comments(
            """
            darkroom.post_comments(
                \(post), order_by => \(order.rawValue), at_most => \(Int64(atMost)), after => \(after?.text),
                viewer => \(viewer))
            """)
        return Page(items: items, next: items.last?.cursor)
    }

    private func comments(_ call: PostgresQuery) async throws -> [PostComment] {
        try await rows(
            """
            select comment_id, post_id, author, author_handle, display_name, body, likes, dislikes, created_at, my_vote, cursor
            from \(call)
            """
        ) { row in
            PostComment(
                id: try row.decode("comment_id"), post: try row.decode("post_id"),
                author: try row.decode("author"), authorHandle: try row.decode("author_handle"),
                displayName: try row.decode("display_name"),
                body: try row.decode("body"), likes: try row.decode("likes"),
                dislikes: try row.decode("dislikes"), createdAt: try row.decode("created_at"),
                viewerVote: try row.decode("my_vote", as: String?.self).flatMap(Vote.init),
                cursor: try row.decode("cursor", as: String?.self).map(PageCursor.init))
        }
    }
}
