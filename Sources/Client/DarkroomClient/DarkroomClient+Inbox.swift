public import FoundationEssentials
import Postgres

/// What a person is told of one of their posts or uploads.
public struct InboxEntry: Sendable, Hashable {
    /// The number of the latest event in it, for ``DarkroomClient/readInbox(of:upTo:)``.
    public let number: Int64
    public let event: InboxEvent
    /// Nil for a rejected upload.
    public let post: Int64?
    /// When the latest event in it happened.
    public let occurredAt: Date
    public let isRead: Bool
    let cursor: PageCursor
}

/// What an entry of an inbox says.
public enum InboxEvent: Sendable, Hashable {
    case published
    /// Held for review before anyone has seen it.
    case held
    case hidden, restored, removed, expired
    /// A person has corrected where the post is.
    case corrected
    /// A person has decided on the appeal.
    case appealAnswered
    /// What became of a comment of the person's own.
    case comment(Int64, CommentOutcome)
    /// So many people liked the post since the entry was last read.
    case liked(times: Int)
    /// So many comments came since the entry was last read, of which `latest` is the last. It is nil only if more than 1,000 came, and
    /// the last of them were deleted.
    case commented(times: Int, latest: Int64?)
    /// The upload became no post. The reason is a code.
    case rejected(job: Int64, reason: String)
    /// An event that only a later release knows.
    case other(String)
}

extension DarkroomClient {
    /// What has happened to a person's posts, comments and uploads because of others, latest first.
    ///
    /// There is one entry for each post and kind of event. An entry to which something is added moves to the top.
    ///
    /// - Parameters:
    ///   - atMost: how many entries, 1 to 100; other numbers are clamped.
    ///   - after: the `next` of the previous page.
    /// - Throws: ``DarkroomError`` with `invalidArgument` for a cursor that does not belong to inboxes.
    public func inbox(
        of person: String, atMost: Int = 20, after: PageCursor? = nil
    ) async throws -> Page<InboxEntry> {
        let entries = try await rows(
            """
            select number, event, post_id, job_id, comment_id, times, reason, occurred_at, is_read, cursor
            from darkroom.inbox(\(person), at_most => \(Int64(atMost)), after => \(after?.text))
            """
        ) { row in
            InboxEntry(
                number: try row.decode("number"), event: try InboxEvent(row), post: try row.decode("post_id"),
                occurredAt: try row.decode("occurred_at"), isRead: try row.decode("is_read"),
                cursor: PageCursor(try row.decode("cursor")))
        }
        return Page(items: entries, next: entries.last?.cursor)
    }

    /// How many entries of a person's inbox are unread. 1,000 stands for that many or more.
    public func unread(of person: String) async throws -> Int {
        try await value("select darkroom.count_unread(\(person)) as value")
    }

    /// Marks the entries of a person's inbox up to a number as read.
    ///
    /// - Parameter number: of the first entry that the person has seen. What came after it stays unread.
    /// - Returns: false if that changed nothing.
    /// - Throws: ``DarkroomError`` with `invalidArgument` for a number that no event has reached.
    @discardableResult
    public func readInbox(of person: String, upTo number: Int64) async throws -> Bool {
        try await value("select darkroom.read_inbox(\(person), \(number)) as value")
    }

    /// Sets which events a person is told of in the inbox from now on.
    ///
    /// - Parameter events: their names as in docs/events.md; empty for none, nil for all.
    /// - Throws: ``DarkroomError`` with `invalidArgument` for an event that inboxes do not have.
    public func chooseInboxEvents(_ events: [String]?, of person: String) async throws {
        _ = try await rows("select darkroom.choose_inbox_events(\(person), \(events)::text[])") { _ in () }
    }

    /// The names of the events that a person wants to be told of in the inbox.
    public func inboxEvents(of person: String) async throws -> [String] {
        try await value("select darkroom.inbox_events(\(person)) as value")
    }
}

extension InboxEvent {
    init(_ row: PostgresRow) throws {
        switch try row.decode("event", as: String.self) {
        case "published": self = .published
        case "held": self = .held
        case "hidden": self = .hidden
        case "restored": self = .restored
        case "removed": self = .removed
        case "expired": self = .expired
        case "corrected": self = .corrected
        case "appeal_answered": self = .appealAnswered
        case "liked": self = .liked(times: try row.decode("times"))
        case "commented":
            self = .commented(times: try row.decode("times"), latest: try row.decode("comment_id"))
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
