import Digests
package import HTTPServer
import JobStore
import Pages
import Postgres
import Telemetry

/// The console for operators and moderators: who may, which page, and what its errors become.
package final class ConsoleServer: Sendable {
    private let site: ConsoleSite
    private let live: LiveOverview

    package init(_ site: ConsoleSite) {
        self.site = site
        live = LiveOverview(site)
    }

    /// Ends the streams of figures, and bulk actions between two of their pages.
    package func stop() async {
        live.stop()
        await site.runs.stop()
    }

    package func respond(to request: HTTPRequest) async -> HTTPResponse {
        var response = await reply(to: request)
        for (name, value) in Self.protection where response.headers[name] == nil {
            response.headers.add(name, value)
        }
        return response
    }

    private static let protection = [
        (
            "Content-Security-Policy",
            "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
                + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cache-Control", "no-store"),
    ]

    private func reply(to request: HTTPRequest) async -> HTTPResponse {
        var visit: Visit?
        do {
            if let file = ConsoleFile.response(to: request) { return file }
            let signIn = SignInPages(site: site)
            switch (request.method, request.segments.count, request.segments.first) {
            case (.get, 2, "sign-in"), (.head, 2, "sign-in"):
                if let provider = site.provider {
                    let pages = ProviderPages(site: site, provider: provider)
                    if request.segments[1] == "provider" { return try await pages.start() }
                    if request.segments[1] == "callback" { return try await pages.finish(request) }
                }
                return signIn.offer(request.segments[1])
            case (.post, 1, "sign-in"):
                try Self.requireSameOrigin(request)
                return try await signIn.signIn(request)
            default: break
            }
            guard let secret = site.cookie.secret(in: request),
                let session = try await site.sessions.session(secret)
            else { return signIn.needed }
            visit = Visit(request: request, session: session, form: Form(request))
            switch request.method {
            case .get, .head: return try await ConsoleRoutes(site: site, live: live).show(visit!)
            case .post:
                try Self.requireSameOrigin(request)
                let sent = Visit(request: request, session: session, form: try await Form(reading: request))
                visit = sent
                guard
                    let given = SHA256Digest(hex: sent.form["form_token"] ?? ""),
                    let own = SHA256Digest(hex: session.formToken), own.isEqualInConstantTime(to: given)
                else {
                    throw ConsoleError.forbidden("This form is not one of your session. Load the page again.")
                }
                if request.segments == ["sign-out"] { return try await signIn.signOut(sent) }
                guard session.mayAct else {
                    throw ConsoleError.forbidden(
                        "You may only look. Ask for a link that was made with --may-act to change something.")
                }
                return try await ConsoleRoutes(site: site, live: live).act(sent)
            default: throw ConsoleError(status: 405, title: "Not possible", text: "Use GET or POST.")
            }
        } catch {
            return failure(error, request, visit)
        }
    }

    /// Browsers say where a form comes from.
    private static func requireSameOrigin(_ request: HTTPRequest) throws {
        let site = request.headers["Sec-Fetch-Site"]
        guard let origin = request.headers["Origin"], origin != "null" else {
            guard site == nil || site == "same-origin" else { throw otherOrigin }
            return
        }
        let host = origin.split(separator: "/").last.map { $0.lowercased() }
        guard host == request.headers["Host"]?.lowercased(), site == nil || site == "same-origin" else {
            throw otherOrigin
        }
    }

    private static let otherOrigin = ConsoleError.forbidden("The form comes from another site.")

    private func failure(_ error: any Error, _ request: HTTPRequest, _ visit: Visit?) -> HTTPResponse {
        let shown: ConsoleError
        switch error {
        case let error as ConsoleError: shown = error
        case let error as PostgresError where error.sqlState == .insufficientPrivilege:
            shown = .forbidden("The database does not let your role do this.")
        case let error as PostgresError where error.sqlState == .queryCanceled:
            shown = ConsoleError(
                status: 503, title: "This takes too long",
                text:
                    "The database has given up after \(Int(ConsoleServer.patience.inSeconds)) s. Narrow the filter: a time or a state makes it quick."
            )
        case let error as PostgresError where error.isRaised || error.sqlState?.conditionClass == "23":
            shown = .badRequest(error.message + (error.hint.map { ". \($0)" } ?? ""))
        case is CancellationError:
            shown = ConsoleError(status: 503, title: "The server stops", text: "Load the page again.")
        default:
            site.log.warning(
                "console.failed",
                [
                    "method": .init(request.method.rawValue), "path": .init(request.path),
                    "error": .init("\(error)"),
                ])
            shown =
                error is PostgresError
                ? ConsoleError(
                    status: 503, title: "The database does not respond",
                    text: "Load the page again in a moment. The server's log says more.")
                : ConsoleError(
                    status: 500, title: "The console has a fault", text: "It is in the server's log.")
        }
        return ConsolePage(title: shown.title, status: shown.status, visit: visit) { "<p>\(shown.text)</p>" }
            .response
    }

    /// How long a statement of the console may take.
    package static let patience = Duration.seconds(10)
}
