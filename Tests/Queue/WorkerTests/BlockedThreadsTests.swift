import Glibc
import JobQueue
import JobStore
import Postgres
import Telemetry
import TestKit
import Testing
import Worker

/// Blocks the thread that runs it until a file exists, as a system call on a frozen disk would.
private struct BlockingHandler: JobHandler {
    let path: String

    func run(_: ClaimedJob, trace: AttemptTrace) async throws -> Completion {
        let deadline = ContinuousClock.now + .seconds(120)
        while access(path, F_OK) != 0 {
            guard .now < deadline else { throw BlockedTooLong() }
            usleep(10_000)
        }
        return .endedByBatch
    }
}

private struct BlockedTooLong: Error {}

@Suite("Handlers that block all of Swift's threads", .timeLimit(.minutes(15)))
struct BlockedThreadsTests {
    @Test("do not delay the heartbeats")
    func heartbeats() async throws {
        try await withTemporaryDirectory { folder in
            try await QueueDatabase.with { database in
                // Swift's pool has a thread for each processor. When they are blocked, the other jobs may not be claimed.
                let threads = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
                let jobs = threads + 2
                _ = try await database.store.enqueue(
                    .noop, subjects: (0..<Int64(jobs)).map(\.self), fairKeys: ["a"])
                let path = "\(folder)/go"
                let release = Task {
                    defer { close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)) }
                    while try await database.jobs(in: [.running]).count < threads {
                        try await Task.sleep(for: .milliseconds(10))
                    }
                    // Those that were under way may still come.
                    let first = try await Self.heartbeats(database) + 2
                    while try await Self.heartbeats(database) < first + 10 {
                        try await Task.sleep(for: .milliseconds(10))
                    }
                }
                // In a process of its own: other tests share the threads of this one.
                await #expect(processExitsWith: .success) {
                    [url = database.url as String, path = path as String, jobs = jobs as Int] in
                    try await Self.drain(url, concurrency: jobs, path)
                }
                release.cancel()
                try await release.value
                try await ChaosTests.expectAllDone(jobs, database.pool)
            }
        }
    }

    private static func heartbeats(_ database: QueueDatabase) async throws -> Int64 {
        let rows = try await database.pool.query("select heartbeats from darkroom.workers")
        return try rows.first?.decode("heartbeats", as: Int64.self) ?? 0
    }

    /// Throws unless its own tasks waited for the blocked threads.
    private static func drain(_ url: String, concurrency: Int, _ path: String) async throws {
        var configuration = Worker.Configuration(
            queues: [ServedQueue(name: "default", concurrency: concurrency)], host: "blocked", pid: 1,
            version: "test")
        configuration.heartbeatInterval = .milliseconds(100)
        configuration.drains = true
        let pool = PostgresPool(PostgresConfiguration(url: url), size: 2)
        let worker = Worker(
            store: JobStore(pool: pool), database: PostgresConfiguration(url: url),
            handlers: [.noop: BlockingHandler(path: path)], configuration: configuration, log: .silent)
        let ticker = Task {
            var longest = Duration.zero
            while true {
                let last = ContinuousClock.now
                do {
                    try await Task.sleep(for: .milliseconds(10))
                } catch {
                    return longest
                }
                longest = max(longest, .now - last)
            }
        }
        try await worker.run()
        ticker.cancel()
        await pool.close()
        // Twelve heartbeats took longer.
        try #require(await ticker.value > .seconds(1), "the threads were blocked")
    }
}
