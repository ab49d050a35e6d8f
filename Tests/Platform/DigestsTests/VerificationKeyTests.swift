import Digests
import Testing

@Suite struct VerificationKeyTests {
    private func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16)! }
    }

    private func isValid(_ key: VerificationKey, _ signature: [UInt8], _ message: [UInt8]) -> Bool {
        message.withUnsafeBytes { key.isValid(signature, for: $0) }
    }

    // RFC 8032, section 7.1, test 2, and test 1, whose message is empty.
    @Test(arguments: [
        (
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        ),
        (
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
                + "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
        ),
    ])
    func `Signatures of Ed25519 are those of the standard`(key: String, message: String, signature: String)
        throws
    {
        let key = try VerificationKey(ed25519: bytes(key))
        #expect(key.scheme == .ed25519)
        #expect(isValid(key, bytes(signature), bytes(message)))
        #expect(!isValid(key, bytes(signature), bytes(message) + [0]))
    }

    // RFC 6979, appendix A.2.5, with SHA-256 and the message "sample".
    @Test func `Signatures of P-256 are those of the standard`() throws {
        let key = try VerificationKey(
            p256x: bytes("60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"),
            y: bytes("7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"))
        let signature = bytes(
            "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
                + "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8")
        #expect(key.scheme == .ecdsaP256)
        #expect(isValid(key, signature, Array("sample".utf8)))
        #expect(!isValid(key, signature, Array("simple".utf8)))
    }

    @Test func `Keys that protect nothing say why they are refused`() {
        func code(_ make: () throws -> VerificationKey) -> VerificationKeyError.Code? {
            do {
                _ = try make()
                return nil
            } catch {
                return (error as? VerificationKeyError)?.code
            }
        }
        #expect(code { try VerificationKey(ed25519: [UInt8](repeating: 0, count: 32)) } == .weak)
        #expect(code { try VerificationKey(ed25519: [1]) } == .malformed)
        #expect(code { try VerificationKey(p256x: [1], y: [1]) } == .malformed)
        let modulus = [UInt8](repeating: 0xff, count: 128)
        #expect(code { try VerificationKey(rsaModulus: modulus, exponent: [1, 0, 1]) } == .weak)
        #expect(code { try VerificationKey(rsaModulus: [], exponent: []) } != nil)
    }

    @Test func `Digests are compared whole`() {
        let digest = SHA256Digest(hashing: "a".utf8)
        #expect(digest.isEqualInConstantTime(to: SHA256Digest(hashing: "a".utf8)))
        for bit in 0..<256 {
            var bytes = digest.bytes
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(SHA256Digest(bytes: bytes).map { digest.isEqualInConstantTime(to: $0) } == false)
        }
    }
}
