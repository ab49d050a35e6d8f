import FoundationEssentials
import Glibc
import JobQueue
import JobStore
import Postgres
import Telemetry
import TestKit
import Testing
import Worker

@Suite("A worker that starts on a full server", .timeLimit(.minutes(15)))
struct StartTests {
    /// Calls `body` with a worker for whose role the server has no free connection, once its log says so.
    private static func withCrowdedOut(
        _ body: @escaping @Sendable (QueueDatabase, Worker) async throws -> Void
    ) async throws {
        try await QueueDatabase.with { database in
            try await database.makeLogins()
            try await database.pool.query(
                "alter role \(unescaped: try await database.login(.worker)) connection limit 1")
            try await withTemporaryDirectory { (folder: String) async throws -> Void in
                let path = folder + "/log"
                let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
                try #require(descriptor >= 0)
                defer { close(descriptor) }
                let log = Log(descriptor: descriptor, format: .json)
                defer { log.flush() }
                try await database.connected(as: .worker) { _ in
                    let address = PostgresConfiguration(url: try await database.url(as: .worker))
                    let pool = PostgresPool(address, size: 2)
                    let worker = Worker(
                        store: JobStore(pool: pool), database: address, handlers: [.noop: NoopHandler()],
                        configuration: Worker.Configuration(
                            queues: [ServedQueue(name: "default", concurrency: 1)], host: "full", pid: 1,
                            version: "test"),
                        log: log)
                    try await running(worker) {
                        func said() -> String {
                            String(
                                decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
                        }
                        while !said().contains("worker.start_waits") {
                            try await Task.sleep(for: .milliseconds(20))
                        }
                        #expect(said().contains("the server has no free connection"))
                        #expect(said().contains("max_connections, or the limit of the role"))
                        try await body(database, worker)
                    }
                    await pool.close()
                }
            }
        }
    }

    @Test("says what is missing, and stops when told to")
    func stops() async throws {
        try await Self.withCrowdedOut { _, worker in worker.stop() }
    }

    @Test("starts by itself once there is room")
    func starts() async throws {
        try await Self.withCrowdedOut { database, worker in
            try await database.pool.query(
                "alter role \(unescaped: try await database.login(.worker)) connection limit 10")
            while !worker.readiness.isHealthy { try await Task.sleep(for: .milliseconds(5)) }
        }
    }
}
