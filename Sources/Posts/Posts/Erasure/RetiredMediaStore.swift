package import Postgres

/// A file that is to be deleted.
package struct RetiredFile: Sendable, Equatable {
    package let mediaKey: String
    /// Whether nothing refers to it.
    package let isFree: Bool
}

/// Which of the files that are to be deleted.
package enum RetiredFiles: Sendable, Equatable {
    /// Those whose time has come.
    case due
    case ofPost(Int64)
    case ofErasure(Int64)
}

/// Files that are to be deleted.
///
/// Deletion of files and references to them exclude each other by a lock of the file's key.
package struct RetiredMediaStore: Sendable {
    let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// The next file that is to be deleted, by its key, and the right to delete it within the transaction.
    ///
    /// One that another transaction is about to delete is passed over.
    package static func next(
        _ which: RetiredFiles, after key: String, in transaction: PostgresConnection
    ) async throws -> RetiredFile? {
        let scope: PostgresQuery =
            switch which {
            case .due: "true"
            case .ofPost(let post): "post_id = \(post)"
            case .ofErasure(let erasure): "erasure_id = \(erasure)"
            }
        let rows = try await transaction.query(
            """
            select media_key from darkroom.retired_media
            where \(scope) and due_at <= clock_timestamp() and media_key > \(key)
            order by media_key limit 1 for update skip locked
            """)
        guard let found = try rows.first?.decode("media_key", as: String.self) else { return nil }
        let taken = try await transaction.query("select darkroom.take_media(\(found)) as free")
        return RetiredFile(mediaKey: found, isFree: try taken[0].decode("free", as: Bool.self))
    }

    /// Forgets a file that is gone, or referred to again.
    package static func forget(_ key: String, in transaction: PostgresConnection) async throws {
        try await transaction.query("delete from darkroom.retired_media where media_key = \(key)")
    }

    /// Puts the deletion of a file off.
    package static func postpone(
        _ key: String, by delay: Duration, in transaction: PostgresConnection
    ) async throws {
        try await transaction.query(
            """
            update darkroom.retired_media
            set due_at = clock_timestamp() + make_interval(secs => \(delay.asSeconds)) where media_key = \(key)
            """)
    }

    /// How long an original is spared after it was last stored.
    package func originalGrace() async throws -> Duration {
        let rows = try await pool.query(
            "select extract(epoch from original_grace)::float8 as seconds from darkroom.settings")
        return .seconds(try rows[0].decode("seconds", as: Double.self))
    }

    /// The times at which files are to be deleted: the number of files, and the latest time from now.
    package func schedule(of which: RetiredFiles) async throws -> (files: Int, lastDue: Duration) {
        let scope: PostgresQuery =
            switch which {
            case .due: "due_at <= clock_timestamp()"
            case .ofPost(let post): "post_id = \(post)"
            case .ofErasure(let erasure): "erasure_id = \(erasure)"
            }
        let rows = try await pool.query(
            """
            select count(*) as files,
                   coalesce(extract(epoch from max(due_at) - clock_timestamp()), 0)::float8 as seconds
            from darkroom.retired_media where \(scope)
            """)
        return (
            try rows[0].decode("files", as: Int.self),
            .seconds(max(0, try rows[0].decode("seconds", as: Double.self)))
        )
    }
}

extension Duration {
    fileprivate var asSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
