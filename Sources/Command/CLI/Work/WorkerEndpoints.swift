import HTTPServer
import Synchronization
import Telemetry
import Worker

/// A worker's HTTP endpoints: its metrics, whether it lives, and whether it takes jobs.
///
/// A request never queries the database.
final class WorkerEndpoints: Sendable {
    private let registry: MetricsRegistry
    /// Nil until the worker exists: the program starts listening before it starts anything else.
    private let worker = Mutex<Worker?>(nil)

    init(registry: MetricsRegistry) { self.registry = registry }

    func show(_ worker: Worker) { self.worker.withLock { $0 = worker } }

    func answer(_ request: HTTPRequest) -> HTTPResponse {
        guard [.get, .head].contains(request.method) else {
            var refusal = HTTPResponse(status: 405, body: "Only GET and HEAD are allowed\n")
            refusal.headers.add("Allow", "GET, HEAD")
            return refusal
        }
        return switch request.path {
        case "/metrics": HTTPResponse(contentType: MetricsRegistry.contentType, body: registry.render())
        case "/livez": answer(worker.withLock { $0?.liveness } ?? HealthReport(checks: []))
        case "/readyz": answer(worker.withLock { $0?.readiness } ?? Self.starting)
        default: HTTPResponse(status: 404, body: "Not found: try /metrics, /livez and /readyz\n")
        }
    }

    private static let starting = HealthReport(
        checks: [HealthReport.Check(name: "registered", fault: "the worker is starting")])

    private func answer(_ report: HealthReport) -> HTTPResponse {
        HTTPResponse(
            status: report.isHealthy ? 200 : 503,
            body: report.checks.isEmpty ? "ok\n" : "\(report)\n")
    }
}
