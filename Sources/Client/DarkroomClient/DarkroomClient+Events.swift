public import FoundationEssentials
import Postgres

/// Something that happened to a post.
public struct PostEvent: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        case published
        /// Held for review before anyone has seen it.
        case held
        case hidden, restored, removed, expired
        case commented(comment: Int64)
        /// An event that only a later release knows.
        case other(String)
    }

    /// The event's place in the reading order.
    public let number: Int64
    public let kind: Kind
    public let post: Int64
    /// The uploader of the post, who should be told. Nil once the post is erased.
    public let uploader: String?
    public let occurredAt: Date
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
            select number, event, post_id, uploader, comment_id, occurred_at
            from darkroom.read_events(\(consumer), \(Int32(clamping: atMost)))
            """
        ) { row in
            PostEvent(
                number: try row.decode("number"),
                kind: PostEvent.Kind(
                    name: try row.decode("event"), comment: try row.decode("comment_id")),
                post: try row.decode("post_id"), uploader: try row.decode("uploader"),
                occurredAt: try row.decode("occurred_at"))
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
    init(name: String, comment: Int64?) {
        switch (name, comment) {
        case ("published", _): self = .published
        case ("held", _): self = .held
        case ("hidden", _): self = .hidden
        case ("restored", _): self = .restored
        case ("removed", _): self = .removed
        case ("expired", _): self = .expired
        case ("commented", let comment?): self = .commented(comment: comment)
        default: self = .other(name)
        }
    }
}
