import Postgres
import ReferencePages
import Schema
import TestKit
import Testing

@Suite("A migration that dies", .timeLimit(.minutes(15)))
struct KilledMigrationTests {
    /// Kills the session at the end of the Nth statement that changes the schema.
    private static let killer = """
        create sequence public.statements;
        create table public.last_statement (number bigint);
        create function public.count_statement() returns event_trigger language plpgsql security definer as $$
        begin
            if nextval('public.statements') = (select number from public.last_statement) then
                perform pg_terminate_backend(pg_backend_pid());
            end if;
        end $$;
        create event trigger count_statement on ddl_command_end execute function public.count_statement();
        """

    private static func plant(_ database: SchemaDatabase) async throws {
        try await database.pool.withConnection { try await $0.execute(killer) }
    }

    private static func kill(at number: Int, in database: SchemaDatabase) async throws {
        try await database.pool.withConnection {
            try await $0.execute(
                "truncate public.last_statement; insert into public.last_statement values (\(number)); select setval('public.statements', 1, false);"
            )
        }
    }

    /// What the role owner does not own.
    private static let strangers: PostgresQuery = """
        select ((select count(*) from pg_class
                 where relnamespace = 'darkroom'::regnamespace and relowner <> 'darkroom_owner'::regrole)
              + (select count(*) from pg_proc
                 where pronamespace = 'darkroom'::regnamespace and proowner <> 'darkroom_owner'::regrole))::text as n
        """

    @Test(
        "at any statement leaves an empty database empty or with the whole schema, and the next migration completes"
    )
    func freshInstall() async throws {
        var whole: String?
        try await SchemaDatabase.with { database in
            try await Self.plant(database)
            try await Self.kill(at: 0, in: database)
            _ = try await database.migrate()
            whole = try await SchemaDump.of(database.url)
            let statements = try #require(
                Int(try await database.text("select last_value::text as n from public.statements") ?? ""))
            #expect(statements > 500)
            try await database.pool.query("drop schema darkroom cascade")
            // Trying every statement takes minutes; steps of a prime number meet every kind of file.
            let steps = stride(from: 1, through: statements, by: Extent.of(521, check: 61))
            var completed = 0
            for number in steps + [statements - 30, statements] {
                try await Self.kill(at: number, in: database)
                await #expect(throws: PostgresError.self) { try await database.migrate() }
                guard try await database.text("select to_regnamespace('darkroom')::text as n") != nil else {
                    #expect(completed == 0, "statement \(number)")
                    continue
                }
                // It died while the role owner took over what was made.
                completed += 1
                try await Self.kill(at: 0, in: database)
                #expect(try await database.migrate().isEmpty)
                #expect(try await SchemaDump.of(database.url).difference(from: whole ?? "") == nil)
                #expect(try await database.text(Self.strangers) == "0", "statement \(number)")
                try await database.pool.query("drop schema darkroom cascade")
            }
            #expect(completed > 1)
            try await Self.kill(at: 0, in: database)
            #expect(try await database.migrate().count == SchemaDatabase.parts)
            #expect(try await SchemaDump.of(database.url).difference(from: whole ?? "") == nil)
        }
    }

    private static func file(_ path: String, _ text: String) -> SchemaFile {
        SchemaFile(path: path, text: text)
    }

    /// A small schema with every kind of file, and a step outside a transaction between two inside.
    private static let small = [
        file("feeds/number_of.sql", function("number_of", "select count(*) from darkroom.things")),
        file("feeds/twice.sql", function("twice", "select 2 * darkroom.number_of()")),
        file(
            "pinned/halved.sql",
            "create or replace function darkroom.halved(n integer) returns integer language sql immutable return n / 2;\n"
        ),
        file(
            "tables/0001_things.sql",
            "-- Pinned: halved\ncreate table darkroom.things (n integer, half integer generated always as (darkroom.halved(n)) stored);\n"
        ),
        file(
            "tables/0002_indexes.sql",
            """
            -- Runs outside a transaction
            drop index concurrently if exists darkroom.things_n;
            create index concurrently things_n on darkroom.things (n);
            drop index concurrently if exists darkroom.things_half;
            create index concurrently things_half on darkroom.things (half);

            """),
        file(
            "tables/0003_more.sql",
            "alter table darkroom.things add column more text;\ncreate index things_more on darkroom.things (more);\n"
        ),
        file(
            "triggers.sql",
            "create or replace trigger noted after insert on darkroom.things for each statement execute function darkroom.noted();\n"
        ),
        file(
            "feeds/noted.sql",
            "create or replace function darkroom.noted() returns trigger language plpgsql as $$ begin return null; end $$;\n"
        ),
    ]

    private static func function(_ name: String, _ body: String) -> String {
        "create or replace function darkroom.\(name)() returns bigint language sql as $$ \(body) $$;\n"
            + "comment on function darkroom.\(name) is 'A number.';\n"
    }

    @Test("at any of its statements continues from there, also after a step outside a transaction")
    func eachStatement() async throws {
        var whole = ""
        var statements = 0
        try await SchemaDatabase.with { database in
            try await Self.plant(database)
            try await Self.kill(at: 0, in: database)
            _ = try await database.migrate(Self.small)
            whole = try await SchemaDump.of(database.url)
            statements = try #require(
                Int(try await database.text("select last_value::text as n from public.statements") ?? ""))
        }
        #expect(statements > 20)
        try await SchemaDatabase.with { database in
            try await Self.plant(database)
            for number in 1...statements {
                try await Self.kill(at: number, in: database)
                await #expect(throws: PostgresError.self, "statement \(number)") {
                    try await database.migrate(Self.small)
                }
                try await Self.kill(at: 0, in: database)
                _ = try await database.migrate(Self.small)
                #expect(try await database.status(Self.small).allSatisfy { $0.state == .applied })
                #expect(
                    try await SchemaDump.of(database.url).difference(from: whole) == nil,
                    "statement \(number)")
                try await database.pool.query("drop schema darkroom cascade")
            }
        }
    }

    @Test("while it builds an index concurrently builds it again")
    func indexInTheMaking() async throws {
        try await SchemaDatabase.with { database in
            _ = try await database.migrate(Self.small.filter { $0.name < "0002" || $0.kind == .pinned })
            let holder = try await PostgresConnection.connect(PostgresConfiguration(url: database.url))
            // The index waits for every transaction that has written to the table.
            try await holder.execute("begin; insert into darkroom.things (n) values (1);")
            let tables = Self.small.filter { $0.kind == .table || $0.kind == .pinned }
            async let migrating = #expect(throws: PostgresError.self) {
                try await database.migrate(tables)
            }
            while try await database.text(
                """
                select pg_terminate_backend(pid)::text as ended from pg_stat_activity
                where query like 'create index concurrently%' and wait_event_type = 'Lock' and datname = current_database()
                """) == nil
            {
                try await Task.sleep(for: .milliseconds(1))
            }
            _ = await migrating
            await holder.close()
            #expect(
                try await database.text(
                    "select indisvalid::text as v from pg_index where indexrelid = to_regclass('darkroom.things_n')"
                )
                    == "false")
            _ = try await database.migrate(tables)
            #expect(
                try await database.text(
                    "select bool_and(indisvalid)::text as v from pg_index where indrelid = 'darkroom.things'::regclass"
                )
                    == "true")
            #expect(try await database.migrate(tables).isEmpty)
        }
    }
}

private func + (numbers: StrideThrough<Int>, more: [Int]) -> [Int] { Array(numbers) + more }
