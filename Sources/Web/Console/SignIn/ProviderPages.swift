import Digests
import FoundationEssentials
import HTTPServer
import Pages
import Telemetry

/// Signing in with a provider of OpenID Connect.
struct ProviderPages: Sendable {
    let site: ConsoleSite
    let provider: SignInProvider

    /// Sends the browser to the provider.
    func start() async throws -> HTTPResponse {
        let beginning = SignInProvider.Beginning()
        var response = HTTPResponse(redirectingTo: try await provider.start(beginning))
        response.headers.add("Set-Cookie", site.cookie.beginning(beginning.cookie))
        return response
    }

    /// The provider has sent the browser back.
    func finish(_ request: HTTPRequest) async throws -> HTTPResponse {
        let form = Form(request)
        guard let kept = site.cookie.beginning(in: request).flatMap(SignInProvider.Beginning.init(cookie:)),
            let state = form["state"],
            SHA256Digest(hashing: state.utf8).isEqualInConstantTime(
                to: SHA256Digest(hashing: kept.state.utf8))
        else {
            throw ConsoleError.forbidden(
                "This sign-in was not begun in this browser, or took too long. Begin again.")
        }
        guard let code = form["code"] else {
            throw ConsoleError.forbidden(
                "The provider did not let you in: \(form["error"] ?? "it does not say why").")
        }
        let (name, rule) = try await provider.finish(code, kept, at: Date())
        let session = try await site.sessions.open(name, as: rule.role, mayAct: rule.mayAct)
        site.log.info("console.signed_in", ["name": .init(name), "role": .init(rule.role.rawValue)])
        // A redirect would still come from the provider's site, and the cookie is for requests of this site alone.
        var response = ConsolePage(title: "You are signed in") {
            "<p><a href=\"/\">Go on as \(name)</a></p>"
        }.response
        response.headers.add("Refresh", "0; url=/")
        response.headers.add("Set-Cookie", site.cookie.setting(session.secret))
        response.headers.add("Set-Cookie", site.cookie.endingBeginning)
        return response
    }
}
