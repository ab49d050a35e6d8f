import Testing

@testable import Tokens

/// Damages valid tokens in every way that is one step away.
@Suite(.timeLimit(.minutes(5))) struct MutationTests {
    /// A token of each algorithm with the file of its key. One has white space and escapes in its JSON.
    static let tokens: [(file: String, token: String)] = {
        let secret = (0..<32).map { UInt8($0) }
        var tokens = TestSigner.each.values.map {
            ($0.jwk(), $0.token(payload: claims(#""name":"A\u0064a""#)))
        }
        tokens.append(
            (secretJWK(secret), hmacToken(secret, payload: " {\"sub\":\"ada\",\n\"exp\":1800000600}")))
        return tokens
    }()

    @Test(arguments: tokens)
    func `A token with one other bit is refused`(file: String, token: String) throws {
        let verifier = try TokenVerifier(file: file)
        let bytes = Array(token.utf8)
        #expect(verifier.refusal(bytes) == nil)
        for bit in 0..<bytes.count * 8 {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(verifier.refusal(damaged) != nil, "bit \(bit)")
        }
    }

    @Test(arguments: tokens)
    func `A token is refused if a decoded part has one other bit`(file: String, token: String) throws {
        let verifier = try TokenVerifier(file: file)
        let parts = try token.split(separator: ".").map { try #require(Base64URL.decode($0.utf8)) }
        for part in parts.indices {
            for bit in 0..<parts[part].count * 8 {
                var damaged = parts
                damaged[part][bit / 8] ^= 1 << UInt8(bit % 8)
                let token = damaged.map { Base64URL.encode($0) }.joined(separator: ".")
                #expect(verifier.refusal(token) != nil, "part \(part), bit \(bit)")
            }
        }
    }

    @Test(arguments: tokens)
    func `A token without its end or its beginning, or with a character more, is refused`(
        file: String, token: String
    ) throws {
        let verifier = try TokenVerifier(file: file)
        let bytes = Array(token.utf8)
        for count in 0..<bytes.count {
            #expect(verifier.refusal(bytes.prefix(count)) != nil, "the first \(count)")
            #expect(verifier.refusal(bytes.suffix(count)) != nil, "the last \(count)")
        }
        for position in 0...bytes.count {
            for more in " \n=A.\0".utf8 {
                var longer = bytes
                longer.insert(more, at: position)
                #expect(verifier.refusal(longer) != nil, "\(more) at \(position)")
            }
        }
    }

    @Test(arguments: tokens)
    func `A token is refused if two of its characters change places, or one comes twice`(
        file: String, token: String
    ) throws {
        let verifier = try TokenVerifier(file: file)
        let bytes = Array(token.utf8)
        for position in 0..<bytes.count - 1 {
            var changed = bytes
            changed.swapAt(position, position + 1)
            if changed != bytes { #expect(verifier.refusal(changed) != nil, "swapped at \(position)") }
            changed = bytes
            changed.remove(at: position)
            #expect(verifier.refusal(changed) != nil, "removed at \(position)")
        }
    }
}
