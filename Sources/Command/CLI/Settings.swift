import Arguments
import DarkroomClient
import FoundationEssentials
import Gazetteer
import Glibc
import Imaging
import JobStore
import LocalCluster
import MediaStore
import Postgres

/// A mistake in what a command was given or found, told in a sentence that says what to do.
struct CommandError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Where the commands find things: options, then the environment, then `.darkroom/` of this directory.
enum Settings {
    static let home = ".darkroom"

    static let database = Option.value(
        "database", "URL", "libpq connection URL (default: the cluster of \(home)/)",
        environment: "DATABASE_URL")
    static let media = Option.value(
        "media", "DIR", "media store: a directory or file:// URL (default: \(home)/media)",
        environment: "DARKROOM_MEDIA")
    static let gazetteer = Option.value(
        "gazetteer", "FILE", "gazetteer index (default: \(home)/gazetteer.drg)",
        environment: "DARKROOM_GAZETTEER")
    static let json = Option.flag("json", "print one JSON object a line")

    static var cluster: LocalCluster {
        LocalCluster(directory: absolute(home))
    }

    /// - Throws: ``CommandError`` where neither option nor variable is set and no cluster runs here.
    static func databaseURL(_ arguments: ParsedArguments) async throws -> String {
        if let url = arguments.string("database"), !url.isEmpty { return url }
        if case .running(let url, _) = try await cluster.status() { return url }
        throw CommandError(
            "no database: run 'darkroom dev start' for one in \(home)/, or set DATABASE_URL")
    }

    /// How to reach the database, in the schema of `DARKROOM_SCHEMA`.
    static func configuration(
        _ arguments: ParsedArguments, applicationName: String = "darkroom"
    ) async throws -> PostgresConfiguration {
        var configuration = PostgresConfiguration(
            url: try await databaseURL(arguments), applicationName: applicationName)
        configuration.schema = schemaName ?? configuration.schema
        return configuration
    }

    /// The schema of this installation.
    ///
    /// - Throws: `PostgresError` with `invalidConfiguration` for a name that none can have.
    static func schema() throws -> String {
        let schema = schemaName ?? "darkroom"
        _ = try SchemaQualifier(schema: schema)
        return schema
    }

    private static var schemaName: String? {
        getenv("DARKROOM_SCHEMA").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    static func pool(_ arguments: ParsedArguments, size: Int = 2) async throws -> PostgresPool {
        PostgresPool(try await configuration(arguments), size: size)
    }

    /// Calls `body` with a pool that is closed afterwards.
    static func withPool<T>(
        _ arguments: ParsedArguments, size: Int = 2, _ body: (PostgresPool) async throws -> T
    ) async throws -> T {
        let pool = try await pool(arguments, size: size)
        do {
            let value = try await body(pool)
            await pool.close()
            return value
        } catch {
            await pool.close()
            throw explained(error)
        }
    }

    /// An error of a database without Darkroom's tables says what to do about it.
    static func explained(_ error: any Error) -> any Error {
        let cause = (error as? DarkroomError)?.underlying ?? error
        guard let state = (cause as? PostgresError)?.sqlState,
            [.undefinedTable, .undefinedFunction, .undefinedColumn, .undefinedSchema].contains(state)
        else { return error }
        return CommandError(
            "the database is not up to date: run 'darkroom migrate' (\((cause as? PostgresError)?.message ?? ""))"
        )
    }

    static func mediaLocation(_ arguments: ParsedArguments) -> String {
        arguments.string("media").flatMap { $0.isEmpty ? nil : $0 } ?? "\(home)/media"
    }

    static func mediaStore(_ arguments: ParsedArguments) throws -> LocalMediaStore {
        try LocalMediaStore(location: mediaLocation(arguments))
    }

    static func gazetteerPath(_ arguments: ParsedArguments) -> String {
        arguments.string("gazetteer").flatMap { $0.isEmpty ? nil : $0 } ?? "\(home)/gazetteer.drg"
    }

    static func openGazetteer(_ arguments: ParsedArguments) throws -> Gazetteer {
        try Gazetteer(path: try readableGazetteerPath(arguments))
    }

    /// An index that is taken up anew when another is installed over it.
    static func gazetteerHandle(_ arguments: ParsedArguments) throws -> GazetteerHandle {
        try GazetteerHandle(path: try readableGazetteerPath(arguments))
    }

    private static func readableGazetteerPath(_ arguments: ParsedArguments) throws -> String {
        let path = gazetteerPath(arguments)
        guard access(path, R_OK) == 0 else {
            throw CommandError(
                "there is no gazetteer at \(path): run 'darkroom gazetteer build', or set DARKROOM_GAZETTEER")
        }
        return path
    }

    static let requireSandbox = Option.flag(
        "require-sandbox", "refuse renderers that this kernel does not confine wholly; see 'darkroom doctor'")

    static let rendering = Option.value(
        "rendering", "FILE", "recipe and limits as JSON (default: those of this release)",
        environment: "DARKROOM_RENDERING")

    static func renderConfiguration(_ arguments: ParsedArguments) throws -> RenderConfiguration {
        guard let path = arguments.string("rendering"), !path.isEmpty else { return RenderConfiguration() }
        guard let json = FileManager.default.contents(atPath: path) else {
            throw CommandError("--rendering: \(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        do { return try RenderConfiguration(json: json) } catch {
            throw CommandError("--rendering: \(path): \(error)")
        }
    }

    static func renderers(
        size: Int, limits: RenderLimits = RenderLimits(), requiresSandbox: Bool = false
    ) throws -> RendererPool {
        RendererPool(
            executable: try rendererExecutable(), size: size, limits: limits, requiresSandbox: requiresSandbox
        )
    }

    static func rendererExecutable() throws -> String {
        guard let executable = RendererPool.locateExecutable() else {
            throw CommandError(
                "there is no darkroom-renderer beside darkroom: build both with 'make build', or set "
                    + "DARKROOM_RENDERER")
        }
        return executable
    }

    /// Who calls, for what is recorded with a name.
    static var userName: String {
        getenv("USER").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } ?? "uid \(getuid())"
    }

    static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }
}
