import Digests

/// Reads one JSON Web Key (RFC 7517; RFC 7518, section 6; RFC 8037).
enum JSONWebKey {
    /// Members that only a private key has.
    private static let privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth"]

    /// The key; nil if it is for something else, such as encryption or an algorithm that is not accepted, because a set of
    /// keys may have such keys too.
    ///
    /// The algorithm is `alg`, or the only one that goes with the kind of key. A secret must have `"alg": "HS256"`: a
    /// secret verifies nothing by accident.
    static func key(_ json: StrictJSON) throws(KeyFault) -> TokenKey? {
        guard json.isObject, let kind = try text("kty", of: json) else {
            throw KeyFault(.malformed, "it has no \"kty\"")
        }
        guard let expected = algorithm(kind: kind, curve: try text("crv", of: json)) else { return nil }
        if let use = try text("use", of: json), !use.hasSameBytes(as: "sig") { return nil }
        if let operations = json["key_ops"] {
            guard case .array(let operations) = operations else {
                throw KeyFault(.malformed, "\"key_ops\" is not an array")
            }
            guard operations.contains(.string("verify")) else { return nil }
        }
        let name = try text("alg", of: json)
        if let name, TokenAlgorithm(name: name) != expected { return nil }
        let id = try text("kid", of: json)
        if expected == .hs256 {
            guard name != nil else {
                throw KeyFault(
                    .unsafe,
                    "a secret needs \"alg\": \"HS256\", to say that the server may verify tokens with it")
            }
            return try TokenKey(id: id, secret: try bytes("k", of: json))
        }
        guard !privateMembers.contains(where: { json[$0] != nil }) else {
            throw KeyFault(.unsafe, "it is a private key; remove \"d\" and the other private members")
        }
        do {
            return TokenKey(id: id, publicKey: try publicKey(json, expected))
        } catch let error as VerificationKeyError {
            throw KeyFault(error)
        } catch {
            throw error as? KeyFault ?? KeyFault(.malformed, "it cannot be read")
        }
    }

    private static func algorithm(kind: String, curve: String?) -> TokenAlgorithm? {
        switch (kind, curve) {
        case ("OKP", "Ed25519"): .edDSA
        case ("EC", "P-256"): .es256
        case ("RSA", _): .rs256
        case ("oct", _): .hs256
        default: nil
        }
    }

    private static func publicKey(_ json: StrictJSON, _ algorithm: TokenAlgorithm) throws -> VerificationKey {
        switch algorithm {
        case .edDSA: try VerificationKey(ed25519: bytes("x", of: json))
        case .es256: try VerificationKey(p256x: bytes("x", of: json), y: bytes("y", of: json))
        case .rs256, .hs256:
            try VerificationKey(rsaModulus: bytes("n", of: json), exponent: bytes("e", of: json))
        }
    }

    private static func text(_ name: String, of json: StrictJSON) throws(KeyFault) -> String? {
        switch json[name] {
        case nil: return nil
        case .string(let text)?: return text
        default: throw KeyFault(.malformed, "\"\(name)\" is not a string")
        }
    }

    private static func bytes(_ name: String, of json: StrictJSON) throws(KeyFault) -> [UInt8] {
        guard let text = try text(name, of: json), let bytes = Base64URL.decode(text.utf8), !bytes.isEmpty
        else {
            throw KeyFault(.malformed, "\"\(name)\" is missing, or is not base64url without padding")
        }
        return bytes
    }
}
