import Arguments
import CommandSupport
import JobStore
import Migrations
import Postgres

/// `darkroom migrate`: brings the database up to date.
enum MigrateCommand {
    static let command = Command(
        "migrate", "Bring the database up to this release's schema.",
        discussion: """
            Migrations go forward only, each in a transaction of its own under a lock, so that any number of \
            machines may run this at once, with workers running.
            """,
        options: [
            .flag("status", "only list what is applied and what is pending"), Settings.json,
            Settings.database,
        ],
        examples: [
            Example("darkroom migrate", "applies what is pending"),
            Example("darkroom migrate --status", "lists; exits with 1 where something is pending"),
        ]
    ) { arguments in
        let connection = try await PostgresConnection.connect(
            try await Settings.configuration(arguments))
        let migrator = Migrator(connection)
        do {
            if arguments.flag("status") {
                try await show(try await migrator.status(), json: arguments.flag("json"))
            } else {
                let applied = try await migrator.migrate { migration in
                    Output.note("Applying \(migration.version) \(migration.name)")
                }
                if applied.isEmpty { Output.note("The database is up to date.") }
            }
        } catch {
            await connection.close()
            throw error
        }
        await connection.close()
    }

    private static func show(_ status: [Migrator.Status], json: Bool) async throws {
        if json {
            for migration in status {
                Output.line(
                    JSON.object([
                        ("version", .integer(Int64(migration.version))), ("name", .string(migration.name)),
                        ("state", .string(migration.state.rawValue)),
                        ("applied_at", JSON.optional(migration.appliedAt) { .string($0) }),
                    ]).line)
            }
        } else {
            var table = TextTable(columns: [
                .init("VERSION", .right), .init("NAME"), .init("STATE"), .init("APPLIED"),
            ])
            for migration in status {
                table.add([
                    String(migration.version), migration.name, migration.state.rawValue,
                    migration.appliedAt ?? "-",
                ])
            }
            Output.table(table)
        }
        if status.contains(where: { $0.state != .applied }) { throw ExitCode(1) }
    }
}
