import JobQueue
import JobStore
import Postgres
import Synchronization
import Telemetry

extension Worker {
    /// How long after its last renewal a lease counts as lost: a quarter of it is left for stopping.
    static let longestSilence = JobStore.leaseDuration * 3 / 4

    /// Renews the leases, a heartbeat every few seconds.
    func keepLeases() async {
        defer { heartbeatLoop.end() }
        while !Task.isCancelled {
            heartbeatLoop.turn()
            try? await Task.sleep(for: configuration.heartbeatInterval)
            guard !Task.isCancelled, let worker = state.withLock(\.worker) else { return }
            // Taken before the query: the database may have renewed at once and answered late.
            let sent = ContinuousClock.now
            do {
                let isToDrain = try await withDeadline(.seconds(5)) { [store, running] in
                    try await store.heartbeat(of: worker, running: running.count)
                }
                lastRenewal.withLock { $0 = sent }
                metrics.lastHeartbeat.setToCurrentTime()
                if state.withLock({ state in
                    defer { state.isCutOff = false }
                    return state.isCutOff
                }) {
                    log.info("worker.reconnected", ["worker": .init(worker)])
                    wake.signal()
                }
                if isToDrain { drain() }
            } catch is QueueError {
                await startAnew(after: worker)
            } catch is CancellationError {
                return
            } catch {
                log.warning("worker.heartbeat_failed", ["worker": .init(worker), "error": .init("\(error)")])
            }
        }
    }

    /// Stops the local jobs before others may take them, should the heartbeat not get through.
    ///
    /// It runs beside the heartbeat because a query to a peer that has gone silent may hang.
    func watchLeases() async {
        let limit = Self.longestSilence
        while !Task.isCancelled {
            let deadline = lastRenewal.withLock { $0 } + limit
            try? await Task.sleep(until: deadline, clock: .continuous)
            guard !Task.isCancelled else { return }
            guard lastRenewal.withLock({ $0 }) + limit <= ContinuousClock.now else { continue }
            let isNews = state.withLock { state in
                defer { state.isCutOff = true }
                return !state.isCutOff
            }
            if isNews { log.error("worker.cut_off", ["running": .init(running.count)]) }
            running.stopAll(.leaseLost)
            try? await Task.sleep(for: configuration.heartbeatInterval)
        }
    }

    /// Comes back under a new number after having been taken for dead.
    private func startAnew(after worker: WorkerID) async {
        log.error("worker.taken_for_dead", ["worker": .init(worker), "running": .init(running.count)])
        running.stopAll(.leaseLost)
        do {
            try await withDeadline(.seconds(15)) { try await self.register() }
            wake.signal()
        } catch {
            log.error("worker.register_failed", ["error": .init("\(error)")])
        }
    }
}
