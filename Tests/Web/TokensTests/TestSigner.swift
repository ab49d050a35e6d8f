import CCrypto
import Testing

@testable import Tokens

/// A key pair that signs tokens.
///
/// `@unchecked Sendable`: nothing changes the handle before `deinit`.
final class TestSigner: @unchecked Sendable {
    let algorithm: TokenAlgorithm
    private let handle: OpaquePointer

    /// A new key. RSA has 2,048 bits and the exponent 65537 unless other numbers are given.
    init(_ algorithm: TokenAlgorithm, bits: Int = 2048, exponent: Int = 65537, curve: String = "P-256") throws
    {
        let (kind, options): (String, [(String, String)]) =
            switch algorithm {
            case .edDSA, .hs256: ("ED25519", [])
            case .es256: ("EC", [("ec_paramgen_curve", curve)])
            case .rs256: ("RSA", [("rsa_keygen_bits", "\(bits)"), ("rsa_keygen_pubexp", "\(exponent)")])
            }
        let context = EVP_PKEY_CTX_new_from_name(nil, kind, nil)
        defer { EVP_PKEY_CTX_free(context) }
        try #require(EVP_PKEY_keygen_init(context) == 1)
        for (name, value) in options { try #require(EVP_PKEY_CTX_ctrl_str(context, name, value) == 1) }
        var key: OpaquePointer?
        try #require(EVP_PKEY_generate(context, &key) == 1)
        handle = try #require(key)
        self.algorithm = algorithm
    }

    deinit { EVP_PKEY_free(handle) }

    /// One of each algorithm with a public key.
    static let each: [TokenAlgorithm: TestSigner] = {
        let algorithms: [TokenAlgorithm] = [.edDSA, .es256, .rs256]
        return Dictionary(uniqueKeysWithValues: algorithms.map { ($0, try! TestSigner($0)) })
    }()

    /// A token with these parts, which need not be JSON.
    func token(header: String? = nil, payload: String) -> String {
        let header = header ?? #"{"alg":"\#(algorithm.rawValue)","typ":"JWT"}"#
        let message = "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(payload.utf8))"
        return "\(message).\(Base64URL.encode(sign(Array(message.utf8))))"
    }

    func sign(_ message: [UInt8]) -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: 1024)
        var length = signature.count
        precondition(
            EVP_DigestSignInit(context, nil, algorithm == .edDSA ? nil : EVP_sha256(), nil, handle) == 1
                && EVP_DigestSign(context, &signature, &length, message, message.count) == 1)
        signature.removeLast(signature.count - length)
        return algorithm == .es256 ? Self.raw(signature) : signature
    }

    /// r and s of a signature in DER, 32 bytes each.
    private static func raw(_ der: [UInt8]) -> [UInt8] {
        var rest = der.dropFirst(2)
        return (0..<2).flatMap { _ -> [UInt8] in
            let length = Int(rest[rest.startIndex + 1])
            let number = rest.dropFirst(2).prefix(length).drop { $0 == 0 }
            rest = rest.dropFirst(2 + length)
            return [UInt8](repeating: 0, count: 32 - number.count) + number
        }
    }

    /// The public key as a JSON Web Key, with more members such as `"kid":"1"`.
    func jwk(_ members: String...) -> String {
        let parts =
            switch algorithm {
            case .edDSA, .hs256: [#""kty":"OKP","crv":"Ed25519","x":"\#(Base64URL.encode(publicBytes(32)))""#]
            case .es256:
                [
                    #""kty":"EC","crv":"P-256","x":"\#(Base64URL.encode(publicBytes(65)[1..<33]))""#,
                    #""y":"\#(Base64URL.encode(publicBytes(65)[33...]))""#,
                ]
            case .rs256:
                [
                    #""kty":"RSA","n":"\#(Base64URL.encode(number("n")))""#,
                    #""e":"\#(Base64URL.encode(number("e")))""#,
                ]
            }
        return "{\((parts + members).joined(separator: ","))}"
    }

    private func publicBytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var length = 0
        precondition(EVP_PKEY_get_octet_string_param(handle, "pub", &bytes, count, &length) == 1)
        precondition(length == count)
        return bytes
    }

    func number(_ name: String) -> [UInt8] {
        var number: OpaquePointer?
        precondition(EVP_PKEY_get_bn_param(handle, name, &number) == 1)
        defer { BN_free(number) }
        var bytes = [UInt8](repeating: 0, count: (Int(BN_num_bits(number)) + 7) / 8)
        BN_bn2bin(number, &bytes)
        return bytes
    }

    /// The public or the private key in PEM.
    func pem(isPrivate: Bool = false) -> String {
        let stream = BIO_new(BIO_s_mem())
        defer { BIO_free(stream) }
        let written =
            isPrivate
            ? PEM_write_bio_PrivateKey(stream, handle, nil, nil, 0, nil, nil)
            : PEM_write_bio_PUBKEY(stream, handle)
        precondition(written == 1)
        var text = [UInt8](repeating: 0, count: 8192)
        let count = BIO_read(stream, &text, CInt(text.count))
        return String(decoding: text.prefix(Int(count)), as: UTF8.self)
    }
}
