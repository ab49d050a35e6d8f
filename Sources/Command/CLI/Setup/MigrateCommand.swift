import Arguments
import CommandSupport
import Postgres
import Schema

enum MigrateCommand {
    static let command = Command(
        "migrate", "Update the database to this release's schema.",
        discussion: """
            Run this after each upgrade, and once for a new database. Applies pending table changes, and replaces \
            functions and triggers with those of this release. You cannot downgrade. Everything happens in one \
            transaction, so apps keep running, and workers too. If the new schema does not serve workers of older \
            releases, this says so: they stop taking jobs until you update them. Any number of machines may run this at \
            once.
            """,
        options: [
            .flag("status", "change nothing; list what this release would change"), Settings.json,
            Settings.database,
        ],
        examples: [
            Example("darkroom migrate", "applies pending changes"),
            Example("darkroom migrate --status", "lists pending changes; exits with 1 if there are any"),
        ]
    ) { arguments in
        let connection = try await PostgresConnection.connect(
            try await Settings.configuration(arguments))
        let migrator = Migrator(connection)
        do {
            let newOldest = try await migrator.newOldestServed()
            if arguments.flag("status") {
                let status = try await migrator.status()
                try show(status, json: arguments.flag("json"))
                if let obstacle = try await migrator.obstacle(to: status) { throw obstacle }
                if let newOldest { Output.note("Would stop workers older than \(newOldest).") }
                if newOldest != nil || status.contains(where: { $0.state != .applied }) { throw ExitCode(1) }
            } else {
                let changed = try await migrator.migrate {
                    if $0.kind == .table { Output.note("Applying \($0.name)") }
                    if $0.kind == .constraint { Output.note("Validating \($0.name); others go on meanwhile") }
                } waiting: { _ in
                    Output.note("Another transaction holds a lock that this needs. Trying again.")
                }
                Output.note(changed.isEmpty ? "The database is up to date." : summary(of: changed))
                if let newOldest {
                    Output.note("Workers older than \(newOldest) take no more jobs: update them.")
                }
            }
        } catch {
            await connection.close()
            throw error
        }
        await connection.close()
    }

    private static func show(_ status: [SchemaStatus], json: Bool) throws {
        let changes = status.filter { $0.state != .applied }
        if json {
            for one in status {
                Output.line(
                    JSON.object([
                        ("kind", .string(one.kind.rawValue)), ("name", .string(one.name)),
                        ("state", .string(one.state.rawValue)),
                        ("applied_at", JSON.optional(one.appliedAt) { .string($0) }),
                    ]).line)
            }
        } else {
            var table = TextTable(columns: [
                .init("KIND"), .init("NAME"), .init("STATE"), .init("APPLIED"),
            ])
            for one in status where one.kind == .table || one.state != .applied {
                table.add([one.kind.rawValue, one.name, one.state.rawValue, one.appliedAt ?? "-"])
            }
            Output.table(table)
            Output.note(
                changes.isEmpty
                    ? "The database is up to date." : "Would change: \(SchemaStatus.counts(changes)).")
        }
    }

    private static func summary(of changed: [SchemaStatus]) -> String {
        "The database is up to date now. Changed: \(SchemaStatus.counts(changed))."
    }
}
