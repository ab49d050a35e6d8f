import Digests
package import FoundationEssentials
package import Tokens

/// People without accounts, for trying things out: each visitor is someone of their own, as long as the server runs.
///
/// A token is `demo_`, the person and the time of its end, and their HMAC-SHA-256 by a key that only this value has.
package struct DemoVisitors: Sendable {
    package struct Identity: Sendable {
        package let person: String
        package let token: String
        /// In seconds since 1970.
        package let expires: Int64
    }

    /// What every token begins with.
    package static let prefix = "demo_"
    package static let lifetimeSeconds: Int64 = 12 * 3600

    private let key = Self.random(32)

    package init() {}

    /// Someone who was never here before.
    package func newcomer(at now: Date) -> Identity {
        identity(of: "visitor-\(Base64URL.encode(Self.random(12)))", at: now)
    }

    /// The same person with a new token.
    package func identity(of person: String, at now: Date) -> Identity {
        let expires = Int64(now.timeIntervalSince1970) + Self.lifetimeSeconds
        let claims = Base64URL.encode("\(person) \(expires)".utf8)
        return Identity(
            person: person, token: "\(Self.prefix)\(claims).\(signature(of: claims).hex)", expires: expires)
    }

    /// Whose token it is; nil if this value has not made it, or its time is over.
    package func caller(token: Substring, at now: Date) -> Caller? {
        guard token.utf8.count <= 1000, token.hasPrefix(Self.prefix) else { return nil }
        let parts = token.dropFirst(Self.prefix.count).split(
            separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let given = SHA256Digest(hex: parts[1]),
            signature(of: String(parts[0])).isEqualInConstantTime(to: given),
            let bytes = Base64URL.decode(parts[0].utf8)
        else { return nil }
        let claims = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard claims.count == 2, let expires = Int64(claims[1]), expires > Int64(now.timeIntervalSince1970)
        else { return nil }
        return Caller(person: String(claims[0]), proof: .token(key: "demo"))
    }

    private func signature(of claims: String) -> SHA256Digest {
        SHA256Digest(authenticating: claims.utf8, key: key)
    }

    private static func random(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
