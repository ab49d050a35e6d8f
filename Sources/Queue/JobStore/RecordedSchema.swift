import Postgres

/// Which release has migrated the database, and the oldest whose workers it serves: what a worker's release is compared with.
package struct RecordedSchema: Sendable, Equatable {
    package let release: String
    package let oldestServed: String

    /// Nil if the row has none.
    init?(_ row: PostgresRow) throws {
        guard let release = try row.decode("release", as: String?.self),
            let oldestServed = try row.decode("oldest_served", as: String?.self)
        else { return nil }
        self.release = release
        self.oldestServed = oldestServed
    }
}

extension JobStore {
    /// Nil before any release has finished migrating the database.
    ///
    /// - Throws: ``PostgresError`` with `isSchemaMismatch` if none has begun.
    package func schema() async throws -> RecordedSchema? {
        try await pool.query("select release, oldest_served from darkroom.schema_release").first
            .flatMap { try RecordedSchema($0) }
    }
}
