package import MediaStore
package import Postgres

// For `darkroom serve`, whose routes are statements of their own.
extension DarkroomClient {
    /// The media store that this client stores photos in.
    package var store: any MediaStore { media }

    /// Runs a statement that only reads, on a reader if there is one.
    ///
    /// - Throws: `PostgresError` or `CancellationError`.
    package func read(_ query: PostgresQuery) async throws -> PostgresRows {
        if let reader { return try await reader.query(query) }
        return try await pool.query(query)
    }

    /// Runs a statement on the writing server.
    package func write(_ query: PostgresQuery) async throws -> PostgresRows { try await pool.query(query) }

    /// The connections to the writing server.
    package var writers: PostgresPool { pool }
}
