import Postgres
import ReferencePages
import Schema
import TestKit
import Testing

@Suite("The migrator", .timeLimit(.minutes(15)))
struct MigratorTests {
    @Test("brings an empty database up to date once, even if many try at the same time")
    func concurrent() async throws {
        try await SchemaDatabase.with { database in
            let applied = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<4 {
                    group.addTask { try await database.migrate().count }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(applied.sorted() == [0, 0, 0, SchemaDatabase.parts])
        }
    }

    @Test("changes nothing the second time")
    func twice() async throws {
        try await SchemaDatabase.withMigrated { (database: SchemaDatabase) async throws -> Void in
            // Every row of these catalogs says which transaction wrote it.
            let written: PostgresQuery = """
                select coalesce(md5(string_agg(concat_ws(' ', name, row), ',' order by name, row)), '') as sum from (
                    select 'proc' as name, concat(oid, ' ', xmin) as row from pg_proc where pronamespace = 'darkroom'::regnamespace
                    union all select 'class', concat(oid, ' ', xmin) from pg_class where relnamespace = 'darkroom'::regnamespace
                    union all select 'trigger', concat(oid, ' ', xmin) from pg_trigger
                    union all select 'file', concat(name, xmin) from darkroom.schema_files
                    union all select 'release', xmin::text from darkroom.schema_release) w
                """
            let before = try await database.text(written)
            #expect(try await database.migrate().isEmpty)
            #expect(try await database.text(written) == before)
        }
    }

    @Test("says what it would change")
    func status() async throws {
        try await SchemaDatabase.with { database in
            #expect(try await database.status().allSatisfy { $0.state == .pending && $0.appliedAt == nil })
            _ = try await database.migrate()
            #expect(try await database.status().allSatisfy { $0.state == .applied && $0.appliedAt != nil })
            var files = SchemaFile.all.filter { $0.name != "wilson_score" }
            files.append(SchemaFile(path: "feeds/added.sql", text: Self.added))
            files.append(SchemaFile(path: "tables/0099_added.sql", text: "select 1;"))
            let changed = files.firstIndex { $0.name == "top_posts" }!
            files[changed] = SchemaFile(path: files[changed].path, text: "-- A word.\n" + files[changed].text)
            let status = try await database.status(files).filter { $0.state != .applied }
            #expect(
                status.map { "\($0.kind) \($0.name) \($0.state)" } == [
                    "table 0099_added pending", "function added pending", "function top_posts changed",
                    "function wilson_score removed",
                ])
        }
    }

    static let added =
        "create or replace function darkroom.added() returns integer language sql as $$ select 1 $$;\n"

    @Test("refuses a database that does not fit, and says why")
    func refused() async throws {
        try await SchemaDatabase.withMigrated { (database: SchemaDatabase) async throws -> Void in
            func reason(_ change: String, _ files: [SchemaFile] = SchemaFile.all) async throws
                -> SchemaError.Reason?
            {
                try await database.pool.query("\(unescaped: change)")
                return await #expect(throws: SchemaError.self) { try await database.migrate(files) }?.reason
            }
            #expect(
                try await reason(
                    "insert into darkroom.schema_files (name, kind, checksum) values ('0999_future', 'table', 'x')"
                )
                    == .newerRelease(table: "0999_future"))
            try await database.pool.query("delete from darkroom.schema_files where name = '0999_future'")
            #expect(
                try await reason(
                    "update darkroom.schema_files set checksum = 'x' where name = '0001_baseline'")
                    == .differentTable("0001_baseline"))
            let baseline = try #require(SchemaFile.all.first { $0.kind == .table })
            _ = try await database.pool.query(
                "update darkroom.schema_files set checksum = \(baseline.checksum) where name = \(baseline.name)"
            )
            #expect(
                try await reason("update darkroom.schema_files set checksum = 'x' where name = 'is_link'")
                    == .pinnedChanged("is_link"))

            // With a table file that names it, the pinned function may change.
            let files =
                SchemaFile.all + [SchemaFile(path: "tables/0002_links.sql", text: "-- Pinned: is_link\n")]
            #expect(
                Set(try await database.migrate(files).map(\.name)) == ["0002_links", "is_link"])
            #expect(
                try await reason(
                    "select 1",
                    SchemaFile.all + [
                        files.last!, SchemaFile(path: "tables/0003_x.sql", text: "-- Pinned: nothing\n"),
                    ]) == .unknownPinned("nothing", table: "0003_x"))
        }
    }

    @Test("refuses an older release than the one that changed the database last")
    func downgrade() async throws {
        try await SchemaDatabase.withMigrated { (database: SchemaDatabase) async throws -> Void in
            let older = SchemaFile.all.filter { $0.name != "wilson_score" }
            let error = await #expect(throws: SchemaError.self) {
                try await database.migrate(older, release: ReleaseVersion("0.0.9")!)
            }
            #expect(error?.reason == .olderRelease(ReleaseVersion("0.0.9")!, than: .current))
            #expect(
                try await database.migrate(release: ReleaseVersion("0.0.9")!).isEmpty, "nothing to change")
            #expect(
                try await database.migrate(older, release: ReleaseVersion("0.10.0")!).map(\.name) == [
                    "wilson_score"
                ])
        }
    }

    @Test("leaves what others put into the schema, and makes again what they dropped")
    func others() async throws {
        try await SchemaDatabase.with { database in
            try await database.pool.withConnection {
                try await $0.execute(
                    """
                    create schema darkroom;
                    create table darkroom.orders (id integer);
                    create function darkroom.audit() returns trigger language plpgsql as 'begin return null; end';
                    create trigger audit after insert on darkroom.orders for each row execute function darkroom.audit();
                    """)
            }
            _ = try await database.migrate()
            try await database.pool.withConnection {
                try await $0.execute(
                    """
                    create trigger audit after insert on darkroom.votes for each row execute function darkroom.audit();
                    drop function darkroom.wake_workers;
                    drop trigger feed_of_changed on darkroom.posts;
                    """)
            }
            #expect(try await database.migrate().map(\.name) == ["wake_workers", "feed_of_changed on posts"])
            let triggers = try #require(SchemaFile.all.first { $0.path == "triggers.sql" })
            let without = SchemaFile.all.filter { $0.path != "triggers.sql" && $0.name != "wilson_score" }
            try await database.pool.query("drop function darkroom.wilson_score")
            _ = try await database.migrate(without)
            let left = try await database.text(
                """
                select string_agg(concat_ws(' on ', tgname, tgrelid::regclass), ', ' order by tgrelid::regclass::text) as names
                from pg_trigger where not tgisinternal
                """)
            #expect(left == "audit on orders, audit on votes")
            _ = try await database.migrate(without + [triggers])
        }
    }

    @Test("needs no right on the database where the login owns the schema")
    func schemaOwner() async throws {
        try await TestDatabase.withDatabase { database in
            let login = "owner_of_\(database.name)"
            let administrator = try await PostgresConnection.connect(PostgresConfiguration(url: database.url))
            try await administrator.execute(
                "create role \(login) login; create schema darkroom authorization \(login)")
            let connection = try await PostgresConnection.connect(
                PostgresConfiguration(url: database.url(role: login)))
            #expect(try await Migrator(connection).migrate().count == SchemaDatabase.parts)
            await connection.close()
            await administrator.close()
        }
    }

    @Test("gives way to a transaction that holds a lock, and goes on after it")
    func locks() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let files =
                SchemaFile.all + [
                    SchemaFile(
                        path: "tables/0002_x.sql", text: "alter table darkroom.votes add column x integer;\n")
                ]
            let holder = try await PostgresConnection.connect(database.configuration)
            try await holder.execute("begin; lock table darkroom.votes in row exclusive mode")
            let (waits, waited) = AsyncStream.makeStream(of: Void.self)
            let migrating = Task {
                let connection = try await PostgresConnection.connect(database.configuration)
                defer { Task { await connection.close() } }
                return try await Migrator(connection, files: files).migrate(waiting: { _ in waited.yield() })
            }
            for await _ in waits { break }
            // Nobody waits behind it now, and it comes again.
            try await holder.execute("commit")
            await holder.close()
            #expect(try await migrating.value.map(\.name) == ["0002_x"])
        }
    }

    @Test("leaves nothing behind when a statement fails")
    func failure() async throws {
        try await SchemaDatabase.with { database in
            try await database.pool.query("create schema darkroom")
            try await database.pool.query("create table darkroom.reports (x integer)")
            await #expect(throws: PostgresError.self) { try await database.migrate() }
            #expect(
                try await database.text(
                    "select string_agg(relname, ' ') as x from pg_class where relnamespace = 'darkroom'::regnamespace"
                ) == "reports")
            try await database.pool.query("drop table darkroom.reports")
            #expect(try await database.migrate().count == SchemaDatabase.parts)
        }
    }

    /// The feed's functions of an older release: different arguments, texts and triggers, and functions since removed.
    @Test("turns an older release's schema into that of a fresh database")
    func upgrade() async throws {
        try await SchemaDatabase.with { database in
            let older =
                SchemaFile.all.filter { $0.name != "rebuild_feeds" && $0.name != "wake_workers" }
                .map { file in
                    switch file.kind {
                    case .function where file.name == "latest_posts":
                        SchemaFile(
                            path: file.path,
                            text:
                                "create function darkroom.latest_posts(page bigint) returns bigint language sql as 'select 1';"
                        )
                    case .function:
                        SchemaFile(
                            path: file.path,
                            text: file.text + "comment on routine darkroom.\(file.name) is 'Old.';\n")
                    case .trigger:
                        SchemaFile(
                            path: file.path,
                            text: """
                                create or replace trigger gone after insert on darkroom.votes
                                    for each row execute function darkroom.refuse_change();
                                create or replace trigger feed_of_changed before update on darkroom.posts
                                    for each row execute function darkroom.refuse_change();
                                """)
                    default: file
                    }
                } + [SchemaFile(path: "feeds/added.sql", text: Self.added)]
            _ = try await database.migrate(older)

            // The same name with other arguments would be a second function.
            let error = await #expect(throws: SchemaError.self) { try await database.migrate() }
            #expect(error?.reason == .notOneFunction("latest_posts", count: 2))
            let present = SchemaFile.all.map { file in
                file.name == "latest_posts"
                    ? SchemaFile(path: file.path, text: "-- Replaces: latest_posts(bigint)\n" + file.text)
                    : file
            }
            _ = try await database.migrate(present)
            let upgraded = try await SchemaDump.of(database.url)
            try await SchemaDatabase.withMigrated { (fresh: SchemaDatabase) async throws -> Void in
                #expect(try await SchemaDump.of(fresh.url).difference(from: upgraded) == nil)
            }
        }
    }

    @Test("knows the indexes and constraints that the tables should have")
    func definitions() async throws {
        try await SchemaDatabase.withMigrated { (database: SchemaDatabase) async throws -> Void in
            let there: PostgresQuery = """
                select string_agg(c.relname, ' ' order by c.relname) as names from pg_index i join pg_class c on c.oid = i.indexrelid
                where c.relnamespace = 'darkroom'::regnamespace and not c.relispartition
                  and i.indrelid not in ('darkroom.schema_files'::regclass, 'darkroom.schema_definitions'::regclass,
                                         'darkroom.schema_release'::regclass)
                """
            let recorded: PostgresQuery = """
                select string_agg(name, ' ' order by name) as names from darkroom.schema_definitions
                where name not like '% on %'
                """
            #expect(try await database.text(there) == database.text(recorded))
            let constraints: PostgresQuery = """
                select string_agg(distinct format('%s on %s', k.conname, c.relname), ', ') as names
                from pg_constraint k join pg_class c on c.oid = k.conrelid
                where c.relnamespace = 'darkroom'::regnamespace and not c.relispartition and k.contype in ('c', 'f')
                  and c.relname not in ('schema_files', 'schema_release')
                """
            let recordedConstraints: PostgresQuery = """
                select string_agg(distinct name, ', ') as names from darkroom.schema_definitions where name like '% on %'
                """
            #expect(try await database.text(constraints) == database.text(recordedConstraints))

            // An index dropped by hand stays on the list; one that a table file drops is removed from it.
            try await database.pool.query("drop index darkroom.feed_latest")
            let files =
                SchemaFile.all + [
                    SchemaFile(
                        path: "tables/0002_x.sql",
                        text:
                            "drop index darkroom.feed_place;\ncreate index feed_x on darkroom.feed (place);\n"
                    )
                ]
            _ = try await database.migrate(files)
            let names = try await database.text(recorded)?.split(separator: " ") ?? []
            #expect(
                names.contains("feed_latest") && names.contains("feed_x") && !names.contains("feed_place"))
            // The recorded definition makes it again.
            let definition = try #require(
                try await database.text(
                    "select definition from darkroom.schema_definitions where name = 'feed_latest'"))
            try await database.pool.query("\(unescaped: definition)")
            #expect(try await database.text("select to_regclass('darkroom.feed_latest')::text") != nil)
        }
    }
}
