import CCrypto

/// The ways to sign that are accepted. A key has exactly one.
package enum SignatureScheme: Hashable, Sendable {
    /// Ed25519 (RFC 8032).
    case ed25519
    /// ECDSA on P-256 with SHA-256 (FIPS 186-4).
    case ecdsaP256
    /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017), 2,048 to 8,192 bits.
    case rsaPKCS1
}

/// A public key that verifies signatures of its one scheme.
///
/// `@unchecked Sendable`: nothing changes the handle before `deinit`, and libcrypto lets several threads use a key that
/// does not change (openssl-threads(7)).
package final class VerificationKey: @unchecked Sendable {
    package let scheme: SignatureScheme
    /// Bytes of a signature.
    private let signatureLength: Int
    private let handle: PublicKeyHandle

    private init(_ handle: consuming PublicKeyHandle) throws(VerificationKeyError) {
        scheme = try handle.checkedScheme()
        signatureLength = scheme == .rsaPKCS1 ? Int(EVP_PKEY_get_size(handle.pointer)) : 64
        self.handle = handle
    }

    private convenience init(der: [UInt8]) throws(VerificationKeyError) {
        guard let handle = PublicKeyHandle(der: der) else {
            throw VerificationKeyError(.malformed, "the numbers are not those of a public key")
        }
        try self.init(handle)
    }

    /// The Ed25519 key with these 32 bytes.
    package convenience init(ed25519 bytes: [UInt8]) throws(VerificationKeyError) {
        guard bytes.count == 32 else { throw VerificationKeyError(.malformed, "an Ed25519 key has 32 bytes") }
        // The identifier 1.3.101.112 (RFC 8410).
        try self.init(der: DER.subjectPublicKeyInfo(algorithm: [0x06, 0x03, 0x2b, 0x65, 0x70], key: bytes))
    }

    /// The key on the curve P-256 with these coordinates, 32 bytes each.
    package convenience init(p256x x: [UInt8], y: [UInt8]) throws(VerificationKeyError) {
        guard x.count == 32, y.count == 32 else {
            throw VerificationKeyError(.malformed, "a coordinate of P-256 has 32 bytes")
        }
        // The identifiers 1.2.840.10045.2.1 and 1.2.840.10045.3.1.7 (RFC 5480).
        let algorithm: [UInt8] = [
            0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01,
            0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07,
        ]
        try self.init(der: DER.subjectPublicKeyInfo(algorithm: algorithm, key: [0x04] + x + y))
    }

    /// The RSA key with these big-endian numbers: a modulus of 2,048 to 8,192 bits, and an odd exponent from 3 to 2³² − 1.
    package convenience init(rsaModulus modulus: [UInt8], exponent: [UInt8]) throws(VerificationKeyError) {
        // The identifier 1.2.840.113549.1.1.1 with no parameters (RFC 3279).
        let algorithm: [UInt8] = [
            0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00,
        ]
        let key = DER.sequence(DER.integer(modulus) + DER.integer(exponent))
        try self.init(der: DER.subjectPublicKeyInfo(algorithm: algorithm, key: key))
    }

    /// Every public key of a file in PEM (RFC 7468), in its order. Text between the keys does not matter.
    package static func keys(pem: [UInt8]) throws(VerificationKeyError) -> [VerificationKey] {
        guard let stream = BIO_new_mem_buf(pem, CInt(clamping: pem.count)) else {
            throw VerificationKeyError(.malformed, "the file cannot be read as PEM")
        }
        defer { BIO_free(stream) }
        var keys: [VerificationKey] = []
        // Without the callback, libcrypto asks the terminal for the password of an encrypted key.
        while let handle = PublicKeyHandle(PEM_read_bio_PUBKEY(stream, nil, { _, _, _, _ in -1 }, nil)) {
            keys.append(try VerificationKey(handle))
        }
        return keys
    }

    /// Whether `signature` is one of `message` by this key.
    ///
    /// A signature of ECDSA is r and s, 32 bytes each and neither of them 0 (RFC 7518, section 3.4); one of RSA is as long
    /// as the modulus.
    package func isValid(_ signature: [UInt8], for message: UnsafeRawBufferPointer) -> Bool {
        guard signature.count == signatureLength, let encoded = encoded(signature),
            let context = EVP_MD_CTX_new()
        else { return false }
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        // Ed25519 hashes for itself.
        let digest = scheme == .ed25519 ? nil : EVP_sha256()
        guard EVP_DigestVerifyInit(context, nil, digest, nil, handle.pointer) == 1 else { return false }
        let bytes = message.bindMemory(to: UInt8.self).baseAddress
        return EVP_DigestVerify(context, encoded, encoded.count, bytes, message.count) == 1
    }

    /// The signature as libcrypto wants it.
    private func encoded(_ signature: [UInt8]) -> [UInt8]? {
        guard scheme == .ecdsaP256 else { return signature }
        let (r, s) = (signature.prefix(32), signature.suffix(32))
        guard r.contains(where: { $0 != 0 }), s.contains(where: { $0 != 0 }) else { return nil }
        return DER.sequence(DER.integer(r) + DER.integer(s))
    }
}
