import Digests
import FoundationEssentials
import Synchronization
import Testing

@testable import Tokens

@Suite(.timeLimit(.minutes(5))) struct AuthenticatorTests {
    private static let signer = TestSigner.each[.edDSA]!

    private func code(
        _ authenticator: Authenticator, _ authorization: String?, person: String? = nil, since: String? = nil,
        at moment: Date = now
    ) -> TokenError.Code? {
        do {
            _ = try authenticator.caller(
                authorization: authorization, person: person, since: since, at: moment)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `Requests say who is asking by a token, by an API key or not at all`() async throws {
        try await withDirectory { folder in
            let new = try #require(APIKeys.make(name: "web"))
            try replace("\(folder)/keys.json", Self.signer.jwk())
            try replace("\(folder)/api-keys", new.line)
            let authenticator = try Authenticator(
                .init(tokenKeys: "\(folder)/keys.json", apiKeys: "\(folder)/api-keys")
            ) { _ in }
            let token = Self.signer.token(payload: claims())

            #expect(try authenticator.caller(authorization: nil, person: nil, at: now) == nil)
            for scheme in ["Bearer", "bearer", "BEARER"] {
                let caller = try authenticator.caller(
                    authorization: "\(scheme) \(token)", person: nil, at: now)
                #expect(caller == Caller(person: "ada", proof: .token(key: nil)))
            }
            #expect(
                try authenticator.caller(authorization: "Bearer \(new.key)", person: "bob:é", at: now)
                    == Caller(person: "bob:é", proof: .apiKey(name: "web")))
            #expect(
                try authenticator.caller(
                    authorization: "Bearer \(new.key)", person: "bob", since: "1700000000", at: now)?.since
                    == Date(timeIntervalSince1970: 1_700_000_000))
            #expect(try authenticator.caller(authorization: "Bearer \(new.key)", person: nil, at: now) == nil)

            for text in [
                "", "Bearer", "Bearer ", "Basic YTpi", "Bearer\t\(token)", token, " Bearer \(token)",
                "Bearer=\(token)",
            ] {
                #expect(code(authenticator, text) == .malformedAuthorization, "\(text)")
            }
            for text in [
                "Bearer  \(token)", "Bearer \(token) ", "Bearer \(token),", "Bearer \(token)\n", "Bearer a b",
            ] {
                #expect(code(authenticator, text) == .malformed, "\(text)")
            }
            #expect(code(authenticator, "Bearer \(String(repeating: "a", count: 8193))") == .tooLong)
            #expect(code(authenticator, nil, person: "bob") == .personNotAllowed)
            #expect(code(authenticator, "Bearer \(token)", person: "ada") == .personNotAllowed)
            #expect(
                code(authenticator, "Bearer drk_\(String(repeating: "A", count: 43))", person: "a")
                    == .unknownAPIKey)
            for person in ["", "a\nb", "a\0", String(repeating: "a", count: 201)] {
                #expect(code(authenticator, "Bearer \(new.key)", person: person) == .person)
            }
            for since in ["", "-1", "+1", "1.5", "1e9", " 1", "٣", "253402300800", "99999999999999999999"] {
                #expect(
                    code(authenticator, "Bearer \(new.key)", person: "bob", since: since) == .person,
                    "\(since)")
            }
            #expect(code(authenticator, nil, since: "1") == .personNotAllowed)
            #expect(code(authenticator, "Bearer \(token)", since: "1") == .personNotAllowed)
        }
    }

    @Test func `A server without keys accepts none`() throws {
        let authenticator = try Authenticator(.init()) { _ in }
        #expect(try authenticator.caller(authorization: nil, person: nil, at: now) == nil)
        #expect(code(authenticator, "Bearer a.b.c") == .notConfigured)
        #expect(code(authenticator, "Bearer drk_a", person: "a") == .notConfigured)
    }

    @Test func `A remembered token still ends, and begins, in time`() async throws {
        try await withDirectory { folder in
            try replace("\(folder)/keys", Self.signer.jwk())
            let authenticator = try Authenticator(.init(tokenKeys: "\(folder)/keys")) { _ in }
            let token = "Bearer " + Self.signer.token(payload: claims(#""nbf":1800000000"#))
            for _ in 0..<2 {
                #expect(code(authenticator, token) == nil)
                #expect(code(authenticator, token) == nil)
                #expect(code(authenticator, token, at: now.addingTimeInterval(630)) == .expired)
                #expect(code(authenticator, token, at: now.addingTimeInterval(-31)) == .notYetValid)
                #expect(code(authenticator, token, at: now.addingTimeInterval(629)) == nil)
            }
        }
    }

    @Test func `At most as many tokens are remembered as there may be, and those in use stay`() throws {
        let remembered = VerifiedTokens(most: 100)
        let token = VerifiedToken(
            claims: try TokenClaims(Array(claims().utf8), rules: TokenRules()), key: nil)
        let used = SHA256Digest(hashing: "used".utf8)
        remembered.insert(token, used)
        for index in 0..<1000 {
            remembered.insert(token, SHA256Digest(hashing: "\(index)".utf8))
            #expect(remembered.count <= 100)
            #expect(remembered.token(used) != nil)
        }
        #expect(remembered.token(SHA256Digest(hashing: "900".utf8)) == nil)
        #expect(remembered.token(SHA256Digest(hashing: "999".utf8)) != nil)
        remembered.remove(used)
        #expect(remembered.token(used) == nil)
    }
}
