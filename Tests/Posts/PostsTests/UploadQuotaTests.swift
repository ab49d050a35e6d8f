import JobQueue
import Postgres
import Posts
import TestKit
import Testing

@Suite("The quotas of the posting policy", .timeLimit(.minutes(15)))
struct UploadQuotaTests {
    @Test("let a person upload so many photos and texts, and no more", arguments: [1, 2, 5])
    func photos(quota: Int) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.set(photos: quota)
            for number in 1...quota {
                #expect(try await database.left("ada")?.photos == quota - number + 1)
                #expect(try await database.objections("ada") == [])
                if number == 1 {
                    try await database.enqueueText("ada")
                } else {
                    try await database.add("ada")
                }
            }
            #expect(try await database.left("ada")?.photos == 0)
            #expect(try await database.objections("ada") == ["too_many_photos_today"])
            for refused in [
                await database.refusal { try await database.add("ada") },
                await database.refusal { try await database.enqueueText("ada") },
            ] {
                #expect(refused?.sqlState == .checkViolation)
                #expect(refused?.constraint == "too_many_photos_today")
                #expect((86_300...86_400).contains(refused?.detail.flatMap { Int($0) } ?? 0))
                #expect(
                    refused?.message
                        == "Within 24 hours, at most \(quota == 1 ? "1 photo or text" : "\(quota) photos or texts") can be "
                        + "uploaded here. You can go on in 24 h.")
            }
            #expect(try await database.uploads("ada") == quota)
            try await database.add("bob")
        }
    }

    @Test("let a person upload so many bytes, and not one more")
    func bytes() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.set(bytes: 100)
            try await database.add("ada", bytes: 60)
            #expect(try await database.left("ada")?.bytes == 40)
            let more = await database.refusal { try await database.add("ada", bytes: 41) }
            #expect(more?.constraint == "too_many_bytes_today" && more?.detail.flatMap { Int($0) } != nil)
            #expect(try await database.objections("ada") == [], "a smaller one fits")
            try await database.add("ada", bytes: 40)
            #expect(try await database.objections("ada") == ["too_many_bytes_today"])
            let one = await database.refusal { try await database.add("ada", bytes: 1) }
            #expect(one?.constraint == "too_many_bytes_today")
            try await database.enqueueText("ada")
            // Waiting does not help.
            let never = await database.refusal { try await database.add("bob", bytes: 101) }
            #expect(never?.constraint == "too_many_bytes_today" && never?.detail == "")
            #expect(
                never?.message == "Within 24 hours, at most 100 bytes can be uploaded here, and this is more."
            )
            #expect(try await database.left("bob")?.bytes == 100)
            // As many as there can be.
            let huge = await database.refusal {
                try await database.pool.query(
                    """
                    select darkroom.enqueue_uploads((
                        select jsonb_agg(jsonb_build_object(
                            'uploader', 'eve', 'original_key', 'originals/x', 'original_sha256', repeat('ab', 32),
                            'original_bytes', 9007199254740991))
                        from generate_series(1, 2000)))
                    """)
            }
            #expect(huge?.constraint == "too_many_bytes_today")
        }
    }

    @Test("count each upload for 24 hours, and say to the second when there is room")
    func rolling() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.set(photos: 3, bytes: 100)
            for _ in 0..<3 { try await database.add("ada", bytes: 30) }
            /// Makes the three uploads as old as this, and returns after how many seconds another photo fits.
            func wait(_ ages: [String], bytes: Int) async throws -> Int? {
                // In one transaction, in which it is the same time.
                try await database.pool.withTransaction { transaction in
                    try await transaction.query(
                        """
                        update darkroom.uploads u set created_at = now() - o.age::interval
                        from (select upload_id, (\(ages)::text[])[row_number() over (order by upload_id)] as age
                              from darkroom.uploads where uploader = 'ada') o
                        where u.upload_id = o.upload_id
                        """)
                    return try await transaction.query(
                        "select retry_after_s from darkroom.quota_objections('ada', 1, \(bytes)::bigint)"
                    ).first?.decode("retry_after_s", as: Int?.self)
                }
            }
            #expect(try await wait(["20 h", "10 h", "5 h"], bytes: 1) == 4 * 3600)
            #expect(try await wait(["20 h", "10 h", "5 h"], bytes: 40) == 4 * 3600)
            #expect(try await wait(["20 h", "10 h", "5 h"], bytes: 70) == 14 * 3600)
            #expect(try await wait(["20 h", "10 h", "5 h"], bytes: 71) == 19 * 3600)
            #expect(try await wait(["23 h 59 min 59.5 s", "10 h", "5 h"], bytes: 1) == 1)
            #expect(try await wait(["24 h", "10 h", "5 h"], bytes: 1) == nil)
            #expect(try await wait(["24 h", "10 h", "5 h"], bytes: 41) == 14 * 3600)
            try await database.add("ada", bytes: 40)
            #expect(try await database.left("ada")?.photos == 0)
        }
    }

    @Test("are kept by uploads of a person at the same time", arguments: [2, 5, 20])
    func concurrency(uploads: Int) async throws {
        try await QueueDatabase.with(connections: uploads) { (database: QueueDatabase) async throws -> Void in
            for (photos, bytes, reason) in [
                (uploads / 2, nil, "too_many_photos_today"), (nil, uploads / 2, "too_many_bytes_today"),
            ] {
                try await database.set(photos: photos, bytes: bytes)
                let reasons = try await withThrowingTaskGroup(of: String?.self) { group in
                    for _ in 0..<uploads {
                        group.addTask {
                            while true {
                                let refused = await database.refusal { try await database.add(reason) }
                                // A busy machine may take long for so many.
                                if refused?.sqlState?.description != "55P03" { return refused?.constraint }
                            }
                        }
                    }
                    return try await group.reduce(into: [String?]()) { $0.append($1) }
                }
                #expect(reasons.filter { $0 == nil }.count == uploads / 2)
                #expect(reasons.filter { $0 == reason }.count == uploads - uploads / 2)
                #expect(try await database.uploads(reason) == uploads / 2)
            }
        }
    }

    @Test("wait for an open transaction for half a second at most, and never deadlock")
    func turns() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.set(photos: 1)
            let first = try await PostgresConnection.connect(database.configuration)
            let second = try await PostgresConnection.connect(database.configuration)
            try await first.execute("begin")
            try await first.query(QueueDatabase.adding("ada"))
            let busy = await database.refusal { try await database.add("ada") }
            #expect(busy?.sqlState?.description == "55P03")
            try await database.add("bob")
            // What is undone does not count.
            try await first.execute("rollback")
            try await database.add("ada")
            // Each has what the other wants.
            for connection in [first, second] { try await connection.execute("begin") }
            try await first.query(QueueDatabase.adding("cleo"))
            try await second.query(QueueDatabase.adding("dan"))
            async let crossing = database.refusal { try await first.query(QueueDatabase.adding("dan")) }
            let other = await database.refusal { try await second.query(QueueDatabase.adding("cleo")) }
            let states = await [crossing?.sqlState, other?.sqlState].compactMap { $0?.description }
            #expect(!states.isEmpty && states.allSatisfy { $0 == "55P03" })
            await first.close()
            await second.close()
        }
    }

    @Test("do not matter to uploads that are sent again, nor without a quota or after it was lifted")
    func repeats() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            #expect(try await database.left("ada") == nil)
            for _ in 0..<3 { try await database.add("ada") }
            try await database.set(photos: 4)
            let job = try await database.enqueue(key: "a")
            #expect(try await database.objections("ada") == ["too_many_photos_today"])
            #expect(try await database.enqueue(key: "a") == job)
            #expect(try await database.objections("ada", key: "a") == [])
            #expect(try await database.objections("ada", key: "b") == ["too_many_photos_today"])
            #expect(await database.refusal { _ = try await database.enqueue(key: "b") } != nil)
            // What was withdrawn has been uploaded.
            #expect(
                try await database.pool.query("select darkroom.cancel_job(\(job.rawValue)) as done")[0]
                    .decode("done", as: Bool.self))
            #expect(await database.refusal { try await database.add("ada") } != nil)
            try await database.set(photos: 2)
            #expect(try await database.left("ada")?.photos == 0)
            try await database.set(photos: 5)
            try await database.add("ada")
            #expect(await database.refusal { try await database.add("ada") } != nil)
            try await database.set()
            try await database.add("ada")
            #expect(try await database.left("ada") == nil)
            await #expect(throws: PostgresError.self, "a quota is for all categories together") {
                _ = try await PostingPolicyStore(pool: database.pool).set(for: "food", note: "x") {
                    $0.photosADay = 1
                }
            }
        }
    }

    @Test("let all of a bulk pass or none of it, no matter who is at the limit")
    func bulk() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.set(photos: 3)
            @Sendable func enqueue(_ people: [String], keys: [String?] = []) async throws {
                try await database.pool.query(
                    """
                    select darkroom.enqueue_uploads((
                        select jsonb_agg(jsonb_build_object(
                            'uploader', p, 'original_key', 'originals/x', 'original_sha256', repeat('ab', 32),
                            'original_bytes', 1, 'idempotency_key', k))
                        from unnest(\(people)::text[], \(keys)::text[]) u (p, k)))
                    """)
            }
            try await enqueue(["ada", "bob", "ada", "bob", "ada"])
            let refused = await database.refusal { try await enqueue(["cleo", "bob", "bob", "dan"]) }
            #expect(refused?.constraint == "too_many_photos_today")
            #expect(try await database.uploads("cleo") == 0)
            #expect(try await database.uploads("bob") == 2)
            try await enqueue(["cleo", "bob", "dan"], keys: ["a", "a", "a"])
            // Two of these are there already.
            try await enqueue(["bob", "cleo", "dan"], keys: ["a", "a", "b"])
            #expect(try await database.uploads("dan") == 2)
            let never = await database.refusal { try await enqueue(["eve", "eve", "eve", "eve"]) }
            #expect(never?.constraint == "too_many_photos_today" && never?.detail == "")
        }
    }

    @Test("begin from nothing after a person was erased")
    func erasure() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.set(photos: 2, bytes: 10)
            for _ in 0..<2 { try await database.add("ada") }
            let people = PersonStore(pool: database.pool)
            let order = try await people.erase("ada", requestedBy: "ada")
            _ = try await people.cancelJobs(order)
            #expect(try await people.eraseUploads(order) == 2)
            #expect(try await database.left("ada")?.photos == 2)
            #expect(try await database.left("ada")?.bytes == 10)
            #expect(try await database.objections("ada") == [])
        }
    }
}

extension QueueDatabase {
    fileprivate func set(photos: Int? = nil, bytes: Int? = nil) async throws {
        _ = try await PostingPolicyStore(pool: pool).set(note: "test") {
            $0.photosADay = photos
            $0.bytesADay = bytes
        }
    }

    fileprivate static func adding(_ person: String, bytes: Int = 1) -> PostgresQuery {
        "select darkroom.enqueue_upload(\(person), 'originals/x', repeat('ab', 32), \(bytes)::bigint)"
    }

    fileprivate func add(_ person: String, bytes: Int = 1) async throws {
        try await pool.query(Self.adding(person, bytes: bytes))
    }

    fileprivate func enqueueText(_ person: String) async throws {
        try await pool.query(
            "select darkroom.enqueue_upload(\(person), headline => 'x', latitude => 1, longitude => 2)")
    }

    fileprivate func uploads(_ person: String) async throws -> Int {
        try await pool.query("select count(*) as n from darkroom.uploads where uploader = \(person)")[0]
            .decode("n", as: Int.self)
    }

    fileprivate func objections(_ person: String, key: String? = nil) async throws -> [String] {
        try await pool.query(
            "select reason from darkroom.check_upload(\(person), idempotency_key => \(key))"
        ).map { try $0.decode("reason", as: String.self) }
    }

    /// Nil if there is no quota.
    fileprivate func left(_ person: String) async throws -> (photos: Int?, bytes: Int?)? {
        let row = try await pool.query(
            "select photos_left, bytes_left from darkroom.upload_quota(\(person))")[0]
        let left = (
            try row.decode("photos_left", as: Int?.self), try row.decode("bytes_left", as: Int?.self)
        )
        return left == (nil, nil) ? nil : left
    }

    fileprivate func refusal(_ body: @Sendable () async throws -> Void) async -> PostgresError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? PostgresError ?? PostgresError(.server, "\(error)")
        }
    }
}
