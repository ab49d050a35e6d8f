import DarkroomClient
import HTTPServer
import Postgres

/// What load balancers ask. It is not limited, and needs no token.
struct ServeHealth: Sendable {
    private let client: DarkroomClient

    init(_ client: DarkroomClient) { self.client = client }

    /// Nil for another path.
    func respond(to request: HTTPRequest) async -> HTTPResponse? {
        switch request.segments {
        case ["livez"]: return HTTPResponse(body: "ok\n")
        case ["readyz"]:
            do {
                try await withDeadline(.seconds(5)) { _ = try await client.write("select 1") }
                return HTTPResponse(body: "ok\n")
            } catch {
                return HTTPResponse(status: 503, body: "the database does not respond\n")
            }
        default: return nil
        }
    }
}
