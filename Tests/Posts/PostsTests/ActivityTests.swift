import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("Activities", .timeLimit(.minutes(15)))
struct ActivityTests {
    private static func texts(_ query: PostgresQuery, _ database: QueueDatabase) async throws -> [String] {
        try await database.pool.query(query).map { try $0.decode("text", as: String.self) }
    }

    private static func refusal(_ call: String, _ database: QueueDatabase) async -> (SQLState?, String?) {
        do {
            try await database.pool.query(PostgresQuery(unescaped: "select darkroom.\(call)"))
            return (nil, nil)
        } catch {
            let error = error as? PostgresError
            return (error?.sqlState, error?.constraint)
        }
    }

    private static func publish(_ activity: String, _ database: QueueDatabase) async throws -> String {
        try await texts(
            """
            with upload as (
                insert into darkroom.uploads (uploader, job_id, original_key, original_sha256, original_bytes)
                values ('ada', -nextval('darkroom.jobs_job_id_seq'), 'originals/a', sha256('a'), 1) returning upload_id)
            insert into darkroom.posts (upload_id, uploader, activity, latitude, longitude, location_source, width, height, format)
            select upload_id, 'ada', \(activity), 47.6, -122.3, 'exif', 1, 1, 'jpeg' from upload
            returning activity as text
            """, database)[0]
    }

    @Test("have one name, and aliases that mean it in uploads, filters, policies and posts, in any case")
    func aliases() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            #expect(
                try await Self.texts(
                    "select darkroom.create_activity('  Harbour Festival ', aliases => array['HF', ' hafenfest']) as text",
                    database) == ["Harbour Festival"])
            for name in ["Harbour Festival", "HARBOUR FESTIVAL", "hf", " HF ", "Hafenfest"] {
                #expect(
                    try await Self.texts("select darkroom.activity_named(\(name)) as text", database)
                        == ["Harbour Festival"], "\(name)")
                try await database.pool.query(
                    "select darkroom.enqueue_upload('ada', 'originals/a', repeat('ab', 32), 1, activity => \(name))"
                )
                try await database.pool.query(
                    "insert into darkroom.location_policies (activity, note) values (\(name), 'x')")
                try await database.pool.query(
                    "insert into darkroom.expiry_policies (activity, note) values (\(name), 'x')")
                #expect(try await Self.publish(name, database) == "Harbour Festival")
            }
            for table in ["uploads", "location_policies", "expiry_policies"] {
                #expect(
                    try await Self.texts(
                        """
                        select distinct activity as text from darkroom.\(unescaped: table) where activity is not null
                        """, database) == [table == "uploads" ? "Harbour Festival" : "harbour festival"],
                    "\(table)")
            }
            for call in [
                "latest_posts(in_activity => 'hf')", "top_posts('likes', in_activity => 'hf')",
                "nearest_posts(47.6, -122.3, in_activity => 'hf')",
                "near_and_good_posts(47.6, -122.3, in_activity => 'hf')",
                "posts_within(47.6, -122.3, 1000, in_activity => 'hf')",
            ] {
                try await database.pool.query("select darkroom.tally_map()")
                let found = try await database.pool.query("select from darkroom.\(unescaped: call)")
                #expect(found.count == 5, "\(call)")
            }
            #expect(
                try await Self.texts("select darkroom.activity_named(' Unknown ') as text", database) == [
                    "Unknown"
                ])
        }
    }

    @Test(
        "refuse names and aliases of others, areas and times that cannot be, and more than a login may have")
    func refusals() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query("update darkroom.settings set activities_at_most = 4")
            try await database.pool.query("select darkroom.create_activity('Fair', aliases => array['F'])")
            for (call, state, constraint) in [
                ("create_activity('FAIR')", "23505", "activity_name_is_taken"),
                ("create_activity('f')", "23505", "activity_name_is_taken"),
                ("create_activity('new', aliases => array['fair'])", "23505", "activity_name_is_taken"),
                ("create_activity('  ')", "23514", "activity_is_1_to_100_characters"),
                ("create_activity(null)", "23514", "activity_is_1_to_100_characters"),
                ("create_activity(U&'\\00AD')", "23514", "word_has_a_visible_character_or_is_blank"),
                ("create_activity(repeat('x', 101))", "23514", "word_is_one_line_of_at_most_100_characters"),
                (
                    "create_activity(repeat('x', 1000000))", "23514",
                    "a_text_has_at_most_20000_bytes_and_30_combining_marks_in_a_row"
                ),
                ("create_activity('new', 47.6)", "23514", "an_area_has_a_latitude_a_longitude_and_a_radius"),
                ("create_activity('new', 91, 0, 1)", "23514", "latitude_is_within_90_degrees"),
                ("create_activity('new', 0, 'NaN', 1)", "23514", "longitude_is_within_180_degrees"),
                ("create_activity('new', 0, 0, 0)", "23514", "radius_is_above_0_and_at_most_1000000_metres"),
                (
                    "create_activity('new', begins_at => '2030-01-02', ends_at => '2030-01-01')", "23514",
                    "an_activity_ends_after_it_begins"
                ),
                (
                    "create_activity('new', aliases => array(select 'a' || i from generate_series(1, 21) i))",
                    "23514", "aliases_are_at_most_20"
                ),
                (
                    "create_activity('new', aliases => array[' ', repeat('x', 101)])", "23514",
                    "word_is_one_line_of_at_most_100_characters"
                ),
                (
                    "update_activity('F', radius_m => 5)", "23514",
                    "an_area_has_a_latitude_a_longitude_and_a_radius"
                ),
            ] {
                let found = await Self.refusal(call, database)
                #expect(found.0?.description == state && found.1 == constraint, "\(call)")
            }
            #expect(
                try await Self.texts("select name as text from darkroom.activity_names order by 1", database)
                    == ["F", "Fair"])

            var refused = 0
            try await withThrowingTaskGroup(of: Bool.self) { (group) async throws -> Void in
                for number in 0..<8 {
                    group.addTask {
                        await Self.refusal("create_activity('number \(number)')", database).0 == "53400"
                    }
                }
                for try await isRefused in group where isRefused { refused += 1 }
            }
            #expect(refused == 5)
            #expect(try await database.pool.query("select from darkroom.activities").count == 4)
        }
    }

    @Test("take their posts along: those with an alias get the name, and all end when it does")
    func moves() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query(
                "insert into darkroom.expiry_policies (activity, ends_with_activity, note) values ('Fair', true, 'x')"
            )
            for activity in ["Fair", "F", "other"] { _ = try await Self.publish(activity, database) }
            func ends() async throws -> [String] {
                try await Self.texts(
                    """
                    select format('%s %s', activity, expires_at at time zone 'UTC') as text from darkroom.posts order by post_id
                    """, database)
            }
            try await database.pool.query(
                "select darkroom.create_activity('Fair', ends_at => '2030-01-01 00:00Z', aliases => array['F'])"
            )
            #expect(try await ends() == ["Fair ", "F ", "other "], "an app's call moves nothing itself")
            #expect(try await database.store.enqueueBacklogs() == 1)
            let first = try await database.pool.query("select darkroom.move_activities() as n")
            #expect(try first[0].decode("n", as: Int.self) == 1)
            #expect(try await ends() == ["Fair 2030-01-01 00:00:00", "Fair 2030-01-01 00:00:00", "other "])
            let second = try await database.pool.query("select darkroom.move_activities() as n")
            #expect(try second[0].decode("n", as: Int.self) == 0)

            // An app whose transaction stays open holds up nobody.
            let app = try await PostgresConnection.connect(database.configuration)
            try await app.query("begin")
            try await app.query(
                "select darkroom.update_activity('f', ends_at => '2031-01-01 00:00Z', aliases => array['other'])"
            )
            let third = try await database.pool.query("select darkroom.move_activities() as n")
            #expect(try third[0].decode("n", as: Int.self) == 0)
            #expect(try await Self.publish("Fair", database) == "Fair")
            try await app.query("commit")
            await app.close()
            try await database.pool.query("select darkroom.move_activities()")
            #expect(Set(try await ends()) == ["Fair 2031-01-01 00:00:00"])
            try await database.pool.query("select darkroom.update_activity('OTHER', ends_at => 'infinity')")
            try await database.pool.query("select darkroom.move_activities()")
            #expect(Set(try await ends()) == ["Fair "])
            #expect(try await database.inconsistencies() == [])
        }
    }

    @Test(
        "are found near a coordinate, page by page, until they are over, and then by name until they are removed"
    )
    func search() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            for number in 1...5 {
                try await database.pool.query(
                    "select darkroom.create_activity(\("number \(number)"), \(Double(number)), 0, 1000)")
            }
            try await database.pool.query("select darkroom.create_activity('nowhere')")
            try await database.pool.query(
                "select darkroom.create_activity('over', 1, 0, 1000, ends_at => now() - interval '2 days')")
            func pages(_ arguments: String) async throws -> [String] {
                var cursor: String?
                var names: [String] = []
                repeat {
                    let rows = try await database.pool.query(
                        """
                        select activity, cursor from darkroom.activities(\(unescaped: arguments) at_most => 2, after => \(cursor))
                        """)
                    names += try rows.map { try $0.decode("activity", as: String.self) }
                    cursor = try rows.last?.decode("cursor", as: String.self)
                } while cursor != nil
                return names
            }
            #expect(try await pages("2.4, 0,") == [2, 3, 1, 4, 5].map { "number \($0)" })
            #expect(try await pages("2.4, 0, 90000,") == [2, 3].map { "number \($0)" })
            #expect(try await pages("") == ["nowhere"] + [5, 4, 3, 2, 1].map { "number \($0)" })
            let row = try await database.pool.query("select distance_m from darkroom.activities(2.4, 0)")[0]
            // 0.4° of the mean sphere's meridian, less the radius.
            let expected = 0.4 * Double.pi / 180 * 6_371_008.8 - 1000
            #expect(abs(try row.decode("distance_m", as: Double.self) - expected) < 0.01)
            for (wrong, state) in [
                ("activities(1)", "22023"), ("activities(1, null, 5)", "22023"),
                ("activities(radius_m => 5)", "22023"),
                ("activities(91, 0)", "23514"), ("activities(after => 'latest:1~1')", "22023"),
            ] {
                #expect(await Self.refusal(wrong, database).0?.description == state, "\(wrong)")
            }
            try await database.pool.query("select darkroom.move_activities() from generate_series(1, 10)")
            #expect(try await database.pool.query("select from darkroom.activity('OVER')").count == 1)
            try await database.pool.query("update darkroom.settings set activity_days = 1")
            let pruned = try await database.pool.query("select darkroom.prune_records() as what")
            #expect(try pruned[0].decode("what", as: String?.self) == "1 rows of activities")
            #expect(try await database.pool.query("select from darkroom.activity('over')").isEmpty)
            #expect(
                try await Self.texts("select darkroom.create_activity('over') as text", database) == ["over"])
        }
    }
}
