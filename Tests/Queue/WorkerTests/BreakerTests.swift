import JobQueue
import JobStore
import Postgres
import Synchronization
import Telemetry
import TestKit
import Testing
import Worker

@Suite("Circuit breakers", .timeLimit(.minutes(15)))
struct BreakerTests {
    private func configure(
        _ configuration: inout Worker.Configuration, _ probes: [Probe], needs: Set<Dependency>
    ) {
        configuration.probes = probes
        configuration.needs = [JobKind("ingest"): needs]
        configuration.heartbeatInterval = .milliseconds(50)
        configuration.probePauses = RetryPolicy(
            maximumFailures: .max, maximumCrashes: 1, base: .milliseconds(5), cap: .milliseconds(20))
        configuration.policy = RetryPolicy(
            maximumFailures: 2, maximumCrashes: 1, base: .milliseconds(5), cap: .milliseconds(20))
    }

    private func wait(until condition: () async throws -> Bool) async throws {
        try await until("it is so", condition)
    }

    @Test("what is away costs no job a try; only jobs that need it wait, and go on when it is back")
    func away() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let disk = Surroundings()
            disk.take(Surroundings.absence(Surroundings.disk))
            for _ in 0..<40 { try await database.enqueue() }
            let photos = try await database.jobs().map(\.id)
            let handler = RecordingHandler(store: database.store) { job in
                if job.kind == JobKind("ingest") { try disk.use() }
            }
            let metrics = WorkerMetrics(registry: MetricsRegistry(), version: "1")
            let lines = try await linesLogged { log in
                let worker = database.makeWorker(handler, concurrency: 8, metrics: metrics, log: log) {
                    configure(&$0, [disk.probe(Surroundings.disk)], needs: [Surroundings.disk])
                }
                try await running(worker) {
                    try await wait { worker.readiness.description.contains("disk: gone: It is gone.") }
                    try await wait { try await database.jobs(in: [.running]).isEmpty }
                    let seen = handler.runs.count
                    #expect(seen <= 16, "no more than were claimed before anybody knew")
                    // Others run, and those that need it are not claimed again and again.
                    let other = try await database.store.enqueue(
                        JobKind("moderate"), subjects: [1], fairKeys: ["a"])
                    #expect(other == 1)
                    let moderate = try #require(
                        try await database.jobs().first { $0.kind == JobKind("moderate") })
                    try await database.waitUntil(moderate.id, is: .succeeded)
                    try await wait { disk.probes > 4 }
                    #expect(handler.runs.count == seen + 1)
                    try await wait {
                        try await database.store.workers().map(\.away) == [["disk: gone: It is gone."]]
                    }
                    #expect(metrics.dependencyUp["disk"].value == 0)
                    disk.giveBack()
                    for photo in photos { try await database.waitUntil(photo, is: .succeeded) }
                    #expect(worker.readiness.isHealthy && metrics.dependencyUp["disk"].value == 1)
                }
            }
            #expect(try await database.jobs().allSatisfy { $0.failures == 0 && $0.crashes == 0 })
            #expect(metrics.dependencyFailures["disk"].value == 1)
            #expect(lines.count { $0.contains("dependency.away") } == 1)
            #expect(lines.count { $0.contains("dependency.back") } == 1)
        }
    }

    @Test("what is away for one job only is a failure of that job")
    func unconfirmed() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let disk = Surroundings()
            let bad = try await database.enqueue()
            let good = try await database.enqueue()
            let handler = RecordingHandler(store: database.store) { job in
                if job.id == bad { throw Surroundings.absence(Surroundings.disk) }
            }
            let worker = database.makeWorker(handler) {
                configure(&$0, [disk.probe(Surroundings.disk)], needs: [Surroundings.disk])
            }
            try await running(worker) {
                try await database.waitUntil(good, is: .succeeded)
                try await database.waitUntil(bad, is: .failed)
                #expect(worker.readiness.isHealthy)
            }
            let failed = try #require(try await database.jobs().first { $0.id == bad })
            #expect(failed.failures == 2 && failed.reason?.code == "gone")
        }
    }

    @Test("what was away during an attempt, and is back when the attempt ends, is no failure of the job")
    func backMeanwhile() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let disk = Surroundings()
            let isBack = Mutex(false)
            let handler = RecordingHandler(store: database.store) { _ in
                guard !isBack.withLock(\.self) else { return }
                disk.take(Surroundings.absence(Surroundings.disk))
                // As a call that is tried again and again.
                while !isBack.withLock(\.self) { try await Task.sleep(for: .milliseconds(5)) }
                throw Surroundings.absence(Surroundings.disk)
            }
            let job = try await database.enqueue()
            let worker = database.makeWorker(handler) {
                configure(
                    &$0, [disk.probe(Surroundings.disk, every: .milliseconds(50))], needs: [Surroundings.disk]
                )
            }
            try await running(worker) {
                try await wait { worker.readiness.description.contains("disk: gone") }
                disk.giveBack()
                try await wait { worker.readiness.isHealthy }
                isBack.withLock { $0 = true }
                try await database.waitUntil(job, is: .succeeded)
            }
            #expect(handler.runs.count == 2)
            #expect(try await database.jobs().allSatisfy { $0.failures == 0 })
        }
    }

    @Test(
        "a probe at intervals finds what is away before a job does, and one that hangs finds it too",
        arguments: [true, false])
    func beforeJobs(hangs: Bool) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let disk = Surroundings()
            if hangs { disk.hang() } else { disk.take(Surroundings.absence(Surroundings.disk)) }
            let handler = RecordingHandler(store: database.store) { job in
                if job.kind == JobKind("ingest") { try disk.use() }
            }
            let worker = database.makeWorker(handler) {
                let limit = hangs ? Duration.milliseconds(300) : .seconds(120)
                configure(
                    &$0, [disk.probe(Surroundings.disk, every: .milliseconds(50), limit: limit)],
                    needs: [Surroundings.disk])
            }
            let text = hangs ? "disk_unavailable: It did not respond within" : "gone: It is gone."
            try await running(worker) {
                try await wait { worker.readiness.description.contains("disk: \(text)") }
                // A claim that was under way then takes what it finds. This job shows that it has ended.
                _ = try await database.store.enqueue(JobKind("moderate"), subjects: [1], fairKeys: ["a"])
                let other = try #require(try await database.jobs().first)
                try await database.waitUntil(other.id, is: .succeeded)
                let job = try await database.enqueue()
                let probes = disk.probes
                try await wait { disk.probes > probes + 2 }
                #expect(handler.runs.count == 1)
                disk.giveBack()
                try await database.waitUntil(job, is: .succeeded)
            }
            #expect(handler.runs.count == 2)
        }
    }

    @Test("a probe that finds something else away opens that breaker, not its own")
    func another() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let network = Surroundings()
            network.take(Surroundings.absence(Surroundings.network))
            let job = try await database.enqueue()
            let handler = RecordingHandler(store: database.store) { _ in
                try network.use()
            }
            let worker = database.makeWorker(handler) {
                configure(
                    &$0,
                    [
                        network.probe(Surroundings.disk, every: .milliseconds(50)),
                        network.probe(Surroundings.network),
                    ], needs: [Surroundings.disk, Surroundings.network])
            }
            try await running(worker) {
                try await wait { worker.readiness.description.contains("network: gone") }
                #expect(worker.readiness.description.contains("disk: ok"))
                network.giveBack()
                try await database.waitUntil(job, is: .succeeded)
            }
            #expect(try await database.jobs().allSatisfy { $0.failures == 0 })
        }
    }

    @Test("what several jobs find away is so, although the probe finds nothing, until a job succeeds")
    func contradicted() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let disk = Surroundings()
            let room = Surroundings()
            room.take(Surroundings.absence(Surroundings.disk, "full"))
            for _ in 0..<20 { try await database.enqueue() }
            let handler = RecordingHandler(store: database.store) { _ in try room.use() }
            let metrics = WorkerMetrics(registry: MetricsRegistry(), version: "1")
            let worker = database.makeWorker(handler, concurrency: 4, metrics: metrics) {
                configure(&$0, [disk.probe(Surroundings.disk)], needs: [Surroundings.disk])
                $0.policy = RetryPolicy(
                    maximumFailures: 3, maximumCrashes: 1, base: .milliseconds(5), cap: .milliseconds(20))
            }
            try await running(worker) {
                try await wait { worker.readiness.description.contains("disk: full: It is gone.") }
                // Jobs try whether it is back, and it is still away.
                let (runs, probes) = (handler.runs.count, disk.probes)
                try await wait { handler.runs.count > runs + 4 && disk.probes > probes + 2 }
                #expect(worker.readiness.description.contains("disk: full: It is gone."))
                room.giveBack()
                try await wait { try await database.jobs().allSatisfy { $0.state == .succeeded } }
                #expect(worker.readiness.isHealthy)
            }
            // Two found it before it was believed.
            #expect(try await database.jobs().map(\.failures).reduce(0, +) <= 4)
            #expect(metrics.dependencyFailures["disk"].value == 1)
        }
    }

    @Test(
        "a renderer that dies is evidence against the photo only if the probe finds it well",
        arguments: [true, false])
    func died(isAway: Bool) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let renderer = Surroundings()
            if isAway { renderer.take(Surroundings.absence(Surroundings.disk)) }
            for _ in 0..<6 { try await database.enqueue() }
            let death = Absence(
                of: Surroundings.disk, Reason(code: "died", message: ""), outweighsProbe: false)
            let handler = RecordingHandler(store: database.store) { job in
                if isAway ? (try? renderer.use()) == nil : job.attempt == 1 {
                    throw AttemptError(
                        .rendererDied(Reason(code: "renderer_died", message: "")), underlying: death)
                }
            }
            let worker = database.makeWorker(handler) {
                configure(&$0, [renderer.probe(Surroundings.disk)], needs: [Surroundings.disk])
                $0.policy.maximumCrashes = 2
            }
            try await running(worker) {
                if isAway {
                    try await wait { !worker.readiness.isHealthy }
                    try await wait { try await database.jobs(in: [.running]).isEmpty }
                    renderer.giveBack()
                }
                try await wait { try await database.jobs().allSatisfy { $0.state == .succeeded } }
            }
            #expect(
                try await database.jobs().allSatisfy { $0.failures == 0 && $0.crashes == (isAway ? 0 : 1) })
        }
    }

    @Test(
        "a machine that has too little for several photos is away, costs no job a try, and says so until one succeeds"
    )
    func machineShort() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let renderer = Surroundings()
            let isShort = Mutex(true)
            for _ in 0..<6 { try await database.enqueue() }
            let kill = Absence(
                of: Surroundings.disk, Reason(code: "renderer_killed", message: "It was killed."))
            let handler = RecordingHandler(store: database.store) { _ in
                guard isShort.withLock(\.self) else { return }
                throw AttemptError(.machineShort(kill.reason), underlying: kill)
            }
            let worker = database.makeWorker(handler) {
                configure(&$0, [renderer.probe(Surroundings.disk)], needs: [Surroundings.disk])
            }
            try await running(worker) {
                try await wait {
                    worker.readiness.description.contains("disk: renderer_killed: It was killed.")
                }
                let runs = handler.runs.count
                try await wait { handler.runs.count > runs + 6 }
                isShort.withLock { $0 = false }
                try await wait { try await database.jobs().allSatisfy { $0.state == .succeeded } }
                #expect(worker.readiness.isHealthy)
            }
            #expect(try await database.jobs().allSatisfy { $0.failures == 0 && $0.crashes == 0 })
        }
    }

    @Test("one photo for which the machine has too little waits, and closes the way to no other")
    func oneTooLarge() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let renderer = Surroundings()
            let large = try await database.enqueue()
            let kill = Absence(
                of: Surroundings.disk, Reason(code: "renderer_killed", message: "It was killed."))
            let handler = RecordingHandler(store: database.store) { job in
                if job.id == large { throw AttemptError(.machineShort(kill.reason), underlying: kill) }
            }
            let worker = database.makeWorker(handler) {
                configure(&$0, [renderer.probe(Surroundings.disk)], needs: [Surroundings.disk])
            }
            try await running(worker) {
                try await wait { handler.runs.count { $0 == large } > 9 }
                let small = try await database.enqueue()
                try await database.waitUntil(small, is: .succeeded)
                #expect(worker.readiness.isHealthy)
            }
            let job = try #require(try await database.jobs().first { $0.id == large })
            #expect(job.failures == 0 && job.crashes == 0 && !job.state.isFinished)
        }
    }

    @Test("jobs that alone find something away end as failed, and hold up no others")
    func alone() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let disk = Surroundings()
            for _ in 0..<5 { try await database.enqueue() }
            let bad = Set(try await database.jobs().map(\.id))
            for _ in 0..<30 { try await database.enqueue() }
            let handler = RecordingHandler(store: database.store) { job in
                if bad.contains(job.id) { throw Surroundings.absence(Surroundings.disk) }
            }
            let worker = database.makeWorker(handler, concurrency: 2) {
                configure(&$0, [disk.probe(Surroundings.disk)], needs: [Surroundings.disk])
            }
            try await running(worker) {
                // Good ones keep coming, as in an app, and show each time that nothing is away for all.
                while try await !database.jobs().filter({ bad.contains($0.id) }).allSatisfy(
                    \.state.isFinished)
                {
                    try await database.waitUntil(try await database.enqueue(), is: .succeeded)
                }
                try await wait { try await database.jobs().allSatisfy(\.state.isFinished) }
                try await wait { worker.readiness.isHealthy }
            }
            let jobs = try await database.jobs()
            #expect(jobs.allSatisfy { $0.state == (bad.contains($0.id) ? .failed : .succeeded) })
        }
    }
}
