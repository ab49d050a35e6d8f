import Postgres

/// What a storm has left in the database and in the media store.
struct StormFacts: Sendable {
    struct End: Sendable, Equatable {
        var state: String
        var reason: String?
        /// Microseconds since 1970.
        var time: Int64
    }

    struct File: Sendable, Hashable {
        var key: String
        var sha256: String
    }

    struct Upload: Sendable, Equatable {
        /// How many rows have the key.
        var rows = 1
        var originalKey = ""
        /// The state of its job, while it is not finished.
        var unfinished: String?
        var ends: [End] = []
        /// The files of each of its posts.
        var posts: [[File]] = []
    }

    /// By idempotency key.
    var uploads: [String: Upload] = [:]
    /// The hash of each picture in the store, by key, computed from its bytes.
    var pictures: [String: String] = [:]
    var originals: Set<String> = []
    var leases = 0
    var workers = 0
    /// Jobs that still hold a slot of a limited uploader.
    var slots = 0
    var failures = 0
    var crashes = 0
    var deaths = 0

    static func load(_ site: StormSite) async throws -> StormFacts {
        var facts = StormFacts()
        let url = try await site.servers.administrativeURL()
        let connection = try await PostgresConnection.connect(
            PostgresConfiguration(url: url, applicationName: "storm"))
        let result: Result<Void, any Error> = await Result {
            try await facts.readUploads(connection)
            try await facts.readSums(connection)
        }
        await connection.close()
        try result.get()
        (facts.originals, facts.pictures) = try await site.store.files()
        return facts
    }

    private mutating func readUploads(_ connection: PostgresConnection) async throws {
        for row in try await connection.query(
            """
            select u.idempotency_key as key, u.original_key,
                   case when j.job_id is not null then darkroom.state_of(j.lease, j.waits_for)::text end as unfinished
            from darkroom.uploads u
            left join darkroom.jobs j on j.kind = 'ingest' and j.subject_id = u.upload_id
            where u.idempotency_key is not null
            """)
        {
            let key = try row.decode("key", as: String.self)
            let isKnown = uploads[key] != nil
            uploads[key, default: Upload()].rows += isKnown ? 1 : 0
            uploads[key]?.originalKey = try row.decode("original_key", as: String.self)
            uploads[key]?.unfinished = try row.decode("unfinished", as: String?.self)
        }
        for row in try await connection.query(
            """
            select u.idempotency_key as key, f.state::text as state, f.reason,
                   (extract(epoch from f.finished_at) * 1000000)::bigint as time
            from darkroom.finished_jobs f join darkroom.uploads u on u.upload_id = f.subject_id
            where f.kind = 'ingest' and u.idempotency_key is not null
            """)
        {
            let end = End(
                state: try row.decode("state", as: String.self),
                reason: try row.decode("reason", as: String?.self),
                time: try row.decode("time", as: Int64.self))
            uploads[try row.decode("key", as: String.self)]?.ends.append(end)
        }
        for row in try await connection.query(
            """
            select u.idempotency_key as key,
                   array(select r.media_key from darkroom.renditions r where r.post_id = p.post_id order by r.name) as keys,
                   array(select encode(r.sha256, 'hex') from darkroom.renditions r where r.post_id = p.post_id order by r.name) as hashes
            from darkroom.posts p join darkroom.uploads u using (upload_id)
            where u.idempotency_key is not null
            """)
        {
            let keys = try row.decode("keys", as: [String].self)
            let hashes = try row.decode("hashes", as: [String].self)
            uploads[try row.decode("key", as: String.self)]?.posts.append(
                zip(keys, hashes).map { File(key: $0, sha256: $1) })
        }
    }

    private mutating func readSums(_ connection: PostgresConnection) async throws {
        let row = try await connection.query(
            """
            select (select count(*)::int from darkroom.leases) as leases,
                   (select count(*)::int from darkroom.workers) as workers,
                   (select count(*)::int from darkroom.jobs where running_key is not null) as slots,
                   coalesce(sum(failures), 0)::int as failures, coalesce(sum(crashes), 0)::int as crashes,
                   coalesce(sum(deaths), 0)::int as deaths
            from darkroom.finished_jobs where kind = 'ingest'
            """)[0]
        leases = try row.decode("leases", as: Int.self)
        workers = try row.decode("workers", as: Int.self)
        slots = try row.decode("slots", as: Int.self)
        failures = try row.decode("failures", as: Int.self)
        crashes = try row.decode("crashes", as: Int.self)
        deaths = try row.decode("deaths", as: Int.self)
    }
}
