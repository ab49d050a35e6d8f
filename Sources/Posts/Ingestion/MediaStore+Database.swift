package import MediaStore
package import Postgres

extension MediaLocation {
    /// The store at `location`, whose identity is recorded in a database.
    package static func store(
        at location: String, recordedIn pool: PostgresPool
    ) throws(MediaError) -> any MediaStore {
        try store(at: location) { found in
            try await pool.withConnection { try await RecordedIdentity.read(from: $0, found: found) }
        }
    }
}

extension RecordedIdentity {
    /// What the database has recorded. Records `found` if it has recorded nothing and has proposed it.
    package static func read(from connection: PostgresConnection, found: String? = nil) async throws -> Self {
        let row = try await connection.query(
            "select identity, proposal from darkroom.media_identity(\(found))")[0]
        return RecordedIdentity(
            identity: try row.decode("identity", as: String?.self),
            proposal: try row.decode("proposal", as: String.self))
    }
}

extension MediaStore {
    /// The store, for use inside a transaction. Compares it with what the transaction sees, because another store may
    /// have been adopted since the store was last used.
    package func recorded(in transaction: PostgresConnection) async throws -> Self {
        try await recorded(as: try await RecordedIdentity.read(from: transaction))
    }

    /// Makes this the store of the database in the place of the one with the identity `old`, or of none.
    ///
    /// - Returns: its identity; nil if the database has recorded something else than `old`.
    package func adopt(insteadOf old: String?, in pool: PostgresPool) async throws -> String? {
        let rows = try await pool.query("select proposal from darkroom.media_identity()")
        let new = try await mark(as: try rows[0].decode("proposal", as: String.self))
        let adopted = try await pool.query(
            """
            update darkroom.settings set media_identity = \(new)
            where media_identity is not distinct from \(old)::text returning media_identity
            """)
        guard !adopted.isEmpty else { return nil }
        try await check()
        return new
    }
}
