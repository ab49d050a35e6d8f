import ChildProcess
import DarkroomClient
import FoundationEssentials
import Glibc
import Postgres
import Threads
import Tokens

/// `darkroom-dev bench serve`: measures the HTTP API next to the database alone, to a FastAPI program, and to nginx.
package struct ServeBenchmark: Sendable {
    package enum Part: String, CaseIterable, Sendable {
        case calls, uploads, streams
    }

    package struct Options: Sendable {
        package var parts = Set(Part.allCases)
        package var posts: Int
        package var runs = 5
        /// Connections of clients, and to the database.
        package var connections = 8
        package var streams: Int
        package var scratch = "/var/tmp"
        /// The name of a database to keep; if it exists, its posts are used as they are.
        package var kept: String?
        /// Seconds of each measurement.
        let seconds: Int
        let idleSeconds: Int

        /// - Parameter scale: the share of the usual size, 0…1.
        package init(scale: Double = 1) {
            posts = max(10_000, Int(100_000 * scale))
            streams = max(100, Int(10_000 * scale))
            seconds = max(1, Int(5 * scale))
            idleSeconds = max(2, Int(30 * scale))
        }
    }

    package static let references = ["fastapi", "nginx", "plain-fsync"]

    let server: String
    let gazetteer: String
    let options: Options
    let tools: BenchmarkTools
    let report: @Sendable (BenchmarkLine) -> Void
    let progress: @Sendable (String) -> Void

    /// - Parameters:
    ///   - server: a URL of any database on the server; its role must be allowed to create databases.
    ///   - gazetteer: path of an index; the posts are around its largest places.
    package init(
        server: String, gazetteer: String, options: Options, tools: BenchmarkTools,
        progress: @escaping @Sendable (String) -> Void, report: @escaping @Sendable (BenchmarkLine) -> Void
    ) {
        self.server = server
        self.gazetteer = gazetteer
        self.options = options
        self.tools = tools
        self.progress = progress
        self.report = report
    }

    package func run() async throws {
        let filling = FeedBenchmark(
            server: server, gazetteer: gazetteer, options: FeedBenchmark.Options(),
            tools: BenchmarkTools(topic: "feeds", without: ["postgis"]), progress: progress, report: report)
        let root = try makeTemporaryFolder("darkroom-bench", in: options.scratch)
        let result: Result<Void, any Error>
        do {
            if options.parts.contains(.calls) {
                try await BenchmarkDatabase.with(server: server, kept: options.kept) { database in
                    if try await database.pool.query("select from darkroom.feed limit 1").isEmpty {
                        _ = try await filling.fill(
                            database, towns: try filling.towns(), posts: options.posts)
                    }
                    try await calls(database, in: root)
                }
            }
            if options.parts.contains(.uploads) {
                // A database belongs to one media store, which is gone after this run.
                try await BenchmarkDatabase.with(server: server) { try await uploads($0, in: root) }
            }
            if options.parts.contains(.streams) {
                try await BenchmarkDatabase.with(server: server) { try await streams($0, in: root) }
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        // In a separate task, so that an interrupted benchmark also does it.
        await Task { try? await onThread { try FileManager.default.removeItem(atPath: root) } }.value
        try result.get()
    }

    /// Calls `body` with a running server and an API key for it, and stops the server.
    func withServer<T>(
        _ database: BenchmarkDatabase, in root: String, _ arguments: [String] = [],
        _ body: (ServedAPI) async throws -> T
    ) async throws -> T {
        guard let key = APIKeys.make(name: "bench") else { throw BenchmarkError("no API key") }
        try Data((key.line + "\n").utf8).write(to: URL(filePath: "\(root)/keys"))
        let api = try await ServedAPI.start(
            try tools.darkroom,
            [
                "--database", database.url, "--media", "\(root)/media", "--api-keys", "\(root)/keys",
                "--connections", String(options.connections), "--rate", "0",
            ] + arguments, key: key.key, log: "\(root)/serve.log")
        let result: Result<T, any Error>
        do {
            result = .success(try await body(api))
        } catch {
            result = .failure(error)
        }
        await Task { await api.stop() }.value
        return try result.get()
    }
}
