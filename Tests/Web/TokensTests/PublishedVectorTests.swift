import Digests
import FoundationEssentials
import Testing

@testable import Tokens

/// The examples of RFC 7515, appendix A, and of RFC 8037, appendix A.
@Suite struct PublishedVectorTests {
    private static let payload =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

    static let hs256 = (
        key: """
        {"kty":"oct","alg":"HS256",
         "k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"}
        """,
        token:
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\(payload).dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    )

    static let rs256 = (
        key: """
        {"kty":"RSA","e":"AQAB","n":"\
        ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yR\
        T-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXB\
        dQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9ia\
        GNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"}
        """,
        token: """
        eyJhbGciOiJSUzI1NiJ9.\(payload).\
        cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9\
        uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB\
        _eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rq\
        Vt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw
        """
    )

    static let es256 = (
        key: """
        {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
         "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
        """,
        token: """
        eyJhbGciOiJFUzI1NiJ9.\(payload).\
        DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q
        """
    )

    static let edDSA = (
        key: #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
        token: """
        eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.\
        hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg
        """
    )

    private static let valid = Date(timeIntervalSince1970: 1_300_819_300)

    @Test(arguments: [hs256, rs256, es256])
    func `The tokens of RFC 7515 are accepted with their keys`(key: String, token: String) throws {
        let verifier = try TokenVerifier(file: key, rules: TokenRules(personClaim: "iss"))
        #expect(try verifier.caller(token: token.utf8, at: Self.valid).person == "joe")
        #expect(verifier.refusal(token) == .expired)
    }

    @Test func `No key accepts the token of another`() throws {
        let all = [Self.hs256, Self.rs256, Self.es256, Self.edDSA]
        for (index, vector) in all.enumerated() {
            for (other, token) in all.map(\.token).enumerated() where other != index {
                #expect(try TokenVerifier(file: vector.key).refusal(token) == .algorithm)
            }
        }
    }

    @Test func `The signature of RFC 8037 holds, and its payload is no claims`() throws {
        let key = try #require(try TokenKeyFile.parse(Array(Self.edDSA.key.utf8)).first)
        let signed = try SignedBytes(Self.edDSA.token.utf8)
        #expect(key.isValid(signed.signature, for: signed.message))
        #expect(String(decoding: signed.payload, as: UTF8.self) == "Example of Ed25519 signing")
        #expect(try TokenVerifier(file: Self.edDSA.key).refusal(Self.edDSA.token) == .malformed)
    }

    @Test func `The private keys of the appendices are refused`() {
        let key = """
            {"kty":"OKP","crv":"Ed25519","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
             "x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}
            """
        #expect(fileRefusal(key) == .unsafe)
    }
}
