import CLibPQ

/// The result of one statement: its rows, and how many rows it affected.
package struct PostgresRows: Sendable, RandomAccessCollection {
    private let result: ResultTable?

    init(_ result: ResultTable?) { self.result = result }

    package var startIndex: Int { 0 }
    package var endIndex: Int { result?.rowCount ?? 0 }

    package subscript(position: Int) -> PostgresRow {
        guard let result, indices.contains(position) else {
            preconditionFailure("row \(position) of \(count) rows")
        }
        return PostgresRow(result: result, index: position)
    }

    var table: ResultTable? { result }

    /// The rows inserted, updated, deleted or selected; 0 for other statements.
    package var affected: Int { result?.affected ?? 0 }
    /// The names of the columns, in order.
    package var columns: [String] { result?.columns ?? [] }
}

/// One row of a result.
package struct PostgresRow: Sendable {
    fileprivate let result: ResultTable
    fileprivate let index: Int

    /// The value of the column named `column`.
    ///
    /// Throws `PostgresError` with code `decoding`, naming the column, if it is absent, NULL (ask for an `Optional`
    /// to allow that) or not of this type. If several columns have the name, the first one counts.
    package func decode<T: PostgresDecodable>(_ column: String, as type: T.Type = T.self) throws -> T {
        let position = try position(of: column)
        do {
            guard let text = result.text(row: index, column: position) else {
                return try T.fromPostgresNull()
            }
            return try T(postgresText: text)
        } catch var error as PostgresError {
            error.message = "column \"\(column)\" \(error.message)"
            error.column = column
            throw error
        }
    }

    /// Appends the text of a value to `bytes`, in UTF-8. False for NULL, which has none.
    ///
    /// Throws `decoding` if there is no such column.
    package func append(_ column: String, to bytes: inout [UInt8]) throws -> Bool {
        guard let value = result.bytes(row: index, column: try position(of: column)) else { return false }
        bytes += value
        return true
    }

    private func position(of column: String) throws -> Int32 {
        guard let position = result.columns.firstIndex(of: column) else {
            let known = result.columns.joined(separator: ", ")
            throw PostgresError(.decoding, "there is no column \"\(column)\"; the columns are \(known)")
        }
        return Int32(position)
    }
}

/// The owner of a `PGresult`.
///
/// `@unchecked Sendable`: a `PGresult` is only read after libpq has returned it, and freed by `deinit`,
/// when nobody else can see it.
final class ResultTable: @unchecked Sendable {
    private let result: OpaquePointer
    let rowCount: Int
    let columns: [String]

    /// Takes ownership of `result`.
    init(owning result: OpaquePointer) {
        self.result = result
        rowCount = Int(PQntuples(result))
        columns = (0..<PQnfields(result)).map { PQfname(result, $0).map { String(cString: $0) } ?? "" }
    }

    deinit { PQclear(result) }

    var affected: Int { PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0 }

    /// A value's bytes, valid as long as this result lives; nil for NULL.
    func bytes(row: Int, column: Int32) -> UnsafeRawBufferPointer? {
        let row = Int32(row)
        guard PQgetisnull(result, row, column) == 0, let value = PQgetvalue(result, row, column) else {
            return nil
        }
        return UnsafeRawBufferPointer(start: value, count: Int(PQgetlength(result, row, column)))
    }

    func text(row: Int, column: Int32) -> String? {
        let row = Int32(row)
        guard PQgetisnull(result, row, column) == 0, let value = PQgetvalue(result, row, column) else {
            return nil
        }
        let length = Int(PQgetlength(result, row, column))
        return value.withMemoryRebound(to: UInt8.self, capacity: length) {
            String(decoding: UnsafeBufferPointer(start: $0, count: length), as: UTF8.self)
        }
    }
}
