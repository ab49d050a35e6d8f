import Digests

/// The algorithms that are accepted. `none` is not among them, whatever its spelling.
package enum TokenAlgorithm: String, Hashable, Sendable, CaseIterable {
    /// Ed25519 (RFC 8037).
    case edDSA = "EdDSA"
    /// ECDSA on P-256 with SHA-256 (RFC 7518).
    case es256 = "ES256"
    /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518).
    case rs256 = "RS256"
    /// HMAC with SHA-256 (RFC 7518). Anyone who can verify such tokens can also make them.
    case hs256 = "HS256"

    /// The algorithm of this name, as `alg` has it; nil for any other text, such as one in other letters.
    init?(name: String) {
        // RFC 9864 renames EdDSA to say its curve.
        let name = name.hasSameBytes(as: "Ed25519") ? "EdDSA" : name
        guard let algorithm = Self.allCases.first(where: { $0.rawValue.hasSameBytes(as: name) }) else {
            return nil
        }
        self = algorithm
    }

    init(_ scheme: SignatureScheme) {
        self =
            switch scheme {
            case .ed25519: .edDSA
            case .ecdsaP256: .es256
            case .rsaPKCS1: .rs256
            }
    }
}
