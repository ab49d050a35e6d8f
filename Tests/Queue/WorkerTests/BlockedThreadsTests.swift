import Glibc
import JobQueue
import JobStore
import Postgres
import Synchronization
import Telemetry
import TestKit
import Testing
import Worker

/// Blocks the thread that runs it, as a system call on a frozen disk would. Then looks how many heartbeats there were.
private final class BlockingHandler: JobHandler {
    static let duration = Duration.seconds(2)

    private let pool: PostgresPool
    private let most = Mutex<Int64>(0)

    init(_ pool: PostgresPool) { self.pool = pool }

    var heartbeats: Int64 { most.withLock(\.self) }

    func run(_: ClaimedJob, trace: AttemptTrace) async throws -> Completion {
        usleep(UInt32(Self.duration / .microseconds(1)))
        let rows = try await pool.query("select heartbeats from darkroom.workers")
        let heartbeats = try rows[0].decode("heartbeats", as: Int64.self)
        most.withLock { $0 = max($0, heartbeats) }
        return .endedByBatch
    }
}

@Suite("Handlers that block all of Swift's threads", .timeLimit(.minutes(5)))
struct BlockedThreadsTests {
    @Test("do not delay the heartbeats")
    func heartbeats() async throws {
        try await QueueDatabase.with { database in
            // Each thread of Swift's pool blocks twice.
            let jobs = 2 * max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
            _ = try await database.store.enqueue(
                .noop, subjects: (0..<Int64(jobs)).map(\.self), fairKeys: ["a"])
            // In a process of its own: other tests share the threads of this one.
            await #expect(processExitsWith: .success) { [url = database.url as String, jobs = jobs as Int] in
                try await Self.drain(url, concurrency: jobs)
            }
            try await ChaosTests.expectAllDone(jobs, database.pool)
        }
    }

    private static func drain(_ url: String, concurrency: Int) async throws {
        var configuration = Worker.Configuration(
            queues: [ServedQueue(name: "default", concurrency: concurrency)], host: "blocked", pid: 1,
            version: "test")
        configuration.heartbeatInterval = .milliseconds(100)
        configuration.drains = true
        let pool = PostgresPool(PostgresConfiguration(url: url), size: 2)
        let handler = BlockingHandler(pool)
        let worker = Worker(
            store: JobStore(pool: pool), database: PostgresConfiguration(url: url),
            handlers: [.noop: handler], configuration: configuration, log: .silent)
        let ticker = Task {
            var longest = Duration.zero
            while !Task.isCancelled {
                let last = ContinuousClock.now
                try? await Task.sleep(for: .milliseconds(10))
                longest = max(longest, .now - last)
            }
            return longest
        }
        try await worker.run()
        ticker.cancel()
        await pool.close()
        try #require(await ticker.value > BlockingHandler.duration * 0.7, "the threads were blocked")
        // Some 40 in four blocked seconds, and fewer than ten if they needed these threads.
        try #require(handler.heartbeats >= 20)
    }
}
