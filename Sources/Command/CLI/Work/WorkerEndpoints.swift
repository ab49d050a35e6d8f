import HTTPServer
import Ingestion
import Synchronization
import Telemetry
import Worker

/// A worker's HTTP endpoints: its metrics, whether it lives, and whether it takes jobs.
///
/// A request never queries the database.
final class WorkerEndpoints: Sendable {
    private let registry: MetricsRegistry
    /// Nil until the worker exists: the program starts listening before it starts anything else.
    private let shown = Mutex<(worker: Worker, media: MediaWatch)?>(nil)

    init(registry: MetricsRegistry) { self.registry = registry }

    func show(_ worker: Worker, media: MediaWatch) { shown.withLock { $0 = (worker, media) } }

    func answer(_ request: HTTPRequest) -> HTTPResponse {
        switch request.path {
        case "/metrics": HTTPResponse(contentType: MetricsRegistry.contentType, body: registry.render())
        case "/livez": answer(shown.withLock { $0?.worker.liveness } ?? HealthReport(checks: []))
        case "/readyz": answer(readiness)
        default: HTTPResponse(status: 404, body: "Not found: try /metrics, /livez and /readyz\n")
        }
    }

    private var readiness: HealthReport {
        guard let (worker, media) = shown.withLock({ $0 }) else { return Self.starting }
        return HealthReport(
            checks: worker.readiness.checks + [.init(name: "media_store", fault: media.fault)])
    }

    private static let starting = HealthReport(
        checks: [HealthReport.Check(name: "registered", fault: "the worker is starting")])

    private func answer(_ report: HealthReport) -> HTTPResponse {
        HTTPResponse(
            status: report.isHealthy ? 200 : 503,
            body: report.checks.isEmpty ? "ok\n" : "\(report)\n")
    }
}
