package import Migrations
import PlainText
package import Postgres

/// Brings a database to the schema that this binary knows, forward only.
///
/// Every migration runs in a transaction of its own under one advisory lock, so any number of
/// machines may migrate at once. What was applied is kept with a checksum in
/// `darkroom.schema_migrations`; a database whose past differs from the binary's is refused.
package struct Migrator: Sendable {
    package enum State: String, Sendable {
        case applied, pending
        /// Applied by a newer release than this one.
        case unknown
        /// Applied from a text that differs from this binary's.
        case changed
    }

    package struct Status: Sendable {
        package let version: Int
        package let name: String
        package let state: State
        /// UTC, as PostgreSQL writes it; nil while pending.
        package let appliedAt: String?
    }

    /// Serialises migrators of one database: the first eight bytes of "darkroom".
    private static let lock: Int64 = 0x6461_726b_726f_6f6d

    private let connection: PostgresConnection

    package init(_ connection: PostgresConnection) {
        self.connection = connection
    }

    /// The migrations of this binary and of the database, by number.
    package func status() async throws -> [Status] {
        var applied = try await self.applied()
        var result = Migration.all.map { migration in
            guard let row = applied.removeValue(forKey: migration.version) else {
                return Status(
                    version: migration.version, name: migration.name, state: .pending, appliedAt: nil)
            }
            let same = row.checksum == migration.checksum
            return Status(
                version: migration.version, name: migration.name, state: same ? .applied : .changed,
                appliedAt: row.appliedAt)
        }
        result += applied.map { version, row in
            Status(version: version, name: row.name, state: .unknown, appliedAt: row.appliedAt)
        }
        return result.sorted { $0.version < $1.version }
    }

    /// Applies what is pending.
    ///
    /// - Parameter last: the number of the last migration to apply, for tests of upgrades.
    /// - Returns: what was applied by this call.
    /// - Throws: ``MigrationError`` where the database was migrated by another release, and
    ///   ``PostgresError`` where a migration fails; those before it stay applied.
    package func migrate(
        to last: Int = .max, progress: @Sendable (Migration) -> Void = { _ in }
    ) async throws -> [Migration] {
        try await connection.query("select pg_advisory_lock(\(Self.lock))")
        let result: Result<[Migration], any Error>
        do {
            result = .success(try await applyPending(to: last, progress: progress))
        } catch {
            result = .failure(error)
        }
        // Where the connection is gone the lock went with it.
        _ = try? await connection.query("select pg_advisory_unlock(\(Self.lock))")
        return try result.get()
    }

    private func applyPending(
        to last: Int, progress: @Sendable (Migration) -> Void
    ) async throws -> [Migration] {
        try await connection.execute(
            """
            create schema if not exists darkroom;
            create table if not exists darkroom.schema_migrations (
                version    integer primary key,
                name       text not null,
                checksum   text not null,
                applied_at timestamptz not null default clock_timestamp());
            """)
        let status = try await status()
        if let odd = status.first(where: { $0.state == .changed || $0.state == .unknown }) {
            throw MigrationError(status: odd)
        }
        var applied: [Migration] = []
        let pending = Set(status.filter { $0.state == .pending }.map(\.version))
        for migration in Migration.all where migration.version <= last && pending.contains(migration.version)
        {
            progress(migration)
            try await connection.transaction { transaction in
                if let locks = migration.locks { try await transaction.execute(locks) }
                try await transaction.execute(migration.sql)
                try await transaction.query(
                    """
                    insert into darkroom.schema_migrations (version, name, checksum)
                    values (\(migration.version), \(migration.name), \(migration.checksum))
                    """)
            }
            applied.append(migration)
        }
        if !applied.isEmpty { try await grantRoles() }
        return applied
    }

    /// What was made anew is nobody's yet but the migrating login's, and functions are everybody's.
    private func grantRoles() async throws {
        let exists = try await connection.query(
            "select to_regprocedure('darkroom.grant_roles()') is not null as yes")
        guard try exists.first?.decode("yes", as: Bool.self) == true else { return }
        try await connection.query("select darkroom.grant_roles()")
    }

    private typealias Applied = (name: String, checksum: String, appliedAt: String)

    private func applied() async throws -> [Int: Applied] {
        let exists = try await connection.query(
            "select to_regclass('darkroom.schema_migrations') is not null as yes")
        guard try exists.first?.decode("yes", as: Bool.self) == true else { return [:] }
        let rows = try await connection.query(
            "select version, name, checksum, applied_at::text as applied_at from darkroom.schema_migrations")
        var result: [Int: Applied] = [:]
        for row in rows {
            result[try row.decode("version", as: Int.self)] = (
                try row.decode("name", as: String.self), try row.decode("checksum", as: String.self),
                try row.decode("applied_at", as: String.self)
            )
        }
        return result
    }
}

/// The database was migrated by another release than this binary.
package struct MigrationError: Error, CustomStringConvertible {
    package let status: Migrator.Status

    package var description: String {
        switch status.state {
        case .unknown:
            "the database has migration \(status.version) (\(status.name)), which this release does not "
                + "know: run the newer release that applied it"
        default:
            "migration \(status.version) (\(status.name)) was applied from a different text than this "
                + "release carries: run the release that applied it, or restore the database"
        }
    }
}

extension Migration {
    /// Guards against mistakes, not against malice.
    var checksum: String { fingerprint(sql.utf8).hexadecimal }
}
