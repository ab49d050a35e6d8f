import CLibPQ

/// The result of one statement in PostgreSQL's binary formats, read by column number.
///
/// For frequent statements with many rows, where parsing text would cost more than the statement. Sources of
/// the formats: PostgreSQL documentation, 55.8 "Message Formats", and the types' send functions.
package struct PostgresBinaryRows: Sendable {
    private let result: ResultTable?

    init(_ rows: PostgresRows) { result = rows.table }

    package var count: Int { result?.rowCount ?? 0 }

    package func isNull(row: Int, column: Int) -> Bool {
        result?.bytes(row: row, column: Int32(column)) == nil
    }

    /// `smallint`, `integer`, `bigint`, and `timestamptz` as microseconds since 2000-01-01 UTC.
    ///
    /// Throws `decoding` for NULL or a value whose length is not 2, 4 or 8 bytes.
    package func integer(row: Int, column: Int) throws -> Int64 {
        let bytes = try bytes(row, column)
        switch bytes.count {
        case 8: return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
        case 4: return Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
        case 2: return Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
        default:
            throw PostgresError(.decoding, "column \(column) has \(bytes.count) bytes, not an integer")
        }
    }

    /// `text` and enumerations.
    package func string(row: Int, column: Int) throws -> String {
        String(decoding: try bytes(row, column), as: UTF8.self)
    }

    private func bytes(_ row: Int, _ column: Int) throws -> UnsafeRawBufferPointer {
        guard let result, let bytes = result.bytes(row: row, column: Int32(column)) else {
            throw PostgresError(.decoding, "column \(column) of row \(row) is NULL")
        }
        return bytes
    }
}

extension PostgresConnection {
    /// Runs one statement and gives its results in binary. Throws like `query`.
    nonisolated package func queryInBinary(_ query: PostgresQuery) async throws -> PostgresBinaryRows {
        let parameters = try query.parameterTexts()
        try requireText(query.sql)
        return PostgresBinaryRows(
            try await onCancelWake { try await self.exchange(query.sql, parameters, inBinary: true) })
    }
}
