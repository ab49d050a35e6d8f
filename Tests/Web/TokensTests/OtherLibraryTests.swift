import ChildProcess
import FoundationEssentials
import TestKit
import Testing

@testable import Tokens

/// Tokens that PyJWT (https://pypi.org/project/PyJWT/) made, and what it says of them.
@Suite(.timeLimit(.minutes(15))) struct OtherLibraryTests {
    private struct Line: Decodable {
        let file: String
        let token: String
        let now: Double
        let person: String?
    }

    private static func lines() async throws -> [Line] {
        let folder = "Tests/Web/Reference"
        let python = try await PythonEnvironment.interpreter(
            "web-reference", requirements: folder + "/requirements.txt")
        let output = try await ChildProgram(python, ["\(Checkout.root)/\(folder)/tokens.py"])
            .runSuccessfully()
        return try output.standardOutput.split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
    }

    @Test func `Tokens of PyJWT are accepted and refused as PyJWT does it`() async throws {
        let rules = TokenRules(
            issuer: "https://accounts.example/\u{e9}", audiences: ["darkroom"], nameClaim: "name")
        let lines = try await Self.lines()
        #expect(lines.count > 150)
        for line in lines {
            let verifier = try TokenVerifier(file: line.file, rules: rules)
            let caller = try? verifier.caller(
                token: line.token.utf8, at: Date(timeIntervalSince1970: line.now))
            #expect(caller?.person == line.person)
            if let caller { #expect(caller.displayName == #"Ada "Countess" Łovelace\"#) }
        }
        let accepted = lines.filter { $0.person != nil }.count
        #expect(accepted > 60 && accepted < lines.count - 60)
    }
}
