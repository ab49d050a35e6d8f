import CCrypto

/// Owns a public key of libcrypto and frees it.
struct PublicKeyHandle: ~Copyable {
    let pointer: OpaquePointer

    init?(_ pointer: OpaquePointer?) {
        guard let pointer else {
            // libcrypto keeps a thread's errors until somebody reads them.
            ERR_clear_error()
            return nil
        }
        self.pointer = pointer
    }

    /// The key in this SubjectPublicKeyInfo (RFC 5280); nil if the bytes are anything else, or more than that.
    init?(der: [UInt8]) {
        let key: OpaquePointer? = der.withUnsafeBufferPointer { bytes in
            var position = bytes.baseAddress
            guard let key = d2i_PUBKEY(nil, &position, bytes.count) else { return nil }
            guard position == bytes.baseAddress.map({ $0 + bytes.count }) else {
                EVP_PKEY_free(key)
                return nil
            }
            return key
        }
        self.init(key)
    }

    deinit { EVP_PKEY_free(pointer) }

    /// The scheme that goes with the key. Refuses a key of another kind, and one that protects nothing.
    func checkedScheme() throws(VerificationKeyError) -> SignatureScheme {
        defer { ERR_clear_error() }
        let scheme: SignatureScheme
        if EVP_PKEY_is_a(pointer, "ED25519") == 1 {
            // libcrypto has no check for these.
            try Ed25519Points.check(rawBytes())
            return .ed25519
        } else if EVP_PKEY_is_a(pointer, "EC") == 1 {
            guard groupName() == "prime256v1" else {
                throw VerificationKeyError(.unsupported, "the curve is not P-256")
            }
            scheme = .ecdsaP256
        } else if EVP_PKEY_is_a(pointer, "RSA") == 1 {
            try checkRSA()
            scheme = .rsaPKCS1
        } else {
            throw VerificationKeyError(.unsupported, "the key is not one of Ed25519, P-256 or RSA")
        }
        let context = EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil)
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_public_check(context) == 1 else {
            throw VerificationKeyError(.weak, "the key's numbers are not those of a real key")
        }
        return scheme
    }

    private func checkRSA() throws(VerificationKeyError) {
        let bits = EVP_PKEY_get_bits(pointer)
        guard bits >= 2048 else {
            throw VerificationKeyError(
                .weak, "the RSA key has \(bits) bits; it needs 2,048 or more (RFC 7518)")
        }
        guard bits <= 8192 else {
            throw VerificationKeyError(
                .unsupported, "the RSA key has \(bits) bits; more than 8,192 take too long to verify")
        }
        var exponent: OpaquePointer?
        guard EVP_PKEY_get_bn_param(pointer, OSSL_PKEY_PARAM_RSA_E, &exponent) == 1 else {
            throw VerificationKeyError(.malformed, "the RSA key has no exponent")
        }
        defer { BN_free(exponent) }
        guard BN_num_bits(exponent) <= 32, BN_get_word(exponent) >= 3, BN_is_odd(exponent) == 1 else {
            throw VerificationKeyError(
                .weak, "the RSA key's exponent is not an odd number from 3 to 4,294,967,295; use 65537")
        }
    }

    private func groupName() -> String? {
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        guard EVP_PKEY_get_group_name(pointer, &name, name.count, &length) == 1 else { return nil }
        return String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private func rawBytes() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 32)
        var length = bytes.count
        guard EVP_PKEY_get_raw_public_key(pointer, &bytes, &length) == 1, length == 32 else { return [] }
        return bytes
    }
}
