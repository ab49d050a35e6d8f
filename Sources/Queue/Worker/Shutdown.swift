import Synchronization
import Telemetry

/// Whether the worker keeps running, and how it ends: on request, within a time budget.
final class Shutdown: Sendable {
    enum Phase: Sendable, Equatable {
        case working
        /// Takes no new jobs; running jobs may end.
        case finishing
        /// Running jobs are returned.
        case abandoning
    }

    private let current = Mutex(Phase.working)
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

    var phase: Phase { current.withLock(\.self) }

    /// The first call lets running jobs end within the budget; the second returns them at once.
    func stop() {
        current.withLock { phase in phase = phase == .working ? .finishing : .abandoning }
        ordered.signal()
        wake.signal()
    }

    /// Like the first call of ``stop()``, however often it is called.
    func drain() {
        let isNews = current.withLock { phase in
            guard phase == .working else { return false }
            phase = .finishing
            return true
        }
        guard isNews else { return }
        log.info("worker.draining", ["running": .init(running.count)])
        ordered.signal()
        wake.signal()
    }

    /// Returns the running jobs.
    func abandon() {
        current.withLock { $0 = .abandoning }
        running.stopAll(.shutdown)
    }

    /// Waits for the request, calls `begun`, and returns the jobs that still run when the budget is over.
    func enforceBudget(begun: @Sendable () -> Void) async {
        while phase == .working, !Task.isCancelled { await ordered.wait(atMost: .seconds(3600)) }
        guard !Task.isCancelled else { return }
        begun()
        log.info("worker.stopping", ["running": .init(running.count), "budget_ms": .init(budget)])
        if phase == .finishing { await ordered.wait(atMost: budget) }
        guard !Task.isCancelled else { return }
        abandon()
        wake.signal()
    }
}
