import FoundationEssentials
import JobQueue
import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("Screening", .timeLimit(.minutes(15)))
struct ScreeningTests {
    @Test(
        "holds photos that resemble a removed one or come from an uploader with a record",
        arguments: [
            (0, nil, Screening.clear), (2, nil, .clear), (3, nil, .held(.uploaderRecord(removals: 3))),
            (0, 6, .held(.lookAlike(LookAlike(post: 9, distance: 6)))), (0, 7, .clear),
            (5, 0, .held(.lookAlike(LookAlike(post: 9, distance: 0)))),
            (5, 7, .held(.uploaderRecord(removals: 5))),
        ] as [(Int, Int?, Screening)])
    func rule(removals: Int, distance: Int?, expected: Screening) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let hash: UInt64 = 0x1234_5678_9ABC_DEF0
            try await database.pool.query(
                "insert into darkroom.removals (post_id, uploader) select 100 + n, 'ada' from generate_series(1, \(removals)) n"
            )
            // Long ago, and another person's.
            try await database.pool.query(
                "insert into darkroom.removals values (1, 'ada', now() - interval '91 days'), (2, 'bob', now())"
            )
            if let distance {
                let similar = Self.flip((0..<64).prefix(distance).map { $0 * 9 % 64 }[...], of: hash)
                try await database.pool.query(
                    "insert into darkroom.removed_hashes values (9, \(Int64(bitPattern: similar)))")
            }
            try await database.enqueue(uploader: "ada")
            #expect(try await database.publishing.screen(upload: 1, perceptualHash: hash) == expected)
        }
    }

    @Test("looks for look-alikes in the index of each band")
    func indexes() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.withConnection { connection in
                try await connection.query(
                    "insert into darkroom.removed_hashes select n, hashtextextended(n::text, 0) from generate_series(1, 5000) n"
                )
                try await connection.query("vacuum analyze darkroom.removed_hashes")
                try await connection.query("select darkroom.similar_removed(77, 7)")
                try await connection.query("select pg_stat_force_next_flush()")
                let used = try await connection.query(
                    "select indexrelname::text as name from pg_stat_user_indexes where indexrelname ~ 'removed_hashes_band' and idx_scan > 0"
                )
                #expect(used.count == 4)
            }
        }
    }

    @Test("finds the same look-alikes as comparing with every hash", arguments: 0...7)
    func exactness(distance: Int) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            var random = SplitMix(state: UInt64(distance))
            var stored: [UInt64] = (0..<400).map { _ in random.next() }
            let sought: [UInt64] = (0..<60).map { _ in random.next() } + [0, .max, 1 << 63]
            // Around each, hashes at every distance up to 9, with bits spread out and all in one band.
            for hash in sought {
                for bits in 0...9 {
                    stored.append(Self.flip(Array(0..<64).shuffled(using: &random).prefix(bits), of: hash))
                    let band = 16 * Int.random(in: 0..<4, using: &random)
                    stored.append(
                        Self.flip(Array(band..<band + 16).shuffled(using: &random).prefix(bits), of: hash))
                }
            }
            try await database.pool.query(
                """
                insert into darkroom.removed_hashes (post_id, hash)
                select number, hash from unnest(\(stored.map { Int64(bitPattern: $0) })::bigint[])
                    with ordinality as h (hash, number)
                """)
            for hash in sought {
                let rows = try await database.pool.query(
                    """
                    select post_id, differing from darkroom.similar_removed(\(Int64(bitPattern: hash)), \(distance))
                    """)
                let found = try rows.map {
                    LookAlike(
                        post: try $0.decode("post_id", as: Int64.self),
                        distance: try $0.decode("differing", as: Int.self))
                }
                let expected = stored.enumerated().map {
                    LookAlike(post: Int64($0 + 1), distance: ($1 ^ hash).nonzeroBitCount)
                }.filter { $0.distance <= distance }.sorted {
                    ($0.distance, $0.post) < ($1.distance, $1.post)
                }
                #expect(found == expected)
                #expect(expected.count >= 2 * (distance + 1))
            }
        }
    }

    private static func flip(_ bits: ArraySlice<Int>, of hash: UInt64) -> UInt64 {
        bits.reduce(hash) { $0 ^ (1 << UInt64($1)) }
    }

    /// Publishes an upload with its screening, like the ingestion.
    static func ingest(
        _ database: QueueDatabase, uploader: String, hash: UInt64?
    ) async throws -> (post: Int64, screening: Screening) {
        try await database.enqueue(uploader: uploader)
        let worker = try await database.worker()
        let job = try #require(
            try await database.store.claim(limit: 1, worker: worker, kinds: [JobKind("ingest")]).first)
        let screening = try await database.publishing.screen(upload: job.subject, perceptualHash: hash)
        var new = PublishingTests.post(upload: job.subject)
        new.perceptualHash = hash
        let post = new
        let id = try await database.pool.withTransaction { transaction in
            let id = try await PublishingStore.publish(post, screening: screening, in: transaction)
            try await JobStore.end(job.lease, as: .succeeded, in: transaction)
            return id
        }
        return (id, screening)
    }

    @Test("holds a look-alike until it is approved, and tells the app about both")
    func lookAlike() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let hash: UInt64 = 0xF0E1_D2C3_B4A5_9687
            let first = try await Self.ingest(database, uploader: "ada", hash: hash)
            #expect(first.screening == .clear)
            _ = try await database.reviews.review(first.post, .remove(.terms(nil)), by: "olga")

            let copy = try await Self.ingest(database, uploader: "bob", hash: hash ^ 0b10_0110_0001)
            #expect(copy.screening == .held(.lookAlike(LookAlike(post: first.post, distance: 4))))
            #expect(try await database.state(ofPost: copy.post) == .held)
            #expect(try await database.events(of: copy.post) == ["held"])
            let hold = try #require(try await database.decisions.decisions(on: copy.post).first)
            #expect(hold.kind == .hold && hold.cause == "look_alike" && hold.similar?.post == first.post)
            let statement = try #require(try await database.decisions.statementOfReasons(for: hold.id))
            #expect(statement.isAutomaticallyDetected && !statement.isByNotice)

            let before = try #require(try await database.reading.post(copy.post)).publishedAt
            _ = try await database.reviews.review(copy.post, .approve, by: "olga")
            #expect(try await database.events(of: copy.post) == ["held", "published"])
            #expect(try #require(try await database.reading.post(copy.post)).publishedAt > before)

            for hash in [~hash, nil] {
                let other = try await Self.ingest(database, uploader: "bob", hash: hash)
                #expect(other.screening == .clear)
            }
            _ = try await database.reviews.review(first.post, .restore, by: "olga")
            #expect(try await Self.ingest(database, uploader: "bob", hash: hash).screening == .clear)
        }
    }

    @Test("holds the photos of people who had three posts removed within the policy's time")
    func uploaderRecord() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            var removed: [Int64] = []
            for _ in 0..<3 {
                let (post, screening) = try await Self.ingest(database, uploader: "mallory", hash: nil)
                #expect(screening == .clear)
                _ = try await database.reviews.review(post, .remove(.terms(nil)), by: "olga")
                removed.append(post)
            }
            let held = try await Self.ingest(database, uploader: "mallory", hash: nil)
            #expect(held.screening == .held(.uploaderRecord(removals: 3)))
            #expect(try await database.decisions.decisions(on: held.post).map(\.uploaderRemovals) == [3])
            #expect(try await Self.ingest(database, uploader: "ada", hash: nil).screening == .clear)
            // A held post that is removed and restored is then published for the first time.
            _ = try await database.reviews.review(held.post, .remove(.terms(nil)), by: "olga")
            _ = try await database.reviews.review(held.post, .restore, by: "olga")
            #expect(try await database.events(of: held.post) == ["held", "removed", "published"])
            try await database.pool.query(
                """
                update darkroom.removals set removed_at = removed_at - interval '91 days' where post_id = \(removed[0])
                """)
            #expect(try await Self.ingest(database, uploader: "mallory", hash: nil).screening == .clear)
        }
    }

    @Test("holds every upload and edit where a person looks at all of them first")
    func everyUpload() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let earlier = try await Self.ingest(database, uploader: "ada", hash: nil)
            try await database.pool.query(
                """
                insert into darkroom.moderation_policies (hide_threshold, removals_to_hold, note)
                select hide_threshold, 0, 'all' from darkroom.moderation_policies
                """)
            let held = try await Self.ingest(database, uploader: "ada", hash: 7)
            #expect(held.screening == .held(.everyUpload))
            let own = try await database.pool.query(
                "select state, message from darkroom.uploader_posts('ada') where post_id = \(held.post)")
            #expect(try own[0].decode("state", as: String.self) == "held")
            #expect(
                try own[0].decode("message", as: String.self)
                    == "A person looks at every post here before others see it.")
            let listed = try await database.texts("select cause from darkroom.posts_to_review()")
            #expect(listed == ["every_upload"])
            _ = try await database.reviews.review(held.post, .approve, by: "olga")
            #expect(try await database.events(of: held.post) == ["held", "published"])
            let edited = try await database.texts(
                "select darkroom.edit_post(\(earlier.post), 'ada', 'Another headline', null, null)")
            #expect(edited == ["hidden"])
        }
    }

    @Test("tells readers of events about a held photo soon, if and only if the hold commits")
    func heldEvent() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let store = EventStore(pool: database.pool)
            try await store.addConsumer("push")
            try await database.enqueue(uploader: "bob")
            let worker = try await database.worker()
            let job = try #require(
                try await database.store.claim(limit: 1, worker: worker, kinds: [JobKind("ingest")]).first)
            let post = PublishingTests.post(upload: job.subject)
            let held = Screening.held(.uploaderRecord(removals: 3))
            await #expect(throws: CancellationError.self) {
                try await database.pool.withTransaction { transaction in
                    _ = try await PublishingStore.publish(post, screening: held, in: transaction)
                    throw CancellationError()
                }
            }
            #expect(try await database.number("select count(*) from darkroom.outbox") == 0)
            #expect(try await database.store.enqueueBacklogs() == 0)
            let id = try await database.pool.withTransaction { transaction in
                try await PublishingStore.publish(post, screening: held, in: transaction)
            }
            #expect(try await database.store.enqueueBacklogs() == 1, "a tally, which numbers the event")
            try await database.pool.query("select darkroom.notify_of_events()")
            let events = try await store.events(for: "push", limit: 10)
            #expect(events.map(\.event) == ["held"] && events.map(\.post) == [id])
            #expect(events.map(\.uploader) == ["bob"], "whom the app is to tell")
            #expect(try await store.events(after: 0, limit: 10) == events)
            let error = await #expect(throws: PostgresError.self) {
                try await database.pool.query(
                    "insert into darkroom.outbox (post_id, event) values (1, 'forgotten')")
            }
            #expect(error?.constraint == "outbox_event_is_known")
        }
    }

    @Test("knows uploaders since their first upload")
    func acquaintance() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            _ = try await Self.ingest(database, uploader: "ada", hash: nil)
            #expect(
                try await database.number(
                    """
                    select count(*) from darkroom.people join darkroom.uploads on uploader = person
                    where first_seen_at = created_at
                    """) == 1)
        }
    }
}
