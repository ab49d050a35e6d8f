import CCrypto

extension SHA256Digest {
    /// Whether both are the same. The time does not depend on where they differ.
    package func isEqualInConstantTime(to other: SHA256Digest) -> Bool {
        withUnsafeBytes(of: self) { mine in
            withUnsafeBytes(of: other) { CRYPTO_memcmp(mine.baseAddress, $0.baseAddress, mine.count) == 0 }
        }
    }
}
