import Digests
import FoundationEssentials
import ObjectStorage
import Telemetry
import Tokens

/// A provider of OpenID Connect that says who people are.
package struct SignInProvider: Sendable {
    /// Who gets which role: people whose claim has this value.
    package struct Rule: Sendable {
        package let role: ConsoleRole
        package let mayAct: Bool
        let claim: String
        let value: String

        /// Such as `operator groups=admins`, `moderator-readonly email=mia@example.org`. Nil for another text.
        package init?(_ text: String) {
            let parts = text.split(separator: " ", maxSplits: 1)
            guard parts.count == 2 else { return nil }
            let pair = parts[1].split(separator: "=", maxSplits: 1)
            let name = String(parts[0]).replacing("-readonly", with: "")
            guard pair.count == 2, let role = ConsoleRole(rawValue: name),
                parts[0] == name || parts[0] == "\(name)-readonly"
            else { return nil }
            self.role = role
            mayAct = parts[0] == name
            claim = String(pair[0])
            value = String(pair[1])
        }
    }

    /// What a sign-in begins with. The browser keeps it until the provider sends it back.
    struct Beginning: Sendable {
        let state: String
        let nonce: String
        let verifier: String

        init() {
            state = ConsoleSessions.newSecret()
            nonce = ConsoleSessions.newSecret()
            verifier = ConsoleSessions.newSecret()
        }

        init?(cookie: String) {
            let parts = cookie.split(separator: ".").map(String.init)
            guard parts.count == 3 else { return nil }
            (state, nonce, verifier) = (parts[0], parts[1], parts[2])
        }

        var cookie: String { "\(state).\(nonce).\(verifier)" }
    }

    private struct Endpoints: Decodable {
        let issuer: String
        let authorizationEndpoint: String
        let tokenEndpoint: String
        let jwksUri: String
    }

    private struct TokenReply: Decodable { let idToken: String }

    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }

    private let issuer: String
    /// The provider's name, for people.
    var host: String { issuer.split(separator: "/").dropFirst().first.map(String.init) ?? issuer }
    private let client: String
    private let secret: String?
    private let redirect: String
    private let rules: [Rule]
    private let web: WebClient

    /// - Parameters:
    ///   - redirect: where the provider sends browsers back to.
    ///   - rules: the first that applies counts.
    package init(
        issuer: String, client: String, secret: String?, redirect: String, rules: [Rule]
    ) throws {
        self.issuer = issuer
        self.client = client
        self.secret = secret
        self.redirect = redirect
        self.rules = rules
        web = try WebClient()
    }

    /// Where the browser goes to sign in: the authorization code flow with PKCE (RFC 7636).
    func start(_ beginning: Beginning) async throws -> String {
        let challenge = Base64URL.encode(SHA256Digest(hashing: beginning.verifier.utf8).bytes)
        let endpoint = try await endpoints().authorizationEndpoint
        let query = Self.form([
            ("response_type", "code"), ("client_id", client), ("redirect_uri", redirect),
            ("scope", "openid profile email"), ("state", beginning.state), ("nonce", beginning.nonce),
            ("code_challenge", challenge), ("code_challenge_method", "S256"),
        ])
        return endpoint + (endpoint.contains("?") ? "&" : "?") + query
    }

    /// Who has signed in, and by which rule.
    ///
    /// - Throws: ``ConsoleError`` if the provider does not say so, or no rule applies.
    func finish(_ code: String, _ beginning: Beginning, at now: Date) async throws -> (
        name: String, rule: Rule
    ) {
        let endpoints = try await endpoints()
        var fields = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirect),
            ("code_verifier", beginning.verifier),
        ]
        var headers = [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json")]
        if let secret {
            // RFC 6749, section 2.3.1.
            let pair = "\(Form.encoded(client)):\(Form.encoded(secret))"
            headers.append(("Authorization", "Basic \(Data(pair.utf8).base64EncodedString())"))
        } else {
            fields.append(("client_id", client))
        }
        let reply = try await send(
            Array(Self.form(fields).utf8), to: endpoints.tokenEndpoint,
            headers: headers)
        let keySet = try await send(to: endpoints.jwksUri)
        let token: IdentityToken
        do {
            token = try IdentityToken(
                verifying: try Self.decoder.decode(TokenReply.self, from: Data(reply)).idToken,
                keySet: keySet, issuer: issuer, client: client, nonce: beginning.nonce, at: now)
        } catch let error as TokenError {
            throw ConsoleError.forbidden("The provider's token is not accepted: \(error.message)")
        } catch is DecodingError {
            throw ConsoleError.forbidden("The provider has sent no identity token.")
        }
        guard let rule = rules.first(where: { token.values(of: $0.claim).contains($0.value) }) else {
            throw ConsoleError.forbidden(
                "You are signed in with the provider, but have no role in this console.")
        }
        // An invitation may give any other name, and must not be taken for one of these.
        let email = token.values(of: "email").first { $0.contains("@") }
        return (email ?? "\(token.subject) at \(host)", rule)
    }

    private func endpoints() async throws -> Endpoints {
        let body = try await send(to: issuer + "/.well-known/openid-configuration")
        guard let found = try? Self.decoder.decode(Endpoints.self, from: Data(body)), found.issuer == issuer
        else {
            throw Self.unavailable("it does not describe itself as \(issuer)")
        }
        return found
    }

    private func send(
        _ body: [UInt8]? = nil, to url: String, headers: [(name: String, value: String)] = []
    ) async throws -> [UInt8] {
        do {
            let reply = try await web.send(body, to: url, headers: headers)
            guard reply.status == 200 else { throw Self.unavailable("\(url) returns HTTP \(reply.status)") }
            return reply.body
        } catch let fault as WebFault {
            throw Self.unavailable("\(url): \(fault)")
        }
    }

    private static func unavailable(_ why: String) -> ConsoleError {
        ConsoleError(
            status: 502, title: "The provider does not let you in", text: "Its reply cannot be used: \(why).")
    }

    private static func form(_ fields: [(String, String)]) -> String {
        fields.map { "\($0)=\(Form.encoded($1))" }.joined(separator: "&")
    }
}
