import CCrypto

extension SHA256Digest {
    /// The keyed hash of `bytes`: HMAC with SHA-256 (RFC 2104).
    package init(authenticating bytes: some Collection<UInt8>, key: some Collection<UInt8>) {
        let key = Array(key)
        let bytes = Array(bytes)
        let code = [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            // Fails only if memory is exhausted or libcrypto has no SHA-256.
            precondition(
                HMAC(EVP_sha256(), key, CInt(key.count), bytes, bytes.count, buffer.baseAddress, nil) != nil,
                "libcrypto cannot compute HMAC-SHA-256")
            count = 32
        }
        guard let digest = SHA256Digest(bytes: code) else { preconditionFailure("32 bytes are a digest") }
        self = digest
    }
}
