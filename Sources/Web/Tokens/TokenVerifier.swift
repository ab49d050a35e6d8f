package import FoundationEssentials

/// Verifies JSON Web Tokens (RFC 7519) in their compact form with the keys of one file.
///
/// The algorithm is that of the key, never one that the token chooses (RFC 8725, section 3.1). This is our own code on
/// libcrypto's signatures rather than libjwt: Debian 12 has its version 1.10, which knows neither EdDSA nor sets of keys,
/// and verifies by the algorithm in the token's header, so that the caller must compare that with the key's. What would be
/// left for it to do is to split the token and decode base64 and JSON, and that has to be stricter here.
package struct TokenVerifier: Sendable {
    /// The most bytes of a token.
    package static let longest = 8192

    private let keys: [TokenKey]
    private let rules: TokenRules

    package init(keys: [TokenKey], rules: TokenRules) {
        self.keys = keys
        self.rules = rules
    }

    /// Who the token says is asking. Takes some 100 µs.
    package func caller(token: some Collection<UInt8>, at now: Date) throws(TokenError) -> Caller {
        let verified = try verify(token)
        try verified.claims.check(at: now)
        return verified.caller
    }

    /// What a token says whose signature holds, at whatever time.
    func verify(_ token: some Collection<UInt8>) throws(TokenError) -> VerifiedToken {
        let signed = try SignedBytes(token)
        let header = try TokenHeader(signed.header)
        let candidates = try candidates(header)
        guard let key = candidates.first(where: { $0.isValid(signed.signature, for: signed.message) }) else {
            throw TokenError(.signature, "The token's signature is not valid.")
        }
        return VerifiedToken(claims: try TokenClaims(signed.payload, rules: rules), key: key.id)
    }

    /// The keys of the token's algorithm that can have signed it: those with its `kid`, and those without any.
    private func candidates(_ header: TokenHeader) throws(TokenError) -> [TokenKey] {
        let named = keys.filter { key in
            guard let keyID = header.keyID, let id = key.id else { return true }
            return id.hasSameBytes(as: keyID)
        }
        guard !named.isEmpty else {
            throw TokenError(.unknownKey, "The token is signed with a key that this server does not know.")
        }
        let candidates = named.filter { $0.algorithm == header.algorithm }
        guard !candidates.isEmpty else {
            throw TokenError(.algorithm, "The token's algorithm is not that of its key.")
        }
        return candidates
    }
}

/// A token whose signature holds.
struct VerifiedToken: Hashable, Sendable {
    let claims: TokenClaims
    /// The `kid` of the key that verified it.
    let key: String?

    var caller: Caller {
        Caller(
            person: claims.person, displayName: claims.displayName, since: claims.since,
            proof: .token(key: key), scopes: claims.scopes)
    }
}

/// The three parts of a token in its compact form (RFC 7515, section 7.1).
struct SignedBytes {
    let header: [UInt8]
    let payload: [UInt8]
    let signature: [UInt8]
    /// What is signed: the first two parts as they were sent.
    let message: [UInt8]

    init(_ token: some Collection<UInt8>) throws(TokenError) {
        guard token.count <= TokenVerifier.longest else {
            throw TokenError(.tooLong, "The token has more than \(TokenVerifier.longest) bytes.")
        }
        let point = UInt8(ascii: ".")
        let parts = token.split(separator: point, omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }), let header = Base64URL.decode(parts[0]),
            let payload = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2])
        else {
            throw TokenError(
                .malformed, "The token is not three parts in base64url without padding, joined by points.")
        }
        self.header = header
        self.payload = payload
        self.signature = signature
        message = parts[0] + [point] + parts[1]
    }
}
