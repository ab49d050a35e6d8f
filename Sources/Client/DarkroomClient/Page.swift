import Postgres

/// Where the next page of a feed begins. Opaque: keep its text and pass it back for the same feed and arguments.
public struct PageCursor: Sendable, Hashable, Codable, CustomStringConvertible {
    /// Safe for an app's links: only letters, digits and `~ . + -`.
    public let text: String

    /// Restores a cursor from its text. A call throws if the text is not a cursor of its feed.
    public init(_ text: String) {
        self.text = text
    }

    public var description: String { text }

    public init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// Some items of a feed, in its order.
public struct Page<Item: Sendable>: Sendable {
    public let items: [Item]
    /// Pass this as `after` to get the items after these; nil if the page is empty.
    ///
    /// A page may be shorter than requested without being the last: posts may have been hidden while it was read.
    public let next: PageCursor?
}

/// Which server a statement needs.
enum Server {
    case writer
    /// Any that has what may be a moment old.
    case reader
}

extension DarkroomClient {
    /// Calls `body`, and throws what the library promises: a `CancellationError`, or a ``DarkroomError`` for any other error.
    ///
    /// - Parameter isUpload: whether the caller's values are an upload's details.
    func typed<T>(isUpload: Bool = false, _ body: () async throws -> T) async throws -> T {
        do {
            try Task.checkCancellation()
            return try await body()
        } catch {
            if error.isCancellation { throw CancellationError() }
            throw DarkroomError(error, isUpload: isUpload)
        }
    }

    /// Reads the rows of one statement.
    func rows<T>(
        _ query: PostgresQuery, from server: Server = .writer, _ read: (PostgresRow) throws -> T
    ) async throws -> [T] {
        try await typed {
            try await (server == .reader ? self.read(query) : write(query)).map(read)
        }
    }

    /// The column `value` of the one row that a function returns.
    func value<T: PostgresDecodable>(_ query: PostgresQuery, as type: T.Type = T.self) async throws -> T {
        let values = try await rows(query) { try $0.decode("value", as: type) }
        guard let value = values.first else {
            throw DarkroomError(PostgresError(.decoding, "the function returned no row"))
        }
        return value
    }

    /// The posts that a feed's function returns.
    func posts(_ call: PostgresQuery, from server: Server = .reader) async throws -> [PublishedPost] {
        try await rows(
            "select \(unescaped: PublishedPost.columns("f")) from \(call) as f", from: server
        ) {
            try PublishedPost(row: $0)
        }
    }

    func page(_ call: PostgresQuery) async throws -> Page<PublishedPost> {
        let items = try await posts(call)
        return Page(items: items, next: items.last?.cursor)
    }
}
