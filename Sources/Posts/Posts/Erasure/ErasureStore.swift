package import Postgres

/// Deletes, expires and erases posts. The SQL functions document what each step does.
package struct ErasureStore: Sendable {
    let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Deletes a post for its uploader: readers no longer see it, and a job erases its data.
    ///
    /// - Returns: false if that is already under way.
    /// - Throws: ``PostgresError`` with `noDataFound` if the uploader has no such post.
    package func delete(_ post: Int64, of uploader: String) async throws -> Bool {
        let rows = try await pool.query("select darkroom.delete_post(\(post), \(uploader)) as ordered")
        return try rows[0].decode("ordered", as: Bool.self)
    }

    /// Erases a post and its upload with everything that belongs to them. Their files are retired.
    ///
    /// - Returns: false if that was already done.
    @discardableResult
    package func eraseRows(of post: Int64) async throws -> Bool {
        let rows = try await pool.query("select darkroom.erase_post_rows(\(post)) as erased")
        return try rows[0].decode("erased", as: Bool.self)
    }

    /// Cancels what renders an erased post again.
    ///
    /// - Returns: how many attempts are storing files of it and have yet to stop.
    @discardableResult
    package func stopRendering(of post: Int64) async throws -> Int {
        let rows = try await pool.query("select darkroom.stop_rendering(\(post)) as attempts")
        return try rows[0].decode("attempts", as: Int.self)
    }

    /// What is left of an erased post.
    package enum Remainder: String, Sendable, PostgresDecodable { case rows, attempts, files, reactions }

    /// Looks for what is left of an erased post, in the transaction that ends the erasure. Returns nil if nothing is.
    package static func finish(
        _ post: Int64, in transaction: PostgresConnection
    ) async throws -> Remainder? {
        let rows = try await transaction.query("select darkroom.finish_post_erasure(\(post)) as remainder")
        return try rows[0].decode("remainder", as: Remainder?.self)
    }

    /// Erases what people did with a post while it was being erased.
    package func eraseLeftovers(of post: Int64) async throws {
        try await pool.query("select darkroom.erase_leftovers(\(post))")
    }

    /// Expires posts whose time is over, at most `limit`. Returns how many.
    package func expire(atMost limit: Int) async throws -> Int {
        let rows = try await pool.query("select darkroom.expire_posts(\(limit)) as posts")
        return try rows[0].decode("posts", as: Int.self)
    }

    /// Queues the erasure of posts that expired long enough ago, at most `limit`. Returns how many.
    package func eraseExpired(atMost limit: Int) async throws -> Int {
        let rows = try await pool.query("select darkroom.erase_expired(\(limit)) as posts")
        return try rows[0].decode("posts", as: Int.self)
    }

    /// Queues the erasure of posts that reviews removed long enough ago, at most `limit`. Returns how many.
    package func eraseRemoved(atMost limit: Int) async throws -> Int {
        let rows = try await pool.query("select darkroom.erase_removed(\(limit)) as posts")
        return try rows[0].decode("posts", as: Int.self)
    }

    package struct UploadPosition: Sendable {
        let time: String
        let upload: Int64
        package static let start = UploadPosition(time: "-infinity", upload: 0)
    }

    /// Retires originals that are old enough, starting at `position`, and moves the position.
    ///
    /// - Returns: how many originals of at most `limit` uploads were retired; nil at the end.
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
