public import FoundationEssentials
import Postgres

/// One post, with its counters to the moment.
public struct PostDetails: Sendable, Hashable {
    public let post: PublishedPost
    /// The viewer's own vote. Nil for none, without a viewer, and for the role `darkroom_reader`.
    public let viewerVote: Vote?
}

/// What a reporter objects to.
public enum ReportReason: String, Sendable, Hashable, CaseIterable {
    case explicit, violence, harassment, spam
    case privateInformation = "private_information"
    case illegal, other
}

extension DarkroomClient {
    /// One post, or nil where no such post can be seen.
    ///
    /// - Parameter viewer: who is logged in to the app, whose vote is told.
    public func details(of post: Int64, viewer: String? = nil) async throws -> PostDetails? {
        try await rows(
            """
            select \(unescaped: PublishedPost.columns("(d.post)")), d.my_vote::text as my_vote
            from darkroom.post_details(\(post), \(viewer)) as d
            """
        ) { row in
            PostDetails(
                post: try PublishedPost(row: row),
                viewerVote: try row.decode("my_vote", as: String?.self).flatMap(Vote.init))
        }.first
    }

    /// Files a report and has the post moderated.
    ///
    /// - Parameters:
    ///   - details: at most 2,000 characters.
    ///   - reporterSince: when the reporter's account was made; accounts count less while they are new. By default when the
    ///     reporter was first seen here.
    /// - Returns: false where this reporter had already reported it.
    /// - Throws: ``DarkroomError`` with `notFound` for an unknown post, `invalidArgument` for details or a reporter out of
    ///   range, or an account that was made before 1970 or later than a day from now.
    @discardableResult
    public func report(
        post: Int64, by reporter: String, for reason: ReportReason, details: String? = nil,
        reporterSince: Date? = nil
    ) async throws -> Bool {
        try await value(
            """
            select darkroom.report_post(
                \(post), \(reporter), \(reason.rawValue)::darkroom.report_reason, \(details), \(reporterSince)) as value
            """)
    }

    /// Puts a held, hidden or removed post back before the reviewers, with what its uploader says.
    ///
    /// - Parameter text: 1 to 5,000 characters.
    /// - Returns: the appeal's number.
    /// - Throws: ``DarkroomError`` with `notFound` where this uploader has no such post, `notPossible` where nothing stands
    ///   against it, `conflict` where an appeal is open, `invalidArgument` for a text out of range.
    @discardableResult
    public func appeal(post: Int64, by uploader: String, _ text: String) async throws -> Int64 {
        try await value("select darkroom.appeal_post(\(post), \(uploader), \(text)) as value")
    }

    /// Deletes a post for its uploader: readers see it no more, and it is erased soon after.
    ///
    /// - Returns: false where that is under way already.
    /// - Throws: ``DarkroomError`` with `notFound` where this uploader has no such post.
    @discardableResult
    public func delete(post: Int64, of uploader: String) async throws -> Bool {
        try await value("select darkroom.delete_post(\(post), \(uploader)) as value")
    }
}
