import CCrypto
import Glibc

/// The SHA-256 of some bytes (FIPS 180-4), computed by libcrypto.
package struct SHA256Digest: Hashable, Sendable, CustomStringConvertible {
    /// 64 lower-case hexadecimal digits.
    package let description: String

    /// - Parameter hex: 64 hexadecimal digits of either case; nil for anything else.
    package init?(hex: String) {
        let lower = hex.lowercased()
        let isHex = lower.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
        guard lower.utf8.count == 64, isHex else { return nil }
        description = lower
    }

    package init(of bytes: [UInt8]) {
        var hasher = SHA256Hasher()
        bytes.withUnsafeBytes { hasher.update($0) }
        self = hasher.finish()
    }

    fileprivate init(bytes: [UInt8]) {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(64)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        description = String(decoding: text, as: UTF8.self)
    }
}

/// Computes a SHA-256 piece by piece.
struct SHA256Hasher: ~Copyable {
    private let context: OpaquePointer

    init() {
        // Fails only where memory or the digest itself is missing, neither of which can be handled.
        context = EVP_MD_CTX_new()!
        precondition(EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1, "libcrypto has no SHA-256")
    }

    deinit { EVP_MD_CTX_free(context) }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress else { return }
        EVP_DigestUpdate(context, base, bytes.count)
    }

    consuming func finish() -> SHA256Digest {
        var digest = [UInt8](repeating: 0, count: 32)
        EVP_DigestFinal_ex(context, &digest, nil)
        return SHA256Digest(bytes: digest)
    }
}
