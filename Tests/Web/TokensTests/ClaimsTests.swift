import FoundationEssentials
import Testing

@testable import Tokens

@Suite struct ClaimsTests {
    private static let signer = TestSigner.each[.edDSA]!

    private func caller(
        _ payload: String, rules: TokenRules = TokenRules(), at moment: Date = now
    ) throws -> Caller {
        try TokenVerifier(file: Self.signer.jwk(#""kid":"k""#), rules: rules).caller(
            token: Self.signer.token(payload: payload).utf8, at: moment)
    }

    private func refusal(
        _ payload: String, rules: TokenRules = TokenRules(), at seconds: Double = 0
    ) throws -> TokenError.Code? {
        try TokenVerifier(file: Self.signer.jwk(), rules: rules).refusal(
            Self.signer.token(payload: payload), at: now.addingTimeInterval(seconds))
    }

    @Test func `Every claim that is asked for is read`() throws {
        let rules = TokenRules(
            issuer: "https://a.example", audiences: ["x", "darkroom"], personClaim: "uid", nameClaim: "name",
            sinceClaim: "joined", scopeClaim: "scope")
        let payload = """
            {"iss":"https://a.example","aud":["other","darkroom"],"exp":1800000060.5,"nbf":1.7e9,"uid":"ada:1","name":"Ada",
             "joined":1600000000,"scope":"post  moderate post","sub":"eve"}
            """
        #expect(
            try caller(payload, rules: rules)
                == Caller(
                    person: "ada:1", displayName: "Ada", since: Date(timeIntervalSince1970: 1_600_000_000),
                    proof: .token(key: "k"), scopes: ["post", "moderate"]))
        #expect(
            try caller(claims(#""name":"Ada","scope":"a""#)) == Caller(person: "ada", proof: .token(key: "k"))
        )
        let roles = TokenRules(scopeClaim: "roles")
        #expect(try caller(claims(#""roles":["a b","c","é",1,""]"#), rules: roles).scopes == ["c"])
        #expect(try refusal(claims(#""roles":1"#), rules: roles) == .claim)
    }

    @Test(arguments: [0.0, 30, 300])
    func `A token counts for as long as the leeway after its end and before its beginning`(leeway: Double)
        throws
    {
        let rules = TokenRules(leeway: leeway)
        let payload = claims(#""nbf":1799999000"#, exp: "1800000000")
        #expect(try refusal(payload, rules: rules, at: leeway) == .expired)
        #expect(try refusal(payload, rules: rules, at: leeway + 1e9) == .expired)
        #expect(try refusal(payload, rules: rules, at: leeway - 0.001) == nil)
        #expect(try refusal(payload, rules: rules, at: -1000 - leeway) == nil)
        #expect(try refusal(payload, rules: rules, at: -1000 - leeway - 0.001) == .notYetValid)
    }

    @Test(arguments: [#""1800000600""#, "null", "true", "1e400", "1e300", "-1e300", "[1]", "NaN"])
    func `A time that is not one is refused`(value: String) throws {
        #expect(try [.claim, .malformed].contains(#require(try refusal(claims(exp: value)))))
        #expect(try [.claim, .malformed].contains(#require(try refusal(claims(#""nbf":\#(value)"#)))))
        let rules = TokenRules(sinceClaim: "since")
        #expect(
            try [.claim, .malformed].contains(
                #require(try refusal(claims(#""since":\#(value)"#), rules: rules))))
    }

    @Test func `A token without an end or a person is refused`() throws {
        #expect(try refusal(#"{"sub":"ada"}"#) == .claim)
        #expect(try refusal(#"{"exp":1800000600}"#) == .claim)
        #expect(try refusal(#"{"exp":1800000600,"sub":1}"#) == .claim)
        #expect(try refusal(#"{"exp":1800000600,"sub":null}"#) == .claim)
        #expect(try refusal("{}") == .claim)
    }

    @Test func `The issuer and an audience must be those of the rules`() throws {
        let rules = TokenRules(issuer: "caf\u{e9}", audiences: ["b"])
        #expect(try refusal(claims("\"iss\":\"caf\u{e9}\",\"aud\":\"b\""), rules: rules) == nil)
        #expect(try refusal(claims("\"iss\":\"cafe\u{301}\",\"aud\":\"b\""), rules: rules) == .issuer)
        #expect(try refusal(claims(#""aud":"b""#), rules: rules) == .issuer)
        #expect(try refusal(claims("\"iss\":\"caf\u{e9}\""), rules: rules) == .audience)
        for audience in [#""B""#, #"["a","c"]"#, "[]", "1", "null", #"{"b":"b"}"#, #"[["b"]]"#] {
            #expect(
                try refusal(claims("\"iss\":\"caf\u{e9}\",\"aud\":\(audience)"), rules: rules) == .audience)
        }
    }

    @Test func `A person is 1 to 200 characters without control characters`() throws {
        func code(_ person: String) throws -> TokenError.Code? {
            try refusal(#"{"exp":1800000600,"sub":\#(person)}"#)
        }
        #expect(try code("\"\(String(repeating: "\u{10ffff}", count: 200))\"") == nil)
        #expect(try code("\"\(String(repeating: "a", count: 201))\"") == .person)
        // One character to Swift, 201 to PostgreSQL.
        #expect(try code("\"e\(String(repeating: "\u{301}", count: 200))\"") == .person)
        for person in ["", #"\u0000"#, #"a\n"#, #"\u007f"#, #"\u0085"#, #"a\u001fb"#] {
            #expect(try code("\"\(person)\"") == .person)
        }
        #expect(try code(#""auth0|5 é""#) == nil)
    }

    @Test func `A name that cannot be shown is left out`() throws {
        let rules = TokenRules(nameClaim: "name")
        for name in ["", "  ", #"a\nb"#, #"a\u202eb"#, #"\u200b"#, String(repeating: "a", count: 101)] {
            #expect(try caller(claims(#""name":"\#(name)""#), rules: rules).displayName == nil)
        }
        for (marks, isShown) in [(30, true), (31, false)] {
            let name = "e" + String(repeating: "\u{301}", count: marks)
            #expect(
                try caller(claims(#""name":"\#(name)""#), rules: rules).displayName == (isShown ? name : nil))
        }
        #expect(try caller(claims(), rules: rules).displayName == nil)
        #expect(try refusal(claims(#""name":1"#), rules: rules) == .claim)
    }
}
