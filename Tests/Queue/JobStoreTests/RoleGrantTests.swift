import Glibc
import JobStore
import LocalCluster
import Postgres
import Schema
import TestKit
import Testing

/// How an installation gets its roles; `RoleTests` covers their rights.
@Suite("Roles of an installation", .timeLimit(.minutes(15)))
struct RoleGrantTests {
    /// Calls `body` with the address of a server of its own, which has no roles yet.
    private static func withServer(_ body: (String) async throws -> Void) async throws {
        try await withTemporaryDirectory { (root: String) async throws -> Void in
            chmod(root, 0o711)
            let cluster = LocalCluster(directory: root + "/cluster")
            let result: Result<Void, any Error>
            do {
                try await body(try await cluster.start(profile: .throwaway))
                result = .success(())
            } catch {
                result = .failure(error)
            }
            try await cluster.stop(mode: .immediate)
            try result.get()
        }
    }

    @Test(
        "can be created by a login without administrator rights, and the owner also owns what it creates later"
    )
    func plainLogin() async throws {
        try await Self.withServer { (url: String) async throws -> Void in
            let administrator = try await PostgresConnection.connect(PostgresConfiguration(url: url))
            try await administrator.query("create role installer login createrole")
            try await administrator.query("alter database darkroom owner to installer")
            let connection = try await PostgresConnection.connect(
                PostgresConfiguration(url: url.replacing("user=darkroom", with: "user=installer")))
            _ = try await Migrator(connection).migrate()
            let roles = InstallationRoles(connection)
            #expect(try await roles.list().allSatisfy { !$0.exists })
            try await roles.create()
            #expect(try await roles.list().allSatisfy { $0.exists })
            try await connection.query("create table darkroom.later (x int)")
            try await connection.query("select darkroom.grant_roles()")
            #expect(try await Migrator(connection).migrate().isEmpty)
            let owners = try await administrator.query(
                """
                select distinct pg_get_userbyid(relowner)::text as owner from pg_class c
                join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'darkroom'
                union select pg_get_userbyid(proowner)::text from pg_proc p
                join pg_namespace n on n.oid = p.pronamespace where n.nspname = 'darkroom'
                union select pg_get_userbyid(nspowner)::text from pg_namespace where nspname = 'darkroom'
                """)
            #expect(try owners.map { try $0.decode("owner", as: String.self) } == ["darkroom_owner"])
            // The owner's functions do not run as an administrator either.
            try await administrator.query("create role app login in role darkroom_api")
            let app = try await PostgresConnection.connect(
                PostgresConfiguration(url: url.replacing("user=darkroom", with: "user=app")))
            #expect(
                try await app.failure(
                    "select darkroom.enqueue_upload('eve', 'originals/x', repeat('ab', 32), 1, queue => 'new')"
                ) == nil)
            #expect(try await app.failure("select * from darkroom.uploads") == .insufficientPrivilege)
            // Whoever creates a role administers it, and holds only that of the owner. Before PostgreSQL 16, also this was no membership.
            let holders = try await roles.list().filter { $0.members.contains("installer") }.map(\.role)
            #expect(holders == [.owner])
            await app.close()
            await connection.close()
            await administrator.close()
        }
    }

    @Test("get an owner while others work: nothing is locked but the table that is waited for")
    func takenOverAtWork() async throws {
        try await Self.withServer { (url: String) async throws -> Void in
            let configuration = PostgresConfiguration(url: url)
            let migrator = try await PostgresConnection.connect(configuration)
            _ = try await Migrator(migrator).migrate()
            let other = try await PostgresConnection.connect(configuration)
            let tables = try await other.query(
                """
                select oid::regclass::text as name from pg_class
                where relnamespace = 'darkroom'::regnamespace and relkind in ('r', 'p')
                """
            ).map { try $0.decode("name", as: String.self) }
            try #require(tables.count > 50)

            try await other.query("begin")
            try await other.query("lock table darkroom.workers in access share mode")
            async let taken: Void = InstallationRoles(migrator).create()
            while try await other.query(
                "select from pg_locks where not granted and mode = 'AccessExclusiveLock' and database = (select oid from pg_database where datname = current_database())"
            ).isEmpty {}
            for table in tables {
                try await other.query("select from \(unescaped: table) limit 1")
            }
            try await other.query("commit")
            try await taken

            let owners = try await other.query(
                """
                select distinct relowner::regrole::text as owner from pg_class
                where relnamespace = 'darkroom'::regnamespace and relkind in ('r', 'p', 'v', 'S')
                """)
            #expect(try owners.map { try $0.decode("owner", as: String.self) } == ["darkroom_owner"])
            await other.close()
            await migrator.close()
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
