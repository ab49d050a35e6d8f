public import FoundationEssentials
import Postgres

/// An author whom a person has blocked.
public struct BlockedAuthor: Sendable, Hashable {
    /// As `authorHandle` of posts and comments.
    public let authorHandle: String
    /// Nil for an anonymous author, and for one without a name.
    public let displayName: String?
    public let blockedAt: Date
    let cursor: PageCursor
}

extension DarkroomClient {
    /// Hides an author from a person, in every list, number and inbox in which the person is the viewer.
    ///
    /// - Parameter author: the `authorHandle` of a post or comment. An anonymous author is hidden where this handle is in use.
    /// - Throws: ``DarkroomError`` with `invalidArgument` for the person's own handle or what is none, `notPossible` beyond
    ///   `settings.blocks_at_most`.
    public func block(author: String, for person: String) async throws {
        _ = try await rows("select darkroom.block_author(\(person), \(author))") { _ in () }
    }

    /// Ends a block.
    ///
    /// - Returns: false if there was none.
    @discardableResult
    public func unblock(author: String, for person: String) async throws -> Bool {
        try await value("select darkroom.unblock_author(\(person), \(author)) as value")
    }

    /// The authors whom a person has blocked, the latest first.
    ///
    /// - Parameters:
    ///   - atMost: how many, 1 to 100; other numbers are clamped.
    ///   - after: the `next` of the previous page.
    /// - Throws: ``DarkroomError`` with `invalidArgument` for a cursor of another list.
    public func blockedAuthors(
        of person: String, atMost: Int = 20, after: PageCursor? = nil
    ) async throws -> Page<BlockedAuthor> {
        let authors = try await rows(
            """
            select author_handle, display_name, blocked_at, cursor
            from darkroom.blocked_authors(\(person), at_most => \(Int64(atMost)), after => \(after?.text))
            """
        ) { row in
            BlockedAuthor(
                authorHandle: try row.decode("author_handle"), displayName: try row.decode("display_name"),
                blockedAt: try row.decode("blocked_at"), cursor: PageCursor(try row.decode("cursor")))
        }
        return Page(items: authors, next: authors.last?.cursor)
    }
}
