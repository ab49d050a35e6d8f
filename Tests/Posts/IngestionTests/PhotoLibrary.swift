import Digests
import Glibc
import Ingestion
import JobQueue
import JobStore
import MediaStore
import Postgres
import Posts
import Telemetry
import TestKit
import Testing

/// A database and a media store, with posts whose pictures are a few bytes.
struct PhotoLibrary: Sendable {
    let database: QueueDatabase
    let media: any MediaStore
    /// The directory of `media`, if it is one.
    let root: String
    /// The bucket of `media`, if it is one.
    var bucket: TestBucket?

    var pool: PostgresPool { database.pool }
    var reading: ReadingStore { ReadingStore(pool: pool) }
    var reviews: ReviewStore { ReviewStore(pool: pool) }
    var erasure: ErasureStore { ErasureStore(pool: pool) }
    var rerendering: RerenderingStore { RerenderingStore(pool: pool) }

    /// Originals are not protected by having just been stored.
    static func with(
        _ kind: StoreKind = .directory, _ body: (PhotoLibrary) async throws -> Void
    ) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await withTemporaryDirectory { (root: String) async throws -> Void in
                try await database.pool.query("update darkroom.settings set original_grace = '0'")
                let root = "\(root)/media"
                let bucket = kind == .bucket ? try await TestBucket.make() : nil
                let record: RecordIdentity = { found in
                    try await database.pool.withConnection {
                        try await RecordedIdentity.read(from: $0, found: found)
                    }
                }
                let media: any MediaStore =
                    if let bucket { S3MediaStore(try bucket.client(prefix: "media"), record: record) } else {
                        try MediaLocation.store(at: root, record: record)
                    }
                let rows = try await database.pool.query("select proposal from darkroom.media_identity()")
                _ = try await media.mark(as: try rows[0].decode("proposal", as: String.self))
                try await media.check()
                try await body(PhotoLibrary(database: database, media: media, root: root, bucket: bucket))
            }
        }
    }

    /// Stores and enqueues a photo. Its job then waits.
    func enqueue(
        _ original: String, uploader: String = "ada", category: String? = nil, activity: String? = nil,
        caption: String? = nil
    ) async throws -> (job: JobID, upload: Int64) {
        let stored = try await media.putOriginal(bytes: Array(original.utf8))
        let rows = try await pool.query(
            """
            with enqueued as (
                select darkroom.enqueue_upload(
                    uploader => \(uploader), original_key => \(stored.key.path), original_sha256 => \(stored.sha256.hex),
                    original_bytes => \(stored.byteCount), category => \(category), activity => \(activity),
                    caption => \(caption)) as job)
            select job from enqueued
            """)
        let job = try rows[0].decode("job", as: Int64.self)
        let upload = try await number("select upload_id from darkroom.uploads where job_id = \(job)")
        return (JobID(rawValue: job), Int64(upload))
    }

    /// Stores a picture and returns the rendition for a post.
    func rendition(_ content: String, name: String = "large") async throws -> PostRendition {
        let bytes = Array(content.utf8)
        let file = try await media.makeUnnamedRendition()
        try #require(Glibc.write(file.descriptor, bytes, bytes.count) == bytes.count)
        let stored = try await media.publishRendition(
            media.sealRendition(file, atMost: bytes.count) { _ in }, fileExtension: "jpg")
        return PostRendition(
            name: name, mediaKey: stored.key.path, sha256: stored.sha256.hex, width: 10, height: 10,
            byteCount: stored.byteCount, format: "jpeg")
    }

    static func post(upload: Int64, renditions: [PostRendition]) -> NewPost {
        var post = NewPost(
            upload: upload, latitude: 47.6, longitude: -122.33, locationSource: .device,
            place: PostPlace(place: .init(geonameid: 5_809_844, name: "Seattle", distanceMetres: 100)),
            time: nil, width: 100, height: 100, format: "jpeg", stripped: [], renditions: renditions)
        post.perceptualHash = 0x1234_5678_9ABC_DEF0
        // By the policy in force.
        post.location = PostLocation(
            exactLatitude: 47.6, exactLongitude: -122.33, accuracyMetres: nil, precision: .point,
            privacy: .grid10m, policy: 1, locatedBy: 0)
        return post
    }

    /// Publishes a photo with the pictures `renditions`, like a worker.
    @discardableResult
    func publish(
        _ original: String, _ renditions: [String], uploader: String = "ada", category: String? = nil,
        activity: String? = nil, caption: String? = nil
    ) async throws -> Int64 {
        let (job, upload) = try await enqueue(
            original, uploader: uploader, category: category, activity: activity, caption: caption)
        let claimed = try await claim(job)
        var stored: [PostRendition] = []
        for (number, content) in renditions.enumerated() {
            stored.append(try await rendition(content, name: "r\(number)"))
        }
        let post = Self.post(upload: upload, renditions: stored)
        return try await pool.withTransaction { (transaction) async throws -> Int64 in
            let id = try await PublishingStore.publish(post, in: transaction)
            try await PictureStore.requireStored(post.renditions, in: media, transaction)
            try await JobStore.end(claimed.lease, as: .succeeded, in: transaction)
            return id
        }
    }

    func claim(_ job: JobID) async throws -> ClaimedJob {
        let worker = try await database.worker(concurrency: 100)
        let jobs = try await database.store.claim(limit: 1, worker: worker, kinds: [.ingest])
        return try #require(jobs.first { $0.id == job })
    }

    /// Runs the next job of a kind with its handler, and ends it.
    func run(_ kind: JobKind, _ handler: some JobHandler) async throws {
        try await database.store.enqueueBacklogs()
        let worker = try await database.worker()
        let job = try #require(
            try await database.store.claim(limit: 1, worker: worker, kinds: [kind]).first)
        try await finish(job, handler)
    }

    func finish(_ job: ClaimedJob, _ handler: some JobHandler) async throws {
        if case .endedByBatch = try await handler.run(job, trace: AttemptTrace()) {
            try await database.store.end(job.lease, as: .succeeded)
        }
    }

    var moderate: ModerateHandler { ModerateHandler(pool: pool, log: .silent) }
    var expire: ExpireHandler { ExpireHandler(pool: pool, log: .silent, batch: 2) }
    var erasePost: ErasePostHandler { ErasePostHandler(pool: pool, media: media, log: .silent) }
    var erasePerson: ErasePersonHandler { ErasePersonHandler(pool: pool, media: media, log: .silent) }
    var eraseOriginals: EraseOriginalsHandler {
        EraseOriginalsHandler(pool: pool, media: media, log: .silent, batch: 2)
    }

    func number(_ query: PostgresQuery) async throws -> Int {
        let rows = try await pool.query(query)
        return try rows[0].decode(rows.columns[0], as: Int.self)
    }

    func texts(_ query: PostgresQuery) async throws -> [String?] {
        let rows = try await pool.query(query)
        return try rows.map { try $0.decode(rows.columns[0], as: String?.self) }
    }

    func files() async throws -> [String] {
        guard let bucket else { return try filesBelow(root) }
        return try await bucket.keys(prefix: "media/").filter { !$0.contains("/.") }
    }
}
