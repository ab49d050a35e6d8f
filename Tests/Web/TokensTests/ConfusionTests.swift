import Testing

@testable import Tokens

/// Attacks that RFC 8725 lists, and those of its kind that are known from other libraries.
@Suite struct ConfusionTests {
    private static func signer(_ algorithm: TokenAlgorithm) throws -> TestSigner {
        try #require(TestSigner.each[algorithm])
    }

    @Test(arguments: [
        "none", "None", "NONE", "nOnE", "none ", "", "HS384", "RS512", "ES384", "PS256", "rs256", "ES256K",
    ])
    func `A token without a signature, or of another algorithm, is refused`(name: String) throws {
        let header = Base64URL.encode(#"{"alg":"\#(name)"}"#.utf8)
        let payload = Base64URL.encode(claims().utf8)
        for (_, signer) in TestSigner.each {
            let verifier = try TokenVerifier(file: signer.jwk())
            #expect(verifier.refusal("\(header).\(payload).") == .malformed)
            #expect(verifier.refusal("\(header).\(payload)") == .malformed)
            #expect(verifier.refusal("\(header).\(payload).AA") == .algorithm)
            #expect(
                verifier.refusal(signer.token(header: #"{"alg":"\#(name)"}"#, payload: claims()))
                    == .algorithm)
        }
    }

    @Test(arguments: [
        #"{}"#, #"{"alg":null}"#, #"{"alg":["RS256"]}"#, #"{"alg":1}"#, #"{"Alg":"RS256"}"#, "[]", "1", "",
    ])
    func `A header without the name of an algorithm is refused`(header: String) throws {
        let signer = try Self.signer(.rs256)
        #expect(
            try TokenVerifier(file: signer.jwk()).refusal(signer.token(header: header, payload: claims()))
                != nil)
    }

    @Test func `A public key is not a secret`() throws {
        for (_, signer) in TestSigner.each {
            let verifier = try TokenVerifier(file: signer.jwk(#""kid":"a""#))
            for secret in [signer.pem(), String(signer.pem().dropLast()), signer.jwk()] {
                for header in [#"{"alg":"HS256"}"#, #"{"alg":"HS256","kid":"a"}"#] {
                    #expect(verifier.refusal(hmacToken(Array(secret.utf8), header: header)) == .algorithm)
                }
            }
            // Nor with a set that has a secret too.
            let both = try TokenVerifier(
                file: keySet(
                    signer.jwk(#""kid":"a""#),
                    secretJWK([UInt8](repeating: 1, count: 32), #""alg":"HS256","kid":"b""#)))
            #expect(both.refusal(hmacToken(Array(signer.pem().utf8))) == .signature)
            let named = hmacToken([UInt8](repeating: 1, count: 32), header: #"{"alg":"HS256","kid":"a"}"#)
            #expect(both.refusal(named) == .algorithm)
        }
    }

    @Test func `Keys of one algorithm do not verify tokens of another`() throws {
        for (mine, signer) in TestSigner.each {
            for other in TokenAlgorithm.allCases where other != mine {
                let token = signer.token(header: #"{"alg":"\#(other.rawValue)"}"#, payload: claims())
                #expect(try TokenVerifier(file: signer.jwk()).refusal(token) == .algorithm)
            }
        }
    }

    @Test(arguments: ["crit", "b64", "jku", "jwk", "x5u", "x5c", "zip", "enc"])
    func `A header that brings keys or conditions is refused`(name: String) throws {
        let (signer, attacker) = (try Self.signer(.edDSA), try TestSigner(.edDSA))
        let verifier = try TokenVerifier(file: signer.jwk())
        let value =
            ["crit": #"["exp"]"#, "jwk": attacker.jwk(), "x5c": #"["AA"]"#][name] ?? #""https://a.example/""#
        let header = #"{"alg":"EdDSA","\#(name)":\#(value)}"#
        #expect(verifier.refusal(attacker.token(header: header, payload: claims())) == .unsupportedHeader)
        #expect(verifier.refusal(signer.token(header: header, payload: claims())) == .unsupportedHeader)
    }

    @Test(arguments: ["logout+jwt", "secevent+jwt", "dpop+jwt", "JOSE", ""])
    func `A token of another type is refused`(type: String) throws {
        let signer = try Self.signer(.edDSA)
        let verifier = try TokenVerifier(file: signer.jwk())
        let header = #"{"alg":"EdDSA","typ":"\#(type)"}"#
        #expect(verifier.refusal(signer.token(header: header, payload: claims())) == .unsupportedHeader)
    }

    @Test(arguments: ["JWT", "jwt", "at+jwt", "application/at+jwt"])
    func `A token of a known type is accepted`(type: String) throws {
        let signer = try Self.signer(.edDSA)
        let token = signer.token(header: #"{"alg":"EdDSA","typ":"\#(type)"}"#, payload: claims())
        #expect(try TokenVerifier(file: signer.jwk()).refusal(token) == nil)
    }

    @Test(arguments: [
        #"{"alg":"EdDSA","alg":"EdDSA"}"#, #"{"alg":"EdDSA","alg":"none"}"#,
        #"{"alg":"EdDSA","\u0061lg":"none"}"#,
        #"{"alg":"EdDSA","a":{"b":1,"b":1}}"#, #"{"alg":"EdDSA",}"#, #"{"alg":"EdDSA"}{}"#,
        "\u{feff}{\"alg\":\"EdDSA\"}",
    ])
    func `A header with a member twice, or with anything but JSON, is refused`(header: String) throws {
        let signer = try Self.signer(.edDSA)
        let verifier = try TokenVerifier(file: signer.jwk())
        #expect(verifier.refusal(signer.token(header: header, payload: claims())) == .malformed)
    }

    @Test func `A payload with a member twice is refused`() throws {
        let signer = try Self.signer(.edDSA)
        let verifier = try TokenVerifier(file: signer.jwk())
        #expect(verifier.refusal(signer.token(payload: claims(#""sub":"eve""#))) == .malformed)
        #expect(verifier.refusal(signer.token(payload: claims(#""s\u0075b":"eve""#))) == .malformed)
        #expect(verifier.refusal(signer.token(payload: "\"ada\"")) == .malformed)
    }

    @Test func `A huge token and deep JSON are refused`() throws {
        let signer = try Self.signer(.edDSA)
        let verifier = try TokenVerifier(file: signer.jwk())
        let filler = { (count: Int) in
            signer.token(payload: claims(#""a":"\#(String(repeating: "b", count: count))""#))
        }
        let base = filler(0).utf8.count
        let fits = filler((TokenVerifier.longest - base) * 3 / 4 - 3)
        #expect(fits.utf8.count <= TokenVerifier.longest && verifier.refusal(fits) == nil)
        #expect(verifier.refusal(filler(TokenVerifier.longest)) == .tooLong)
        #expect(verifier.refusal(String(repeating: ".", count: 8193)) == .tooLong)
        #expect(verifier.refusal(String(repeating: ".", count: 8192)) == .malformed)
        let deep = { (count: Int) in
            String(repeating: "[", count: count) + String(repeating: "]", count: count)
        }
        #expect(verifier.refusal(signer.token(payload: claims(#""a":\#(deep(15))"#))) == nil)
        #expect(verifier.refusal(signer.token(payload: claims(#""a":\#(deep(16))"#))) == .malformed)
        #expect(verifier.refusal(signer.token(payload: claims(#""a":\#(deep(2500))"#))) == .malformed)
    }

    @Test func `Signatures of ECDSA that are too long, in DER or with 0 are refused`() throws {
        let signer = try Self.signer(.es256)
        let verifier = try TokenVerifier(file: signer.jwk())
        let token = signer.token(payload: claims())
        let parts = token.split(separator: ".")
        let signature = try #require(Base64URL.decode(parts[2].utf8))
        let (r, s) = (Array(signature[..<32]), Array(signature[32...]))
        let zero = [UInt8](repeating: 0, count: 32)
        // The order of the group: r and s are less.
        let order = try #require(
            Base64URL.decode("_____wAAAAD__________7zm-q2nF56E87nKwvxjJVE".utf8))
        let der: [UInt8] = [0x30, 70, 2, 33, 0] + r + [2, 33, 0] + s
        let forged: [[UInt8]] = [
            zero + zero, zero + s, r + zero, [], r, r + s + [0], r + [0] + s, r + r + s, [0] + r + [0] + s,
            s + r, der,
            order + s, r + order, order + order, [UInt8](repeating: 255, count: 64),
        ]
        #expect(verifier.refusal(token) == nil)
        for signature in forged {
            let code = verifier.refusal("\(parts[0]).\(parts[1]).\(Base64URL.encode(signature))")
            #expect(code == (signature.isEmpty ? .malformed : .signature), "\(signature.count) bytes")
        }
    }

    @Test func `Two keys of the same kid are told apart by their algorithm`() throws {
        let (first, second) = (try Self.signer(.edDSA), try Self.signer(.es256))
        let verifier = try TokenVerifier(file: keySet(first.jwk(#""kid":"a""#), second.jwk(#""kid":"a""#)))
        for signer in [first, second] {
            let header = #"{"alg":"\#(signer.algorithm.rawValue)","kid":"a"}"#
            #expect(verifier.refusal(signer.token(header: header, payload: claims())) == nil)
        }
    }

    @Test func `The kid chooses the key, byte for byte`() throws {
        let (first, second) = (try TestSigner(.edDSA), try TestSigner(.edDSA))
        let verifier = try TokenVerifier(
            file: keySet(first.jwk(#""kid":"a\u00e9""#), second.jwk(#""kid":"b""#)))
        func code(_ signer: TestSigner, _ kid: String) -> TokenError.Code? {
            verifier.refusal(signer.token(header: #"{"alg":"EdDSA","kid":"\#(kid)"}"#, payload: claims()))
        }
        #expect(code(first, "a\u{e9}") == nil)
        #expect(code(first, "ae\u{301}") == .unknownKey)
        #expect(code(second, "a\u{e9}") == .signature)
        #expect(code(second, "c") == .unknownKey)
        // Without kid, each key is tried.
        #expect(verifier.refusal(second.token(payload: claims())) == nil)
        // Keys in PEM have none.
        #expect(
            try TokenVerifier(file: first.pem()).refusal(
                first.token(
                    header: #"{"alg":"EdDSA","kid":"x"}"#, payload: claims())) == nil)
        #expect(
            try TokenVerifier(file: first.pem()).refusal(
                first.token(
                    header: #"{"alg":"Ed25519"}"#, payload: claims())) == nil)
    }

    @Test func `No error contains the token`() throws {
        let signer = try Self.signer(.edDSA)
        let secret = "c2VjcmV0LXBlcnNvbi1pZA"
        let verifier = try TokenVerifier(file: signer.jwk(), rules: TokenRules(issuer: "a", audiences: ["b"]))
        let tokens = [
            secret, "\(secret).\(secret).\(secret)",
            signer.token(header: #"{"alg":"\#(secret)"}"#, payload: claims()),
            signer.token(header: #"{"alg":"EdDSA","typ":"\#(secret)"}"#, payload: claims()),
            signer.token(header: #"{"alg":"EdDSA","kid":"\#(secret)"}"#, payload: secret),
            signer.token(payload: claims(#""iss":"\#(secret)""#)),
            signer.token(payload: claims(#""iss":"a","aud":"\#(secret)""#)),
            signer.token(payload: claims(#""\#(secret)":1,"\#(secret)":1"#)),
        ]
        for token in tokens {
            let error = #expect(throws: TokenError.self) { try verifier.caller(token: token.utf8, at: now) }
            #expect(error.map { "\($0)".contains(secret) } == false)
        }
    }
}
