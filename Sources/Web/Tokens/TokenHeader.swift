/// The first part of a token (RFC 7515, section 4), as far as it is believed.
struct TokenHeader {
    let algorithm: TokenAlgorithm
    /// The `kid`.
    let keyID: String?

    /// What would change how the token is verified, or where its key comes from. A token that brings its own key proves
    /// nothing, and an address in it must not be followed (RFC 8725, sections 3.9 and 3.10).
    private static let refused = ["crit", "b64", "jku", "jwk", "x5u", "x5c", "zip", "enc"]

    /// The values of `typ` that say an access token or say nothing. Others are for something else, such as `logout+jwt`
    /// (RFC 8725, section 3.11).
    private static let types = ["jwt", "at+jwt", "application/jwt", "application/at+jwt"]

    init(_ bytes: [UInt8]) throws(TokenError) {
        let json = try StrictJSON(bytes, part: "header")
        if let name = Self.refused.first(where: { json[$0] != nil }) {
            throw TokenError(.unsupportedHeader, "The token's header has \"\(name)\", which is not accepted.")
        }
        if let type = try json.text("typ", part: "header"), !Self.types.contains(type.lowercased()) {
            throw TokenError(.unsupportedHeader, "The token's \"typ\" is neither JWT nor at+jwt.")
        }
        guard let name = try json.text("alg", part: "header"), let algorithm = TokenAlgorithm(name: name)
        else {
            throw TokenError(.algorithm, "The token's algorithm is not one of EdDSA, ES256, RS256 and HS256.")
        }
        self.algorithm = algorithm
        keyID = try json.text("kid", part: "header")
    }
}

extension StrictJSON {
    /// An object of a token.
    init(_ bytes: [UInt8], part: String) throws(TokenError) {
        do {
            self = try StrictJSONParser.parse(bytes)
        } catch {
            throw TokenError(.malformed, "The token's \(part) is not JSON that can be used: \(error).")
        }
        guard isObject else { throw TokenError(.malformed, "The token's \(part) is not a JSON object.") }
    }

    /// The string of this name; nil if there is none.
    func text(_ name: String, part: String) throws(TokenError) -> String? {
        switch self[name] {
        case nil: return nil
        case .string(let text)?: return text
        default:
            throw TokenError(
                part == "header" ? .malformed : .claim, "The token's \"\(name)\" is not a string.")
        }
    }
}
