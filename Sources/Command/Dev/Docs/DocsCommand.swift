import Arguments
import CommandSupport
import Postgres
import ReferencePages

/// `darkroom-dev docs`: the reference pages that are written from the database.
enum DocsCommand {
    static let command = Command(
        "docs", "Write reference pages from the database, as Markdown.",
        subcommands: [sqlAPI, dataModel, schema])

    private static let sqlAPI = Command(
        "sql-api", "The functions that an app calls, with an example each.",
        options: [Settings.database],
        examples: [Example("darkroom-dev docs sql-api > docs/sql-api.md", "after a function was changed")]
    ) { arguments in
        try await write(arguments) { try await SQLReference($0).markdown() }
    }

    private static let dataModel = Command(
        "data-model", "The main tables and how they hang together, as a Mermaid diagram.",
        options: [Settings.database],
        examples: [Example("darkroom-dev docs data-model > docs/data-model.md", "after a table was changed")]
    ) { arguments in
        try await write(arguments) { try await DataModel($0).markdown() }
    }

    private static let schema = Command(
        "schema", "The whole schema, as pg_dump writes it.",
        options: [Settings.database],
        examples: [Example("darkroom-dev docs schema > sql/schema.sql", "after a file of sql/ was changed")]
    ) { arguments in
        let configuration = try await Settings.configuration(arguments)
        _ = try Output.raw(try await SchemaDump.of(configuration.url))
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
