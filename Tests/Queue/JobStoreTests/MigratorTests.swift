import JobStore
import Migrations
import Postgres
import TestKit
import Testing

@Suite("The migrator")
struct MigratorTests {
    @Test("numbers its migrations from 1 without a gap")
    func numbering() {
        #expect(Migration.all.map(\.version) == Array(1...Migration.all.count))
        #expect(Migration.all.allSatisfy { !$0.sql.isEmpty })
    }

    @Test("brings an empty database up to date once, however many try at once")
    func concurrent() async throws {
        try await QueueDatabase.with { database in
            try await database.pool.query("drop schema darkroom cascade")
            let applied = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        let connection = try await PostgresConnection.connect(database.configuration)
                        let applied = try await Migrator(connection).migrate()
                        await connection.close()
                        return applied.count
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(applied.sorted() == [0, 0, 0, Migration.all.count])
        }
    }

    @Test("says what is applied and what is pending")
    func status() async throws {
        try await QueueDatabase.with { database in
            try await database.pool.withConnection { connection in
                let migrator = Migrator(connection)
                #expect(
                    try await migrator.status().allSatisfy { $0.state == .applied && $0.appliedAt != nil })
                try await connection.query(
                    "delete from darkroom.schema_migrations where version = \(Migration.all.count)")
                #expect(try await migrator.status().last?.state == .pending)
                try await connection.query("drop schema darkroom cascade")
                #expect(try await migrator.status().allSatisfy { $0.state == .pending })
            }
        }
    }

    @Test("refuses a database that another release has migrated")
    func foreignPast() async throws {
        try await QueueDatabase.with { database in
            try await database.pool.withConnection { connection in
                try await connection.query(
                    "insert into darkroom.schema_migrations (version, name, checksum) values (999, 'future', 'x')"
                )
                let unknown = await #expect(throws: MigrationError.self) {
                    try await Migrator(connection).migrate()
                }
                #expect(unknown?.status.state == .unknown)
                try await connection.query("delete from darkroom.schema_migrations where version = 999")
                try await connection.query(
                    "update darkroom.schema_migrations set checksum = 'tampered' where version = 1")
                let changed = await #expect(throws: MigrationError.self) {
                    try await Migrator(connection).migrate()
                }
                #expect(changed?.status.state == .changed)
            }
        }
    }

    @Test("leaves nothing of a migration that fails, and keeps those before it")
    func failure() async throws {
        try await QueueDatabase.with { database in
            try await database.pool.query("drop schema darkroom cascade")
            try await database.pool.query("create schema darkroom")
            // Stands in the way of the third migration.
            try await database.pool.query("create table darkroom.reports (x integer)")
            try await database.pool.withConnection { connection in
                await #expect(throws: PostgresError.self) { try await Migrator(connection).migrate() }
                let status = try await Migrator(connection).status()
                #expect(
                    status.map(\.state)
                        == Migration.all.map { $0.version < 3 ? .applied : .pending })
                try await connection.query("drop table darkroom.reports")
                #expect(
                    try await Migrator(connection).migrate().map(\.version) == Array(3...Migration.all.count))
            }
        }
    }
}
