import ChildProcess
import Glibc
import Postgres
import Threads

/// Two parts of this machine's cores: one core for the worker that is measured, the others for what it waits for.
///
/// A store on the same machine takes processor time that a store elsewhere does not take from the worker.
struct CoreSplit: Sendable {
    private let taskset: String
    private let worker: Int
    private let others: [Int]

    /// Moves this process, with all that it starts from then on, and the PostgreSQL server to the other cores. Calls `body`,
    /// and lets the server use all cores again.
    ///
    /// - Parameters:
    ///   - server: a URL of a database. The server stays where it is if it is on another machine or belongs to somebody else.
    ///   - progress: is told so.
    static func with<T>(
        server: String, progress: (String) -> Void, _ body: (CoreSplit) async throws -> T
    ) async throws -> T {
        let cores = UsableCores.allowed() ?? []
        guard cores.count > 1 else {
            throw BenchmarkError(
                "a worker and a store on one core cannot be told apart: use a machine with two")
        }
        guard let taskset = ChildProgram.find("taskset") else {
            throw BenchmarkError("there is no taskset: install Debian's util-linux")
        }
        let split = CoreSplit(taskset: taskset, worker: cores[0], others: Array(cores.dropFirst()))
        try await split.move(getpid(), to: split.others)
        let postmaster = try await postmaster(of: server)
        let before = postmaster.flatMap { UsableCores.allowed(to: String($0)) }
        do {
            guard let postmaster, before != nil else { throw BenchmarkError("it is on another machine") }
            try await split.moveServer(postmaster, to: split.others)
        } catch {
            progress("PostgreSQL keeps the cores that it has: \(error)")
        }
        let result: Result<T, any Error>
        do {
            result = .success(try await body(split))
        } catch {
            result = .failure(error)
        }
        if let postmaster, let before {
            // In a separate task, so that an interrupted benchmark also does it.
            await Task { try? await split.moveServer(postmaster, to: before) }.value
        }
        return try result.get()
    }

    /// The program, to run on the worker's core.
    func program(
        _ executable: String, _ arguments: [String], environment: [String: String]
    ) -> ChildProgram {
        ChildProgram(
            taskset, ["--cpu-list", String(worker), executable] + arguments, environment: environment)
    }

    private func moveServer(_ postmaster: Int32, to cores: [Int]) async throws {
        try await move(postmaster, to: cores)
        for child in ProcessFigures(process: postmaster).children {
            // It may have ended.
            try? await move(child, to: cores)
        }
    }

    /// All threads of a process, and what they start from then on.
    private func move(_ process: Int32, to cores: [Int]) async throws {
        let list = cores.map(String.init).joined(separator: ",")
        try await ChildProgram(taskset, ["--all-tasks", "--cpu-list", "--pid", list, String(process)])
            .runSuccessfully()
    }

    /// The first process of a server on this machine; nil if it is elsewhere.
    private static func postmaster(of server: String) async throws -> Int32? {
        let connection = try await PostgresConnection.connect(
            PostgresConfiguration(url: server, applicationName: "darkroom-bench"))
        let isHere = try? await connection.query(
            "select inet_server_addr() is not distinct from inet_client_addr() as here")[0]
            .decode("here", as: Bool.self)
        let backend = ProcessFigures(process: Int32(await connection.backendProcessID))
        let postmaster = isHere == true && backend.name == "postgres" ? backend.parent : nil
        await connection.close()
        return postmaster
    }
}
