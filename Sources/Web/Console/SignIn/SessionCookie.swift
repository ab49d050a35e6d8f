import HTTPServer

/// The cookie that holds the secret of a session.
struct SessionCookie: Sendable {
    /// Whether browsers reach the console over TLS.
    let isSecure: Bool

    /// A browser keeps a name with this prefix for exactly one host, and only over TLS.
    private var name: String { isSecure ? "__Host-darkroom" : "darkroom" }

    func secret(in request: HTTPRequest) -> String? { value(of: name, in: request) }

    private func value(of name: String, in request: HTTPRequest) -> String? {
        let pairs = (request.headers["Cookie"] ?? "").split(separator: ";")
        let found = pairs.compactMap { pair -> String? in
            let parts = pair.split(separator: "=", maxSplits: 1).map { $0.trimmingPrefix { $0 == " " } }
            return parts.count == 2 && parts[0] == name ? String(parts[1]) : nil
        }
        // Two could only come from a page of a neighbouring host.
        return found.count == 1 ? found[0] : nil
    }

    func setting(_ secret: String) -> String {
        "\(name)=\(secret); Path=/; HttpOnly; SameSite=Strict\(suffix)"
    }

    var ending: String { "\(name)=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict\(suffix)" }

    // What a sign-in with a provider begins with comes back with a page of the provider, so it is lax.

    private var beginningName: String { isSecure ? "__Secure-darkroom-sign-in" : "darkroom-sign-in" }

    func beginning(in request: HTTPRequest) -> String? { value(of: beginningName, in: request) }

    func beginning(_ value: String) -> String {
        "\(beginningName)=\(value); Path=/sign-in; Max-Age=600; HttpOnly; SameSite=Lax\(suffix)"
    }

    var endingBeginning: String {
        "\(beginningName)=; Path=/sign-in; Max-Age=0; HttpOnly; SameSite=Lax\(suffix)"
    }

    private var suffix: String { isSecure ? "; Secure" : "" }
}
