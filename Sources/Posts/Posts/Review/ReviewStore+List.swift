package import FoundationEssentials
import Postgres

/// A post that waits for review.
package struct ReviewItem: Sendable, Equatable {
    /// An item's position in the list.
    package struct Position: Sendable, Equatable, LosslessStringConvertible {
        package let severity: Int
        package let score: Double
        package let openedAt: Date
        package let post: Int64

        /// `9:4.5:1780000000000000:17`: severity, score, microseconds since 1970 and post.
        package var description: String {
            "\(severity):\(score):\(Int64((openedAt.timeIntervalSince1970 * 1e6).rounded())):\(post)"
        }

        init(severity: Int, score: Double, openedAt: Date, post: Int64) {
            self.severity = severity
            self.score = score
            self.openedAt = openedAt
            self.post = post
        }

        package init?(_ text: String) {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 4, let severity = Int(parts[0]), (0...9).contains(severity),
                let score = Double(parts[1]), score.isFinite, let microseconds = Int64(parts[2]),
                (-99_999_999_999_999_999...99_999_999_999_999_999).contains(microseconds),
                let post = Int64(parts[3])
            else { return nil }
            self.init(
                severity: severity, score: score,
                openedAt: Date(timeIntervalSince1970: Double(microseconds) / 1e6), post: post)
        }
    }

    package let position: Position
    /// The number of the latest decision on the post; 0 before the first. A decision that came since is a conflict.
    package let seen: Int64
    package let state: PostState
    package let uploader: String
    /// Why it is in the list: a cause of a decision, `appeal`, or `reported` if its reports are not enough to hide it.
    package let cause: String
    package let appeal: Int64?
    package let reportCount: Int
    package let title: String?
    /// Whether its uploader has deleted it.
    package let isDeleted: Bool
    /// Whether only a person's decision ends the review.
    package let isBinding: Bool
    /// The media key of its smallest picture; nil for a text.
    package let picture: String?
}

extension ReviewStore {
    /// Posts that wait for review: by severity, then by score, highest first, then the longest waiting first.
    ///
    /// - Parameters:
    ///   - state: lists only posts in this state; nil for all.
    ///   - post: lists only posts whose photos look like that one's; nil for all.
    ///   - reportedPost: lists only posts that reporters of that one have reported too, undecided; nil for all.
    ///   - position: the position of the last item on the previous page; nil for the first page.
    package func waiting(
        in state: PostState? = nil, like post: Int64? = nil, reportedWith reportedPost: Int64? = nil,
        after position: ReviewItem.Position? = nil, limit: Int
    ) async throws -> [ReviewItem] {
        var items: [ReviewItem] = []
        var cursor = position?.description
        while items.count < limit {
            let wanted = min(100, limit - items.count)
            let rows = try await pool.query(
                """
                select * from darkroom.posts_to_review(
                    in_state => \(state?.rawValue), like_post => \(post), reported_with => \(reportedPost),
                    at_most => \(wanted), after => \(cursor))
                """)
            items += try rows.map(ReviewItem.init)
            guard rows.count == wanted else { break }
            cursor = items.last?.position.description
        }
        return items
    }

    /// How many posts wait for review.
    package func count(in state: PostState? = nil) async throws -> Int {
        try await pool.query(
            """
            select count(*) as count from darkroom.reviews join darkroom.posts p using (post_id)
            where comment_id = 0
              and (\(state?.rawValue)::text is null or p.state = \(state?.rawValue)::darkroom.post_state)
            """)[0].decode("count", as: Int.self)
    }
}

extension ReviewItem {
    init(row: PostgresRow) throws {
        self.init(
            position: Position(
                severity: try row.decode("severity", as: Int.self),
                score: try row.decode("score", as: Double.self),
                openedAt: try row.decode("opened_at", as: Date.self),
                post: try row.decode("post_id", as: Int64.self)),
            seen: try row.decode("seen", as: Int64.self),
            state: try PostState(name: try row.decode("state", as: String.self)),
            uploader: try row.decode("uploader", as: String.self),
            cause: try row.decode("cause", as: String.self),
            appeal: try row.decode("appeal_id", as: Int64?.self),
            reportCount: try row.decode("report_count", as: Int.self),
            title: try row.decode("title", as: String?.self),
            isDeleted: try row.decode("is_deleted", as: Bool.self),
            isBinding: try row.decode("must_decide", as: Bool.self),
            picture: try row.decode("media_key", as: String?.self))
    }
}
