import ChildProcess
import Glibc
import JobQueue
import JobStore
import Postgres
import Proxying

/// One gap of one victim, in a database of its own.
///
/// Two workers serve the database: the victim, and another that nothing happens to. They hold jobs when the gap begins;
/// more jobs wait then, and more come at its end.
struct GapTrial: Sendable {
    let victim: GapVictim
    let gap: Duration
    let jobTime: Duration
    /// The `darkroom-dev` that is also the workers.
    let executable: String
    /// For the workers' logs.
    let directory: String

    private static let concurrency = 4
    /// How soon after the gap every job must be finished.
    private static let limit = Duration.seconds(20)

    var name: String { "\(victim.rawValue)_\(Int(gap / .milliseconds(1)))" }

    func run(on server: TrialServer, _ punctuality: Punctuality) async throws -> GapResult {
        guard mkdir(directory, 0o755) == 0 || errno == EEXIST else {
            throw ChaosError("cannot make \(directory): \(String(cString: strerror(errno)))")
        }
        unlink(events)
        return try await server.withDatabase(name) { url in
            let pool = PostgresPool(PostgresConfiguration(url: url, applicationName: "chaos"), size: 1)
            let result: Result<GapResult, any Error>
            do {
                switch victim {
                case .worker, .server:
                    result = .success(try await run(server, url, pool, nil, punctuality))
                case .connection, .cut:
                    let outcome = try await StallingProxy.with(before: server.socketDirectory, in: "/tmp") {
                        try await run(server, url, pool, $0, punctuality)
                    }
                    result = .success(outcome)
                }
            } catch {
                result = .failure(error)
            }
            await pool.close()
            return try result.get()
        }
    }

    private var events: String { "\(directory)/events" }

    private func worker(_ host: String, _ url: String) throws -> TrialWorker {
        try TrialWorker(
            ChildProgram(
                executable,
                [
                    "chaos", "worker", "--host", host, "--database", url, "--events", events, "--concurrency",
                    "\(Self.concurrency)", "--job-time", "\(Int(jobTime / .milliseconds(1)))ms",
                ]), log: "\(directory)/\(host).log")
    }

    private func run(
        _ server: TrialServer, _ url: String, _ pool: PostgresPool, _ proxy: StallingProxy?,
        _ punctuality: Punctuality
    ) async throws -> GapResult {
        let began = ContinuousClock.now
        let worker = try worker("victim", proxy?.url(database: name) ?? url)
        let other = try self.worker("other", url)
        let fault = Fault(victim: victim, server: server, worker: worker, proxy: proxy)
        let queue = GapQueue(name: name, pool: pool)
        let result: Result<GapResult, any Error>
        do {
            result = .success(try await observe(fault, queue))
        } catch {
            result = .failure(error)
            // What is stopped cannot be ended.
            fault.end()
        }
        async let first = worker.end(within: .seconds(30))
        async let second = other.end(within: .seconds(30))
        let ends = await [first, second]
        var outcome = try result.get()
        outcome.hasStopped = ends == [true, true]
        outcome.overlap = JobEvents.overlaps(in: events)
        try await queue.count(&outcome)
        outcome.delay = punctuality.worst(since: began)
        return outcome
    }

    /// Lets the gap happen, and waits until the jobs are finished or the limit is over.
    private func observe(_ fault: Fault, _ queue: GapQueue) async throws -> GapResult {
        try await queue.wait(for: "both workers to start") { try await queue.workers() == 2 }
        try await queue.add(16)
        let holder = victim == .server ? nil : "victim"
        try await queue.wait(for: "the victim to take a job") {
            try await !queue.running(on: holder).isEmpty
        }
        // Gaps begin at different moments in the life of a job.
        try await Task.sleep(
            for: jobTime * (gap / .seconds(1) * 0.37).truncatingRemainder(dividingBy: 0.95))
        var result = GapResult(victim: victim, gap: gap)
        var held: [Int64] = []
        try await queue.wait(for: "the victim to hold a job") {
            held = try await queue.running(on: holder)
            return !held.isEmpty
        }
        let begin = ContinuousClock.now
        fault.begin()
        try await Task.sleep(until: begin + gap, clock: .continuous)
        fault.end()
        let end = ContinuousClock.now
        try await queue.add(8)
        while try await queue.unfinished() > 0, .now < end + Self.limit {
            try await Task.sleep(for: .milliseconds(200))
        }
        let latest = ContinuousClock.now - end
        result.jobs = 24
        result.held = held.count
        result.finished = try await queue.succeeded(among: held)
        result.stuck = result.jobs - (try await queue.succeeded())
        result.latest = result.stuck == 0 ? latest : nil
        return result
    }
}
