import ServiceManager
import Telemetry
import Worker

/// Reports the state of a worker to the service manager, if there is one.
struct Supervision: Sendable {
    private let manager: ServiceManager
    /// Time that a worker needs after its shutdown budget to release jobs, sign off and end its renderers.
    private static let margin = Duration.seconds(15)
    private static let statusInterval = Duration.seconds(5)

    init(log: Log) {
        manager = ServiceManager { failure in
            log.warning("service_manager.not_told", ["error": .init("\(failure)")])
        }
    }

    var isSupervised: Bool { manager.isSupervised }

    /// Returns when the worker has ended.
    func tell(of worker: Worker, shutdownBudget: Duration) async {
        guard manager.isSupervised else { return }
        await withTaskGroup { group in
            group.addTask { await manager.keepAlive { worker.liveness.isHealthy } }
            group.addTask { await showStatus(of: worker) }
            for await milestone in worker.milestones {
                switch milestone {
                // To the service manager, a worker that waits for a migration has started.
                case .waiting, .registered: await manager.ready(status: worker.summary)
                case .stopping:
                    await manager.stopping(within: shutdownBudget + Self.margin, status: worker.summary)
                }
            }
            group.cancelAll()
        }
    }

    /// Reports only changes, and at most every few seconds.
    private func showStatus(of worker: Worker) async {
        var shown = ""
        while (try? await Task.sleep(for: Self.statusInterval)) != nil {
            let summary = worker.summary
            if summary != shown { await manager.status(summary) }
            shown = summary
        }
    }
}
