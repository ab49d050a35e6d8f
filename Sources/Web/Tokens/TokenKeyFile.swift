import Digests

/// Files of keys for tokens: a JSON Web Key Set (RFC 7517), a single JSON Web Key, or public keys in PEM (RFC 7468).
package enum TokenKeyFile {
    /// The most keys. A token without `kid` costs a verification with each key of its algorithm.
    package static let most = 32

    /// The keys in `contents`: 1 to `most` of them.
    static func parse(_ contents: [UInt8]) throws(KeyFault) -> [TokenKey] {
        let start = contents.first { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }
        let keys = start == UInt8(ascii: "{") ? try fromJSON(contents) : try fromPEM(contents)
        guard !keys.isEmpty else {
            throw KeyFault(.count, "no key is for EdDSA, ES256, RS256 or HS256 and for verifying")
        }
        guard keys.count <= most else {
            throw KeyFault(.count, "the file has \(keys.count) keys; at most \(most) are allowed")
        }
        return keys
    }

    private static func fromJSON(_ contents: [UInt8]) throws(KeyFault) -> [TokenKey] {
        let json: StrictJSON
        do {
            json = try StrictJSONParser.parse(contents)
        } catch {
            throw KeyFault(.malformed, "the file is not JSON that can be used: \(error)")
        }
        var entries = [json]
        if json["kty"] == nil {
            guard case .array(let keys)? = json["keys"] else {
                throw KeyFault(
                    .malformed, "the file is JSON, but has neither \"keys\" nor \"kty\" (RFC 7517)")
            }
            entries = keys
        }
        var found: [TokenKey] = []
        for (index, entry) in entries.enumerated() {
            do throws(KeyFault) {
                if let key = try JSONWebKey.key(entry) { found.append(key) }
            } catch {
                throw KeyFault(error.code, "key \(index + 1): \(error.message)")
            }
        }
        return found
    }

    private static func fromPEM(_ contents: [UInt8]) throws(KeyFault) -> [TokenKey] {
        let text = String(decoding: contents, as: UTF8.self)
        let labels = text.split(separator: "-----BEGIN ", omittingEmptySubsequences: false).dropFirst().map {
            $0.prefix { $0 != "-" && !$0.isNewline }
        }
        guard !labels.isEmpty else {
            throw KeyFault(.malformed, "the file is neither a JSON Web Key Set nor a public key in PEM")
        }
        guard !labels.contains(where: { $0.hasSuffix("PRIVATE KEY") }) else {
            throw KeyFault(
                .unsafe,
                "the file has a private key; verifying needs only the public one: openssl pkey -pubout")
        }
        if let label = labels.first(where: { $0 != "PUBLIC KEY" }) {
            throw KeyFault(
                .malformed,
                label.hasSuffix("CERTIFICATE")
                    ? "the file has a certificate; extract the key: openssl x509 -pubkey -noout"
                    : "the file has something other than \"PUBLIC KEY\"; convert it with openssl pkey -pubin")
        }
        do {
            let keys = try VerificationKey.keys(pem: contents)
            guard keys.count == labels.count else {
                throw KeyFault(.malformed, "public key \(keys.count + 1) cannot be read")
            }
            return keys.map { TokenKey(id: nil, publicKey: $0) }
        } catch let error as VerificationKeyError {
            throw KeyFault(error)
        } catch {
            throw error as? KeyFault ?? KeyFault(.malformed, "the public keys cannot be read")
        }
    }
}

extension KeyFault {
    init(_ error: VerificationKeyError) {
        self.init(error.code == .weak ? .unsafe : .malformed, error.message)
    }
}
