import Arguments
import CommandSupport
import Postgres
import ReferencePages

enum DocsCommand {
    static let command = Command(
        "docs", "Generate reference pages from the database.",
        subcommands: [sqlAPI, dataModel, schema])

    private static let sqlAPI = Command(
        "sql-api", "Print the functions that an app calls, each with an example, as Markdown.",
        options: [Settings.database],
        examples: [Example("darkroom-dev docs sql-api > docs/sql-api.md", "after you changed a function")]
    ) { arguments in
        try await write(arguments) { try await SQLReference($0).markdown() }
    }

    private static let dataModel = Command(
        "data-model", "Print the main tables and their references, as a Mermaid diagram.",
        options: [Settings.database],
        examples: [Example("darkroom-dev docs data-model > docs/data-model.md", "after you changed a table")]
    ) { arguments in
        try await write(arguments) { try await DataModel($0).markdown() }
    }

    private static let schema = Command(
        "schema", "Print the whole schema, as pg_dump writes it.",
        options: [Settings.database],
        examples: [Example("darkroom-dev docs schema > sql/schema.sql", "after you changed a file of sql/")]
    ) { arguments in
        let configuration = try await Settings.configuration(arguments)
        _ = try Output.raw(try await SchemaDump.tables(of: configuration.url))
    }

    private static func write(
        _ arguments: ParsedArguments, _ page: (PostgresConnection) async throws -> String
    ) async throws {
        let connection = try await PostgresConnection.connect(try await Settings.configuration(arguments))
        do {
            _ = try Output.raw(try await page(connection))
        } catch {
            await connection.close()
            throw Settings.explained(error)
        }
        await connection.close()
    }
}
