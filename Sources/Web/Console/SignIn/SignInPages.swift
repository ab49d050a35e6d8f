import HTTPServer
import Pages
import Telemetry

/// Signing in with a link, and signing out.
struct SignInPages: Sendable {
    let site: ConsoleSite

    /// What someone sees who is not signed in.
    var needed: HTTPResponse {
        ConsolePage(title: "Sign in", status: 401) {
            """
            <p>You are not signed in, or your session has ended.</p>
            \(site.provider.map { "<p><a class=\"button\" href=\"/sign-in/provider\">Sign in with \($0.host)</a></p>" as HTML })
            <p>Ask someone who runs this installation for a link. They make it with:</p>
            <pre><code>darkroom console invite --name YOU --role operator</code></pre>
            """
        }.response
    }

    /// The page behind a link. Programs that look at links in messages do not press buttons, so they do not use it up.
    func offer(_ secret: String) -> HTTPResponse {
        ConsolePage(title: "Sign in") {
            """
            <p>This link signs you in once, on this device.</p>
            <form method="post" action="/sign-in"><input type="hidden" name="secret" value="\(secret)">
            <button class="primary">Sign in</button></form>
            """
        }.response
    }

    func signIn(_ request: HTTPRequest) async throws -> HTTPResponse {
        let form = try await Form(reading: request)
        guard let session = try await site.sessions.signIn(form["secret"] ?? "") else {
            return ConsolePage(title: "This link does not work any more", status: 403) {
                """
                <p>The link has been used, or its time is over. Ask for a new one:</p>
                <pre><code>darkroom console invite --name YOU --role operator</code></pre>
                """
            }.response
        }
        site.log.info(
            "console.signed_in", ["name": .init(session.name), "role": .init(session.role.rawValue)])
        var response = HTTPResponse(redirectingTo: "/")
        response.headers.add("Set-Cookie", site.cookie.setting(session.secret))
        return response
    }

    func signOut(_ visit: Visit) async throws -> HTTPResponse {
        try await site.sessions.signOut(visit.session)
        var response = ConsolePage(title: "You are signed out") { "<p>You can close this window.</p>" }
            .response
        response.headers.add("Set-Cookie", site.cookie.ending)
        return response
    }
}
