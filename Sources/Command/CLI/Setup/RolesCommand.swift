import Arguments
import CommandSupport
import JobStore
import Postgres

enum RolesCommand {
    static let command = Command(
        "roles", "Create and list the database roles of APIs, readers, workers and operators.",
        discussion: """
            These roles cannot log in: grant them to your logins. docs/roles.md explains what each may do.
            """,
        subcommands: [create, list])

    private static let create = Command(
        "create", "Create missing roles, and grant each role its rights.",
        discussion: """
            Needs an administrator, or the login that migrated the database if it has CREATEROLE. Safe to repeat.
            """,
        options: [
            .flag("print", "print the SQL for an administrator instead of running it"), Settings.database,
        ],
        examples: [
            Example("darkroom roles create", "creates the roles; next, grant darkroom_api to my_upload_api"),
            Example("darkroom roles create --print | psql", "runs the SQL as another login"),
        ]
    ) { arguments in
        if arguments.flag("print") {
            return Output.line(InstallationRoles.creation)
        }
        try await withRoles(arguments) { roles in
            do { try await roles.create() } catch let error as PostgresError
                where error.sqlState == .insufficientPrivilege
            {
                throw CommandError(
                    "this login may not create roles (\(error.message)): have an administrator run the SQL of "
                        + "'darkroom roles create --print'")
            }
        }
    }

    private static let list = Command(
        "list", "List the roles, their members and their rights.",
        options: [Settings.json, Settings.database],
        examples: [Example("darkroom roles list", "shows which logins are workers")]
    ) { arguments in
        var records: [InstallationRoles.Record] = []
        try await withRoles(arguments) { records = try await $0.list() }
        if arguments.flag("json") {
            for record in records {
                Output.line(
                    JSON.object([
                        ("role", .string(record.role.name)), ("purpose", .string(record.role.rawValue)),
                        ("exists", .bool(record.exists)),
                        ("members", .array(record.members.map { .string($0) })),
                    ]).line)
            }
            return
        }
        var table = TextTable(columns: [.init("ROLE"), .init("HELD BY"), .init("MAY")])
        for record in records {
            let members = record.members.isEmpty ? "-" : record.members.joined(separator: ", ")
            table.add([record.role.name, record.exists ? members : "(does not exist)", record.role.meaning])
        }
        Output.table(table)
    }

    private static func withRoles(
        _ arguments: ParsedArguments, _ body: (InstallationRoles) async throws -> Void
    ) async throws {
        let configuration = try await Settings.configuration(arguments)
        let connection = try await PostgresConnection.connect(configuration)
        do {
            try await body(InstallationRoles(connection))
        } catch {
            await connection.close()
            throw Settings.explained(error)
        }
        await connection.close()
    }
}
