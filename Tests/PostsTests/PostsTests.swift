import FoundationEssentials
import JobQueue
import JobStore
import Postgres
import Posts
import Telemetry
import TestKit
import Testing

@Suite("The moderation policy")
struct ModerationPolicyTests {
    @Test(
        "hides a published post at the threshold, and nothing else",
        arguments: PostState.allCases, [0, 2, 3, 4])
    func verdict(state: PostState, reporters: Int) {
        let policy = ModerationPolicy(version: 1, hideThreshold: 3)
        let expected: ModerationPolicy.Verdict = state == .published && reporters >= 3 ? .hide : .keep
        #expect(policy.verdict(state: state, distinctReporters: reporters) == expected)
    }
}

@Suite("Posts")
struct PostStoreTests {
    static func post(upload: Int64) -> NewPost {
        var post = NewPost(
            upload: upload, latitude: -33.9175, longitude: 18.4026, locationSource: .exif,
            place: PostPlace(
                country: .init(code: "ZA", name: "South Africa"),
                admin1: .init(code: "ZA.11", name: "Western Cape"),
                place: .init(geonameid: 3_369_157, name: "Cape Town", distanceMetres: 1900.5)),
            time: PostTime(
                instant: Date(timeIntervalSince1970: 1_384_795_660), local: "2013-11-18T19:27:40",
                source: .exif),
            width: 497, height: 331, format: "jpeg", stripped: ["EXIF", "GPS"],
            renditions: [
                PostRendition(
                    name: "square", mediaKey: "renditions/ab/cd/abcd.jpg",
                    sha256: String(repeating: "ab", count: 32), width: 320, height: 320, byteCount: 4321,
                    format: "jpeg")
            ])
        post.placeholder = [0, 127, 128, 255, 1, 2]
        // Beyond what a signed number holds.
        post.perceptualHash = 0xF0E1_D2C3_B4A5_9687
        post.camera = PostCamera(make: "Apple", model: nil)
        return post
    }

    static func publish(in database: QueueDatabase) async throws -> Int64 {
        try await database.enqueue()
        let claimed = try await database.claimOne()
        return try await database.pool.withTransaction { transaction in
            let id = try await PostStore.publish(post(upload: claimed.subject), in: transaction)
            try await JobStore.end(claimed.lease, as: .succeeded, in: transaction)
            return id
        }
    }

    static func report(_ post: Int64, by reporter: String, in database: QueueDatabase) async throws -> Bool {
        let rows = try await database.pool.query(
            """
            select darkroom.report_post(post_id => \(post), reporter => \(reporter), reason => 'spam') as made
            """)
        return try rows[0].decode("made", as: Bool.self)
    }

    @Test("come back as they were published")
    func roundTrip() async throws {
        try await QueueDatabase.with { database in
            let id = try await Self.publish(in: database)
            let record = try #require(try await PostStore(pool: database.pool).post(id))
            let original = Self.post(upload: record.upload)
            #expect(record.state == .published)
            #expect(record.latitude == original.latitude && record.longitude == original.longitude)
            #expect(record.place == original.place)
            #expect(record.time == original.time)
            #expect(record.stripped == original.stripped)
            #expect(record.renditions == original.renditions)
            #expect(record.placeholder == original.placeholder)
            #expect(record.perceptualHash == original.perceptualHash)
            #expect(record.camera == original.camera)
            let events = try await database.pool.query(
                "select event from darkroom.outbox where post_id = \(id)")
            #expect(try events.map { try $0.decode("event", as: String.self) } == ["published"])
        }
    }

    @Test(
        "get an instant from the place's time zone where the photo says no offset",
        arguments: [
            // Summer and winter in Cape Town and New York, and a zone that nobody knows.
            ("Africa/Johannesburg", "2013-07-18T19:27:40", "2013-07-18 17:27:40+00", "place"),
            ("America/New_York", "2024-01-15T12:00:00", "2024-01-15 17:00:00+00", "place"),
            ("America/New_York", "2024-07-15T12:00:00", "2024-07-15 16:00:00+00", "place"),
            ("Mars/Olympus_Mons", "2024-07-15T12:00:00", nil, nil),
            (nil, "2024-07-15T12:00:00", nil, nil),
        ] as [(String?, String, String?, String?)])
    func inferredTimes(zone: String?, clock: String, instant: String?, source: String?) async throws {
        try await QueueDatabase.with { database in
            try await database.enqueue()
            let claimed = try await database.claimOne()
            var post = Self.post(upload: claimed.subject)
            post.time = PostTime(instant: nil, local: clock, source: .exif)
            post.timeZone = zone
            let ready = post
            let id = try await database.pool.withTransaction { try await PostStore.publish(ready, in: $0) }
            let rows = try await database.pool.query(
                """
                select (taken_at at time zone 'UTC')::text || '+00' as taken, taken_at_offset_source as source,
                       to_char(taken_at_local, 'YYYY-MM-DD"T"HH24:MI:SS') as clock, time_zone
                from darkroom.posts where post_id = \(id)
                """)
            #expect(try rows[0].decode("taken", as: String?.self) == instant)
            #expect(try rows[0].decode("source", as: String?.self) == source)
            #expect(try rows[0].decode("clock", as: String?.self) == clock)
            #expect(try rows[0].decode("time_zone", as: String?.self) == zone)
        }
    }

    @Test("show a time that the uploader gave by the clocks of the place")
    func uploadersTimes() async throws {
        try await QueueDatabase.with { database in
            try await database.enqueue()
            let claimed = try await database.claimOne()
            var post = Self.post(upload: claimed.subject)
            post.time = PostTime(
                instant: Date(timeIntervalSince1970: 1_721_059_200), local: nil, source: .uploader)
            post.timeZone = "America/New_York"
            let ready = post
            let id = try await database.pool.withTransaction { try await PostStore.publish(ready, in: $0) }
            let record = try #require(try await PostStore(pool: database.pool).post(id))
            #expect(
                record.time
                    == PostTime(
                        instant: Date(timeIntervalSince1970: 1_721_059_200), local: "2024-07-15T12:00:00",
                        source: .uploader))
        }
    }

    @Test("are published once an upload, even by two workers with a lease each")
    func once() async throws {
        try await QueueDatabase.with { database in
            let id = try await Self.publish(in: database)
            let upload = try #require(try await PostStore(pool: database.pool).post(id)).upload
            let error = await #expect(throws: PostgresError.self) {
                try await database.pool.withTransaction {
                    _ = try await PostStore.publish(Self.post(upload: upload), in: $0)
                }
            }
            #expect(error?.constraint == "one_post_an_upload")
        }
    }

    @Test("are hidden when distinct reports reach the policy's threshold, which is a row")
    func moderation() async throws {
        try await QueueDatabase.with { database in
            try await database.pool.query(
                "insert into darkroom.moderation_policies (hide_threshold, note) values (2, 'test')")
            let post = try await Self.publish(in: database)
            let store = PostStore(pool: database.pool)
            let handler = ModerateHandler(pool: database.pool, log: .silent)

            #expect(try await Self.report(post, by: "r1", in: database))
            #expect(try await !Self.report(post, by: "r1", in: database), "one a reporter and post")
            _ = try await handler.run(try await database.claimOne(), trace: AttemptTrace())
            #expect(try await store.post(post)?.state == .published)
            #expect(try await store.post(post)?.reportCount == 1)

            #expect(try await Self.report(post, by: "r2", in: database))
            _ = try await handler.run(try await database.claimOne(), trace: AttemptTrace())
            #expect(try await store.post(post)?.state == .hidden)
            #expect(try await store.posts(in: [.published], limit: 10).isEmpty)
            #expect(try await store.posts(in: [.hidden], limit: 10).map(\.id) == [post])
            let decisions = try await database.pool.query(
                "select decision, reports, policy_version from darkroom.moderation_decisions order by decision_id"
            )
            #expect(try decisions.map { try $0.decode("decision", as: String.self) } == ["keep", "hide"])
            #expect(try decisions.map { try $0.decode("policy_version", as: Int.self) } == [2, 2])
            let events = try await database.pool.query("select event from darkroom.outbox order by event_id")
            #expect(try events.map { try $0.decode("event", as: String.self) } == ["published", "hidden"])
        }
    }

    @Test("have at most one moderate job waiting")
    func coalescing() async throws {
        try await QueueDatabase.with { database in
            let post = try await Self.publish(in: database)
            for reporter in 0..<6 { _ = try await Self.report(post, by: "r\(reporter)", in: database) }
            let waiting = try await database.jobs(in: [.waiting])
            #expect(waiting.count == 1)
            let running = try await database.claimOne()
            // What arrives while the job runs is not seen by it, so it gets a job of its own.
            _ = try await Self.report(post, by: "late", in: database)
            #expect(try await database.jobs(in: [.waiting]).count == 1)
            try await database.store.end(
                running.lease, as: .returned(Reason(code: "worker_stopped", message: "Stopped.")))
            #expect(try await database.jobs(in: [.waiting]).count == 2)
        }
    }

    @Test("are not moderated behind the back of a report that is still to commit")
    func uncommittedReport() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await Self.publish(in: database)
            _ = try await Self.report(post, by: "first", in: database)
            let worker = try await database.worker()
            try await database.pool.withTransaction { transaction in
                try await transaction.query(
                    "select darkroom.report_post(post_id => \(post), reporter => 'second', reason => 'spam')")
                let early = try await database.store.claim(limit: 1, worker: worker)
                #expect(early.isEmpty, "it would not see the second report")
                // Another reporter need not wait for this transaction.
                #expect(try await Self.report(post, by: "third", in: database))
            }
            let job = try #require(try await database.store.claim(limit: 1, worker: worker).first)
            _ = try await ModerateHandler(pool: database.pool, log: .silent).run(
                job, trace: AttemptTrace())
            #expect(try await PostStore(pool: database.pool).post(post)?.reportCount == 3)
        }
    }

    @Test("that do not exist cannot be reported")
    func unknownPost() async throws {
        try await QueueDatabase.with { database in
            let error = await #expect(throws: PostgresError.self) {
                try await Self.report(404, by: "r", in: database)
            }
            #expect(error?.sqlState == "P0002")
        }
    }
}
