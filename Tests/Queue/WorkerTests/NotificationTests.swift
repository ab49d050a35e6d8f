import JobQueue
import JobStore
import Postgres
import Synchronization
import Telemetry
import TestKit
import Testing

@testable import Worker

@Suite("Notifications", .timeLimit(.minutes(15)))
struct NotificationTests {
    @Test("end no job and no worker by themselves: any login may send them")
    func forged() async throws {
        try await QueueDatabase.with { database in
            let (gate, open) = AsyncStream<Void>.makeStream()
            let handler = RecordingHandler(store: database.store) { job in
                guard job.fairKey == "victim" else { return }
                for await _ in gate { return }
                try Task.checkCancellation()
            }
            let metrics = WorkerMetrics.unexposed()
            let worker = database.makeWorker(handler, metrics: metrics) {
                $0.pollInterval = .seconds(86_400)
            }
            let victim = try await database.enqueue(uploader: "victim")
            try await running(worker) {
                let started = try #require(await handler.nextStarted())
                while metrics.listenerConnected.value < 1 { try await Task.sleep(for: .milliseconds(5)) }
                for order in ["cancel \(victim)", "\(victim)", "drain \(started.lease.worker)"] {
                    try await database.pool.query("select pg_notify('darkroom.control', \(order))")
                }
                // The worker hears of these after the forged orders.
                for _ in 0..<3 {
                    let next = try await database.enqueue()
                    while try await database.state(of: next) != .succeeded {
                        try #require(try await !database.store.workers().isEmpty, "the worker ended")
                        try await Task.sleep(for: .milliseconds(5))
                    }
                }
                open.yield()
                while try await database.state(of: victim)?.isFinished != true {
                    try await Task.sleep(for: .milliseconds(5))
                }
            }
            #expect(try await database.state(of: victim) == .succeeded)
        }
    }

    @Test("bring a cancellation to its worker at once")
    func cancel() async throws {
        try await QueueDatabase.with { database in
            let handler = RecordingHandler(store: database.store, body: forever)
            let metrics = WorkerMetrics.unexposed()
            // Only a notification can make the worker look before the time limit.
            let worker = database.makeWorker(handler, metrics: metrics) {
                $0.maintenanceInterval = .seconds(86_400)
            }
            let job = try await database.enqueue()
            try await running(worker) {
                _ = await handler.nextStarted()
                while metrics.listenerConnected.value < 1 { try await Task.sleep(for: .milliseconds(5)) }
                #expect(try await database.store.cancel(job))
                try await database.waitUntil(job, is: .cancelled)
            }
        }
    }

    @Test("make a worker that looks already look once more, however many come in")
    func flood() async throws {
        let (turns, turn) = AsyncStream<ContinuousClock.Instant>.makeStream()
        let (gate, open) = AsyncStream<Void>.makeStream()
        let isFirst = Mutex(true)
        let interval = Duration.milliseconds(200)
        let duty = Duty(name: "review", interval: interval) {
            turn.yield(.now)
            if isFirst.withLock({ isFirst in
                defer { isFirst = false }
                return isFirst
            }) {
                for await _ in gate { break }
            }
            return nil
        }
        let looking = Task { await duty.run(through: nil, metrics: .unexposed(), log: .silent) }
        var starts = turns.makeAsyncIterator()
        _ = await starts.next()
        for _ in 0..<1000 { duty.hurry.signal() }
        open.yield()
        let second = try #require(await starts.next())
        let third = try #require(await starts.next())
        #expect(third - second >= interval, "the third was not asked for")
        looking.cancel()
        await looking.value
    }
}
