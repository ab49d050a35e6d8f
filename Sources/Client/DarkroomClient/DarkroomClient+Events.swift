public import FoundationEssentials
import Postgres

/// Something that happened to a post or an upload.
public struct PostEvent: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        case published
        /// Held for review before anyone has seen it.
        case held
        case hidden, restored, removed, expired
        case commented(comment: Int64)
        /// So many people other than the uploader liked the post since the last event of this kind.
        case liked(likes: Int)
        /// A person has decided on the uploader's appeal.
        case appealAnswered
        /// What became of a comment, for its author.
        case comment(Int64, CommentOutcome)
        /// The upload became no post. The reason is a code; ``DarkroomClient/status(of:uploader:)`` has a message.
        case rejected(job: Int64, reason: String)
        /// An event that only a later release knows.
        case other(String)
    }

    /// The event's place in the reading order.
    public let number: Int64
    public let kind: Kind
    /// Nil if the event is of an upload.
    public let post: Int64?
    /// The uploader of the post or upload, or the author of the comment that was decided on, who should be told. Nil once it is erased.
    public let uploader: String?
    public let occurredAt: Date
    /// Stands for the author of the comment, else of the post. Nil for an upload, and once the post is erased.
    public let authorHandle: String?
    /// Whether the uploader edited, deleted or commented on the post.
    public let isByUploader: Bool
    /// Whether the uploader's inbox tells of it, so that a push message may: not of what they did themselves or do not want to be
    /// told of, and not of comments by authors whom they have blocked.
    public let isTold: Bool
    /// Where the post is shown, in degrees. Nil for an upload, and once the post is erased.
    public let latitude: Double?
    public let longitude: Double?
}

extension DarkroomClient {
    /// The events that a consumer has not acknowledged yet, oldest first. Repeated calls return the same events.
    ///
    /// The first call registers the consumer, which gets the events from then on. Events of one post come in the order
    /// in which they happened.
    ///
    /// - Parameters:
    ///   - consumer: a name of 1 to 100 characters.
    ///   - atMost: 1 to 1,000; other numbers are clamped.
    /// - Throws: ``DarkroomError`` with `invalidArgument` for a consumer name out of range.
    public func events(for consumer: String, atMost: Int = 100) async throws -> [PostEvent] {
        try await rows(
            """
            select number, event, post_id, uploader, comment_id, job_id, reason, likes, occurred_at, author_handle, by_uploader,
                   is_told, latitude, longitude
            from darkroom.read_events(\(consumer), \(Int64(atMost)))
            """
        ) { row in
            PostEvent(
                number: try row.decode("number"),
                kind: try PostEvent.Kind(row),
                post: try row.decode("post_id"), uploader: try row.decode("uploader"),
                occurredAt: try row.decode("occurred_at"), authorHandle: try row.decode("author_handle"),
                isByUploader: try row.decode("by_uploader"), isTold: try row.decode("is_told"),
                latitude: try row.decode("latitude"), longitude: try row.decode("longitude"))
        }
    }

    /// Acknowledges all events up to a number: the consumer has dealt with them.
    ///
    /// - Returns: false if they were already acknowledged, or the consumer is unknown.
    /// - Throws: ``DarkroomError`` with `invalidArgument` for a number that no event has reached.
    @discardableResult
    public func acknowledge(eventsUpTo number: Int64, for consumer: String) async throws -> Bool {
        try await value("select darkroom.ack_events(\(consumer), \(number)) as value")
    }
}

extension PostEvent.Kind {
    init(_ row: PostgresRow) throws {
        switch try row.decode("event", as: String.self) {
        case "published": self = .published
        case "held": self = .held
        case "hidden": self = .hidden
        case "restored": self = .restored
        case "removed": self = .removed
        case "expired": self = .expired
        case "commented": self = .commented(comment: try row.decode("comment_id"))
        case "liked": self = .liked(likes: try row.decode("likes"))
        case "appeal_answered": self = .appealAnswered
        case "rejected": self = .rejected(job: try row.decode("job_id"), reason: try row.decode("reason"))
        case let name:
            self =
                if let outcome = CommentOutcome(event: name) {
                    .comment(try row.decode("comment_id"), outcome)
                } else {
                    .other(name)
                }
        }
    }
}
