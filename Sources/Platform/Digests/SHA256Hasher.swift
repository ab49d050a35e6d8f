import CCrypto

/// A running SHA-256 computation; owns libcrypto's context and frees it.
package struct SHA256Hasher: ~Copyable {
    private let context: OpaquePointer

    package init() {
        // These fail only if memory is exhausted or libcrypto has no SHA-256: there is nothing to recover.
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
            fatalError("libcrypto cannot compute SHA-256")
        }
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    package func update(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        precondition(EVP_DigestUpdate(context, start, bytes.count) == 1)
    }

    package consuming func finish() -> SHA256Digest {
        let bytes = [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            precondition(EVP_DigestFinal_ex(context, buffer.baseAddress, nil) == 1)
            count = 32
        }
        guard let digest = SHA256Digest(bytes: bytes) else { preconditionFailure("32 bytes are a digest") }
        return digest
    }
}
