import Digests

/// A key that verifies tokens by its one algorithm.
package struct TokenKey: Sendable {
    enum Material: Sendable {
        case publicKey(VerificationKey)
        /// At least 32 bytes.
        case secret([UInt8])
    }

    /// The `kid`; nil if the file gives none.
    package let id: String?
    package let algorithm: TokenAlgorithm
    private let material: Material

    init(id: String?, publicKey: VerificationKey) {
        self.id = id
        algorithm = TokenAlgorithm(publicKey.scheme)
        material = .publicKey(publicKey)
    }

    /// A secret of HS256, of 32 bytes or more (RFC 7518, section 3.2).
    init(id: String?, secret: [UInt8]) throws(KeyFault) {
        guard secret.count >= 32 else {
            throw KeyFault(
                .unsafe, "a secret for HS256 has \(secret.count) bytes; it needs 32 or more (RFC 7518)")
        }
        // Else anyone who has the public key could sign with it.
        guard !secret.starts(with: "-----BEGIN".utf8), !secret.starts(with: "ssh-".utf8) else {
            throw KeyFault(.unsafe, "a secret for HS256 is a public key or a certificate; use random bytes")
        }
        self.id = id
        algorithm = .hs256
        material = .secret(secret)
    }

    /// Whether `signature` is one of `message` by this key.
    package func isValid(_ signature: [UInt8], for message: some Collection<UInt8>) -> Bool {
        switch material {
        case .publicKey(let key):
            return Array(message).withUnsafeBytes { key.isValid(signature, for: $0) }
        case .secret(let secret):
            guard let digest = SHA256Digest(bytes: signature) else { return false }
            return SHA256Digest(authenticating: message, key: secret).isEqualInConstantTime(to: digest)
        }
    }
}
