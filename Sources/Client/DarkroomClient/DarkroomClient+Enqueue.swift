public import FoundationEssentials
import Postgres

/// One SQL statement with its parameters, for a connection and a transaction of the app's own.
///
/// Each parameter is a text, which the statement itself casts. So any driver can send them: libpq's `PQexecParams` without
/// types, or one that declares them as `text`.
public struct EnqueueStatement: Sendable, Hashable {
    /// The text, with `$1` to `$n` for the parameters.
    public let sql: String
    /// The values of `$1` to `$n`; nil is NULL.
    public let parameters: [String?]
}

extension DarkroomClient {
    /// Stores a photo and queues it, in a separate transaction.
    ///
    /// - Returns: the job's number.
    /// - Throws: ``DarkroomError``.
    public func enqueue(photo path: String, _ details: UploadDetails) async throws -> Int64 {
        try await enqueue(try await store(photo: path), details)
    }

    /// Queues a photo that is already stored, in a separate transaction.
    public func enqueue(_ photo: StoredPhoto, _ details: UploadDetails) async throws -> Int64 {
        try await typed(isUpload: true) {
            let rows = try await pool.query(Self.query(enqueueing: photo, details))
            return try rows[rows.startIndex].decode("job_id")
        }
    }

    /// Queues a text without a photo, in a separate transaction: a headline or a caption, at coordinates or a place.
    ///
    /// - Returns: the job's number.
    /// - Throws: ``DarkroomError``.
    public func enqueue(text details: UploadDetails) async throws -> Int64 {
        try await typed(isUpload: true) {
            let rows = try await pool.query(Self.query(enqueueing: nil, details))
            return try rows[rows.startIndex].decode("job_id")
        }
    }

    /// The statement that queues a text without a photo, as ``statement(enqueueing:_:)`` does a photo.
    public func statement(enqueueingText details: UploadDetails) throws -> EnqueueStatement {
        try statement(Self.query(enqueueing: nil, details))
    }

    /// The statement that queues a stored photo in the transaction of the connection that runs it. Its one row has the job's
    /// number as `job_id`, of type `bigint`. The job exists when that transaction commits.
    ///
    /// ```swift
    /// let photo = try await darkroom.store(photo: "/tmp/upload-1.jpg")
    /// let enqueueing = try darkroom.statement(enqueueing: photo, details)
    /// // On your own connection: begin; your statements; enqueueing.sql with enqueueing.parameters; commit.
    /// ```
    ///
    /// - Throws: ``DarkroomError`` with `invalidUpload` for a text that has a NUL character. PostgreSQL refuses other values
    ///   that are out of range, with the SQLSTATE and the constraint of `enqueue_upload` in docs/sql-api.md.
    public func statement(
        enqueueing photo: StoredPhoto, _ details: UploadDetails
    ) throws -> EnqueueStatement {
        try statement(Self.query(enqueueing: photo, details))
    }

    /// Queues many photos and texts (without a photo), even thousands, in one statement and one transaction.
    ///
    /// All of them use `priority` and `runAt`; those in the details are ignored.
    ///
    /// - Returns: the jobs' numbers, in the order given. One whose uploader and idempotency key were
    ///   used before gets the number of its earlier job.
    /// - Throws: ``DarkroomError``; then nothing was queued.
    public func enqueue(
        _ uploads: [(photo: StoredPhoto?, details: UploadDetails)], priority: Int = 0, runAt: Date? = nil,
        queue: String = "default"
    ) async throws -> [Int64] {
        try await typed(isUpload: true) {
            let rows = try await pool.query(
                Self.query(enqueueing: uploads, priority: priority, runAt: runAt, queue: queue))
            return try rows[rows.startIndex].decode("job_ids")
        }
    }

    /// The statement that queues many photos, as ``statement(enqueueing:_:)`` does one. Its one row has the jobs' numbers as
    /// `job_ids`, of type `bigint[]`.
    public func statement(
        enqueueing uploads: [(photo: StoredPhoto?, details: UploadDetails)], priority: Int = 0,
        runAt: Date? = nil, queue: String = "default"
    ) throws -> EnqueueStatement {
        try statement(Self.query(enqueueing: uploads, priority: priority, runAt: runAt, queue: queue))
    }

    private func statement(_ query: PostgresQuery) throws -> EnqueueStatement {
        do {
            return EnqueueStatement(sql: query.sql, parameters: try query.parameterTexts())
        } catch {
            throw DarkroomError(error, isUpload: true)
        }
    }

    private static func query(enqueueing photo: StoredPhoto?, _ details: UploadDetails) -> PostgresQuery {
        "select darkroom.enqueue_upload(\(details.fields(photo).arguments)) as job_id"
    }

    private static func query(
        enqueueing uploads: [(photo: StoredPhoto?, details: UploadDetails)], priority: Int, runAt: Date?,
        queue: String
    ) -> PostgresQuery {
        let list = UploadList(
            uploads.map {
                $0.details.fields($0.photo).filter { $0.name != "priority" && $0.name != "run_at" }
            })
        return """
            select darkroom.enqueue_uploads(
                \(list)::jsonb, queue => \(queue)::text, priority => \(priority)::integer,
                run_at => \(runAt)::timestamptz) as job_ids
            """
    }
}
