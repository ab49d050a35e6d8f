import JobQueue
import JobStore
import Postgres
import Telemetry

/// Periodic work that any worker does for all: makes due jobs ready, rescues the jobs of dead workers, and catches up
/// on lost notifications.
struct Upkeep: Sendable {
    let store: JobStore
    let interval: Duration
    let policies: RetryPolicies
    let running: RunningJobs
    let wake: Wakeup
    let metrics: WorkerMetrics
    let log: Log

    func run() async {
        var round = 0
        while !Task.isCancelled {
            do {
                let nextDue = try await turn(round)
                round += 1
                let pause = min(nextDue ?? interval, interval)
                try await Task.sleep(for: max(pause, .milliseconds(20)))
            } catch is CancellationError {
                return
            } catch {
                log.warning("worker.upkeep_failed", ["error": .init("\(error)")])
                try? await Task.sleep(for: interval)
            }
        }
    }

    /// - Returns: how long until the next scheduled job is due.
    private func turn(_ round: Int) async throws -> Duration? {
        for entry in running.stopOverdue({ policies.policy(of: $0).attemptDeadline }) {
            log.warning("job.overdue", entry.logFields)
        }
        try await review()
        let nextDue = try await withDeadline(.seconds(30)) { [store] in try await store.promoteDue() }
        let (rescued, quarantined) = try await withDeadline(.seconds(60)) { [store] in
            try await store.rescue()
        }
        metrics.jobsRescued.increment(by: rescued.count)
        metrics.jobsQuarantined.increment(by: quarantined.count)
        if !rescued.isEmpty || !quarantined.isEmpty {
            log.warning(
                "queue.rescued", ["jobs": .init("\(rescued)"), "quarantined": .init("\(quarantined)")])
            wake.signal()
        }
        if try await withDeadline(.seconds(30), { [store] in try await store.unparkAll() }) > 0 {
            wake.signal()
        }
        try await runSchedules()
        if round.isMultiple(of: 5) { await policies.load() }
        if round.isMultiple(of: 1800) { try await store.maintainHistory() }
        return nextDue
    }

    /// Writes the stages of the running jobs, and stops jobs that were cancelled or taken by others.
    private func review() async throws {
        let jobs = running.all.filter { $0.cause == nil }
        guard !jobs.isEmpty else { return }
        let review = try await withDeadline(.seconds(15)) { [store] in
            try await store.review(jobs.map { ($0.job.lease, $0.trace.stage) })
        }
        running.stop(review.cancelled, .cancelled)
        for lease in review.stale {
            // A job that ended meanwhile is not among those running.
            running.all.first { $0.job.lease == lease }?.stop(.leaseLost)
        }
    }

    private func runSchedules() async throws {
        let (ran, faults) = try await withDeadline(.seconds(30)) { [store] in try await store.runSchedules() }
        for name in ran {
            metrics.scheduleRuns[name].increment()
            log.info("schedule.ran", ["schedule": .init(name)])
        }
        for fault in faults {
            log.error(
                "schedule.unreadable",
                ["schedule": .init(fault.schedule), "error": .init("\(fault.underlying)")])
        }
        if !ran.isEmpty { wake.signal() }
    }
}
