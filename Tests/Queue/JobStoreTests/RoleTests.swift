import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

@Suite("Roles", .timeLimit(.minutes(15)))
struct RoleTests {
    static func publishOne(_ database: QueueDatabase) async throws {
        try await database.enqueue()
        try await database.pool.query(
            """
            insert into darkroom.posts (upload_id, uploader, latitude, longitude, location_source, width, height, format)
            select upload_id, uploader, 47.6, -122.3, 'device', 1, 1, 'jpeg' from darkroom.uploads
            """)
        try await database.pool.query("select darkroom.tally_map()")
        try await database.pool.query("select darkroom.add_comment(1, 'eve', 'Hm')")
    }

    @Test("may do what they are for and nothing else", arguments: InstallationRole.allCases)
    func crossing(role: InstallationRole) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.makeLogins()
            try await Self.publishOne(database)
            try await database.connected(as: role) { (connection: PostgresConnection) async throws -> Void in
                for crossing in Self.crossings {
                    try await connection.query("begin")
                    let failure = try await connection.failure(crossing.statement)
                    try await connection.query("rollback")
                    let expected: SQLState? =
                        role == .owner || crossing.allowed.contains(role) ? nil : .insufficientPrivilege
                    #expect(failure == expected, "\(role.rawValue): \(crossing.statement)")
                }
            }
        }
    }

    @Test("see and cancel only an uploader's jobs if its name is given, and as an app only uploads")
    func othersJobs() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.makeLogins()
            let hers = try await database.enqueue(uploader: "ada")
            let rows = try await database.pool.query("select darkroom.enqueue_job('noop', 1, 'eve') as job")
            let other = try rows[0].decode("job", as: Int64.self)
            try await database.connected(as: .api) { (connection: PostgresConnection) async throws -> Void in
                func count(_ query: PostgresQuery) async throws -> Int {
                    try await connection.query(query).count
                }
                func cancelled(_ query: PostgresQuery) async throws -> Bool? {
                    try await connection.query(query).first?.decode("cancelled", as: Bool.self)
                }
                let job = hers.rawValue
                #expect(try await count("select * from darkroom.job_status(\(job), 'eve')") == 0)
                #expect(try await count("select * from darkroom.job_status(\(job), 'ada')") == 1)
                #expect(try await count("select * from darkroom.job_status(job_id => \(job))") == 1)
                #expect(
                    try await cancelled("select darkroom.cancel_job(\(job), 'eve') as cancelled") == false)
                #expect(try await cancelled("select darkroom.cancel_job(\(other)) as cancelled") == false)
                #expect(
                    try await cancelled("select darkroom.cancel_job(\(other), 'eve') as cancelled") == false)
                #expect(try await cancelled("select darkroom.cancel_job(\(job), 'ada') as cancelled") == true)
                #expect(try await count("select * from darkroom.job_status(\(job), 'eve')") == 0, "finished")
                #expect(try await count("select * from darkroom.job_status(\(job), 'ada')") == 1)
            }
            #expect(try await database.state(of: hers) == .cancelled)
            try await database.connected(as: .operator) {
                (connection: PostgresConnection) async throws -> Void in
                let rows = try await connection.query("select darkroom.cancel_job(\(other)) as cancelled")
                #expect(try rows[0].decode("cancelled", as: Bool.self))
            }
        }
    }

    @Test("cancel internal jobs by the role that is set, whatever other roles the login has")
    func cancelByTheSetRole() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.makeLogins()
            let rows = try await database.pool.query("select darkroom.enqueue_job('noop', 1, 'eve') as job")
            let job = try rows[0].decode("job", as: Int64.self)
            let login = "two_\(try await database.login(.api))"
            try await database.pool.query(
                "create role \(unescaped: login) login in role darkroom_api, darkroom_operator")
            let connection = try await PostgresConnection.connect(
                PostgresConfiguration(url: database.url.replacing("user=darkroom", with: "user=\(login)")))
            for (role, isCancelled) in [("darkroom_api", false), ("darkroom_operator", true)] {
                try await connection.query("set role \(unescaped: role)")
                let answer = try await connection.query("select darkroom.cancel_job(\(job)) as cancelled")
                let found = try answer[0].decode("cancelled", as: Bool.self)
                #expect(found == isCancelled, "\(role)")
            }
            await connection.close()
            try await database.pool.query("drop role \(unescaped: login)")
        }
    }

    @Test("see a person's vote if they may vote for people, and as a reader nobody's")
    func othersVotes() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.makeLogins()
            try await Self.publishOne(database)
            try await database.pool.query("select darkroom.vote_on_post(1, 'bob', 'dislike')")
            func vote(_ connection: PostgresConnection, _ viewer: String?) async throws -> String? {
                let rows = try await connection.query(
                    "select dislikes, my_vote as vote from darkroom.post_details(1, \(viewer))")
                #expect(
                    try rows[0].decode("dislikes", as: Int.self) == 1, "everybody may see the post itself")
                return try rows[0].decode("vote", as: String?.self)
            }
            // Moderators see no feed.
            for role in InstallationRole.allCases where role != .moderator {
                try await database.connected(as: role) {
                    (connection: PostgresConnection) async throws -> Void in
                    let found = try await vote(connection, "bob")
                    #expect(found == (role == .reader ? nil : "dislike"), "\(role.rawValue)")
                    let (nobody, other) = (
                        try await vote(connection, nil), try await vote(connection, "ada")
                    )
                    #expect(nobody == nil && other == nil)
                }
            }
            // A login with both roles acts as the role that it has set, even if it inherits neither.
            let login = "both_\(try await database.login(.api))"
            for inheritance in ["inherit", "noinherit"] {
                try await database.pool.query(
                    "create role \(unescaped: login) login \(unescaped: inheritance) in role darkroom_api, darkroom_reader"
                )
                let connection = try await PostgresConnection.connect(
                    PostgresConfiguration(url: database.url.replacing("user=darkroom", with: "user=\(login)"))
                )
                for (role, expected) in [("darkroom_reader", nil), ("darkroom_api", "dislike")] {
                    try await connection.query("set role \(unescaped: role)")
                    let found = try await vote(connection, "bob")
                    #expect(found == expected, "\(inheritance) \(role)")
                }
                await connection.close()
                try await database.pool.query("drop role \(unescaped: login)")
            }
        }
    }

    /// Functions and operators that try to run with others' rights, and tables and types that shadow real ones.
    static let trap = """
        create function trap.caught() returns text language plpgsql as $$
        begin raise exception using errcode = 'TRAP1', message = current_user; end $$;
        create function trap.now() returns timestamptz language sql as 'select trap.caught()::timestamptz';
        create function trap.clock_timestamp() returns timestamptz language sql as 'select trap.caught()::timestamptz';
        create function trap.hashtextextended(text, integer) returns bigint language sql as 'select trap.caught()::bigint';
        create function trap.format(text, bigint) returns text language sql as 'select trap.caught()';
        create function trap.same(bigint, bigint) returns boolean language sql as 'select trap.caught()::boolean';
        create operator trap.= (leftarg = bigint, rightarg = bigint, function = trap.same);
        create function trap.same(text, text) returns boolean language sql as 'select trap.caught()::boolean';
        create operator trap.= (leftarg = text, rightarg = text, function = trap.same);
        create table pg_temp.votes (post_id bigint, voter text, vote text);
        create table pg_temp.posts (post_id bigint, state text);
        create type pg_temp.vote as enum ('love');
        grant usage on schema trap to public;
        set search_path = trap, pg_temp, pg_catalog;
        """

    @Test(
        "cannot be attacked with functions, operators, tables or types that shadow others",
        arguments: [true, false])
    func searchPath(isPinned: Bool) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.makeLogins()
            try await Self.publishOne(database)
            let login = try await database.login(.api)
            try await database.pool.query("create schema trap authorization \(unescaped: login)")
            if !isPinned {
                // Without the protection the trap works.
                try await database.pool.query(
                    "alter function darkroom.vote_on_post reset search_path")
            }
            try await database.connected(as: .api) { (connection: PostgresConnection) async throws -> Void in
                try await connection.execute(Self.trap)
                let failure = try await connection.failure("select darkroom.vote_on_post(1, 'eve', 'like')")
                #expect(failure == (isPinned ? nil : SQLState("TRAP1")))
                guard isPinned else { return }
                for statement in Self.crossings.filter({ $0.allowed.contains(.api) }).map(\.statement) {
                    let failure = try await connection.failure(statement)
                    #expect(failure == nil, "\(statement)")
                }
                #expect(try await connection.failure("select trap.now()") == SQLState("TRAP1"))
            }
        }
    }

    @Test("are checked against the catalog, so that no function or table can be forgotten")
    func catalog() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.makeLogins()
            func names(_ condition: PostgresQuery) async throws -> [String] {
                try await database.pool.query(
                    """
                    select p.oid::regprocedure::text as name
                    from pg_proc p left join darkroom.public_functions() f on f.name = p.proname
                    where p.pronamespace = 'darkroom'::regnamespace and (\(condition)) order by 1
                    """
                ).map { try $0.decode("name", as: String.self) }
            }
            #expect(
                try await names(
                    "p.prosecdef and not coalesce(p.proconfig, '{}') @> array['search_path=pg_catalog, pg_temp']"
                )
                    == [])
            #expect(try await names("f.name is not null and not p.prosecdef") == [])
            #expect(
                try await names("f.name is not null and obj_description(p.oid, 'pg_proc') is null") == [],
                "every public function has a comment")
            let functions = try await names("f.name is not null")
            #expect(functions.count >= 22)
        }
    }
}
