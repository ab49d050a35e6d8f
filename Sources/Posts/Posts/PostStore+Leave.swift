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

// How posts and files leave. The SQL functions say what each does.
extension PostStore {
    /// Deletes a post for its uploader: readers see it no more, and a job erases what it was.
    ///
    /// - Returns: false where that is under way already.
    /// - Throws: ``PostgresError`` with `noDataFound` where the uploader has no such post.
    package func delete(_ post: Int64, of uploader: String) async throws -> Bool {
        let rows = try await pool.query("select darkroom.delete_post(\(post), \(uploader)) as ordered")
        return try rows[0].decode("ordered", as: Bool.self)
    }

    /// Erases a post and its upload with all that belongs to them, but for the files, which are retired.
    ///
    /// - Returns: false where that was done before.
    @discardableResult
    package func eraseRows(of post: Int64) async throws -> Bool {
        let rows = try await pool.query("select darkroom.erase_post_rows(\(post)) as erased")
        return try rows[0].decode("erased", as: Bool.self)
    }

    /// Erases what people did with a post while it was being erased.
    package func eraseLeftovers(of post: Int64) async throws {
        try await pool.query("select darkroom.erase_leftovers(\(post))")
    }

    /// Ends posts whose time is over, at most so many; answers how many.
    package func expire(atMost limit: Int) async throws -> Int {
        let rows = try await pool.query("select darkroom.expire_posts(\(limit)) as posts")
        return try rows[0].decode("posts", as: Int.self)
    }

    /// Has posts moderated that reports have hidden and that may come back by themselves, at most so many; answers how many.
    package func weighAgain(atMost limit: Int) async throws -> Int {
        let rows = try await pool.query("select darkroom.weigh_again(\(limit)) as posts")
        return try rows[0].decode("posts", as: Int.self)
    }

    /// Queues the erasure of posts that expired long enough ago, at most so many; answers how many.
    package func eraseExpired(atMost limit: Int) async throws -> Int {
        let rows = try await pool.query("select darkroom.erase_expired(\(limit)) as posts")
        return try rows[0].decode("posts", as: Int.self)
    }

    /// Where a walk through uploads by their age has come to.
    package struct UploadPosition: Sendable {
        let time: String
        let upload: Int64
        package static let start = UploadPosition(time: "-infinity", upload: 0)
    }

    /// Ends the keeping of originals that are old enough, from `position` on, which moves.
    ///
    /// - Returns: how many of at most `limit` uploads were let go of; nil at the end.
    package func retireOriginals(
        after position: inout UploadPosition, atMost limit: Int
    ) async throws -> Int? {
        let rows = try await pool.query(
            """
            select seen, retired, last_time::text as last_time, last_upload
            from darkroom.retire_originals(\(position.time)::timestamptz, \(position.upload), \(limit))
            """)
        guard try rows[0].decode("seen", as: Int.self) > 0 else { return nil }
        position = UploadPosition(
            time: try rows[0].decode("last_time", as: String.self),
            upload: try rows[0].decode("last_upload", as: Int64.self))
        return try rows[0].decode("retired", as: Int.self)
    }
}

// Deletion of files and references to them exclude each other by a lock of the file's key.
extension PostStore {
    /// Keeps files from being deleted until the transaction has ended.
    package static func hold(_ mediaKeys: [String], in transaction: PostgresConnection) async throws {
        try await transaction.query("select darkroom.hold_media(\(mediaKeys)::text[])")
    }

    /// The next file that is to be deleted, by its key, and the right to delete it within the transaction.
    ///
    /// One that another transaction is about to delete is passed over.
    package static func nextRetired(
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
    package static func forgetRetired(_ key: String, in transaction: PostgresConnection) async throws {
        try await transaction.query("delete from darkroom.retired_media where media_key = \(key)")
    }

    /// Puts the deletion of a file off.
    package static func postponeRetired(
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
    package func retired(_ which: RetiredFiles) async throws -> (files: Int, lastDue: Duration) {
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
