import ChildProcess
import Glibc
import HTTPServer
import Synchronization
import Telemetry
import TestKit
import Testing

@Suite("The HTTP server", .timeLimit(.minutes(15)))
struct HTTPServerTests {
    /// Runs `body` against a server on a port that the system chooses.
    private static func withServer(
        _ handler: @escaping HTTPServer.Handler, _ body: (HTTPServer) async throws -> Void
    ) async throws {
        let server = try HTTPServer(address: "127.0.0.1:0", handler: handler)
        let result: Result<Void, any Error>
        do { result = .success(try await body(server)) } catch { result = .failure(error) }
        await server.stop()
        try result.get()
    }

    private static let echo: HTTPServer.Handler = { request in
        request.path == "/"
            ? .notFound
            : HTTPResponse(body: "\(request.method.rawValue) /\(request.segments.joined(separator: "/"))\n")
    }

    @Test("returns the handler's response for the decoded path without the query")
    func get() async throws {
        try await Self.withServer(Self.echo) { server in
            let answer = try await HTTPAnswer.get("/a%20b/%C3%A9?c=d&e", port: server.port)
            #expect(answer.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(answer.body == "GET /a b/é\n")
            #expect(answer.header("Content-Type") == "text/plain; charset=utf-8")
            #expect(answer.header("Content-Length") == "\(answer.body.utf8.count)")
            #expect(answer.header("Cache-Control") == "no-store")
            #expect(try await HTTPAnswer.get("/", port: server.port).status == 404)
        }
    }

    @Test("responds to HEAD like GET, without the body")
    func head() async throws {
        try await Self.withServer(Self.echo) { server in
            let answer = try await HTTPAnswer.to(
                "HEAD /x HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n", port: server.port)
            #expect(answer.status == 200)
            #expect(answer.header("Content-Length") == "8")
            #expect(answer.body.isEmpty)
        }
    }

    @Test("serves several requests on one connection")
    func keepAlive() async throws {
        try await Self.withServer(Self.echo) { server in
            let first = "GET /1 HTTP/1.1\r\nHost: test\r\n\r\n"
            let last = "GET /2 HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n"
            let answer = try await HTTPAnswer.to(first + last, port: server.port)
            #expect(answer.text.split(separator: "HTTP/1.1 200 OK").count == 2)
            #expect(answer.text.contains("GET /1\n") && answer.text.hasSuffix("GET /2\n"))
        }
    }

    @Test(
        "refuses methods that it does not know without asking the handler",
        arguments: ["CONNECT", "get", "BREW"])
    func otherMethod(method: String) async throws {
        try await Self.withServer(Self.echo) { server in
            let answer = try await HTTPAnswer.to(
                "\(method) /x HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc",
                port: server.port)
            #expect(answer.status == 501)
            #expect(answer.header("Allow")?.hasPrefix("GET, HEAD, POST") == true)
        }
    }

    enum BadRequest: CaseIterable {
        case longPath, longHeader, longHeaders, dots, escapedDots, brokenEscape, escapedNUL, notUTF8, noHost,
            notHTTP

        var text: String {
            let long = String(repeating: "a", count: 70_000)
            return switch self {
            case .longPath: "GET /\(long) HTTP/1.1\r\nHost: test\r\n\r\n"
            case .longHeader: "GET /x HTTP/1.1\r\nHost: test\r\nX: \(long)\r\n\r\n"
            case .longHeaders:
                "GET /x HTTP/1.1\r\nHost: test\r\n"
                    + String(repeating: "X: \(long.prefix(1000))\r\n", count: 20) + "\r\n"
            case .dots: "GET /a/../b HTTP/1.1\r\nHost: test\r\n\r\n"
            case .escapedDots: "GET /a/%2e%2E/b HTTP/1.1\r\nHost: test\r\n\r\n"
            case .brokenEscape: "GET /a%2 HTTP/1.1\r\nHost: test\r\n\r\n"
            case .escapedNUL: "GET /x?a=%00 HTTP/1.1\r\nHost: test\r\n\r\n"
            case .notUTF8: "GET /%ff HTTP/1.1\r\nHost: test\r\n\r\n"
            case .noHost: "GET /x HTTP/1.1\r\n\r\n"
            case .notHTTP: "\u{16}\u{3}\u{1} hello\r\n\r\n"
            }
        }

        /// 0 for a connection that is closed without a response.
        var statuses: [Int] {
            switch self {
            case .longPath: [414]
            case .longHeader, .longHeaders: [413, 431]
            case .dots, .escapedDots, .brokenEscape, .escapedNUL, .notUTF8, .noHost: [400]
            case .notHTTP: [0, 400, 501]
            }
        }
    }

    @Test("refuses a request that is too large or malformed", arguments: BadRequest.allCases)
    func badRequest(_ request: BadRequest) async throws {
        try await Self.withServer(Self.echo) { server in
            let answer = try await HTTPAnswer.to(request.text, port: server.port)
            #expect(request.statuses.contains(answer.status))
            // And continues to serve.
            #expect(try await HTTPAnswer.get("/x", port: server.port).status == 200)
        }
    }

    @Test("limits the connections of one client, and accepts more when they end")
    func connectionLimit() async throws {
        try await Self.withServer(Self.echo) { server in
            let idle = try (0..<16).map { _ in try HTTPAnswer.connected("127.0.0.1", server.port) }
            #expect(try await HTTPAnswer.get("/x", port: server.port).text.isEmpty)
            for descriptor in idle { close(descriptor) }
            // The server notices the ends after a while.
            var answer = try await HTTPAnswer.get("/x", port: server.port)
            while answer.text.isEmpty { answer = try await HTTPAnswer.get("/x", port: server.port) }
            #expect(answer.body == "GET /x\n")
        }
    }

    @Test("survives clients that leave before they have the response")
    func earlyLeave() async throws {
        let large = String(repeating: "a", count: 8 << 20)
        let answer: HTTPServer.Handler = { _ in HTTPResponse(body: large) }
        try await Self.withServer(answer) { server in
            let request = Array("GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n".utf8)
            for _ in 0..<8 {
                let descriptor = try HTTPAnswer.connected("127.0.0.1", server.port)
                _ = send(descriptor, request, request.count, Int32(MSG_NOSIGNAL))
                // Only a part of this fits into the sockets, so the server is still writing when this end closes.
                var byte: UInt8 = 0
                #expect(recv(descriptor, &byte, 1, 0) == 1)
                close(descriptor)
            }
            #expect(try await HTTPAnswer.get("/", port: server.port).body.utf8.count == large.utf8.count)
        }
    }

    @Test("closes a silent connection")
    func silence() async throws {
        var limits = HTTPServer.Limits()
        limits.idleSeconds = 1
        let server = try HTTPServer(address: "127.0.0.1:0", limits: limits, handler: Self.echo)
        // Throws if the server does not close it.
        let answer = try await HTTPAnswer.to("GET /x HTTP/1.1\r\nHost:", port: server.port)
        #expect([0, 408].contains(answer.status))
        await server.stop()
    }

    @Test("waits for the handler when it stops, then no longer listens")
    func stop() async throws {
        // A separate address, so that no other test's server takes the port meanwhile.
        let host = "127.83.0.1"
        let handler = SlowHandler()
        let server = try HTTPServer(address: "\(host):0") { _ in await handler.answer() }
        let port = server.port
        async let answer = HTTPAnswer.get("/", port: port, host: host)
        await handler.hasBegun()
        async let stopped: Void = server.stop()
        handler.goOn()
        await stopped
        #expect(handler.isDone)
        // May be cut or answered.
        #expect([0, 200].contains(try await answer.status))
        await #expect(throws: HTTPAnswer.Failure.self) { () async throws -> Void in
            _ = try await HTTPAnswer.get("/", port: port, host: host)
        }
        await server.stop()
        let successor = try HTTPServer(address: "\(host):\(port)", handler: Self.echo)
        #expect(try await HTTPAnswer.get("/x", port: port, host: host).status == 200)
        await successor.stop()
    }

    @Test("stops when nothing refers to it any more")
    func release() async throws {
        let port = try HTTPServer(address: "127.83.0.2:0", handler: Self.echo).port
        await #expect(throws: HTTPAnswer.Failure.self) { () async throws -> Void in
            _ = try await HTTPAnswer.get("/x", port: port, host: "127.83.0.2")
        }
    }

    @Test("serves metrics that Prometheus's own tool accepts")
    func scrape() async throws {
        let registry = MetricsRegistry()
        registry.addProcessMetrics()
        let metrics = WorkerMetrics(registry: registry, version: "1.2.3")
        metrics.jobsClaimed["ingest"].increment(by: 3)
        metrics.countRejection(kind: "ingest", reason: "not_an_image")
        metrics.jobRun["ingest"].observe(.milliseconds(420))
        metrics.stage["render \"quoted\"\n\\"].observe(.milliseconds(300))
        metrics.queueJobs.replaceAll(with: [MetricSample("default", "ingest", "waiting", value: 12)])
        metrics.lastHeartbeat.setToCurrentTime()
        let answer: HTTPServer.Handler = { request in
            guard request.path == "/metrics" else { return .notFound }
            return HTTPResponse(contentType: MetricsRegistry.contentType, body: registry.render())
        }
        try await Self.withServer(answer) { server in
            let answer = try await HTTPAnswer.get("/metrics", port: server.port)
            #expect(answer.status == 200)
            #expect(answer.header("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
            #expect(answer.body.contains("\ndarkroom_jobs_claimed_total{kind=\"ingest\"} 3\n"))
            let check = try await promtool(["check", "metrics"], input: answer.body, fromStandardInput: true)
            #expect(check.ending == .exited(0))
            #expect(check.standardError.isEmpty && check.standardOutput.isEmpty)
            // The tool does refuse wrong input.
            let wrong = try await promtool(
                ["check", "metrics"], input: answer.body + "1x 2\n", fromStandardInput: true)
            #expect(wrong.ending != .exited(0))
        }
    }
}

/// A handler that signals when it has begun and continues when told to.
private final class SlowHandler: Sendable {
    private let begun = AsyncStream<Void>.makeStream()
    private let door = AsyncStream<Void>.makeStream()
    private let done = Atomic(false)

    var isDone: Bool { done.load(ordering: .acquiring) }

    func answer() async -> HTTPResponse {
        begun.continuation.yield()
        for await _ in door.stream { break }
        done.store(true, ordering: .releasing)
        return HTTPResponse(body: "late\n")
    }

    func hasBegun() async {
        for await _ in begun.stream { return }
    }

    func goOn() { door.continuation.yield() }
}
