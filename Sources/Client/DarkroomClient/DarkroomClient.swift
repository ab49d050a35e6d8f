import Digests
import FoundationEssentials
package import MediaStore
import Postgres

/// The Swift API for apps: store a photo, queue it, ask for its status, cancel it; vote, comment, report; read feeds,
/// the map and events.
///
/// Other languages use the same contract: the layout of the media store, and the SQL functions of docs/sql-api.md. Each
/// function has its call here. To queue within your own transaction, run ``statement(enqueueing:_:)`` on your own
/// connection. The role `darkroom_api` may make all calls; `darkroom_reader` only reads feeds and the map.
///
/// Calls throw ``DarkroomError``, or `CancellationError` if their task was cancelled. A call that was cancelled may have been
/// carried out all the same.
///
/// ```swift
/// let darkroom = try DarkroomClient(database: "postgresql://localhost/app", media: "/srv/media")
/// var details = UploadDetails(uploader: "user-17")
/// details.caption = "The ferry at dawn"
/// let job = try await darkroom.enqueue(photo: "/tmp/upload-1.jpg", details)
/// let status = try await darkroom.status(of: job)
/// await darkroom.close()
/// ```
public struct DarkroomClient: Sendable {
    let pool: PostgresPool
    /// Reads feeds and the map; nil if `pool` does.
    let reader: Reader?
    let media: any MediaStore

    /// - Parameters:
    ///   - database: a libpq connection URL or keyword string. Connections are opened on first use.
    ///   - reader: the same for a standby server, from which feeds and the map are read. What it shows may be a moment old. While
    ///     it is away, and without one, `database` returns them. See docs/replicas.md.
    ///   - media: the media store's directory, its `file://` URL, or `s3://BUCKET/PREFIX?endpoint=…&region=…`. The keys to a
    ///     bucket come from the environment, `~/.aws/credentials`, or the machine's metadata.
    ///   - connections: the maximum number of open connections to each server.
    /// - Throws: ``DarkroomError`` with `media` if `media` is not the location of a store.
    public init(
        database: String, reader: String? = nil, media: String, connections: Int = 4
    ) throws {
        try self.init(database: database, reader: reader, connections: connections) {
            try MediaLocation.store(at: media, record: $0)
        }
    }

    /// - Parameters:
    ///   - keepsStatements: see `PostgresConfiguration`.
    ///   - patience: how long a read may take on the reader before that counts as away.
    ///   - now: by which a reader that is away is left alone. A test may turn it.
    ///   - media: makes the store, which asks the database with what it is given.
    package init(
        database: String, reader: String? = nil, connections: Int = 4, keepsStatements: Bool = false,
        patience: Duration = .seconds(3),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        media: (@escaping RecordIdentity) throws -> any MediaStore
    ) throws {
        func pool(_ url: String) -> PostgresPool {
            var configuration = PostgresConfiguration(url: url, applicationName: "darkroom-client")
            configuration.keepsStatements = keepsStatements
            return PostgresPool(configuration, size: connections)
        }
        let writers = pool(database)
        self.pool = writers
        self.reader = reader.map { Reader(pool($0), orElse: writers, patience: patience, now: now) }
        do {
            self.media = try media { found in
                let row = try await writers.query(
                    "select identity, proposal from darkroom.media_identity(\(found))")[0]
                return RecordedIdentity(
                    identity: try row.decode("identity", as: String?.self),
                    proposal: try row.decode("proposal", as: String.self))
            }
        } catch {
            throw DarkroomError(error)
        }
    }

    /// Puts a photo into the media store, under a name derived from its bytes.
    ///
    /// Storing the same photo twice gives one file. The first photo of an installation makes the store; from then on,
    /// nothing is stored in any other directory, such as the mount point of a disk that is not mounted. This only checks
    /// that the file can be read; if it is not a photo, the job rejects it with a reason.
    ///
    /// - Throws: ``DarkroomError`` with `media`.
    public func store(photo path: String) async throws -> StoredPhoto {
        try await typed { StoredPhoto(try await media.putOriginal(fromFile: path)) }
    }

    /// Puts a photo's bytes into the media store. See ``store(photo:)``.
    public func store(bytes: [UInt8]) async throws -> StoredPhoto {
        try await typed { StoredPhoto(try await media.putOriginal(bytes: bytes)) }
    }

    /// The status of a job, or nil if the job is unknown or so old that its record is gone.
    ///
    /// - Parameter uploader: who asks; the result is nil for other uploaders' jobs. Always pass it if the job's number
    ///   comes from outside.
    public func status(of job: Int64, uploader: String? = nil) async throws -> UploadStatus? {
        try await rows(
            """
            select job_id, state::text as state, reason, message, attempts, enqueued_at, finished_at, post_id, post_state
            from darkroom.job_status(\(job), \(uploader))
            """, UploadStatus.init
        ).first
    }

    /// Cancels a waiting job at once, or asks the worker of a running job to stop.
    ///
    /// - Parameter uploader: who asks; other uploaders' jobs are treated as unknown. Always pass it if the job's number
    ///   comes from outside.
    /// - Returns: false if the job is finished or unknown.
    public func cancel(_ job: Int64, uploader: String? = nil) async throws -> Bool {
        try await value("select darkroom.cancel_job(\(job), \(uploader)) as value")
    }

    /// Closes the connections. Later calls throw.
    public func close() async {
        await pool.close()
        await reader?.pool.close()
    }
}

extension StoredPhoto {
    init(_ original: StoredOriginal) {
        self.init(
            key: original.key.path, sha256: original.sha256.hex, byteCount: original.byteCount)
    }
}

extension UploadStatus {
    init(row: PostgresRow) throws {
        self.init(
            job: try row.decode("job_id", as: Int64.self),
            state: try row.known("state"),
            reason: try row.decode("reason", as: String?.self),
            message: try row.decode("message", as: String?.self),
            attempts: try row.decode("attempts", as: Int.self),
            enqueuedAt: try row.decode("enqueued_at", as: Date.self),
            finishedAt: try row.decode("finished_at", as: Date?.self),
            post: try row.decode("post_id", as: Int64?.self),
            postState: try row.decode("post_state", as: String?.self).flatMap(UploadStatus.PostState.init))
    }
}

extension PostgresRow {
    /// One of the values that this library knows.
    func known<Value: RawRepresentable<String>>(_ column: String) throws -> Value {
        let text = try decode(column, as: String.self)
        guard let value = Value(rawValue: text) else {
            throw PostgresError(
                .decoding, "the \(column) “\(text)” is of a later release: update this library")
        }
        return value
    }
}
