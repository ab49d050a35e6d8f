package import JobQueue
package import Postgres

/// The files that attempts are about to store and that no row refers to yet.
package struct UnpublishedMediaStore: Sendable {
    /// Why an attempt must not store files.
    package enum Refusal: String, Sendable, PostgresDecodable {
        case leaseLost = "lease_lost"
        case cancelled
        case postGone = "post_gone"
        case uploadErased = "upload_erased"
    }

    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Notes the files that an attempt is about to store, so that others find them if it dies.
    ///
    /// - Returns: why it must not store them; nil if it may.
    package func note(_ mediaKeys: [String], under lease: Lease) async throws -> Refusal? {
        let rows = try await pool.query(
            """
            select darkroom.note_media(\(lease.job.rawValue), \(lease.token.rawValue), \(mediaKeys)::text[]) as refusal
            """)
        return try rows[0].decode("refusal", as: Refusal?.self)
    }

    /// Forgets them in the transaction that refers to them.
    package static func forget(_ lease: Lease, in transaction: PostgresConnection) async throws {
        try await transaction.query(
            """
            delete from darkroom.unpublished_media
            where job_id = \(lease.job.rawValue) and lease = \(lease.token.rawValue)
            """)
    }

    /// Retires the files of an attempt that does not publish them.
    package func abandon(_ mediaKeys: [String], under lease: Lease) async throws {
        try await pool.query(
            """
            select darkroom.abandon_media(\(lease.job.rawValue), \(lease.token.rawValue), \(mediaKeys)::text[])
            """)
    }

    /// Retires the files of attempts whose lease is over, as after the death of a worker.
    ///
    /// - Returns: of how many attempts.
    package func retireDead() async throws -> Int {
        try await pool.query("select darkroom.retire_unpublished() as attempts")[0]
            .decode("attempts", as: Int.self)
    }
}
