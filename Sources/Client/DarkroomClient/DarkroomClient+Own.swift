public import FoundationEssentials
import Postgres

/// What is wrong with an upload or a comment.
public struct UploadObjection: Sendable, Hashable {
    /// The name of the argument of `darkroom.enqueue_upload`, `darkroom.add_comment` or `darkroom.set_display_name`.
    public let argument: String
    /// A code for programs: a reason of the posting policy, or the name of a constraint.
    public let reason: String
    /// A sentence for the person.
    public let message: String
    /// If the quota is used up, the person barred or the name kept for a while, after how many seconds they can go on.
    public let retryAfter: Int?

    init(_ row: PostgresRow) throws {
        argument = try row.decode("argument")
        reason = try row.decode("reason")
        message = try row.decode("message")
        retryAfter = try row.decode("retry_after_s")
    }
}

/// How much a person may upload within 24 hours, and how much of it is left; nil for any number.
public struct UploadQuota: Sendable, Hashable {
    public let photosADay: Int?
    public let photosLeft: Int?
    public let bytesADay: Int64?
    public let bytesLeft: Int64?
    /// If there is no room for a photo now, when there is.
    public let moreAt: Date?
}

/// An upload as its uploader sees it.
public struct OwnPost: Sendable, Hashable {
    public enum State: String, Sendable, Hashable, Codable {
        /// Not finished yet.
        /// Saved, and not published yet.
        case draft
        case waiting
        /// The upload became no post.
        case rejected, failed, cancelled
        /// The state of the post that it became.
        case published, held, hidden, removed, expired
    }

    public let job: Int64
    /// The post that the upload became.
    public let post: Int64?
    public let state: State
    /// Why it was rejected, failed, held, hidden or removed: a code for programs, and a sentence for the uploader.
    public let reason: String?
    public let message: String?
    public let uploadedAt: Date
    public let publishedAt: Date?
    public let expiresAt: Date?
    public let headline: String?
    public let caption: String?
    public let link: String?
    public let category: String?
    public let activity: String?
    public let venueID: String?
    public let venueName: String?
    public let credit: String?
    public let licence: String?
    /// Largest first.
    public let pictures: [PublishedPost.Picture]
    /// Those of the post; 0 without one.
    public let likes: Int
    public let dislikes: Int
    public let comments: Int
    public let views: Int64
    let cursor: PageCursor
}

extension DarkroomClient {
    /// Everything that ``enqueue(_:_:)`` would refuse in an upload, before its photo is sent; empty if nothing is wrong.
    ///
    /// - Parameter hasPhoto: false for a text without a photo.
    public func check(_ details: UploadDetails, hasPhoto: Bool = true) async throws -> [UploadObjection] {
        try await rows(
            """
            select argument, reason, message, retry_after_s
            from darkroom.check_upload(\(details.fields().arguments), has_photo => \(hasPhoto))
            """, UploadObjection.init)
    }

    /// Publishes a draft: an upload that was enqueued with ``UploadDetails/isDraft``.
    ///
    /// Cancelling its job discards a draft.
    ///
    /// - Parameter details: what takes the place of what the draft says. What is not given stays, and an anonymous draft stays
    ///   anonymous. Priority, time, key and `replaces` are those that it was saved with.
    /// - Returns: false if this uploader has no such draft, as when it is published already.
    /// - Throws: ``DarkroomError`` with `invalidArgument` for what an upload must not say; `constraint` tells why.
    @discardableResult
    public func publish(draft job: Int64, _ details: UploadDetails) async throws -> Bool {
        let saved: Set = ["priority", "run_at", "idempotency_key", "replaces", "is_draft"]
        let given = details.fields().filter {
            !saved.contains($0.name) && ($0.name != "anonymous" || details.isAnonymous)
        }
        return try await value("select darkroom.publish_draft(job_id => \(job), \(given.arguments)) as value")
    }

    /// How much a person may still upload by the posting policy in force.
    public func quota(ofUploader uploader: String) async throws -> UploadQuota {
        try await rows(
            """
            select photos_a_day, photos_left, bytes_a_day, bytes_left, more_at from darkroom.upload_quota(\(uploader))
            """
        ) { row in
            UploadQuota(
                photosADay: try row.decode("photos_a_day"), photosLeft: try row.decode("photos_left"),
                bytesADay: try row.decode("bytes_a_day"), bytesLeft: try row.decode("bytes_left"),
                moreAt: try row.decode("more_at"))
        }[0]
    }

    /// Replaces the texts and category of a post on behalf of its uploader; nil for none.
    ///
    /// The post is screened again like a new one, and keeps its place and its votes. What it said before is kept for reviews.
    ///
    /// - Returns: its state: `hidden` if it waits for a review now.
    /// - Throws: ``DarkroomError`` with `notFound` if this uploader has no such post, `notPossible` if it is removed or
    ///   expired, `invalidArgument` for what an upload must not say; `constraint` tells why.
    @discardableResult
    public func edit(
        post: Int64, of uploader: String, headline: String?, caption: String?, category: String?
    ) async throws -> UploadStatus.PostState {
        let state = try await value(
            """
            select darkroom.edit_post(\(post), \(uploader), \(headline), \(caption), \(category)) as value
            """, as: String.self)
        guard let known = UploadStatus.PostState(rawValue: state) else {
            throw DarkroomError(PostgresError(.decoding, "“\(state)” is not a state of a post"))
        }
        return known
    }

    /// The uploads of a person, latest first, each with its state. Those whose posts the person has deleted are left out.
    ///
    /// - Parameter atMost: 1 to 100; other numbers are clamped.
    public func ownPosts(
        of uploader: String, atMost: Int = 20, after cursor: PageCursor? = nil
    ) async throws -> Page<OwnPost> {
        let items = try await rows(
            """
            select job_id, post_id, state, reason, message, uploaded_at, published_at, expires_at, headline, caption, link,
                   category, activity, venue_id, venue_name, credit, licence, pictures::text as pictures, likes, dislikes, comments, views, cursor
            from darkroom.uploader_posts(\(uploader), \(Int64(atMost)), \(cursor?.text))
            """, OwnPost.init)
        return Page(items: items, next: items.last?.cursor)
    }
}

extension OwnPost {
    fileprivate init(row: PostgresRow) throws {
        let name = try row.decode("state", as: String.self)
        guard let state = State(rawValue: name) else {
            throw PostgresError(.decoding, "“\(name)” is not a state of an upload")
        }
        let pictures = try row.decode("pictures", as: String.self)
        self.init(
            job: try row.decode("job_id"), post: try row.decode("post_id"), state: state,
            reason: try row.decode("reason"), message: try row.decode("message"),
            uploadedAt: try row.decode("uploaded_at"), publishedAt: try row.decode("published_at"),
            expiresAt: try row.decode("expires_at"), headline: try row.decode("headline"),
            caption: try row.decode("caption"), link: try row.decode("link"),
            category: try row.decode("category"), activity: try row.decode("activity"),
            venueID: try row.decode("venue_id"), venueName: try row.decode("venue_name"),
            credit: try row.decode("credit"), licence: try row.decode("licence"),
            pictures: try JSONDecoder().decode([PublishedPost.Picture].self, from: Data(pictures.utf8)),
            likes: try row.decode("likes"), dislikes: try row.decode("dislikes"),
            comments: try row.decode("comments"), views: try row.decode("views"),
            cursor: PageCursor(try row.decode("cursor", as: String.self)))
    }
}
