public import FoundationEssentials
import Postgres

/// Something that happened to a post.
public struct PostEvent: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        case published
        /// Held for review, before anybody has seen it.
        case held
        case hidden, restored, removed, expired
        case commented(comment: Int64)
        /// One of a later release.
        case other(String)
    }

    /// Its place in the order of reading.
    public let number: Int64
    public let kind: Kind
    public let post: Int64
    /// Whose post it is: whom to tell. Nil once the post is erased.
    public let uploader: String?
    public let occurredAt: Date
}

extension DarkroomClient {
    /// The events after those that a consumer has acknowledged, oldest first: the same again until then.
    ///
    /// The first call makes the consumer known and gives it what happens from then on. Events of one post come in the order
    /// in which they happened.
    ///
    /// - Parameters:
    ///   - consumer: a name of 1 to 100 characters.
    ///   - atMost: 1 to 1,000; of other numbers the nearest is taken.
    /// - Throws: ``DarkroomError`` with `invalidArgument` for such a consumer.
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

    /// Says that a consumer has dealt with all events up to a number.
    ///
    /// - Returns: false where it had said so before, or is not known.
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
