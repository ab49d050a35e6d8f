import API
import Arguments
import CommandSupport
import DarkroomClient
import FoundationEssentials
import Glibc
import HTTPServer
import Imaging
import MediaStore
import Postgres
import Telemetry
import Threads
import Tokens

enum ServeCommand {
    static let command = Command(
        "serve", "Serve the HTTP API, which the phones of an app can call.",
        discussion: """
            Serves uploads, feeds, boards, the map, posts, votes, comments, reports and inboxes below /v1/, and describes them \
            in /v1/openapi.json. /livez and /readyz are for load balancers. Run it with a login of the role darkroom_api; any \
            number of these servers may run. It speaks HTTP/1.1 without TLS: put nginx in front (docker/nginx.conf) or another \
            proxy. docs/http-api.md describes the API, and how to operate it.

            --token-keys names the keys that verify the JSON Web Tokens of your sign-in: a JWKS file or public keys in PEM. A \
            token's "sub" is the person. --api-keys names the servers that vouch for people: 'darkroom keys create NAME' makes \
            a key. Both files are read again when they change.

            --console ADDR also serves pages for operators and moderators, at an address that phones need not reach: see \
            'darkroom console invite' and docs/console.md. With --http none, it serves nothing else.

            After SIGTERM or Ctrl-C it takes no more connections, and requests that are running have --shutdown-budget to end. \
            Under systemd it reports readiness, stopping and watchdog signals. The log goes to standard error.
            """,
        options: [
            .value(
                "http", "ADDR",
                "where to listen: HOST:PORT or :PORT; port 0 picks a free port; none for a console alone",
                default: "127.0.0.1:8080"),
            .value(
                "token-keys", "FILE", "JWKS or PEM file with the keys that verify tokens",
                environment: "DARKROOM_TOKEN_KEYS"),
            .value("token-issuer", "TEXT", "what the claim iss of a token must be"),
            .repeated("token-audience", "TEXT", "what the claim aud of a token must have, one of several"),
            .value("token-person", "CLAIM", "the claim that is the person", default: "sub"),
            .value("token-since", "CLAIM", "the claim with the time at which the account was made"),
            .value(
                "api-keys", "FILE", "file with the hashes of API keys; see 'darkroom keys create'",
                environment: "DARKROOM_API_KEYS"),
            .flag("require-token", "let nobody read without a token"),
            .repeated("origin", "URL", "let the pages of this origin call from a browser; * for all"),
            .flag("behind-proxy", "take the client's address from the last X-Forwarded-For"),
            .value(
                "rate", "N",
                "requests a minute of one person or, without a token, one address; 0 for no limit",
                default: "600"),
            .value(
                "most-bytes", "SIZE", "bytes of a photo, at most: as many as workers take by default",
                default: "\(RenderLimits().bytes)"),
            .value(
                "uploads", "DIR",
                "directory for uploads that go on after a cut; all servers behind one address share it (default: \(Settings.home)/uploads)",
                environment: "DARKROOM_UPLOADS_DIR"),
            .value(
                "upload-lifetime", "TIME", "how long an upload may take from its first byte to its last",
                default: "24h"),
            .value(
                "longest-wait", "TIME",
                "refuse uploads while the oldest job has waited for longer (default: no limit)"),
            .value(
                "public-url", "URL",
                "where people reach this server, such as https://photos.example.org; then each post has a page to share at /p/NUMBER"
            ),
            .value(
                "app-link", "URL",
                "the app's own page of a post, such as https://app.example.org/posts/{post_id}, for the pages to share"
            ),
            .value("picture-age", "TIME", "how long caches may keep a picture", default: "1m"),
            .value("accel", "PATH", "let nginx send pictures from this internal location (X-Accel-Redirect)"),
            .value(
                "link-key", "FILE", "file with the secret of signed links and uploads, 32 bytes or more",
                environment: "DARKROOM_LINK_KEY"),
            .value("connections", "N", "connections to each database server, at most", default: "8"),
            .value("reader", "URL", "a standby server to read feeds and the map from"),
            .value("most-clients", "N", "connections of clients at once", default: "1000"),
            .value(
                "most-per-client", "N",
                "connections at once from one address (default: 64; with --behind-proxy, no limit)"),
            .value(
                "shutdown-budget", "TIME", "how long running requests may go on after SIGTERM", default: "10s"
            ),
            .value("log-level", "LEVEL", "debug, info, warning or error", default: "info"),
            .value("log-format", "FORMAT", "text or json (default: text on a terminal, otherwise json)"),
            Settings.database, Settings.media, Settings.gazetteer,
        ] + ServeConsole.options + ServeDemo.options,
        examples: [
            Example("darkroom serve --token-keys /etc/darkroom/jwks.json", "serves on 127.0.0.1:8080"),
            Example("darkroom serve --demo", "shows an app to try at http://127.0.0.1:8080/demo/"),
            Example(
                "darkroom serve --http :8080 --api-keys /etc/darkroom/api-keys --behind-proxy",
                "serves behind a proxy on another machine"),
            Example("darkroom serve --http none --console 127.0.0.1:8081", "serves the console alone"),
        ]
    ) { try await serve($0) }.reportingFailures(Settings.logFailure("serve.cannot_run"))

    private static func serve(_ arguments: ParsedArguments) async throws {
        let options = try ServeOptions(arguments)
        let signals = Signals.stream()
        let log = Log(minimum: options.logLevel, format: options.logFormat)
        let api = options.address == "none" ? nil : try await startAPI(arguments, options, log)
        let console: ServeConsole?
        do {
            console = try await ServeConsole.start(arguments, log)
        } catch {
            await api?.stop(grace: .zero)
            throw error
        }
        guard api != nil || console != nil else {
            throw UsageError("--http none leaves nothing to serve: give --console, or an address for --http")
        }
        let supervision = ServeSupervision(log: log)
        await supervision.ready("serves on \(api.map { "\($0.server.address)" } ?? "the console's address")")
        for await _ in signals { break }
        log.info("serve.stopping")
        await supervision.stopping(within: options.shutdownBudget)
        await console?.stop(grace: options.shutdownBudget)
        await api?.stop(grace: options.shutdownBudget)
    }

    /// The HTTP API while it is served.
    private struct RunningAPI {
        let server: HTTPServer
        let api: APIServer
        let client: DarkroomClient
        let following: Task<Void, Never>

        func stop(grace: Duration) async {
            following.cancel()
            api.stop()
            await server.stop(grace: grace)
            await client.close()
        }
    }

    private static func startAPI(
        _ arguments: ParsedArguments, _ options: ServeOptions, _ log: Log
    ) async throws -> RunningAPI {
        let demo = try await ServeDemo(arguments, options)
        let authenticator = try await authenticator(options, log)
        let client = try await makeClient(arguments, options)
        let people = options.rate.map { RateLimiter($0) }
        let limit: APIServer.Limit = { caller, client in
            let key = caller.map { "person \($0.person)" } ?? "address \(client)"
            guard case .retryAfter(let seconds)? = people?.ask(key, at: .now) else { return nil }
            return seconds
        }
        let api = try await makeAPI(client, arguments, options, log, limit: limit) {
            (request) throws(Problem) in
            // Joined by commas, two names would be the name of a third person.
            for name in ["Authorization", "Darkroom-Person", "Darkroom-Person-Since"]
            where request.headers.count(of: name) > 1 {
                throw Problem(.invalidRequest, "The header field \(name) comes twice.")
            }
            if let visitor = try demo?.caller(of: request, at: Date()) {
                return visitor
            }
            do throws(TokenError) {
                return try authenticator.caller(
                    authorization: request.headers["Authorization"],
                    person: request.headers["Darkroom-Person"],
                    since: request.headers["Darkroom-Person-Since"],
                    at: Date())
            } catch {
                throw Problem(.unauthenticated, error.message, reason: error.code.rawValue)
            }
        }
        let health = ServeHealth(client)
        let server: HTTPServer
        do throws(HTTPServerError) {
            server = try HTTPServer(
                address: options.address, limits: options.limits, refuse: { Problem($0).response },
                handler: { request in
                    if let response = await health.respond(to: request) { return response }
                    if let response = demo?.respond(to: request, limit: limit) { return response }
                    return await api.respond(to: request)
                })
        } catch {
            throw error.code == .malformedAddress
                ? UsageError("--http \(options.address): \(error.message)") : error
        }
        log.info("http.listening", ["address": .init(server.address), "port": .init(Int(server.port))])
        if !options.verifiesAnyone, demo == nil {
            log.warning(
                "serve.nobody_can_write",
                ["remedy": "give --token-keys or --api-keys: without them people can only read"])
        }
        let events = DatabaseEvents(
            configuration: try await Settings.configuration(
                arguments, applicationName: "darkroom-serve-events"),
            log: log)
        let following = Task { await events.follow { api.wake() } }
        return RunningAPI(server: server, api: api, client: client, following: following)
    }

    private static func authenticator(_ options: ServeOptions, _ log: Log) async throws -> Authenticator {
        let configuration = options.authentication
        do {
            return try await onThread {
                try Authenticator(configuration) { fault in
                    log.error("serve.keys_refused", ["error": .init("\(fault)")])
                }
            }
        } catch let error as KeyFileError {
            throw UsageError("\(error)")
        }
    }

    private static func makeClient(
        _ arguments: ParsedArguments, _ options: ServeOptions
    ) async throws -> DarkroomClient {
        let media = Settings.mediaLocation(arguments)
        return try DarkroomClient(
            database: try await Settings.databaseURL(arguments), reader: options.reader,
            connections: options.connections, keepsStatements: true
        ) { try MediaLocation.store(at: media, record: $0) }
    }

    private static func makeAPI(
        _ client: DarkroomClient, _ arguments: ParsedArguments, _ options: ServeOptions, _ log: Log,
        limit: @escaping APIServer.Limit, authenticate: @escaping APIServer.Authenticate
    ) async throws -> APIServer {
        let gazetteers = ServeSite.gazetteer(arguments, log)
        do {
            let api = try await APIServer(
                client, options.api, places: gazetteers.map { GazetteerSearch(gazetteers: $0) },
                version: Release.version, log: log, authenticate: authenticate, limit: limit)
            try await ServeSite.requireRights(client)
            await ServeSite.reportStore(client, log)
            return api
        } catch {
            await client.close()
            throw ServeSite.explained(error)
        }
    }
}
