package import Postgres

/// A file that is scheduled for deletion.
package struct RetiredFile: Sendable, Equatable {
    package let mediaKey: String
    /// Whether nothing refers to it.
    package let isFree: Bool
}

/// Which of the files that are scheduled for deletion.
package enum RetiredFiles: Sendable, Equatable {
    case due
    case ofPost(Int64)
    /// Of the person that an order erases.
    case ofErasure(Int64)
}

/// Files that are scheduled for deletion.
///
/// A lock of the file's key makes sure that a file is never deleted and referred to at the same time.
package struct RetiredMediaStore: Sendable {
    let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Returns the next file to delete, in order of keys, and takes the right to delete it in this transaction.
    ///
    /// Files that another transaction is about to delete are skipped.
    package static func next(
        _ which: RetiredFiles, after key: String, in transaction: PostgresConnection
    ) async throws -> RetiredFile? {
        let scope: PostgresQuery =
            switch which {
            case .due: "true"
            case .ofPost(let post): "post_id = \(post)"
            case .ofErasure(let erasure):
                "uploader = (select person from darkroom.person_erasures where erasure_id = \(erasure))"
            }
        let rows = try await transaction.query(
            """
            select media_key from darkroom.retired_media
            where \(scope) and due_at <= clock_timestamp() and media_key > \(key)
            order by media_key limit 1 for update skip locked
            """)
        guard let found = try rows.first?.decode("media_key", as: String.self) else { return nil }
        let taken = try await transaction.query("select darkroom.claim_media(\(found)) as free")
        return RetiredFile(mediaKey: found, isFree: try taken[0].decode("free", as: Bool.self))
    }

    /// Removes a file from the schedule because it is gone or something refers to it again.
    package static func forget(_ key: String, in transaction: PostgresConnection) async throws {
        try await transaction.query("delete from darkroom.retired_media where media_key = \(key)")
    }

    package static func postpone(
        _ key: String, by delay: Duration, in transaction: PostgresConnection
    ) async throws {
        try await transaction.query(
            """
            update darkroom.retired_media
            set due_at = clock_timestamp() + make_interval(secs => \(delay.asSeconds)) where media_key = \(key)
            """)
    }

    /// How long an original is safe from deletion after it was last stored.
    package func originalGrace() async throws -> Duration {
        let rows = try await pool.query(
            "select extract(epoch from original_grace)::float8 as seconds from darkroom.settings")
        return .seconds(try rows[0].decode("seconds", as: Double.self))
    }

    /// How long after it was last stored an original that no upload refers to is kept; nil for ever.
    package func unclaimedAge() async throws -> Duration? {
        let rows = try await pool.query("select unclaimed_days as days from darkroom.settings")
        return try rows[0].decode("days", as: Int?.self).map { .seconds($0 * 86_400) }
    }

    /// The number of files scheduled for deletion, and the time until the last of them is due.
    package func schedule(of which: RetiredFiles) async throws -> (files: Int, lastDue: Duration) {
        let scope: PostgresQuery =
            switch which {
            case .due: "due_at <= clock_timestamp()"
            case .ofPost(let post): "post_id = \(post)"
            case .ofErasure(let erasure):
                "uploader = (select person from darkroom.person_erasures where erasure_id = \(erasure))"
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
