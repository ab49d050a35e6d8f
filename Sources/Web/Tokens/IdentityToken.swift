package import FoundationEssentials

/// What an identity token (OpenID Connect Core, section 2) says, once it is verified.
package struct IdentityToken: Sendable {
    package let subject: String
    private let claims: StrictJSON

    /// The texts of a claim: of a string, or of an array of strings.
    package func values(of claim: String) -> [String] {
        // Anyone may have written an address that the provider has not verified.
        if claim == "email", claims["email_verified"] != .bool(true) { return [] }
        return switch claims[claim] {
        case .string(let text): [text]
        case .array(let values): values.compactMap(\.string)
        default: []
        }
    }

    /// Verifies a token for one client, which must not have been made for another sign-in.
    ///
    /// - Parameters:
    ///   - keySet: the provider's keys, as its `jwks_uri` gives them.
    ///   - nonce: what this sign-in began with.
    package init(
        verifying token: String, keySet: [UInt8], issuer: String, client: String, nonce: String, at now: Date
    ) throws(TokenError) {
        let keys: [TokenKey]
        do throws(KeyFault) {
            keys = try TokenKeyFile.parse(keySet)
        } catch {
            throw TokenError(.unknownKey, "The provider's keys cannot be used: \(error.message)")
        }
        // A key that both sides know proves nothing here: the client's secret is no key of the provider.
        let verifier = TokenVerifier(
            keys: keys.filter { $0.algorithm != .hs256 },
            rules: TokenRules(issuer: issuer, audiences: [client]))
        subject = try verifier.caller(token: Array(token.utf8), at: now).person
        claims = try StrictJSON(SignedBytes(Array(token.utf8)).payload, part: "payload")
        guard let found = claims["nonce"]?.string, found.hasSameBytes(as: nonce) else {
            throw TokenError(.claim, "The token is not one of this sign-in.")
        }
        // With several audiences, the one that the token is for (section 3.1.3.7).
        if let party = claims["azp"], party.string != client {
            throw TokenError(.claim, "The token was made for another client.")
        }
    }
}
