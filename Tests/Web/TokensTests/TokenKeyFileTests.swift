import Testing

@testable import Tokens

@Suite struct TokenKeyFileTests {
    private static let signer = TestSigner.each[.rs256]!
    private static let secret = [UInt8](repeating: 7, count: 32)

    private func keys(_ contents: String) throws -> [TokenKey] {
        try TokenKeyFile.parse(Array(contents.utf8))
    }

    @Test func `A set, a single key and PEM are read`() throws {
        let signers = [TokenAlgorithm.edDSA, .es256, .rs256].map { TestSigner.each[$0]! }
        let set = try keys(" \n" + keySet(signers[0].jwk(#""kid":"a""#), signers[1].jwk(), signers[2].jwk()))
        #expect(set.map(\.algorithm) == [.edDSA, .es256, .rs256])
        #expect(set.map(\.id) == ["a", nil, nil])
        for signer in signers {
            #expect(try keys(signer.jwk(#""use":"sig""#)).map(\.algorithm) == [signer.algorithm])
            #expect(try keys(signer.pem()).map(\.algorithm) == [signer.algorithm])
            #expect(try TokenVerifier(file: signer.pem()).refusal(signer.token(payload: claims())) == nil)
        }
        let several = "# keys\n" + signers.map { $0.pem() }.joined(separator: "\nthe next:\n")
        #expect(try keys(several).map(\.algorithm) == [.edDSA, .es256, .rs256])
        #expect(try keys(secretJWK(Self.secret)).map(\.algorithm) == [.hs256])
    }

    @Test(arguments: [
        #""use":"enc""#, #""alg":"RS512""#, #""alg":"RSA-OAEP""#, #""alg":"none""#, #""alg":"HS256""#,
        #""key_ops":["sign"]"#,
    ])
    func `A key for something else is left out`(members: String) throws {
        #expect(fileRefusal(Self.signer.jwk(members)) == .count)
        #expect(try keys(keySet(Self.signer.jwk(members), Self.signer.jwk())).count == 1)
    }

    @Test(arguments: [
        #"{"kty":"EC","crv":"P-384","x":"AA","y":"AA"}"#,
        #"{"kty":"EC","crv":"secp256k1","x":"AA","y":"AA"}"#,
        #"{"kty":"OKP","crv":"Ed448","x":"AA"}"#, #"{"kty":"OKP","crv":"X25519","x":"AA"}"#,
        #"{"kty":"AKP"}"#, #"{"kty":"EC"}"#,
    ])
    func `A key of another kind or curve is left out`(key: String) throws {
        #expect(fileRefusal(key) == .count)
        #expect(try keys(keySet(key, Self.signer.jwk())).count == 1)
    }

    @Test(arguments: [384, 521])
    func `A key of another curve in PEM is refused`(bits: Int) throws {
        #expect(fileRefusal(try TestSigner(.es256, curve: "P-\(bits)").pem()) == .malformed)
    }

    @Test func `A secret must say that it is one, and be long and no public key`() {
        #expect(fileRefusal(secretJWK(Self.secret, #""kid":"a""#)) == .unsafe)
        #expect(fileRefusal(secretJWK(Array(Self.secret.dropLast()))) == .unsafe)
        #expect(fileRefusal(secretJWK([])) == .malformed)
        #expect(fileRefusal(secretJWK(Array(Self.signer.pem().utf8))) == .unsafe)
        #expect(fileRefusal(secretJWK(Self.secret, #""alg":"HS512""#)) == .count)
    }

    @Test func `Private keys are refused`() {
        for signer in TestSigner.each.values {
            #expect(fileRefusal(signer.jwk(#""d":"AA""#)) == .unsafe)
            #expect(fileRefusal(signer.pem(isPrivate: true)) == .unsafe)
            #expect(fileRefusal(signer.pem() + signer.pem(isPrivate: true)) == .unsafe)
        }
    }

    @Test(arguments: [
        #"{"kty":"OKP","crv":"Ed25519"}"#, #"{"kty":"OKP","crv":"Ed25519","x":"AA"}"#,
        #"{"kty":"OKP","crv":"Ed25519","x":1}"#,
        #"{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}"#, #"{"kty":"RSA","n":"AA"}"#, #"{"kty":1}"#,
        #"{"keys":{}}"#, #"{"keys":[1]}"#,
        #"{"keys":[{}]}"#, "{}", "{", "[]", "",
        "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "-----BEGIN PUBLIC KEY-----",
        #"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU="}"#,
        // Not on the curve.
        #"""
        {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
         "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a1"}
        """#,
        #"""
        {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
         "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a4"}
        """#,
    ])
    func `A file without keys, or with something broken, is refused`(contents: String) {
        #expect(fileRefusal(contents) == .malformed)
    }

    @Test func `A point that is not on the curve, or is the same in another spelling, is refused`() {
        let x = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"
        for y in [
            "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a4", "_____wAAAAEAAAAAAAAAAAAAAAD_______________8", x,
        ] {
            #expect(fileRefusal(#"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)"}"#) == .malformed)
        }
    }

    @Test(arguments: [512, 1024, 2047])
    func `RSA with less than 2,048 bits is refused`(bits: Int) throws {
        let signer = try TestSigner(.rs256, bits: bits)
        #expect(fileRefusal(signer.jwk()) == .unsafe)
        #expect(fileRefusal(signer.pem()) == .unsafe)
    }

    @Test(arguments: [[1], [0], [2], [0, 0, 1], [1, 0, 0], [1, 0, 0, 0, 0x0f]] as [[UInt8]])
    func `RSA with an exponent that protects nothing is refused`(exponent: [UInt8]) {
        let modulus = Base64URL.encode(Self.signer.number("n"))
        #expect(
            fileRefusal(#"{"kty":"RSA","n":"\#(modulus)","e":"\#(Base64URL.encode(exponent))"}"#) == .unsafe)
    }

    @Test func `RSA with a modulus that is prime or even is refused`() {
        var even = Self.signer.number("n")
        even[even.count - 1] &= 0xfe
        // 2²²⁰³ − 1, a Mersenne prime.
        let prime = [0x07] + [UInt8](repeating: 0xff, count: 275)
        for modulus in [even, prime, [0x01] + [UInt8](repeating: 0, count: 1024)] {
            let key = #"{"kty":"RSA","n":"\#(Base64URL.encode(modulus))","e":"AQAB"}"#
            #expect([.unsafe, .malformed].contains(fileRefusal(key)))
        }
    }

    @Test func `An exponent of 3 and larger keys are accepted`() throws {
        for signer in [try TestSigner(.rs256, exponent: 3), try TestSigner(.rs256, bits: 3072)] {
            #expect(try TokenVerifier(file: signer.jwk()).refusal(signer.token(payload: claims())) == nil)
        }
    }

    @Test func `Keys of Ed25519 for which anyone can sign are refused`() {
        var points = [0, 1].map { [UInt8($0)] + [UInt8](repeating: 0, count: 31) }
        points += [0xec, 0xed, 0xee].map { [UInt8($0)] + [UInt8](repeating: 0xff, count: 30) + [0x7f] }
        points += points.map { $0.dropLast() + [$0[31] | 0x80] }
        for point in points {
            let key = #"{"kty":"OKP","crv":"Ed25519","x":"\#(Base64URL.encode(point))"}"#
            #expect(fileRefusal(key) == .unsafe)
        }
    }

    @Test func `A file has at most 32 keys`() throws {
        let key = TestSigner.each[.edDSA]!.jwk()
        #expect(
            try keys(#"{"keys":[\#(Array(repeating: key, count: 32).joined(separator: ","))]}"#).count == 32)
        #expect(
            fileRefusal(#"{"keys":[\#(Array(repeating: key, count: 33).joined(separator: ","))]}"#) == .count)
    }
}
