import JobQueue
import JobStore
import Postgres
import Synchronization
import Telemetry

extension Worker {
    /// Wakes the claim loop when jobs are enqueued, and stops jobs that are cancelled.
    ///
    /// Polling is the safety net: without this connection jobs are only found later.
    func listen() async {
        var faults = 0
        while !Task.isCancelled {
            do {
                let connection = try await PostgresConnection.connect(database)
                do {
                    try await connection.listen("darkroom_jobs")
                    try await connection.listen("darkroom_control")
                    faults = 0
                    // What was enqueued before the connection listened.
                    wake.signal()
                    while !Task.isCancelled {
                        if let notification = try await connection.nextNotification(timeout: .seconds(30)) {
                            obey(notification)
                        } else {
                            // A connection that died in silence shows itself here.
                            try await connection.query("select 1")
                        }
                    }
                } catch {
                    await connection.close()
                    throw error
                }
                await connection.close()
            } catch is CancellationError {
                return
            } catch {
                faults += 1
                let pause = configuration.policy.delay(
                    afterFailure: min(faults, 4), jitter: .random(in: 0...1))
                log.warning(
                    "worker.listener_lost",
                    ["error": .init("\(error)"), "polling_every_ms": .init(configuration.pollInterval)])
                try? await Task.sleep(for: pause)
            }
        }
    }

    private func obey(_ notification: PostgresNotification) {
        let words = notification.payload.split(separator: " ")
        if notification.channel == "darkroom_jobs" {
            if running.count < configuration.concurrency { wake.signal() }
        } else if words.count == 2, words[0] == "cancel", let id = Int64(words[1]) {
            running.stop(JobID(rawValue: id), .cancelled)
        }
    }

    /// Does at intervals what any worker may do for all: makes due jobs ready, rescues the jobs of the
    /// dead, and looks for what a lost notification or answer left behind.
    func maintain() async {
        var round = 0
        while !Task.isCancelled {
            do {
                let nextDue = try await store.promoteDue()
                let (rescued, quarantined) = try await store.rescue(policy: configuration.policy)
                if !rescued.isEmpty || !quarantined.isEmpty {
                    log.warning(
                        "queue.rescued",
                        ["jobs": .init("\(rescued)"), "quarantined": .init("\(quarantined)")])
                    wake.signal()
                }
                try await reconcile()
                if round.isMultiple(of: 900) { try await store.maintainHistory() }
                round += 1
                let pause = min(
                    nextDue ?? configuration.maintenanceInterval, configuration.maintenanceInterval)
                try await Task.sleep(for: max(pause, .milliseconds(20)))
                if nextDue.map({ $0 <= configuration.maintenanceInterval }) == true {
                    _ = try await store.promoteDue()
                    wake.signal()
                }
            } catch is CancellationError {
                return
            } catch {
                log.warning("worker.upkeep_failed", ["error": .init("\(error)")])
                try? await Task.sleep(for: configuration.maintenanceInterval)
            }
        }
    }

    /// Compares the database's view of this worker's jobs with its own.
    private func reconcile() async throws {
        guard let worker = state.withLock(\.worker) else { return }
        for id in try await store.cancelRequests(of: worker) {
            running.stop(id, .cancelled)
        }
        // A claim whose answer was lost leaves a job that nobody works on.
        for lease in try await store.strayLeases(of: worker, known: running.leases) {
            let reason = Reason(code: "claim_lost", message: "The answer to the claim was lost.")
            try await store.end(lease, as: .returned(reason))
            log.warning("job.stray_returned", ["job": .init(lease.job)])
            wake.signal()
        }
    }
}
