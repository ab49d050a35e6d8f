package import FoundationEssentials
package import Postgres

/// Something that happened to a post or an upload.
package struct OutboxEvent: Sendable, Equatable {
    /// Its number among all events, ascending. Some numbers may be missing.
    package let number: Int64
    /// `published`, `held`, `hidden`, `restored`, `removed`, `expired`, `edited`, `rerendered`, `relocated`, `corrected`, `liked`,
    /// `commented`, `comment_deleted`, `comment_held`, `comment_hidden`, `comment_restored`, `comment_removed`,
    /// `appeal_answered`, `comment_appeal_answered`; `rejected` has a job and no post.
    package let event: String
    package let post: Int64?
    package let job: Int64?
    /// The uploader of the post or upload, or, of a decision on a comment, its author; nil once it is erased.
    package let uploader: String?
    package let comment: Int64?
    /// The code of a rejection.
    package let reason: String?
    /// How many likes by others came since the last event that told of the post's likes.
    package let likes: Int?
    /// When its transaction began.
    package let occurredAt: Date
    /// Stands for the author of the comment, else of the post.
    package let authorHandle: String?
    package let byUploader: Bool
    /// Whether the uploader's inbox tells of it, so that a push message may.
    package let isTold: Bool
    /// Where the post is shown, in degrees; nil for an upload, and once the post is erased.
    package let latitude: Double?
    package let longitude: Double?
}

/// The events of posts, as consumers receive them.
package struct EventStore: Sendable {
    let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Registers a consumer.
    ///
    /// - Parameter fromStart: whether it gets all events that are kept, or only those from now on.
    /// - Returns: false if it is already registered; then nothing changes.
    /// - Throws: ``PostgresError`` with `checkViolation` if the name does not have 1 to 100 characters.
    @discardableResult
    package func addConsumer(_ consumer: String, fromStart: Bool = false) async throws -> Bool {
        try await pool.query("select darkroom.add_consumer(\(consumer), \(fromStart)) as added")[0]
            .decode("added", as: Bool.self)
    }

    /// The events that a consumer has not acknowledged yet, oldest first. Until it does, it gets the same again.
    ///
    /// - Parameter limit: 1 to 1,000.
    package func events(for consumer: String, limit: Int) async throws -> [OutboxEvent] {
        try await pool.query("select * from darkroom.read_events(\(consumer), \(limit))").map(
            OutboxEvent.init)
    }

    /// Acknowledges all events up to a number for a consumer.
    package func acknowledge(_ number: Int64, for consumer: String) async throws {
        try await pool.query("select darkroom.ack_events(\(consumer), \(number))")
    }

    /// The events after a number, oldest first, without a consumer.
    package func events(after number: Int64, limit: Int) async throws -> [OutboxEvent] {
        try await pool.query(
            "select * from darkroom.events_after(\(number), \(limit))"
        ).map(OutboxEvent.init)
    }

    package func lastEvent() async throws -> Int64 {
        try await pool.query(
            "select coalesce(pg_sequence_last_value('darkroom.event_numbers'), 0) as number")[0]
            .decode("number", as: Int64.self)
    }

    /// The kinds of events that are recorded here. Raw values are those of `darkroom.outbox.event`.
    package enum Event: String, Sendable {
        case published, held, hidden, restored, removed, expired, rerendered, relocated, corrected
    }

    static func record(_ event: Event, of post: Int64, in transaction: PostgresConnection) async throws {
        try await transaction.query(
            "insert into darkroom.outbox (post_id, event) values (\(post), \(event.rawValue))")
    }
}

extension OutboxEvent {
    fileprivate init(_ row: PostgresRow) throws {
        self.init(
            number: try row.decode("number", as: Int64.self), event: try row.decode("event", as: String.self),
            post: try row.decode("post_id", as: Int64?.self),
            job: try row.decode("job_id", as: Int64?.self),
            uploader: try row.decode("uploader", as: String?.self),
            comment: try row.decode("comment_id", as: Int64?.self),
            reason: try row.decode("reason", as: String?.self),
            likes: try row.decode("likes", as: Int?.self),
            occurredAt: try row.decode("occurred_at", as: Date.self),
            authorHandle: try row.decode("author_handle", as: String?.self),
            byUploader: try row.decode("by_uploader", as: Bool.self),
            isTold: try row.decode("is_told", as: Bool.self),
            latitude: try row.decode("latitude", as: Double?.self),
            longitude: try row.decode("longitude", as: Double?.self))
    }
}
