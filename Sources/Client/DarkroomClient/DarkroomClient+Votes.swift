import Postgres

/// What a person thinks of a post or a comment.
public enum Vote: String, Sendable, Hashable, CaseIterable {
    case like, dislike
}

extension DarkroomClient {
    /// Sets a person's vote on a post, or takes it back.
    ///
    /// Feeds and boards show it within a second or two, ``details(of:viewer:)`` at once.
    ///
    /// - Parameters:
    ///   - vote: nil takes an earlier one back.
    ///   - voter: who is logged in to the app; 1 to 200 characters.
    /// - Returns: whether that changed anything.
    /// - Throws: ``DarkroomError`` with `notFound` where no such post can be seen, `invalidArgument` for such a voter.
    @discardableResult
    public func vote(_ vote: Vote?, onPost post: Int64, by voter: String) async throws -> Bool {
        try await value(
            "select darkroom.vote_on_post(\(post), \(voter), \(vote?.rawValue)::darkroom.vote) as value")
    }

    /// Sets a person's vote on a comment of a post that can be seen, or takes it back. See ``vote(_:onPost:by:)``.
    @discardableResult
    public func vote(_ vote: Vote?, onComment comment: Int64, by voter: String) async throws -> Bool {
        try await value(
            "select darkroom.vote_on_comment(\(comment), \(voter), \(vote?.rawValue)::darkroom.vote) as value"
        )
    }

    /// Counts one view of each of some posts. Unknown posts are passed over.
    public func countViews(of posts: [Int64]) async throws {
        _ = try await rows("select darkroom.count_views(\(posts)::bigint[])") { _ in () }
    }

    /// Counts views, by posts. Gather them and call once a second rather than once a view. Unknown posts are passed over.
    ///
    /// - Parameter views: 0 to 1,000,000 for each post; of other numbers the nearest is taken.
    public func countViews(_ views: [Int64: Int]) async throws {
        let (posts, counts) = (Array(views.keys), views.values.map { Int32(clamping: $0) })
        _ = try await rows("select darkroom.count_views(\(posts)::bigint[], \(counts)::integer[])") { _ in ()
        }
    }
}
