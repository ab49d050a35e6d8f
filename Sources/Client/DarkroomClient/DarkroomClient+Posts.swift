public import FoundationEssentials
import Postgres

/// The reason for a report.
public enum ReportReason: String, Sendable, Hashable, CaseIterable {
    case explicit
    /// Explicit content that shows minors.
    case minors
    case violence, harassment, spam
    case privateInformation = "private_information"
    case illegal, other
}

extension DarkroomClient {
    /// One post with up-to-date counters, or nil if no such post is visible.
    ///
    /// - Parameters:
    ///   - viewer: the person logged in to the app; the result includes this person's vote.
    ///   - origin: where the reader is, in degrees: the post has its distance from there.
    public func details(
        of post: Int64, viewer: String? = nil, from origin: (latitude: Double, longitude: Double)? = nil
    ) async throws -> PublishedPost? {
        try await posts(
            "darkroom.post_details(\(post), \(viewer), \(origin?.latitude), \(origin?.longitude))",
            from: .writer
        ).first
    }

    /// The visible posts with these numbers, in their order.
    ///
    /// - Parameters:
    ///   - numbers: at most 100.
    ///   - origin: where the reader is, in degrees: the posts have their distances from there.
    public func posts(
        numbered numbers: [Int64], from origin: (latitude: Double, longitude: Double)? = nil,
        viewer: String? = nil
    ) async throws -> [PublishedPost] {
        try await posts(
            "darkroom.posts_by_id(\(numbers), \(origin?.latitude), \(origin?.longitude), \(viewer))")
    }

    /// The album of a venue, by the app's own number of it: the newest posts first.
    ///
    /// - Parameters:
    ///   - atMost: 1 to 100; other numbers are clamped.
    ///   - after: the `next` of the previous page.
    ///   - origin: where the reader is, in degrees: the posts have their distances from there.
    public func posts(
        atVenue venue: String, atMost: Int = 20, after: PageCursor? = nil, viewer: String? = nil,
        from origin: (latitude: Double, longitude: Double)? = nil
    ) async throws -> Page<PublishedPost> {
        try await page(
            """
            darkroom.venue_posts(
                \(venue), \(Int64(atMost)), \(after?.text), \(viewer), \(origin?.latitude), \(origin?.longitude))
            """)
    }

    /// What may be posted here, for the forms of an app.
    ///
    /// - Parameter category: the rules of its posts; nil for those of posts without a category.
    public func postingRules(inCategory category: String? = nil) async throws -> PostingRules {
        try await rows("select * from darkroom.posting_rules(\(category))", from: .reader, PostingRules.init)[
            0]
    }

    /// Files a report and sends the post to moderation.
    ///
    /// - Parameters:
    ///   - details: at most 2,000 characters.
    ///   - reporterSince: when the reporter's account was created; new accounts count less. Defaults to when the
    ///     reporter was first seen here.
    /// - Returns: false if this reporter has already reported the post.
    /// - Throws: ``DarkroomError`` with `notFound` for an unknown post; `invalidArgument` for details or a reporter out
    ///   of range, or an account created before 1970 or more than a day in the future.
    @discardableResult
    public func report(
        post: Int64, by reporter: String, for reason: ReportReason, details: String? = nil,
        reporterSince: Date? = nil
    ) async throws -> Bool {
        try await value(
            """
            select darkroom.report_post(
                \(post), \(reporter), \(reason.rawValue), \(details), \(reporterSince)) as value
            """)
    }

    /// Whether a file server may serve the file with this key: whether it is a picture of a post that readers see now, or
    /// one that such a post has replaced lately. False for originals and anything else.
    ///
    /// - Parameters:
    ///   - origin: where the reader is, in degrees; pictures that only those nearby may see are not shown without it.
    ///   - viewer: the person logged in to the app, who sees the pictures of their own posts in every state, and none of
    ///     authors whom they have blocked.
    public func mayShow(
        mediaKey: String, from origin: (latitude: Double, longitude: Double)? = nil, viewer: String? = nil
    ) async throws -> Bool {
        try await value(
            """
            select darkroom.may_show(
                \(mediaKey), latitude => \(origin?.latitude), longitude => \(origin?.longitude), viewer => \(viewer)) as value
            """)
    }

    /// Appeals for a held, hidden or removed post: reviewers see it again, with the uploader's text.
    ///
    /// - Parameter text: 1 to 5,000 characters.
    /// - Returns: the appeal's number.
    /// - Throws: ``DarkroomError`` with `notFound` if this uploader has no such post, `notPossible` if there is
    ///   nothing to appeal against, `conflict` if an appeal is open, `invalidArgument` for a text out of range.
    @discardableResult
    public func appeal(post: Int64, by uploader: String, _ text: String) async throws -> Int64 {
        try await value("select darkroom.appeal_post(\(post), \(uploader), \(text)) as value")
    }

    /// Deletes a post on behalf of its uploader: readers no longer see it, and it is erased soon after, or once a review of
    /// it that is open has ended.
    ///
    /// - Returns: false if the deletion is already under way.
    /// - Throws: ``DarkroomError`` with `notFound` if this uploader has no such post.
    @discardableResult
    public func delete(post: Int64, of uploader: String) async throws -> Bool {
        try await value("select darkroom.delete_post(\(post), \(uploader)) as value")
    }
}
