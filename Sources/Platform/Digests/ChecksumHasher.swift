import CCrypto

/// A running checksum of bytes against damage on their way; owns libcrypto's context and frees it.
package struct ChecksumHasher: ~Copyable {
    package enum Algorithm: String, CaseIterable, Sendable {
        case sha1, sha256

        package var byteCount: Int { self == .sha1 ? 20 : 32 }
    }

    private let context: OpaquePointer
    private let algorithm: Algorithm

    package init(_ algorithm: Algorithm) {
        // These fail only if memory is exhausted or libcrypto has no such algorithm: there is nothing to recover.
        guard let context = EVP_MD_CTX_new(),
            EVP_DigestInit_ex(context, algorithm == .sha1 ? EVP_sha1() : EVP_sha256(), nil) == 1
        else { fatalError("libcrypto cannot compute \(algorithm)") }
        self.context = context
        self.algorithm = algorithm
    }

    deinit { EVP_MD_CTX_free(context) }

    package func update(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        precondition(EVP_DigestUpdate(context, start, bytes.count) == 1)
    }

    package consuming func finish() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: algorithm.byteCount) { buffer, count in
            precondition(EVP_DigestFinal_ex(context, buffer.baseAddress, nil) == 1)
            count = algorithm.byteCount
        }
    }
}
