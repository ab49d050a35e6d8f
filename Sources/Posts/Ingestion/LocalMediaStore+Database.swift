package import MediaStore
package import Postgres

extension LocalMediaStore {
    /// The store at `location`, whose identity is recorded in a database.
    package init(location: String, recordedIn pool: PostgresPool) throws(MediaError) {
        try self.init(location: location) { found in
            try await pool.withConnection { try await Self.identity(recordedIn: $0, found: found) }
        }
    }

    /// The store, for use inside a transaction. Compares it with what the transaction sees, because another store may
    /// have been adopted since the store was last used.
    package func recorded(in transaction: PostgresConnection) async throws -> LocalMediaStore {
        guard let identity = try await Self.identity(recordedIn: transaction) else {
            throw MediaError(
                .unavailable, path: root,
                message:
                    "the database knows no media store: mount its disk, or set DARKROOM_MEDIA to the store")
        }
        return recorded(as: identity)
    }

    /// The identity that the database has recorded. Records `found` if it has none.
    package static func identity(
        recordedIn connection: PostgresConnection, found: String? = nil
    ) async throws -> String? {
        let rows = try await connection.query("select darkroom.media_identity(\(found)) as identity")
        return try rows[0].decode("identity", as: String?.self)
    }

    /// Makes the directory the store of the database in the place of the one with the identity `old`.
    ///
    /// - Returns: its identity; nil if the database has recorded another one than `old`.
    package func adopt(insteadOf old: String, in pool: PostgresPool) async throws -> String? {
        let new = try await mark()
        let rows = try await pool.query(
            """
            update darkroom.settings set media_identity = \(new) where media_identity = \(old) returning media_identity
            """)
        return rows.isEmpty ? nil : new
    }
}
