import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("Drafts", .timeLimit(.minutes(10)))
struct DraftTests {
    private static func save(_ details: String = "", in database: QueueDatabase) async throws -> Int64 {
        Int64(
            try await database.number(
                PostgresQuery(
                    unescaped:
                        "select darkroom.enqueue_upload('ada', 'originals/d', repeat('ab', 32), 1, is_draft => true\(details))"
                )))
    }

    private static func state(_ job: Int64, in database: QueueDatabase) async throws -> [String?] {
        try await database.texts(
            """
            select state from darkroom.job_status(\(job), 'ada') union all
            select state from darkroom.uploader_posts('ada') where job_id = \(job)
            """)
    }

    private static func publish(
        _ job: Int64, _ details: String = "", by person: String = "ada", in database: QueueDatabase
    ) async throws -> Bool {
        try await database.pool.query(
            PostgresQuery(unescaped: "select darkroom.publish_draft(\(job), '\(person)'\(details)) as done"))[
                0
            ]
            .decode("done", as: Bool.self)
    }

    @Test("are listed, and queued once, with what was said last, when their uploaders publish them")
    func published() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let job = try await Self.save(", headline => 'Old', caption => 'Kept'", in: database)
            #expect(try await Self.state(job, in: database) == ["draft", "draft"])
            #expect(try await database.pool.query("select from darkroom.job_status(\(job), 'eve')").isEmpty)
            #expect(
                try await database.number("select count(*) from darkroom.jobs where kind = 'ingest'") == 0)
            #expect(try await !Self.publish(job, by: "eve", in: database))
            #expect(
                try await Self.publish(
                    job, ", headline => 'New', latitude => 47.6, longitude => -122.3", in: database))
            #expect(try await !Self.publish(job, in: database), "it is queued already")
            #expect(try await Self.state(job, in: database) == ["waiting", "waiting"])
            let said = try await database.texts(
                "select concat_ws('|', headline, caption, latitude, longitude) from darkroom.uploads")
            #expect(said == ["New|Kept|47.6|-122.3"])
            // A text is a draft, too, and both can be saved at once with what is no draft.
            let text = try await database.number(
                "select darkroom.enqueue_upload('ada', headline => 'Hm', place_text => 'Seattle', is_draft => true)"
            )
            #expect(try await Self.publish(Int64(text), in: database))
            try await database.pool.query(
                """
                select darkroom.enqueue_uploads('[{"uploader": "ada", "headline": "a", "place_text": "Rome", "is_draft": true},
                                                  {"uploader": "ada", "headline": "b", "place_text": "Rome"}]')
                """)
            let jobs = try await database.texts(
                "select kind from darkroom.jobs where kind like 'ingest%' order by job_id")
            #expect(jobs == ["ingest", "ingest_text", "ingest_text"])
        }
    }

    @Test("take all that an upload can say, and stay drafts if they are to")
    func everyField() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            func said() async throws -> [String?] {
                try await database.texts(
                    """
                    select jsonb_strip_nulls(to_jsonb(u) - array['upload_id', 'job_id', 'created_at', 'original_sha256'])::text
                    from darkroom.uploads u order by upload_id
                    """)
            }
            let rest = """
                , headline => 'H', caption => 'C', link => 'https://a.example', category => 'food', activity => 'fair',
                latitude => 1, longitude => 2, accuracy_m => 3, place_text => 'Rome', taken_at => '2026-01-02 03:04:05+00',
                location_privacy => 'place', place_near_latitude => 4, place_near_longitude => 5, place_country => 'IT',
                anonymous => true, venue_id => 'v', venue_name => 'Bar', credit => 'Ada', licence => 'CC0'
                """
            // As if all had been said at once.
            _ = try await Self.save(rest, in: database)
            let job = try await Self.save(in: database)
            #expect(try await Self.publish(job, rest + ", is_draft => true", in: database))
            let both = try await said()
            #expect(both.count == 2 && both[0] == both[1])
            #expect(try await Self.state(job, in: database) == ["draft", "draft"])
            // Arguments that there are both for saving and for publishing.
            let untold = try await database.texts(
                """
                select a from unnest((select proargnames from pg_proc where proname = 'enqueue_upload')) a
                except select unnest((select proargnames from pg_proc where proname = 'publish_draft')) order by 1
                """)
            #expect(
                untold == [
                    "idempotency_key", "original_bytes", "original_key", "original_sha256", "replaces",
                ])
            // Empty texts take away, and a place takes the place of a position.
            #expect(
                try await Self.publish(
                    job,
                    ", headline => ' ', link => '', activity => '', place_text => 'Bonn', is_draft => true",
                    in: database))
            let less = try #require(try await said()[1])
            for (part, isThere) in [
                ("headline", false), ("link", false), ("activity", false), (#""latitude""#, false),
                ("accuracy_m", false),
                (#""place_text": "Bonn""#, true), (#""caption": "C""#, true),
            ] {
                #expect(less.contains(part) == isThere, "\(part): \(less)")
            }
            let alone = await #expect(throws: PostgresError.self) {
                _ = try await Self.publish(job, ", accuracy_m => 5", in: database)
            }
            #expect(alone?.constraint == "accuracy_goes_with_coordinates")
            // What belongs together is replaced together.
            #expect(
                try await Self.publish(
                    job, ", venue_name => 'Inn', latitude => 7, longitude => 8, anonymous => false",
                    in: database))
            let last = try #require(try await said()[1])
            for (part, isThere) in [
                (#""venue_name": "Inn""#, true), ("venue_id", false), ("accuracy_m", false),
                (#""latitude": 7"#, true),
                (#""anonymous": false"#, true), (#""credit": "Ada""#, true), (#""is_draft": false"#, true),
            ] {
                #expect(last.contains(part) == isThere, "\(part): \(last)")
            }
        }
    }

    @Test(
        "ask the policy, the bar and the rules of an upload when they are published, and quotas when they are saved"
    )
    func refused() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let policies = PostingPolicyStore(pool: database.pool)
            _ = try await policies.set(note: "rule") { policy in
                policy.headlineRequired = true
                policy.photosADay = 2
            }
            let job = try await Self.save(", idempotency_key => 'k'", in: database)
            #expect(try await Self.save(", idempotency_key => 'k'", in: database) == job)
            let objections = try await database.texts(
                "select reason from darkroom.check_upload('ada', is_draft => true)")
            #expect(objections == [])
            for (details, constraint) in [
                ("", "headline_missing"),
                (", headline => 'x', latitude => 1", "latitude_and_longitude_go_together"),
                (
                    ", headline => 'x', link => 'https://a b'",
                    "link_names_a_host_without_credentials_or_control_characters"
                ),
            ] {
                let error = await #expect(throws: PostgresError.self) {
                    _ = try await Self.publish(job, details, in: database)
                }
                #expect(error?.constraint == constraint && error?.detail == nil, "\(details)")
                #expect(try await Self.state(job, in: database) == ["draft", "draft"])
            }
            _ = try await Self.save(in: database)
            let error = await #expect(throws: PostgresError.self) { _ = try await Self.save(in: database) }
            #expect(error?.constraint == "too_many_photos_today")
            try await database.pool.query("select darkroom.bar_person('ada', 'olga', 'No.')")
            let barred = await #expect(throws: PostgresError.self) {
                _ = try await Self.publish(job, ", headline => 'x'", in: database)
            }
            #expect(barred?.sqlState == "42501")
        }
    }

    @Test(
        "have a queue, priority and time to run only once they are published, and keep their idempotency keys"
    )
    func queue() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let rule = "draft_has_no_queue_priority_and_time_to_run"
            let saved = try await Self.save(in: database)
            for details in [
                ", queue => 'special'", ", priority => 5", ", run_at => '2027-01-01 00:00:00+00'",
            ] {
                let error = await #expect(throws: PostgresError.self) {
                    _ = try await Self.save(details, in: database)
                }
                #expect(error?.constraint == rule, "\(details)")
                let told = try await database.texts(
                    "select reason from darkroom.check_upload('ada', is_draft => true\(unescaped: details))")
                #expect(told == [rule], "\(details)")
                let changed = await #expect(throws: PostgresError.self) {
                    _ = try await Self.publish(saved, ", is_draft => true\(details)", in: database)
                }
                #expect(changed?.constraint == rule, "\(details)")
            }
            let job = try await Self.save(", idempotency_key => 'k'", in: database)
            let error = await #expect(throws: PostgresError.self) {
                try await database.pool.query(
                    "select darkroom.enqueue_upload('ada', 'originals/d', repeat('ab', 32), 1, idempotency_key => 'k')"
                )
            }
            #expect(
                error?.sqlState == .uniqueViolation && error?.message.contains("a draft (job \(job))") == true
            )
            #expect(
                try await Self.publish(
                    job, ", queue => 'special', priority => -5, run_at => '2027-01-01 00:00:00+00'",
                    in: database))
            let queued = try await database.texts(
                """
                select l.queue || ' ' || l.priority || ' ' || extract(year from j.run_at at time zone 'UTC')
                from darkroom.jobs j join darkroom.lanes l using (lane) where j.kind = 'ingest'
                """)
            #expect(queued == ["special -5 2027"])
            // A text that was changed is the same draft.
            let text =
                "select darkroom.enqueue_upload('ada', headline => 'A', place_text => 'Rome', is_draft => true, idempotency_key => 't')"
            let first = try await database.number(PostgresQuery(unescaped: text))
            #expect(try await Self.publish(Int64(first), ", headline => 'B', is_draft => true", in: database))
            #expect(try await database.number(PostgresQuery(unescaped: text)) == first)
            // A repeated call returns the job now.
            let again = try await database.number(
                "select darkroom.enqueue_upload('ada', 'originals/d', repeat('ab', 32), 1, idempotency_key => 'k')"
            )
            #expect(Int64(again) == job)
        }
    }

    @Test("keep their originals until they are discarded, by their uploaders or after their time")
    func discarded() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            func retired() async throws -> [String?] {
                try await database.texts("select media_key from darkroom.retired_media order by 1")
            }
            let job = try await Self.save(in: database)
            try await database.pool.query("update darkroom.settings set original_days = 0")
            try await database.pool.query(
                "update darkroom.uploads set created_at = now() - interval '89 days'")
            try await database.pool.query("select darkroom.retire_originals('-infinity', 0)")
            #expect(try await database.number("select darkroom.prune_drafts()") == 0)
            #expect(try await retired() == [])
            for (person, isDone) in [("eve", "false"), ("ada", "true"), ("ada", "false")] {
                #expect(
                    try await database.texts("select darkroom.cancel_job(\(job), \(person))::text") == [
                        isDone
                    ])
            }
            #expect(try await Self.state(job, in: database) == [])
            #expect(try await retired() == ["originals/d"])
            _ = try await Self.save(in: database)
            try await database.pool.query(
                "update darkroom.uploads set created_at = now() - interval '91 days'")
            #expect(try await database.number("select darkroom.prune_drafts()") == 1)
            #expect(try await database.number("select count(*) from darkroom.uploads") == 0)
        }
    }
}
