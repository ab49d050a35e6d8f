import ChildProcess
import FoundationEssentials
import Glibc
import LocalCluster
import Postgres
import Schema

/// A PostgreSQL server for trials, the whole of which can be stopped.
struct TrialServer: Sendable {
    private let cluster: LocalCluster
    private let url: String
    private let processes: ServerProcesses

    /// Makes `count` servers below `root`, as copies of one, calls `body` with them, and ends them.
    static func with<T>(
        _ count: Int, in root: String, _ body: ([TrialServer]) async throws -> T
    ) async throws -> T {
        let template = LocalCluster(directory: "\(root)/template")
        let clusters = (0..<count).map { LocalCluster(directory: "\(root)/\($0)") }
        let result: Result<T, any Error>
        do {
            try await makeTemplate(template)
            let servers = try await withThrowingTaskGroup { group in
                for cluster in clusters {
                    group.addTask { try await start(cluster, copiedFrom: template) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            result = .success(try await body(servers))
        } catch {
            result = .failure(error)
        }
        // In a separate task, so that an interrupted sweep also ends them.
        await Task {
            await withTaskGroup { group in
                for cluster in clusters + [template] { group.addTask { await end(cluster) } }
            }
        }.value
        return try result.get()
    }

    private static func makeTemplate(_ cluster: LocalCluster) async throws {
        let url = try await cluster.start(profile: .throwaway)
        let connection = try await PostgresConnection.connect(PostgresConfiguration(url: url))
        _ = try await Migrator(connection).migrate()
        try await connection.execute(ChaosHandler.table)
        await connection.close()
        try await cluster.stop()
    }

    private static func start(
        _ cluster: LocalCluster, copiedFrom template: LocalCluster
    ) async throws -> TrialServer {
        guard mkdir(cluster.directory, 0o755) == 0, let cp = ChildProgram.find("cp") else {
            throw ChaosError("cannot make \(cluster.directory)")
        }
        try await ChildProgram(cp, ["-a", "\(template.directory)/pgdata", cluster.directory])
            .runSuccessfully()
        let url = try await cluster.start(profile: .throwaway)
        guard case .running(_, let postmaster) = try await cluster.status() else {
            throw ChaosError("the server in \(cluster.directory) ended")
        }
        return TrialServer(
            cluster: cluster, url: url, processes: ServerProcesses(postmaster: postmaster))
    }

    private static func end(_ cluster: LocalCluster) async {
        if case .running(_, let postmaster) = try? await cluster.status() {
            ServerProcesses(postmaster: postmaster).resume()
        }
        try? await cluster.stop(mode: .immediate)
    }

    /// The folder of its socket.
    var socketDirectory: String {
        let options = url.split(separator: "?").last?.split(separator: "&") ?? []
        return options.first { $0.hasPrefix("host=") }.map { String($0.dropFirst(5)) } ?? ""
    }

    /// Calls `body` with the URL of a migrated database, and drops the database.
    func withDatabase<T>(_ name: String, _ body: (String) async throws -> T) async throws -> T {
        try await administer("create database \(quotedIdentifier(name)) template darkroom")
        let result: Result<T, any Error>
        do {
            result = .success(try await body(url.replacing("///darkroom?", with: "///\(name)?")))
        } catch {
            result = .failure(error)
        }
        _ = await Task { try await administer("drop database \(quotedIdentifier(name)) with (force)") }
            .result
        return try result.get()
    }

    private func administer(_ statement: String) async throws {
        let url = url.replacing("///darkroom?", with: "///postgres?")
        let connection = try await PostgresConnection.connect(PostgresConfiguration(url: url))
        let result: Result<Void, any Error>
        do {
            result = .success(try await connection.execute(statement))
        } catch {
            result = .failure(error)
        }
        await connection.close()
        try result.get()
    }

    /// Stops the postmaster and every other process of the server.
    func stop() { processes.freeze() }

    func resume() { processes.resume() }
}
