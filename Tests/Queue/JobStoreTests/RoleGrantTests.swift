import JobStore
import Postgres
import Schema
import TestKit
import Testing

/// How an installation gets its roles; `RoleTests` covers their rights.
@Suite("Roles of an installation", .timeLimit(.minutes(15)))
struct RoleGrantTests {
    @Test(
        "can be created by a login without administrator rights, and the owner also owns what it creates later"
    )
    func plainLogin() async throws {
        try await TestDatabase.withDatabase { (database: TestDatabase) async throws -> Void in
            let schema = "s_\(database.name)"
            let login = "installer_\(database.name)"
            let administrator = try await PostgresConnection.connect(PostgresConfiguration(url: database.url))
            try await administrator.query("create role \(unescaped: login) login createrole")
            try await administrator.query(
                "alter database \(unescaped: database.name) owner to \(unescaped: login)")
            let configuration = PostgresConfiguration(url: database.url(role: login), schema: schema)
            let connection = try await PostgresConnection.connect(configuration)
            _ = try await Migrator(connection).migrate()
            let roles = InstallationRoles(connection, schema: schema)
            #expect(try await roles.list().allSatisfy { !$0.exists })
            try await roles.create()
            #expect(try await roles.list().allSatisfy { $0.exists })
            try await connection.query("create table darkroom.later (x int)")
            try await connection.query("select darkroom.grant_roles()")
            #expect(try await Migrator(connection).migrate().isEmpty)
            let owners = try await administrator.query(
                """
                select distinct pg_get_userbyid(relowner)::text as owner from pg_class c
                join pg_namespace n on n.oid = c.relnamespace where n.nspname = \(schema)
                union select pg_get_userbyid(proowner)::text from pg_proc p
                join pg_namespace n on n.oid = p.pronamespace where n.nspname = \(schema)
                union select pg_get_userbyid(nspowner)::text from pg_namespace where nspname = \(schema)
                """)
            #expect(try owners.map { try $0.decode("owner", as: String.self) } == ["\(schema)_owner"])
            // The owner's functions do not run as an administrator either.
            let api = InstallationRole.api.name(schema: schema)
            try await administrator.query("grant \(unescaped: api) to \(unescaped: login)")
            try await connection.query("set role \(unescaped: api)")
            #expect(
                try await connection.failure(
                    "select \(schema).enqueue_upload('eve', 'originals/x', repeat('ab', 32), 1, queue => 'new')"
                ) == nil)
            #expect(try await connection.failure("select * from \(schema).uploads") == .insufficientPrivilege)
            await connection.close()
            await administrator.close()
        }
    }

    @Test("get an owner while others work: nothing is locked but the table that is waited for")
    func takenOverAtWork() async throws {
        try await TestDatabase.withDatabase { (database: TestDatabase) async throws -> Void in
            let schema = "s_\(database.name)"
            let configuration = PostgresConfiguration(url: database.url, schema: schema)
            let migrator = try await PostgresConnection.connect(configuration)
            _ = try await Migrator(migrator).migrate()
            let other = try await PostgresConnection.connect(configuration)
            let tables = try await other.query(
                """
                select oid::regclass::text as name from pg_class
                where relnamespace = \(schema)::regnamespace and relkind in ('r', 'p')
                """
            ).map { try $0.decode("name", as: String.self) }
            try #require(tables.count > 50)

            try await other.query("begin")
            try await other.query("lock table darkroom.workers in access share mode")
            async let taken: Void = InstallationRoles(migrator, schema: schema).create()
            while try await other.query(
                "select from pg_locks where not granted and mode = 'AccessExclusiveLock'"
            ).isEmpty {}
            for table in tables {
                try await other.query("select from \(unescaped: table) limit 1")
            }
            try await other.query("commit")
            try await taken

            let owners = try await other.query(
                """
                select distinct relowner::regrole::text as owner from pg_class
                where relnamespace = \(schema)::regnamespace and relkind in ('r', 'p', 'v', 'S')
                """)
            #expect(try owners.map { try $0.decode("owner", as: String.self) } == ["\(schema)_owner"])
            await other.close()
            await migrator.close()
        }
    }

    @Test(
        "cannot belong to the schema public, or to one whose name is too long",
        arguments: [
            ("public", RolesError.Code.sharedSchema), (String(repeating: "s", count: 60), .nameTooLong),
        ])
    func refused(schema: String, code: RolesError.Code) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let connection = try await PostgresConnection.connect(database.configuration)
            let error = await #expect(throws: RolesError.self) {
                try await InstallationRoles(connection, schema: schema).create()
            }
            #expect(error?.code == code)
            await connection.close()
        }
    }

    @Test("keep their rights through repeated grants and later functions")
    func repeated() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.makeLogins()
            try await database.pool.query(
                "create function darkroom.later() returns int language sql return 1")
            try await database.connected(as: .api) { (connection: PostgresConnection) async throws -> Void in
                #expect(
                    try await connection.failure("select darkroom.later()") == nil,
                    "PostgreSQL grants it to everybody")
                try await database.pool.query("select darkroom.grant_roles()")
                #expect(try await connection.failure("select darkroom.later()") == .insufficientPrivilege)
                #expect(try await connection.failure("select * from darkroom.latest_posts()") == nil)
            }
        }
    }
}
