import HTTPServer
import Imaging
import Synchronization
import Telemetry
import Worker

/// A worker's HTTP endpoints: its metrics, whether it lives, and whether it takes jobs.
///
/// A request never queries the database.
final class WorkerEndpoints: Sendable {
    private let registry: MetricsRegistry
    /// Nil until the worker exists: the program starts listening before it starts anything else.
    private let worker = Mutex<(Worker, RendererPool)?>(nil)

    init(registry: MetricsRegistry) { self.registry = registry }

    func show(_ worker: Worker, _ renderers: RendererPool) {
        self.worker.withLock { $0 = (worker, renderers) }
    }

    func answer(_ request: HTTPRequest) -> HTTPResponse {
        switch request.path {
        case "/metrics": HTTPResponse(contentType: MetricsRegistry.contentType, body: registry.render())
        case "/livez": answer(worker.withLock { $0?.0.liveness } ?? HealthReport(checks: []))
        case "/readyz": answer(readiness)
        default: HTTPResponse(status: 404, body: "Not found: try /metrics, /livez and /readyz\n")
        }
    }

    private var readiness: HealthReport {
        guard let (worker, renderers) = worker.withLock(\.self) else { return Self.starting }
        let fault = renderers.statistics.fault.map { "\($0)" }
        return HealthReport(checks: worker.readiness.checks + [.init(name: "renderers", fault: fault)])
    }

    private static let starting = HealthReport(
        checks: [HealthReport.Check(name: "registered", fault: "the worker is starting")])

    private func answer(_ report: HealthReport) -> HTTPResponse {
        HTTPResponse(
            status: report.isHealthy ? 200 : 503,
            body: report.checks.isEmpty ? "ok\n" : "\(report)\n")
    }
}
