import FoundationEssentials
import JobStore
import Postgres
import ReferencePages
import Schema
import TestKit
import Testing

@Suite("The reference pages", .timeLimit(.minutes(15)))
struct DocsTests {
    private static func page(_ name: String) throws -> String {
        let data = try #require(FileManager.default.contents(atPath: "\(Checkout.root)/docs/\(name)"))
        return String(decoding: data, as: UTF8.self)
    }

    @Test("match the database: generate them again with 'darkroom-dev docs'")
    func pages() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.withConnection { (connection: PostgresConnection) async throws -> Void in
                let reference = try await SQLReference(connection).markdown()
                let names = try await connection.query("select name from darkroom.public_functions()")
                    .map { try $0.decode("name", as: String.self) }
                #expect(names.filter { !reference.contains("\n### \($0)\n") } == [], "in no chapter")
                let changed = reference.difference(from: try Self.page("sql-api.md"))
                #expect(changed == nil)
                let model = try await DataModel(connection).markdown()
                let moved = model.difference(from: try Self.page("data-model.md"))
                #expect(moved == nil)
                let keepers = model.matches(of: #/\| `(\w+)`(?:, `(\w+)`)? \| [^|]+ \|\n/#).flatMap {
                    [$0.1, $0.2].compactMap(\.self)
                }
                #expect(keepers.count > 8)
                #expect(keepers.filter { keeper in !SchemaFile.all.contains { $0.name == keeper } } == [])
            }
        }
    }

    @Test("have an example of every public function, which its role can run, and which returns something")
    func examples() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.makeLogins()
            try await Self.fill(database)
            let names = try await database.pool.query(
                """
                select distinct p.proname::text as name from darkroom.public_functions() f
                join pg_proc p on p.proname = f.name and p.pronamespace = 'darkroom'::regnamespace
                """
            ).map { try $0.decode("name", as: String.self) }
            let examples = SchemaFile.all.compactMap { file in
                file.example.map { (function: file.name, sql: $0, callers: file.callers) }
            }
            #expect(Set(names).symmetricDifference(examples.map(\.function)) == [], "without an example")
            #expect(names.count >= 26)
            for role in [InstallationRole.api, .moderator] {
                try await database.connected(as: role) { (app: PostgresConnection) async throws -> Void in
                    for example in examples where example.callers.contains(role.rawValue) {
                        try await app.query("begin")
                        let rows = try await app.query(PostgresQuery(unescaped: example.sql))
                        #expect(!rows.isEmpty, "\(example.function)")
                        try await app.query("rollback")
                    }
                }
            }
        }
    }

    @Test("give the units, ranges or errors of each public function with arguments")
    func comments() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let short = try await database.pool.query(
                """
                select p.proname::text as name from darkroom.public_functions() f
                join pg_proc p on p.proname = f.name and p.pronamespace = 'darkroom'::regnamespace
                where (pg_get_function_arguments(p.oid) ~ 'at_most' and obj_description(p.oid, 'pg_proc') !~ '1 to 100')
                   or (pg_get_function_arguments(p.oid) ~ 'latitude' and obj_description(p.oid, 'pg_proc') !~ 'degrees|coordinate|metres')
                   or (pg_get_function_arguments(p.oid) ~ 'radius_m|accuracy_m'
                       and obj_description(p.oid, 'pg_proc') !~ 'metres')
                   or (p.prosrc ~ 'raise exception' and obj_description(p.oid, 'pg_proc') !~ 'Errors: ')
                """)
            #expect(try short.map { try $0.decode("name", as: String.self) } == [])
        }
    }

    @Test("explain every function, table, view and type, including internal ones")
    func everything() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            func unexplained(_ query: PostgresQuery) async throws -> (count: Int, names: [String]) {
                let rows = try await database.pool.query(query)
                let names = try rows.filter { try $0.decode("is_short", as: Bool.self) }.map {
                    try $0.decode("name", as: String.self)
                }
                return (rows.count, names)
            }
            let functions = try await unexplained(
                """
                select p.oid::regprocedure::text as name,
                       coalesce(length(obj_description(p.oid, 'pg_proc')), 0) < 10 as is_short
                from pg_proc p where p.pronamespace = 'darkroom'::regnamespace order by 1
                """)
            #expect(functions.names == [] && functions.count > 100)
            // Partitions belong to their table.
            let relations = try await unexplained(
                """
                select c.relname::text as name,
                       coalesce(length(obj_description(c.oid, 'pg_class')), 0) < 10 as is_short
                from pg_class c where c.relnamespace = 'darkroom'::regnamespace
                  and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition order by 1
                """)
            #expect(relations.names == [] && relations.count > 40)
            // Row types belong to their table, and array types to their element.
            let types = try await unexplained(
                """
                select t.typname::text as name,
                       coalesce(length(obj_description(t.oid, 'pg_type')), 0) < 10 as is_short
                from pg_type t left join pg_class c on c.oid = t.typrelid
                where t.typnamespace = 'darkroom'::regnamespace and t.typcategory <> 'A'
                  and coalesce(c.relkind, 'c') = 'c' order by 1
                """)
            #expect(types.names == [] && types.count > 12)
        }
    }

    /// Posts by `user-N` around Seattle with votes and views, one of them hidden, a comment, an activity and a job.
    static func fill(_ database: QueueDatabase) async throws {
        try await database.publishPosts(60)
        try await database.enqueue(uploader: "user-17")
        for statement in [
            "delete from darkroom.jobs where kind <> 'ingest'",
            "update darkroom.jobs set job_id = 1",
            "update darkroom.posts set uploader = 'user-' || post_id, latitude = 47.6 + post_id * 0.0001, longitude = -122.33",
            "update darkroom.posts set category = 'food', activity = 'picnic' where post_id in (1, 4, 5)",
            "update darkroom.posts set state = 'hidden' where post_id = 2",
            "update darkroom.posts set uploader = 'user-2' where post_id = 6",
            // Job 2.
            """
            insert into darkroom.uploads (uploader, job_id, original_key, original_sha256, original_bytes, is_draft)
            values ('user-17', 2, 'originals/draft', sha256('draft'), 1, true)
            """,
            """
            select darkroom.create_activity('Harbour festival', 47.6026, -122.3393, 500, aliases => array['harbour fest'])
            """,
            // As if an app had made it, which may then change it.
            "update darkroom.activities set by_operator = false",
            "select darkroom.move_activities()",
            "select darkroom.vote_on_post(n, 'voter', 'like') from generate_series(3, 5) n",
            "select darkroom.vote_on_post(17, 'voter', 'like')",
            "select darkroom.add_comment(17, 'user-9', 'Which pier is it?')",
            "select darkroom.add_comment(1, 'user-9', 'Nice')",
            "select darkroom.add_comment(1, 'user-9', 'As they say')",
            "select darkroom.decide_on_comment(3, 'remove', 'olga')",
            "insert into darkroom.reviews (post_id, comment_id, severity, score, cause) values (17, 1, 3, 5, 'score')",
            "select darkroom.report_post(4, 'user-9', 'spam')",
            "insert into darkroom.reviews (post_id, severity, score, cause) values (2, 3, 5, 'score')",
            "select darkroom.read_events('push')",
            "insert into darkroom.outbox (post_id, event) values (1, 'published')",
            "select darkroom.set_display_name('user-1', 'Ada')",
            "select darkroom.block_author('user-8', author_handle) from darkroom.posts where post_id = 1",
            "update darkroom.posts set venue_id = '4b058804f964a520ebe822e3', venue_name = 'Pike Place Chowder' where post_id = 5",
            "select darkroom.follow('user-8', latitude => 47.6, longitude => -122.33, radius_m => 5000)",
            "select darkroom.follow('user-9', latitude => 47.6, longitude => -122.33, radius_m => 5000)",
            "select darkroom.bar_person('user-7', 'olga', 'Advertising in every post.')",
            "select darkroom.notify_of_events()",
            "select darkroom.fill_inboxes()",
            "select darkroom.tally_counters()",
            "select darkroom.tally_map(100000)",
        ] {
            try await database.pool.query(PostgresQuery(unescaped: statement))
        }
    }
}
