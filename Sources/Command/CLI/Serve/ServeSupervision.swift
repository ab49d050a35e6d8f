import ServiceManager
import Telemetry

/// Reports the state of a server to the service manager, if there is one.
final class ServeSupervision: Sendable {
    private let manager: ServiceManager
    /// What closing the connections to the database may take after the shutdown budget.
    private static let margin = Duration.seconds(5)
    private let keepAlive: Task<Void, Never>

    init(log: Log) {
        let manager = ServiceManager { failure in
            log.warning("service_manager.not_told", ["error": .init("\(failure)")])
        }
        self.manager = manager
        // A task that does not run any more says that no handler does.
        keepAlive = Task { await manager.keepAlive { true } }
    }

    deinit { keepAlive.cancel() }

    func ready(_ status: String) async { await manager.ready(status: status) }

    func stopping(within budget: Duration) async {
        await manager.stopping(within: budget + Self.margin, status: "stopping")
    }
}
