import JobQueue
import JobStore
import Postgres
import Telemetry
import TestKit
import Testing

@testable import Worker

@Suite("A fleet", .timeLimit(.minutes(15)))
struct FleetTests {
    @Test("of more workers than connections drains the queue, and no worker gives up")
    func crowded() async throws {
        try await QueueDatabase.with { database in
            try await database.makeLogins()
            let workers = Extent.of(9, check: 24)
            try await database.pool.query(
                "alter role \(unescaped: try await database.login(.worker)) connection limit \(unescaped: String(workers * 2 / 3))"
            )
            let url = try await database.url(as: .worker)
            let jobs = Extent.of(250, check: 2_000)
            _ = try await database.store.enqueue(
                .noop, subjects: (0..<Int64(jobs)).map(\.self), fairKeys: (0..<jobs).map { "key \($0 % 50)" })
            try await withThrowingTaskGroup { group in
                for _ in 0..<workers {
                    group.addTask {
                        let configuration = PostgresConfiguration(url: url)
                        let pool = PostgresPool(configuration, size: 2)
                        var worker = Worker.Configuration(
                            queues: [ServedQueue(name: "default", concurrency: 4)], host: "fleet", pid: 1,
                            version: "test")
                        worker.drains = true
                        worker.idleSignOffLimit = .seconds(86_400)
                        let result: Result<Void, any Error>
                        do {
                            try await Worker(
                                store: JobStore(pool: pool), database: configuration,
                                handlers: [.noop: NoopHandler()], configuration: worker, log: .silent
                            ).run()
                            result = .success(())
                        } catch {
                            result = .failure(error)
                        }
                        await pool.close()
                        try result.get()
                    }
                }
                try await group.waitForAll()
            }
            try await ChaosTests.expectAllDone(jobs, database.pool)
            let left = try await database.pool.query(
                "select (select count(*) from darkroom.leases) + (select count(*) from darkroom.workers) as n"
            )
            #expect(try left[0].decode("n", as: Int.self) == 0)
        }
    }

    @Test("whose pools hold every connection that there is sends its heartbeats through them")
    func oneConnection() async throws {
        try await QueueDatabase.with { database in
            try await database.makeLogins()
            try await database.pool.query(
                "alter role \(unescaped: try await database.login(.worker)) connection limit 1")
            let configuration = PostgresConfiguration(url: try await database.url(as: .worker))
            let pool = PostgresPool(configuration, size: 1)
            let handler = RecordingHandler(store: database.store) { _ in
                let heard: PostgresQuery = "select from darkroom.workers where heartbeats >= 3"
                while try await database.pool.query(heard).isEmpty {
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
            var settings = Worker.Configuration(
                queues: [ServedQueue(name: "default", concurrency: 1)], host: "fleet", pid: 1, version: "test"
            )
            settings.heartbeatInterval = .milliseconds(100)
            settings.drains = true
            let job = try await database.enqueue()
            try await Worker(
                store: JobStore(pool: pool), database: configuration, handlers: [JobKind("ingest"): handler],
                configuration: settings, log: .silent
            ).run()
            await pool.close()
            #expect(try await database.store.attempts(of: job).map(\.outcome) == ["succeeded"])
        }
    }
}
