import JobStore
import Postgres
import Posts
import TestKit
import Testing

/// An activity whose posts are too many for one transaction.
@Suite("Moves of activities with many posts", .timeLimit(.minutes(15)))
struct ActivityMoveTests {
    /// Publishes posts of an activity that have a past end, which the expiry policy of 'Fair' gives.
    private static func publish(_ activities: [String], _ database: QueueDatabase) async throws {
        try await database.pool.query(
            """
            with upload as (
                insert into darkroom.uploads (uploader, job_id, original_key, original_sha256, original_bytes, activity)
                select 'ada', -nextval('darkroom.jobs_job_id_seq'), 'originals/a', sha256('a'), 1, a
                from unnest(\(activities)::text[]) a returning upload_id, activity)
            insert into darkroom.posts (upload_id, uploader, activity, latitude, longitude, location_source, width, height, format)
            select upload_id, 'ada', activity, 47.6, -122.3, 'exif', 1, 1, 'jpeg' from upload order by upload_id
            """)
    }

    private static func posts(_ database: QueueDatabase) async throws -> [String?] {
        try await database.texts(
            """
            select concat_ws(' ', activity, (expires_at at time zone 'UTC')::date) from darkroom.posts order by post_id
            """)
    }

    /// Moves at most two posts, in a transaction of its own.
    private static func move(_ database: QueueDatabase) async throws -> Int {
        try await database.number("select darkroom.move_activities(at_most => 2)")
    }

    private static func progress(_ name: String, _ database: QueueDatabase) async throws -> [String?] {
        try await database.texts("select posts_moved::text from darkroom.activity(\(name))")
    }

    private static let fair: [PostgresQuery] = [
        "insert into darkroom.expiry_policies (activity, ends_with_activity, note) values ('Fair', true, 'x')",
        "select darkroom.create_activity('Fair', ends_at => '2030-01-01Z', aliases => array['F'])",
    ]

    @Test("take a few posts each, say how far they are, and leave nothing half done when they are killed")
    func steps() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await Self.publish(["F", "Fair", "other", "F", "FAIR"], database)
            for statement in Self.fair { try await database.pool.query(statement) }
            #expect(try await Self.progress("f", database) == ["0"])
            #expect(
                try await database.texts("select posts_moved::text from darkroom.activities()") == ["0"])

            // A step that is killed changes nothing.
            try await database.withRivals { (first: Rival, second: Rival) async throws -> Void in
                for killed in 0..<2 {
                    try await first.run("begin")
                    try await first.run("select darkroom.move_activities(at_most => 2)")
                    // Nobody else moves the activity meanwhile.
                    let rows = try await second.session.query("select darkroom.move_activities() as n")
                    #expect(try rows[0].decode("n", as: Int.self) == 0)
                    try await first.run("rollback")
                    #expect(try await Self.progress("Fair", database) == [killed == 0 ? "0" : "2"])
                    #expect(try await Self.move(database) == 1)
                }
            }
            let late = "Fair 2030-01-01"
            #expect(try await Self.posts(database) == [late, late, "other", late, late])
            #expect(try await Self.progress("Fair", database) == ["4"])
            // What is published now need not be moved.
            try await Self.publish(["f"], database)
            #expect(try await Self.posts(database).last == late)
            #expect(try await database.store.enqueueBacklogs() == 1)
            while try await Self.move(database) > 0 {}
            #expect(try await Self.posts(database) == [late, late, "other", late, late, late])
            #expect(try await Self.progress("Fair", database) == [nil])
            #expect(try await database.inconsistencies() == [])
        }
    }

    @Test("take up what an app changes meanwhile, and keep an alias until all of its posts have followed")
    func changes() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await Self.publish(["G", "F", "Fair", "F", "F", "other"], database)
            for statement in Self.fair { try await database.pool.query(statement) }
            #expect(try await Self.move(database) == 1)
            #expect(
                try await Self.posts(database) == [
                    "G", "Fair 2030-01-01", "Fair 2030-01-01", "F", "F", "other",
                ])
            let refused = await #expect(throws: PostgresError.self) {
                try await database.pool.query("select darkroom.update_activity('F', aliases => array['G'])")
            }
            #expect(refused?.sqlState?.description == "55000")
            #expect(refused?.constraint == "posts_of_the_alias_are_moving")
            // G is behind the post where the move is.
            try await database.pool.query(
                "select darkroom.update_activity('F', ends_at => '2031-01-01Z', aliases => array['g', 'f'])")
            while try await Self.move(database) > 0 {}
            let late = "Fair 2031-01-01"
            #expect(try await Self.posts(database) == [late, late, late, late, late, "other"])

            // Back: the posts stay, and whoever gets the alias gets none of them.
            try await database.pool.query("select darkroom.update_activity('F', aliases => array['G'])")
            try await database.pool.query("select darkroom.create_activity('F')")
            try await Self.publish(["F"], database)
            while try await Self.move(database) > 0 {}
            #expect(try await Self.posts(database) == [late, late, late, late, late, "other", "F"])
            #expect(try await database.inconsistencies() == [])
        }
    }

    @Test("let an activity with few posts go first")
    func turns() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await Self.publish(["F", "F", "F", "F", "F", "s"], database)
            for statement in Self.fair { try await database.pool.query(statement) }
            #expect(try await Self.move(database) == 1)
            try await database.pool.query("select darkroom.create_activity('small', aliases => array['s'])")
            #expect(try await Self.move(database) == 1)
            #expect(try await Self.posts(database).last == "small")
            #expect(try await Self.progress("Fair", database) == ["2"])
        }
    }

    @Test("let no post expire that is to get a later end")
    func laterEnd() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await Self.publish(["Fair", "Fair", "Fair", "other"], database)
            for statement in Self.fair { try await database.pool.query(statement) }
            while try await Self.move(database) > 0 {}
            try await database.pool.query("update darkroom.posts set expires_at = now() - interval '1 day'")
            try await database.pool.query("select darkroom.update_activity('Fair', ends_at => '2031-01-01Z')")
            #expect(try await database.number("select darkroom.expire_posts()") == 1, "other")
            #expect(try await Self.move(database) == 1)
            #expect(try await database.number("select darkroom.expire_posts()") == 0)
            while try await Self.move(database) > 0 {}
            #expect(
                try await database.texts(
                    "select distinct concat_ws(' ', state, expires_at > now()) from darkroom.posts order by 1"
                ) == ["expired f", "published t"])
        }
    }
}
