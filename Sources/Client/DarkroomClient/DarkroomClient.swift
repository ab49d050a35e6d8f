public import FoundationEssentials
import MediaStore
import Postgres

/// The Swift API for apps: store a photo, queue it, ask for its status, cancel it; vote, comment, report; read feeds,
/// the map and events.
///
/// Other languages use the same contract: the layout of the media store, and the SQL functions of docs/sql-api.md. Each
/// function has its call here. To queue within your own transaction, call `darkroom.enqueue_upload` with a
/// ``StoredPhoto``. The role `darkroom_api` may make all calls; `darkroom_reader` only reads feeds and the map.
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
    let media: LocalMediaStore

    /// - Parameters:
    ///   - database: a libpq connection URL or keyword string. Connections are opened on first use.
    ///   - media: the media store's directory, or its `file://` URL.
    ///   - schema: the schema given to `darkroom migrate`.
    ///   - connections: the maximum number of open connections.
    /// - Throws: ``DarkroomError`` with `media` if `media` is not the location of a directory.
    public init(
        database: String, media: String, schema: String = "darkroom", connections: Int = 4
    ) throws {
        var configuration = PostgresConfiguration(url: database, applicationName: "darkroom-client")
        configuration.schema = schema
        let pool = PostgresPool(configuration, size: connections)
        self.pool = pool
        do {
            self.media = try LocalMediaStore(location: media) { found in
                let rows = try await pool.query(
                    "select identity, proposal from darkroom.media_identity(\(found))")
                let identity = try rows[0].decode("identity", as: String?.self)
                return try identity.map { .identity($0) }
                    ?? .none(proposal: rows[0].decode("proposal", as: String.self))
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
        do {
            return StoredPhoto(try await media.putOriginal(fromFile: path))
        } catch {
            throw DarkroomError(error)
        }
    }

    /// Puts a photo's bytes into the media store. See ``store(photo:)``.
    public func store(bytes: [UInt8]) async throws -> StoredPhoto {
        do {
            return StoredPhoto(try await media.putOriginal(bytes: bytes))
        } catch {
            throw DarkroomError(error)
        }
    }

    /// Stores a photo and queues it, in a separate transaction.
    ///
    /// - Returns: the job's number.
    /// - Throws: ``DarkroomError``.
    public func enqueue(photo path: String, _ details: UploadDetails) async throws -> Int64 {
        try await enqueue(try await store(photo: path), details)
    }

    /// Queues a photo that is already stored, in a separate transaction.
    public func enqueue(_ photo: StoredPhoto, _ details: UploadDetails) async throws -> Int64 {
        do {
            let rows = try await pool.query(
                """
                select darkroom.enqueue_upload(
                    uploader => \(details.uploader), original_key => \(photo.key),
                    original_sha256 => \(photo.sha256), original_bytes => \(photo.byteCount),
                    headline => \(details.headline), caption => \(details.caption),
                    link => \(details.link), category => \(details.category), activity => \(details.activity),
                    latitude => \(details.latitude), longitude => \(details.longitude),
                    place_text => \(details.place), taken_at => \(details.takenAt),
                    priority => \(details.priority), run_at => \(details.runAt),
                    idempotency_key => \(details.idempotencyKey), accuracy_m => \(details.accuracyMetres),
                    location_privacy => \(details.locationPrivacy?.rawValue)::darkroom.location_privacy,
                    place_near_latitude => \(details.placeNearLatitude),
                    place_near_longitude => \(details.placeNearLongitude),
                    place_country => \(details.placeCountry)) as job
                """)
            return try rows[rows.startIndex].decode("job", as: Int64.self)
        } catch {
            throw DarkroomError(error, isUpload: true)
        }
    }

    /// Queues many photos, even thousands, in one statement and one transaction.
    ///
    /// All of them use `priority` and `runAt`; those in the details are ignored.
    ///
    /// - Returns: the jobs' numbers, in the order given. A photo whose uploader and idempotency key were
    ///   used before gets the number of its earlier job.
    /// - Throws: ``DarkroomError``; then nothing was queued.
    public func enqueue(
        _ uploads: [(photo: StoredPhoto, details: UploadDetails)], priority: Int = 0, runAt: Date? = nil,
        queue: String = "default"
    ) async throws -> [Int64] {
        func texts(_ part: (UploadDetails) -> String?) -> [String?] { uploads.map { part($0.details) } }
        do {
            let rows = try await pool.query(
                """
                select darkroom.enqueue_uploads(
                    array(select row(u.uploader, u.original_key, u.sha256, u.bytes, u.headline, u.caption, u.link, u.category,
                                     u.activity, u.latitude, u.longitude, u.place_text, u.taken_at, u.idempotency_key, u.accuracy_m,
                                     u.location_privacy::darkroom.location_privacy, u.place_near_latitude,
                                     u.place_near_longitude, u.place_country)::darkroom.new_upload
                          from unnest(
                              \(uploads.map(\.details.uploader))::text[], \(uploads.map(\.photo.key))::text[],
                              \(uploads.map(\.photo.sha256))::text[], \(uploads.map(\.photo.byteCount))::bigint[],
                              \(texts(\.headline))::text[], \(texts(\.caption))::text[], \(texts(\.link))::text[],
                              \(texts(\.category))::text[], \(texts(\.activity))::text[],
                              \(uploads.map(\.details.latitude))::float8[], \(uploads.map(\.details.longitude))::float8[],
                              \(texts(\.place))::text[], \(uploads.map(\.details.takenAt))::timestamptz[],
                              \(texts(\.idempotencyKey))::text[], \(uploads.map(\.details.accuracyMetres))::float8[],
                              \(texts { $0.locationPrivacy?.rawValue })::text[],
                              \(uploads.map(\.details.placeNearLatitude))::float8[],
                              \(uploads.map(\.details.placeNearLongitude))::float8[],
                              \(texts(\.placeCountry))::text[])
                              with ordinality as u (uploader, original_key, sha256, bytes, headline, caption, link, category,
                                                    activity, latitude, longitude, place_text, taken_at, idempotency_key, accuracy_m,
                                                    location_privacy, place_near_latitude, place_near_longitude,
                                                    place_country, number)
                          order by u.number),
                    queue => \(queue), priority => \(priority), run_at => \(runAt)) as jobs
                """)
            return try rows[rows.startIndex].decode("jobs", as: [Int64].self)
        } catch {
            throw DarkroomError(error, isUpload: true)
        }
    }

    /// The status of a job, or nil if the job is unknown or so old that its record is gone.
    ///
    /// - Parameter uploader: who asks; the result is nil for other uploaders' jobs. Always pass it if the job's number
    ///   comes from outside.
    public func status(of job: Int64, uploader: String? = nil) async throws -> UploadStatus? {
        do {
            let rows = try await pool.query(
                """
                select job_id, state::text as state, reason, message, attempts, enqueued_at, finished_at, post_id
                from darkroom.job_status(\(job), \(uploader))
                """)
            return try rows.first.map(UploadStatus.init)
        } catch {
            throw DarkroomError(error)
        }
    }

    /// Cancels a waiting job at once, or asks the worker of a running job to stop.
    ///
    /// - Parameter uploader: who asks; other uploaders' jobs are treated as unknown. Always pass it if the job's number
    ///   comes from outside.
    /// - Returns: false if the job is finished or unknown.
    public func cancel(_ job: Int64, uploader: String? = nil) async throws -> Bool {
        do {
            let rows = try await pool.query(
                "select darkroom.cancel_job(\(job), \(uploader)) as cancelled")
            return try rows.first?.decode("cancelled", as: Bool.self) ?? false
        } catch {
            throw DarkroomError(error)
        }
    }

    /// Closes the connections. Later calls throw.
    public func close() async {
        await pool.close()
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
            state: State(rawValue: try row.decode("state", as: String.self)) ?? .failed,
            reason: try row.decode("reason", as: String?.self),
            message: try row.decode("message", as: String?.self),
            attempts: try row.decode("attempts", as: Int.self),
            enqueuedAt: try row.decode("enqueued_at", as: Date.self),
            finishedAt: try row.decode("finished_at", as: Date?.self),
            post: try row.decode("post_id", as: Int64?.self))
    }
}
