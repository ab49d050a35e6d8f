package import Arguments
import DarkroomClient
import FoundationEssentials
package import Gazetteer
import Glibc
import Imaging
package import LocalCluster
package import Postgres

/// The commands' settings: from options, then the environment, then `.darkroom/` in the current directory.
package enum Settings {
    package static let home = ".darkroom"

    package static let database = Option.value(
        "database", "URL",
        "libpq connection URL of the database (default: the 'darkroom dev' cluster in \(home)/)",
        environment: "DATABASE_URL")
    package static let gazetteer = Option.value(
        "gazetteer", "FILE", "gazetteer index file (default: \(home)/gazetteer.drg)",
        environment: "DARKROOM_GAZETTEER")
    package static let json = Option.flag("json", "print JSON, one object per line")

    package static var cluster: LocalCluster {
        LocalCluster(directory: absolute(home))
    }

    /// - Throws: ``CommandError`` if neither the option nor the variable is set, and no cluster runs here.
    package static func databaseURL(_ arguments: ParsedArguments) async throws -> String {
        if let url = arguments.string("database"), !url.isEmpty { return url }
        if case .running(let url, _) = try await cluster.status() { return url }
        throw CommandError(
            InstalledSettings.isInstalled
                ? "no database: \(InstalledSettings.files[0]) has none that you may read. If it has a DATABASE_URL, join its group with "
                    + "'adduser NAME darkroom-operators', and log in again; or give --database"
                : "no database: run 'darkroom dev start' for one in \(home)/, or set DATABASE_URL")
    }

    /// The connection settings of the database.
    package static func configuration(
        _ arguments: ParsedArguments, applicationName: String = "darkroom"
    ) async throws -> PostgresConfiguration {
        PostgresConfiguration(url: try await databaseURL(arguments), applicationName: applicationName)
    }

    /// Tells the user to migrate if the error says that the database lacks Darkroom's tables.
    package static func explained(_ error: any Error) -> any Error {
        let cause = (error as? DarkroomError)?.underlying ?? error
        guard let state = (cause as? PostgresError)?.sqlState,
            [.undefinedTable, .undefinedFunction, .undefinedColumn, .undefinedSchema].contains(state)
        else { return error }
        return CommandError(
            "the database is not up to date: run 'darkroom migrate' (\((cause as? PostgresError)?.message ?? ""))"
        )
    }

    package static func gazetteerPath(_ arguments: ParsedArguments) -> String {
        arguments.string("gazetteer").flatMap { $0.isEmpty ? nil : $0 } ?? "\(home)/gazetteer.drg"
    }

    package static func openGazetteer(_ arguments: ParsedArguments) throws -> Gazetteer {
        try Gazetteer(path: try readableGazetteerPath(arguments))
    }

    package static func readableGazetteerPath(_ arguments: ParsedArguments) throws -> String {
        let path = gazetteerPath(arguments)
        guard access(path, R_OK) == 0 else {
            throw CommandError(
                "there is no gazetteer at \(path): run 'darkroom gazetteer build', or set DARKROOM_GAZETTEER")
        }
        return path
    }

    package static func rendererExecutable() throws -> String {
        guard let executable = RendererPool.locateExecutable() else {
            if let given = getenv("DARKROOM_RENDERER") {
                throw CommandError(
                    "there is no program at \(String(cString: given)): correct DARKROOM_RENDERER, or unset it if "
                        + "darkroom-renderer is next to darkroom")
            }
            throw CommandError(
                "there is no darkroom-renderer next to darkroom: build both with 'make build', or set "
                    + "DARKROOM_RENDERER")
        }
        return executable
    }

    package static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }
}
