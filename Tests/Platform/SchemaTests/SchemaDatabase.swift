import Postgres
import Schema
import TestKit

/// A database whose schema is the subject of a test.
struct SchemaDatabase: Sendable {
    let url: String
    let pool: PostgresPool

    /// Calls `body` with a database that has the whole schema, as the migrator makes it.
    static func withMigrated(_ body: (SchemaDatabase) async throws -> Void) async throws {
        try await with(template: QueueDatabase.plainlyMigrated, body)
    }

    /// Calls `body` with a database: one without any table, unless it says otherwise.
    static func with(
        template: DatabaseTemplate = .empty, _ body: (SchemaDatabase) async throws -> Void
    ) async throws {
        try await TestDatabase.withDatabase(template: template) { database in
            let pool = PostgresPool(PostgresConfiguration(url: database.url), size: 4)
            let result: Result<Void, any Error>
            do {
                try await body(SchemaDatabase(url: database.url, pool: pool))
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await pool.close()
            try result.get()
        }
    }

    /// What a first migration applies: of `triggers.sql` each trigger, and the copies of functions.
    static let parts =
        SchemaFile.all.count - 1
        + SchemaFile.all.map { file in
            file.text.matches(of: #/(?m)^create or replace trigger |^-- Copy: /#).count
        }.reduce(0, +)

    func migrate(_ files: [SchemaFile] = SchemaFile.all, release: ReleaseVersion = .current)
        async throws -> [SchemaStatus]
    {
        let connection = try await PostgresConnection.connect(PostgresConfiguration(url: url))
        let result: Result<[SchemaStatus], any Error>
        do {
            let release = SchemaRelease(release: release, oldestServed: release)
            result = .success(try await Migrator(connection, files: files, release: release).migrate())
        } catch {
            result = .failure(error)
        }
        await connection.close()
        return try result.get()
    }

    func status(_ files: [SchemaFile] = SchemaFile.all) async throws -> [SchemaStatus] {
        try await pool.withConnection { try await Migrator($0, files: files).status() }
    }

    /// The only column of the only row.
    func text(_ query: PostgresQuery) async throws -> String? {
        let rows = try await pool.query(query)
        return try rows.first?.decode(rows.columns[0], as: String?.self)
    }
}
