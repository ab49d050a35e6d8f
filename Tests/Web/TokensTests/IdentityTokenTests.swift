import FoundationEssentials
import Testing

@testable import Tokens

@Suite struct IdentityTokenTests {
    private static let signer = TestSigner.each[.rs256]!
    private static let issuer = "https://id.example"

    private static func payload(_ members: String...) -> String {
        let all = [#""iss":"\#(issuer)""#, #""aud":"console""#, #""nonce":"n""#] + members
        return "{" + ([#""sub":"ada""#, #""exp":1800000600"#] + all).joined(separator: ",") + "}"
    }

    private static func read(
        _ token: String, keys: String = keySet(signer.jwk()), client: String = "console", nonce: String = "n"
    ) throws(TokenError) -> IdentityToken {
        try IdentityToken(
            verifying: token, keySet: Array(keys.utf8), issuer: issuer, client: client, nonce: nonce, at: now)
    }

    private static func refusal(
        _ token: String, keys: String = keySet(signer.jwk()), client: String = "console", nonce: String = "n"
    ) -> TokenError.Code? {
        do throws(TokenError) {
            _ = try read(token, keys: keys, client: client, nonce: nonce)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `The subject and the texts of claims are read`() throws {
        let token = try Self.read(
            Self.signer.token(
                payload: Self.payload(
                    #""groups":["a","b",1]"#, #""role":"x""#, #""email":"a@b.c","email_verified":true"#)))
        #expect(token.subject == "ada")
        #expect(token.values(of: "groups") == ["a", "b"])
        #expect(token.values(of: "role") == ["x"])
        #expect(token.values(of: "email") == ["a@b.c"])
        #expect(token.values(of: "none") == [])
    }

    @Test(arguments: ["", #","email_verified":false"#, #","email_verified":"true""#])
    func `An address that is not verified is no address`(more: String) throws {
        let token = Self.signer.token(payload: Self.payload(#""email":"boss@b.c"\#(more)"#))
        #expect(try Self.read(token).values(of: "email") == [])
    }

    @Test func `A token of another sign-in, client, provider or time is refused`() {
        let token = Self.signer.token(payload: Self.payload())
        #expect(Self.refusal(token) == nil)
        #expect(Self.refusal(token, nonce: "other") == .claim)
        #expect(Self.refusal(token, client: "other") != nil)
        let without = #"{"sub":"ada","exp":1800000600,"iss":"\#(Self.issuer)","aud":"console"}"#
        #expect(Self.refusal(Self.signer.token(payload: without)) == .claim)
        #expect(Self.refusal(Self.signer.token(payload: Self.payload(#""azp":"other""#))) == .claim)
        #expect(Self.refusal(Self.signer.token(payload: Self.payload(#""azp":"console""#))) == nil)
        let old = Self.payload().replacing("1800000600", with: "1700000000")
        #expect(Self.refusal(Self.signer.token(payload: old)) == .expired)
        let elsewhere = Self.payload().replacing("id.example", with: "evil.example")
        #expect(Self.refusal(Self.signer.token(payload: elsewhere)) != nil)
    }

    @Test func `Only a key of the provider signs, and no shared secret`() throws {
        let other = try TestSigner(.rs256)
        #expect(Self.refusal(other.token(payload: Self.payload())) == .signature)
        let secret = [UInt8](repeating: 7, count: 32)
        let token = hmacToken(secret, payload: Self.payload())
        #expect(Self.refusal(token, keys: keySet(secretJWK(secret), Self.signer.jwk())) == .algorithm)
        #expect(Self.refusal(token, keys: "{}") == .unknownKey)
    }
}
