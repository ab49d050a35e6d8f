import Synchronization
import Telemetry

/// Whether the worker keeps running, and how it ends: on request, within a time budget.
final class Shutdown: Sendable {
    enum Phase: Equatable {
        case working
        /// Takes no new jobs; running jobs may end.
        case finishing
        /// Running jobs are returned.
        case abandoning
    }

    private struct State {
        var phase = Phase.working
        /// How often it was told to stop. An order to drain is none of these.
        var signals = 0
        /// Cancels what runs only while the worker takes jobs.
        var interrupt: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private let ordered = Wakeup()
    private let budget: Duration
    private let running: RunningJobs
    private let wake: Wakeup
    private let log: Log

    init(budget: Duration, running: RunningJobs, wake: Wakeup, log: Log) {
        self.budget = budget
        self.running = running
        self.wake = wake
        self.log = log
    }

    var phase: Phase { state.withLock(\.phase) }

    /// The first call lets running jobs end within the budget; the second returns them at once.
    func stop() {
        let interrupt = state.withLock { state in
            state.signals += 1
            if state.phase == .working { state.phase = .finishing }
            if state.signals > 1 { state.phase = .abandoning }
            return state.interrupt
        }
        interrupt?()
        ordered.signal()
        wake.signal()
    }

    /// Lets running jobs end, however long they take. May be called often.
    func drain() {
        let (isNews, interrupt) = state.withLock { state in
            guard state.phase == .working else { return (false, state.interrupt) }
            state.phase = .finishing
            return (true, state.interrupt)
        }
        guard isNews else { return }
        interrupt?()
        log.info("worker.draining", ["running": .init(running.count)])
        wake.signal()
    }

    /// Runs `body`, which is cancelled when the worker is told to stop or to drain. One call at a time.
    func untilStopped<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) async throws -> T {
        let task = Task { try await body() }
        let isStopped = state.withLock { state in
            state.interrupt = { task.cancel() }
            return state.phase != .working
        }
        if isStopped { task.cancel() }
        defer { state.withLock { $0.interrupt = nil } }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Returns the running jobs.
    func abandon() {
        state.withLock { $0.phase = .abandoning }
        running.stopAll(.shutdown)
    }

    /// Waits for the first ``stop()``, calls `begun`, and returns the jobs that still run when the budget is over.
    func enforceBudget(begun: @Sendable () -> Void) async {
        while state.withLock(\.signals) == 0, !Task.isCancelled { await ordered.wait(atMost: .seconds(3600)) }
        guard !Task.isCancelled else { return }
        let end = ContinuousClock.now + budget
        begun()
        log.info("worker.stopping", ["running": .init(running.count), "budget_ms": .init(budget)])
        while phase == .finishing, end > .now, !Task.isCancelled { await ordered.wait(atMost: end - .now) }
        guard !Task.isCancelled else { return }
        abandon()
        wake.signal()
    }
}
