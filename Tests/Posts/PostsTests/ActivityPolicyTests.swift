import JobStore
import Postgres
import Posts
import TestKit
import Testing

/// What apps can do to policies, publishing and each other with activities.
@Suite("Activities of apps", .timeLimit(.minutes(15)))
struct ActivityPolicyTests {
    /// A post that was located by the policies in force, as a worker does it.
    @discardableResult
    private static func publish(_ activity: String, _ database: QueueDatabase) async throws -> Int64 {
        try await database.pool.query(
            """
            with upload as (
                insert into darkroom.uploads (uploader, job_id, original_key, original_sha256, original_bytes)
                values ('ada', -nextval('darkroom.jobs_job_id_seq'), 'originals/a', sha256('a'), 1) returning upload_id)
            insert into darkroom.posts (upload_id, uploader, activity, latitude, longitude, location_source, width, height,
                                        format, location_privacy, location_policy)
            select upload_id, 'ada', \(activity), 47.6, -122.3, 'exif', 1, 1, 'jpeg', l.privacy, l.version
            from upload, darkroom.location_policy_for(null, \(activity)) l
            returning post_id
            """)[0].decode("post_id", as: Int64.self)
    }

    private static func policy(for activity: String, _ database: QueueDatabase) async throws -> [String?] {
        try await database.texts(
            """
            select concat_ws(' ', privacy, minimum_population, darkroom.expiry_for(null, n, '2030-01-01Z') at time zone 'UTC')
            from darkroom.activity_named(\(activity)) n, darkroom.location_policy_for(null, n)
            """)
    }

    @Test(
        "take no policy away by making its name an alias: of several, the strictest location policy is in force"
    )
    func aliases() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query(
                """
                insert into darkroom.location_policies (activity, privacy, minimum_population, note)
                values ('Shelter', 'grid_1km', 700, 'x'), ('Fair', 'exact', 900, 'x')
                """)
            try await database.pool.query(
                "insert into darkroom.expiry_policies (activity, lifetime, note) values ('shelter', '1 hour', 'x')"
            )
            #expect(try await Self.policy(for: "SHELTER", database) == ["grid_1km 700 2030-01-01 01:00:00"])
            #expect(try await Self.policy(for: "Fair", database) == ["exact 900"])
            try await database.pool.query(
                "select darkroom.create_activity('Fair', aliases => array['shelter'])")
            for name in ["Shelter", "fair"] {
                #expect(
                    try await Self.policy(for: name, database) == ["grid_1km 900 2030-01-01 01:00:00"],
                    "\(name)")
            }
            #expect(try await Self.policy(for: "other", database) == ["grid_10m 0"])
        }
    }

    /// Every location policy of a name with every one of its alias, also none, and with every expiry policy.
    @Test("only ever make policies stricter: for every policy of the activity's name and of an alias")
    func loosening() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.makeLogins()
            try await database.pool.query(
                """
                insert into darkroom.location_policies (privacy, minimum_population, note) values ('grid_100m', 500, 'x');
                """)
            try await database.pool.query(
                "insert into darkroom.expiry_policies (lifetime, note) values ('7 days', 'x')")
            try await database.pool.query(
                """
                create table names as
                select row_number() over ()::text as number, l::darkroom.location_privacy as privacy,
                       m::integer as people, e::interval as lifetime, e is not null as has_expiry
                from unnest(array_append(enum_range(null::darkroom.location_privacy)::text[], null)) l, unnest('{0,9000,null}'::text[]) m,
                     unnest('{1 hour,100 years,null}'::text[]) e
                """)
            for (table, columns, filter) in [
                ("location", "privacy, minimum_population", "num_nonnulls(privacy, people) > 0"),
                ("expiry", "lifetime", "has_expiry"),
            ] {
                try await database.pool.query(
                    """
                    insert into darkroom.\(unescaped: table)_policies (activity, \(unescaped: columns), note)
                    select side || number, \(unescaped: table == "expiry" ? "lifetime" : "privacy, people"), 'x'
                    from names, unnest('{n,m}'::text[]) side where \(unescaped: filter) order by random()
                    """)
            }
            try await database.pool.query(
                """
                create view present as
                select n.number, side, l.privacy, l.minimum_population,
                       coalesce(darkroom.expiry_for(null, side || n.number, '2030-01-01Z'), 'infinity') as ending
                from names n, unnest('{n,m}'::text[]) side, darkroom.location_policy_for(null, side || n.number) l
                """)
            try await database.pool.query("create table earlier as table present")
            try await database.pool.query("update darkroom.settings set activities_at_most = 1000")
            // Each name meets several others over the numbers that it is apart from them.
            try await database.connected(as: .api) { (app: PostgresConnection) async throws -> Void in
                try await app.query(
                    """
                    select darkroom.create_activity('n' || n, aliases => array['m' || 1 + (n * 7 + 3) % 54])
                    from generate_series(1, 54) n
                    """)
            }
            let wrong = try await database.texts(
                """
                select concat_ws(' ', p.side, p.number, p.privacy, p.minimum_population, p.ending)
                from present p
                join darkroom.activity_names own on own.key = p.side || p.number
                join darkroom.activity_names other using (activity)
                join earlier e on e.side || e.number = other.key
                group by p.side, p.number, p.privacy, p.minimum_population, p.ending
                having (p.privacy, p.minimum_population, p.ending)
                    is distinct from (max(e.privacy), max(e.minimum_population), min(e.ending))
                """)
            #expect(wrong == [])
            #expect(try await database.number("select count(distinct (privacy, ending)) from earlier") > 12)
            let bound = try await database.number(
                "select count(*) from darkroom.activities where darkroom.has_bound_names(activity)")
            #expect(bound > 50)
            try await database.connected(as: .api) { (app: PostgresConnection) async throws -> Void in
                let number = try await database.number(
                    "select min(number::integer) from names where has_expiry")
                let error = await #expect(throws: PostgresError.self) {
                    try await app.query("select darkroom.update_activity(\("n\(number)"), aliases => '{}')")
                }
                #expect(error?.constraint == "a_policy_binds_the_alias")
                try await app.query("select darkroom.create_activity('free', aliases => array['freed'])")
                try await app.query("select darkroom.update_activity('free', aliases => '{}')")
            }
            try await database.pool.query(
                """
                update darkroom.activities set ends_at = '2001-01-01Z', is_changed = false, new_ends_at = null
                """)
            try await database.pool.query("select darkroom.prune_activities()")
            #expect(try await database.number("select count(*) from darkroom.activities") == bound)
        }
    }

    @Test("have their posts relocated when another name brings a stricter policy, once")
    func relocation() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let before = try await Self.publish("Fair", database)
            let moved = try await Self.publish("F", database)
            try await Self.publish("other", database)
            try await database.pool.query(
                "insert into darkroom.location_policies (activity, privacy, note) values ('strict', 'grid_1km', 'x')"
            )
            try await database.pool.query(
                """
                update darkroom.posts set location_policy = (select max(version) from darkroom.location_policies)
                """)
            let relocations: PostgresQuery =
                "select subject_id::text from darkroom.jobs where kind = 'relocate' order by subject_id"
            func coarse() async throws -> [Int64] {
                try await database.pool.query(
                    """
                    select post_id from darkroom.posts p, darkroom.grid_centre(47.6, -122.3, 1000) g
                    where location_policy = 0 and location_privacy = 'grid_1km'
                      and (latitude, longitude) = (g.centre_latitude, g.centre_longitude) order by 1
                    """
                ).map { try $0.decode("post_id", as: Int64.self) }
            }
            try await database.pool.query("select darkroom.create_activity('Fair', aliases => array['F'])")
            try await database.pool.query("select darkroom.move_activities()")
            #expect(try await coarse() == [])
            try await database.pool.query(
                "select darkroom.update_activity('Fair', aliases => array['F', 'strict'])")
            try await database.pool.query("select darkroom.move_activities()")
            #expect(try await coarse() == [before, moved])
            #expect(try await database.texts(relocations) == ["\(before)", "\(moved)"])
            // A worker located it before the alias was there.
            let atOnce = try await database.pool.query(
                """
                with upload as (
                    insert into darkroom.uploads (uploader, job_id, original_key, original_sha256, original_bytes)
                    values ('ada', -nextval('darkroom.jobs_job_id_seq'), 'originals/a', sha256('a'), 1) returning upload_id)
                insert into darkroom.posts (upload_id, uploader, activity, latitude, longitude, location_source, width, height,
                                            format, location_policy)
                select upload_id, 'ada', 'strict', 47.6, -122.3, 'exif', 1, 1, 'jpeg', max(version)
                from upload, darkroom.location_policies group by upload_id returning post_id
                """)[0].decode("post_id", as: Int64.self)
            #expect(try await coarse() == [before, moved, atOnce])
            try await database.pool.query("select darkroom.update_activity('Fair')")
            try await database.pool.query("select darkroom.move_activities()")
            #expect(try await database.texts(relocations) == ["\(before)", "\(moved)", "\(atOnce)"])
        }
    }

    @Test(
        "get a name that another transaction is giving away neither then nor in a deadlock, but a refusal at once"
    )
    func names() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query(
                "select darkroom.create_activity('old', aliases => array['given up'])")
            let app = try await PostgresConnection.connect(database.configuration)
            try await app.query("begin")
            try await app.query("select darkroom.create_activity('Fair', aliases => array['F'])")
            try await app.query("select darkroom.update_activity('old', aliases => '{}')")
            for call in [
                "create_activity('FAIR')", "create_activity('f')",
                "create_activity('g', aliases => array['x', 'fair'])",
                "create_activity('Given Up')",
            ] {
                let error = await #expect(throws: PostgresError.self, "\(call)") {
                    try await database.pool.query(PostgresQuery(unescaped: "select darkroom.\(call)"))
                }
                #expect(error?.constraint == "activity_name_is_taken", "\(call)")
            }
            try await app.query("commit")
            await app.close()
            try await database.pool.query("select darkroom.create_activity('Given Up')")
            #expect(
                try await database.texts("select name from darkroom.activity_names order by 1")
                    == ["F", "Fair", "Given Up", "old"])
        }
    }

    @Test("hold up neither publishing nor other activities while a transaction is open")
    func open() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let held = try await Self.publish("Fair", database)
            try await database.pool.query("select darkroom.create_activity('Fair', ends_at => '2030-01-01Z')")
            try await database.pool.query(
                "select darkroom.create_activity('later', ends_at => '2030-01-01Z')")
            let app = try await PostgresConnection.connect(database.configuration)
            try await app.query("begin")
            try await app.query("select darkroom.create_activity('new', aliases => array['newer'])")
            #expect(
                try await database.pool.query(
                    "select from darkroom.locks where name = 'activity' for update skip locked"
                ).count == 1024)
            try await app.query("select darkroom.edit_post(\(held), 'ada', 'open', null, null)")
            func waiting() async throws -> [String?] {
                try await database.texts(
                    "select activity from darkroom.activities where is_changed order by activity_id")
            }
            #expect(try await waiting() == ["Fair", "later"])
            try await database.pool.query("select darkroom.move_activities()")
            #expect(try await waiting() == ["Fair"])
            let none = try await database.pool.query("select darkroom.move_activities() as n")
            #expect(try none[0].decode("n", as: Int.self) == 0)
            try await app.query("commit")
            await app.close()
            try await database.pool.query("select darkroom.move_activities() from generate_series(1, 2)")
            #expect(try await waiting() == [])
            #expect(try await database.inconsistencies() == [])
        }
    }
}
