import FoundationEssentials
import Glibc
import JobQueue
import JobStore
import LocalCluster
import Postgres
import Proxying
import Schema
import Synchronization
import Telemetry
import TestKit
import Testing
import Worker

/// Whatever happens to the server and the connection to it, every job is finished once and accounted for.
@Suite("Outages", .timeLimit(.minutes(15)))
struct ChaosTests {
    static func worker(
        _ pool: PostgresPool, _ listener: PostgresConfiguration, concurrency: Int = 20,
        handler: any JobHandler = NoopHandler(), log: Log = .silent
    ) -> Worker {
        var configuration = Worker.Configuration(
            queues: [ServedQueue(name: "default", concurrency: concurrency)], host: "chaos", pid: 1,
            version: "test")
        configuration.deafPollInterval = .milliseconds(50)
        return Worker(
            store: JobStore(pool: pool), database: listener, handlers: [.noop: handler],
            configuration: configuration, log: log)
    }

    /// Expects that every job succeeded, and that its attempts match its counts.
    static func expectAllDone(_ count: Int, _ pool: PostgresPool) async throws {
        let rows = try await pool.query(
            """
            select count(*) as jobs, count(distinct job_id) as different, count(*) filter (where state = 'succeeded') as succeeded,
                   count(*) filter (where attempt <> 1 + (
                       select count(*) from darkroom.job_attempts a where a.job_id = f.job_id)) as miscounted,
                   (select count(*) from darkroom.jobs where kind = 'noop') as unfinished
            from darkroom.finished_jobs f where kind = 'noop'
            """)
        func number(_ name: String) throws -> Int { try rows[0].decode(name, as: Int.self) }
        #expect(try number("unfinished") == 0)
        #expect(try number("jobs") == count)
        #expect(try number("different") == count)
        #expect(try number("succeeded") == count)
        #expect(try number("miscounted") == 0)
    }

    /// Retries while the server is unreachable.
    static func finished(_ pool: PostgresPool) async throws -> Int {
        while true {
            do {
                let rows = try await pool.query("select count(*) as jobs from darkroom.finished_jobs")
                return try rows[0].decode("jobs", as: Int.self)
            } catch is PostgresError {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    @Test("a server that crashes and restarts in the middle of the work")
    func restarts() async throws {
        // Even without fsync the kernel keeps every page: the server dies, not the machine.
        try await withTemporaryDirectory { (root: String) async throws -> Void in
            chmod(root, 0o711)
            let cluster = LocalCluster(directory: root + "/cluster")
            let url = try await cluster.start(profile: .throwaway)
            let connection = try await PostgresConnection.connect(PostgresConfiguration(url: url))
            _ = try await Migrator(connection).migrate()
            await connection.close()
            let pool = PostgresPool(PostgresConfiguration(url: url), size: 6)
            let store = JobStore(pool: pool)
            let count = 20_000
            _ = try await store.enqueue(.noop, subjects: (0..<Int64(count)).map(\.self), fairKeys: ["a"])
            let worker = Self.worker(pool, PostgresConfiguration(url: url), concurrency: 500)
            try await running(worker) {
                for restart in 1...3 {
                    while try await Self.finished(pool) < restart * 4000 {
                        try await Task.sleep(for: .milliseconds(2))
                    }
                    try await cluster.stop(mode: .immediate)
                    _ = try await cluster.start(profile: .throwaway)
                }
                while try await Self.finished(pool) < count { try await Task.sleep(for: .milliseconds(20)) }
            }
            try await Self.expectAllDone(count, pool)
            await pool.close()
            try await cluster.stop()
        }
    }

    @Test("connections ended one after the other by the server")
    func terminated() async throws {
        try await QueueDatabase.with { database in
            let count = 10_000
            _ = try await database.store.enqueue(
                .noop, subjects: (0..<Int64(count)).map(\.self), fairKeys: ["a"])
            let pool = PostgresPool(database.configuration, size: 6)
            let worker = Self.worker(pool, database.configuration, concurrency: 200)
            let killer = try await PostgresConnection.connect(database.configuration)
            try await running(worker) {
                var done = try await Self.finished(database.pool)
                // A worker that cannot even register reports it and ends.
                while done == 0 {
                    try await Task.sleep(for: .milliseconds(5))
                    done = try await Self.finished(database.pool)
                }
                while done < count {
                    try await killer.query(
                        """
                        select pg_terminate_backend(pid) from pg_stat_activity
                        where datname = current_database() and pid <> pg_backend_pid() order by random() limit 1
                        """)
                    // A claim and its end must fit between two cuts, however slow the machine is.
                    let before = done
                    repeat {
                        try await Task.sleep(for: .milliseconds(10))
                        let rows = try await killer.query(
                            "select count(*) as jobs from darkroom.finished_jobs")
                        done = try rows[0].decode("jobs", as: Int.self)
                    } while done == before
                }
            }
            await killer.close()
            try await Self.expectAllDone(count, database.pool)
            await pool.close()
        }
    }

    @Test("a pool of one connection for everything")
    func smallPool() async throws {
        try await QueueDatabase.with { database in
            _ = try await database.store.enqueue(.noop, subjects: (0..<500).map(\.self), fairKeys: ["a"])
            let pool = PostgresPool(database.configuration, size: 1)
            let worker = Self.worker(pool, database.configuration, concurrency: 40)
            try await running(worker) {
                while try await Self.finished(database.pool) < 500 {
                    try await Task.sleep(for: .milliseconds(5))
                }
            }
            try await Self.expectAllDone(500, database.pool)
            await pool.close()
        }
    }

    @Test("a pooler in transaction mode, which passes on no notifications")
    func pooler() async throws {
        try await QueueDatabase.with { database in
            try await PgBouncerProcess.with { bouncer in
                let log = "\(bouncer.directory)/worker.log"
                let descriptor = open(log, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
                try #require(descriptor >= 0)
                defer { close(descriptor) }
                @Sendable func logged(_ event: String) -> Bool {
                    let bytes = FileManager.default.contents(atPath: log) ?? Data()
                    return String(decoding: bytes, as: UTF8.self).contains("\"\(event)\"")
                }
                let name = try await database.name()
                let configuration = PostgresConfiguration(url: bouncer.url(database: name))
                let pool = PostgresPool(configuration, size: 4)
                let lines = Log(descriptor: descriptor, format: .json)
                defer { lines.flush() }
                let worker = Self.worker(pool, configuration, log: lines)
                try await running(worker) {
                    for round in 1...5 {
                        _ = try await database.store.enqueue(
                            .noop, subjects: (0..<100).map(\.self), fairKeys: ["round \(round)"])
                        while try await Self.finished(database.pool) < round * 100 {
                            try await Task.sleep(for: .milliseconds(5))
                        }
                    }
                    // An echo detects it, for which the listener waits 5 s.
                    while !logged("worker.listener_deaf") {
                        try #require(!logged("worker.listening"), "taken in by its own echo")
                        try await Task.sleep(for: .milliseconds(20))
                    }
                }
                try await Self.expectAllDone(500, database.pool)
                await pool.close()
            }
        }
    }

    @Test("a connection that passes no data: the job is stopped before another worker starts it", .realTime)
    func blackHole() async throws {
        try await QueueDatabase.with { database in
            try await StallingProxy.with { proxy in
                let name = try await database.name()
                let cutOff = PostgresConfiguration(url: proxy.url(database: name))
                let pool = PostgresPool(cutOff, size: 4)
                let stays = Witness(waits: true)
                let takesOver = Witness(waits: false)
                let first = Self.worker(pool, cutOff, handler: stays)
                let second = Self.worker(database.pool, database.configuration, handler: takesOver)
                try await running(first) {
                    let job = try await database.store.enqueue(.noop, subjects: [1], fairKeys: ["a"])
                    #expect(job == 1)
                    try await stays.started()
                    try await running(second) {
                        proxy.stall()
                        while try await Self.finished(database.pool) < 1 {
                            try await Task.sleep(for: .milliseconds(20))
                        }
                    }
                    let (stopped, started) = (stays.stoppedAt, takesOver.startedAt)
                    #expect(try #require(stopped) < #require(started))
                    proxy.resume()
                }
                let attempts = try await database.store.attempts(of: JobID(rawValue: 1))
                #expect(attempts.map(\.outcome) == ["crashed", "succeeded"])
                await pool.close()
            }
        }
    }
}

/// Records when its job starts and when it is told to stop.
private final class Witness: JobHandler {
    private let waits: Bool
    private let times = Mutex(
        (started: ContinuousClock.Instant?.none, stopped: ContinuousClock.Instant?.none))

    init(waits: Bool) { self.waits = waits }

    var startedAt: ContinuousClock.Instant? { times.withLock(\.started) }
    var stoppedAt: ContinuousClock.Instant? { times.withLock(\.stopped) }

    func started() async throws {
        while startedAt == nil { try await Task.sleep(for: .milliseconds(5)) }
    }

    func run(_ job: ClaimedJob, trace: AttemptTrace) async throws -> Completion {
        times.withLock { $0.started = .now }
        guard waits else { return .endedByBatch }
        do {
            while true { try await Task.sleep(for: .seconds(3600)) }
        } catch {
            times.withLock { $0.stopped = .now }
            throw error
        }
    }
}
