import FoundationEssentials
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
    let folder: String

    func run(_ job: ClaimedJob, trace: AttemptTrace) async throws -> Completion {
        let parent = getppid()
        // The connection for the heartbeats is made with Swift's threads.
        while access("\(folder)/beats", F_OK) != 0 { try await Task.sleep(for: .milliseconds(10)) }
        try makeFile("\(folder)/blocked-\(job.id)")
        while access("\(folder)/go", F_OK) != 0 {
            // The test's process has died.
            guard getppid() == parent else { exit(1) }
            usleep(10_000)
        }
        return .endedByBatch
    }
}

private func makeFile(_ path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0, "\(path)")
    close(descriptor)
}

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
                let release = Task {
                    defer { for name in ["beats", "go"] { try? makeFile("\(folder)/\(name)") } }
                    try await until("heartbeats begin") { try await Self.heartbeats(database) >= 2 }
                    try makeFile("\(folder)/beats")
                    try await until("all threads are blocked") {
                        try FileManager.default.contentsOfDirectory(atPath: folder).count > threads
                    }
                    // Those that were under way may still come.
                    let first = try await Self.heartbeats(database) + 2
                    try await until("heartbeats go on") {
                        try await Self.heartbeats(database) >= first + 10
                    }
                }
                // In a process of its own: other tests share the threads of this one.
                await #expect(processExitsWith: .success) {
                    [url = database.url as String, folder = folder as String, jobs = jobs as Int] in
                    try await Self.drain(url, concurrency: jobs, folder)
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
    private static func drain(_ url: String, concurrency: Int, _ folder: String) async throws {
        var configuration = Worker.Configuration(
            queues: [ServedQueue(name: "default", concurrency: concurrency)], host: "blocked", pid: 1,
            version: "test")
        configuration.heartbeatInterval = .milliseconds(100)
        configuration.drains = true
        let pool = PostgresPool(PostgresConfiguration(url: url), size: 2)
        let worker = Worker(
            store: JobStore(pool: pool), database: PostgresConfiguration(url: url),
            handlers: [.noop: BlockingHandler(folder: folder)], configuration: configuration, log: .silent)
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
