import Postgres

/// A position in the writing server's log (WAL): what was committed before it was asked for is before it.
///
/// Keep its text with a person's session, and read with ``DarkroomClient/reading(after:waitingUpTo:)`` what that person has
/// written. A position belongs to one PostgreSQL server and its standbys.
public struct WritePosition: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    let bytes: UInt64

    /// As PostgreSQL writes a `pg_lsn`, such as `16/B374D848`.
    public var text: String {
        "\(String(bytes >> 32, radix: 16, uppercase: true))/\(String(bytes & 0xFFFF_FFFF, radix: 16, uppercase: true))"
    }

    /// Restores a position from its text; nil if the text is not one.
    public init?(_ text: String) {
        let halves = text.split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2, !text.contains("+"), let high = UInt32(halves[0], radix: 16),
            let low = UInt32(halves[1], radix: 16)
        else { return nil }
        bytes = UInt64(high) << 32 | UInt64(low)
    }

    /// - Parameters:
    ///   - next: where the server will write its next record (`pg_current_wal_insert_lsn()`).
    ///   - pageSize: of its log (`wal_block_size`), in bytes.
    init(next: Int64, pageSize: Int64) {
        // If the last record fills its page, the next one is behind the new page's header of 24 bytes
        // (SizeOfXLogShortPHD), where no standby arrives before there is such a record.
        bytes = UInt64(next % pageSize == 24 ? next - 24 : next)
    }

    public var description: String { text }

    public static func < (a: WritePosition, b: WritePosition) -> Bool { a.bytes < b.bytes }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let position = WritePosition(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a position has the form 16/B374D848")
        }
        self = position
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension DarkroomClient {
    /// The position after all that is committed now. Ask for it after a write, and after the commit of a transaction of your own.
    ///
    /// - Throws: ``DarkroomError`` with `database`.
    public func writePosition() async throws -> WritePosition {
        let rows = try await rows(
            """
            select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint as next,
                   current_setting('wal_block_size')::bigint as page
            """
        ) { WritePosition(next: try $0.decode("next"), pageSize: try $0.decode("page")) }
        guard let position = rows.first else {
            throw DarkroomError(PostgresError(.decoding, "the server returned no position"))
        }
        return position
    }

    /// The same library for one person's next reads: feeds and the map have all that was written before `position`.
    ///
    /// Each read uses a reader that has come so far. If none has after `limit`, it uses the writing server.
    ///
    /// ```swift
    /// try await darkroom.vote(.like, onPost: post, by: "bob")
    /// let position = try await darkroom.writePosition()
    /// let page = try await darkroom.reading(after: position).latestPosts()
    /// ```
    public func reading(
        after position: WritePosition, waitingUpTo limit: Duration = .milliseconds(200)
    ) -> DarkroomClient {
        var client = self
        client.need = ReadNeed(position: position, limit: limit)
        return client
    }
}
