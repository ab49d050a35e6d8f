import JobQueue
import JobStore
import Postgres
import Synchronization
import Telemetry

extension Worker {
    /// Does at intervals what any worker may do for all: makes due jobs ready, rescues the jobs of the
    /// dead, and looks for what a lost notification left behind.
    func maintain() async {
        var round = 0
        while !Task.isCancelled {
            do {
                let nextDue = try await upkeep(round)
                round += 1
                let pause = min(
                    nextDue ?? configuration.maintenanceInterval, configuration.maintenanceInterval)
                try await Task.sleep(for: max(pause, .milliseconds(20)))
            } catch is CancellationError {
                return
            } catch {
                log.warning("worker.upkeep_failed", ["error": .init("\(error)")])
                try? await Task.sleep(for: configuration.maintenanceInterval)
            }
        }
    }

    /// - Returns: how long until the next scheduled job is due.
    private func upkeep(_ round: Int) async throws -> Duration? {
        for entry in running.stopOverdue({ self.policy(of: $0).attemptDeadline }) {
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
        if round.isMultiple(of: 5) { await loadPolicies() }
        if round.isMultiple(of: 1800) { try await store.maintainHistory() }
        return nextDue
    }

    /// Shows what the running jobs do, and stops those that were cancelled or given to others.
    private func review() async throws {
        let jobs = running.all.filter { $0.cause == nil }
        guard !jobs.isEmpty else { return }
        let review = try await withDeadline(.seconds(15)) { [store] in
            try await store.review(jobs.map { ($0.job.lease, $0.trace.stage) })
        }
        running.stop(review.cancelled, .cancelled)
        for lease in review.stale {
            // One that ended meanwhile is not running any more.
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

    func loadPolicies() async {
        do {
            let policies = try await withDeadline(.seconds(15)) { [store] in try await store.policies() }
            state.withLock { $0.policies = policies }
        } catch {
            log.warning("worker.policies_not_read", ["error": .init("\(error)")])
        }
    }
}
