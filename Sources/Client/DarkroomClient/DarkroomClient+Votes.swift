import Postgres

/// What a person thinks of a post or a comment.
public enum Vote: String, Sendable, Hashable, Codable, CaseIterable {
    case like, dislike
}

extension DarkroomClient {
    /// The visible posts on which a person has a vote now, the latest vote first.
    ///
    /// - Parameters:
    ///   - vote: only posts with this vote; nil for any.
    ///   - atMost: 1 to 100; other numbers are clamped.
    ///   - after: the `next` of the previous page.
    ///   - origin: where the reader is, in degrees: the posts have their distances from there.
    public func votedPosts(
        by voter: String, vote: Vote? = nil, atMost: Int = 20, after: PageCursor? = nil,
        from origin: (latitude: Double, longitude: Double)? = nil
    ) async throws -> Page<PublishedPost> {
        try await page(
            """
            darkroom.voted_posts(
                \(voter), \(vote?.rawValue), \(Int64(atMost)), \(after?.text), \(origin?.latitude), \(origin?.longitude))
            """)
    }

    /// Sets or withdraws a person's vote on a post.
    ///
    /// Feeds and boards show it within a second or two, ``details(of:viewer:)`` at once.
    ///
    /// - Parameters:
    ///   - vote: nil withdraws an earlier vote.
    ///   - voter: the person logged in to the app; 1 to 200 characters.
    /// - Returns: whether the vote changed.
    /// - Throws: ``DarkroomError`` with `notFound` if no such post is visible, `invalidArgument` for an invalid voter.
    @discardableResult
    public func vote(_ vote: Vote?, onPost post: Int64, by voter: String) async throws -> Bool {
        try await value(
            "select darkroom.vote_on_post(\(post), \(voter), \(vote?.rawValue ?? "none")) as value")
    }

    /// Sets or withdraws a person's vote on a comment of a visible post. See ``vote(_:onPost:by:)``.
    @discardableResult
    public func vote(_ vote: Vote?, onComment comment: Int64, by voter: String) async throws -> Bool {
        try await value(
            "select darkroom.vote_on_comment(\(comment), \(voter), \(vote?.rawValue ?? "none")) as value"
        )
    }

    /// Counts one view for each of the posts. Unknown posts are ignored.
    public func countViews(of posts: [Int64]) async throws {
        _ = try await rows("select darkroom.count_views(\(posts)::bigint[])") { _ in () }
    }

    /// Counts views per post. Gather them and call this once a second, not once per view. Unknown posts are ignored.
    ///
    /// - Parameter views: 0 to 1,000,000 for each post; other numbers are clamped.
    public func countViews(_ views: [Int64: Int]) async throws {
        let (posts, counts) = (Array(views.keys), views.values.map { Int32(clamping: $0) })
        _ = try await rows("select darkroom.count_views(\(posts)::bigint[], \(counts)::integer[])") { _ in ()
        }
    }
}
