package import DarkroomClient
package import HTTPServer
import Postgres
package import Telemetry
package import Tokens

/// The HTTP API: who may, which endpoint, and what its errors become.
package final class APIServer: Sendable {
    package struct Configuration: Sendable {
        /// Whether lists and posts may be read without a token.
        package var allowsAnonymousReading = true
        /// The web pages that may call from a browser, such as `https://app.example.org`; `*` for all.
        package var origins: [String] = []
        /// Whether a proxy in front tells the client's address.
        package var trustsProxy = false
        package var uploads = UploadLimits()
        package var pictures = PictureOptions()
        /// Nil for no pages to share.
        package var sharing: SharingOptions?

        package init() {}
    }

    /// Says who sends a request: nil for nobody in particular.
    package typealias Authenticate = @Sendable (HTTPRequest) async throws(Problem) -> Caller?
    /// Returns in how many seconds the request may come again, or nil if it may be served.
    package typealias Limit = @Sendable (_ caller: Caller?, _ client: String) -> Int?

    /// Where all paths of the API begin.
    package static let root = "v1"

    let client: DarkroomClient
    let configuration: Configuration
    let log: Log
    private let authenticate: Authenticate
    private let limit: Limit
    private let endpoints: EndpointTable
    private let live: LiveEndpoints
    private let pages: SharePages?
    private let sweeper: UploadSweeper?
    private let document: [UInt8]

    /// - Throws: ``WebAPIError`` if the database does not fit, `PostgresError` if it cannot be asked.
    package init(
        _ client: DarkroomClient, _ configuration: Configuration, places: (any PlaceSearch)? = nil,
        version: String, log: Log, authenticate: @escaping Authenticate, limit: @escaping Limit
    ) async throws {
        self.client = client
        self.configuration = configuration
        self.log = log
        self.authenticate = authenticate
        self.limit = limit
        let names = Route.all.map(\.function) + ["job_status", "check_upload", "enqueue_upload"]
        let functions = try await SQLFunction.read(names, from: client.writers)
        let bound = try Route.all.map { try BoundRoute($0, functions[$0.function]) }
        live = LiveEndpoints(client)
        pages = configuration.sharing.map { SharePages(client: client, options: $0) }
        let uploads = try UploadEndpoints(client, configuration.uploads, functions, live, log)
        let pictures = PictureEndpoints(client, configuration.pictures)
        var endpoints = bound.map { Endpoint($0, client) }
        endpoints += uploads.endpoints + pictures.endpoints + live.endpoints
        let direct = DirectEndpoints(uploads, key: configuration.pictures.linkKey)
        endpoints += direct.endpoints
        let resumable = ResumableEndpoints(uploads, announces: !configuration.trustsProxy)
        endpoints += resumable?.endpoints ?? []
        sweeper = resumable.map { UploadSweeper($0.directory, log) }
        endpoints += places.map { PlaceEndpoints($0).endpoints } ?? []
        self.endpoints = EndpointTable(endpoints)
        let schemas =
            bound.flatMap(\.schemas) + uploads.schemas + DirectEndpoints.schemas + PlaceEndpoints.schemas
            + Schema.shared
        document = Array(OpenAPIDocument(endpoints, schemas: schemas, version: version).json.utf8)
    }

    /// The description of the API for programs.
    package var openAPI: String { String(decoding: document, as: UTF8.self) }

    /// Something has happened to posts or uploads.
    package func wake() { live.wake() }

    /// Ends the streams of events, and the sweeping of old uploads.
    package func stop() {
        live.stop()
        sweeper?.stop()
    }

    package func respond(to request: HTTPRequest) async -> HTTPResponse {
        var response: HTTPResponse
        do {
            response = try await route(request)
        } catch {
            let problem = problem(error, request)
            response =
                request.segments.first == SharePages.root
                ? pages?.page(of: problem) ?? problem.response : problem.response
        }
        for field in ResumableEndpoints.fields(for: request).fields where response.headers[field.name] == nil
        {
            response.headers.add(field.name, field.value)
        }
        for (name, value) in sharing(request) { response.headers.add(name, value) }
        response.headers.set("X-Content-Type-Options", "nosniff")
        return response
    }

    private func problem(_ error: any Error, _ request: HTTPRequest) -> Problem {
        if let problem = error as? Problem { return problem }
        if error is CancellationError {
            return Problem(.unavailable, "The server stops. Send the request again.", retryAfter: 1)
        }
        let problem =
            (error as? PostgresError).map { Problem($0) }
            ?? Problem(.internal, "The server has a fault; it is in its log.")
        if problem.code.status >= 500 { note(error, request) }
        return problem
    }

    private func note(_ error: any Error, _ request: HTTPRequest) {
        log.warning(
            "serve.failed",
            [
                "method": .init(request.method.rawValue), "path": .init(request.path),
                "error": .init("\(error)"),
            ])
    }

    private func route(_ request: HTTPRequest) async throws -> HTTPResponse {
        if let pages, request.segments.first == SharePages.root {
            try refuseIfTooMany(request, by: nil)
            return try await pages.respond(to: request)
        }
        guard request.segments.first == Self.root else {
            throw Problem(
                .notFound, "The paths of this API begin with /\(Self.root)/. See /\(Self.root)/openapi.json.")
        }
        let path = request.segments.dropFirst()
        if request.method == .options { return try options(path) }
        if path == ["openapi.json"], [.get, .head].contains(request.method) {
            return HTTPResponse(
                headers: ["Content-Type": "application/json", "Cache-Control": "public, max-age=60"],
                content: .bytes(document))
        }
        let method = request.method == .head ? .get : request.method
        var others: Set<HTTPRequest.Method> = []
        for (endpoint, values) in endpoints.matches(path) {
            guard endpoint.method == method || endpoint.method == request.method else {
                others.insert(endpoint.method)
                continue
            }
            let caller = try await caller(request, for: endpoint.access)
            return try await endpoint.respond(request, values, caller)
        }
        guard others.isEmpty else { throw wrongMethod(others, request) }
        throw Problem(.notFound, "There is no such path. See /\(Self.root)/openapi.json.")
    }

    private func caller(_ request: HTTPRequest, for access: Route.Access) async throws(Problem) -> Caller? {
        let caller = try await authenticate(request)
        try refuseIfTooMany(request, by: caller)
        if caller == nil, access == .person || !configuration.allowsAnonymousReading {
            throw Problem(.unauthenticated, "Send a token as 'Authorization: Bearer …'.")
        }
        return caller
    }

    private func refuseIfTooMany(_ request: HTTPRequest, by caller: Caller?) throws(Problem) {
        let client =
            configuration.trustsProxy
            ? request.headers["X-Forwarded-For"]?.split(separator: ",").last.map {
                String($0.drop { $0 == " " })
            } ?? request.client : request.client
        guard let seconds = limit(caller, client) else { return }
        throw Problem(
            .tooManyRequests, "Send the request again in \(seconds) s.", retryAfter: max(1, seconds))
    }

    // MARK: Methods and origins

    private func methods(of path: ArraySlice<String>) -> Set<HTTPRequest.Method> {
        var methods = Set(endpoints.matches(path).map(\.endpoint.method))
        if methods.contains(.get) { methods.insert(.head) }
        return methods
    }

    private func wrongMethod(_ others: Set<HTTPRequest.Method>, _ request: HTTPRequest) -> Problem {
        let allowed = Self.list(others.contains(.get) ? others.union([.head]) : others)
        var problem = Problem(.methodNotAllowed, "Here, the methods are \(allowed).")
        problem.headers.add("Allow", allowed)
        return problem
    }

    private static func list(_ methods: Set<HTTPRequest.Method>) -> String {
        (methods.union([.options])).map(\.rawValue).sorted().joined(separator: ", ")
    }

    private func options(_ path: ArraySlice<String>) throws -> HTTPResponse {
        let methods = methods(of: path)
        guard !methods.isEmpty else { throw Problem(.notFound, "There is no such path.") }
        var headers: HTTPHeaders = ["Allow": Self.list(methods), "Cache-Control": "no-store"]
        for field in UploadEndpoints.optionHeaders(path, configuration.uploads).fields {
            headers.add(field.name, field.value)
        }
        return HTTPResponse(status: 204, headers: headers)
    }

    /// What lets the pages of other origins call (Fetch standard, section 3.3). Cookies are never used, so none are allowed.
    private func sharing(_ request: HTTPRequest) -> [(String, String)] {
        guard !configuration.origins.isEmpty else { return [] }
        // Also of what is sent to others: a cache may keep it for this origin.
        let varying = [("Vary", "Origin")]
        guard let origin = request.headers["Origin"],
            configuration.origins.contains("*") || configuration.origins.contains(origin)
        else { return varying }
        var headers =
            varying + [
                ("Access-Control-Allow-Origin", configuration.origins.contains("*") ? "*" : origin),
                ("Access-Control-Expose-Headers", UploadEndpoints.exposedHeaders),
            ]
        if request.method == .options, request.headers["Access-Control-Request-Method"] != nil {
            headers += [
                ("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE"),
                (
                    "Access-Control-Allow-Headers",
                    Self.names(request.headers["Access-Control-Request-Headers"])
                ),
                ("Access-Control-Max-Age", "600"),
            ]
        }
        return headers
    }

    /// The names of header fields that a client lists, without what cannot be in one.
    private static func names(_ list: String?) -> String {
        guard let list, list.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else { return "Authorization" }
        return list
    }
}
