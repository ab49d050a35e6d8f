import Digests
import FoundationEssentials
import Testing

@testable import Tokens

/// The time of all tests.
let now = Date(timeIntervalSince1970: 1_800_000_000)

/// Claims that are accepted at `now`, with more members such as `"iss":"a"`.
func claims(_ members: String..., exp: String = "1800000600") -> String {
    "{" + ([#""sub":"ada""#, #""exp":\#(exp)"#] + members).joined(separator: ",") + "}"
}

/// A token of HS256 with these parts.
func hmacToken(_ secret: [UInt8], header: String = #"{"alg":"HS256"}"#, payload: String = claims()) -> String
{
    let message = "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(payload.utf8))"
    return "\(message).\(Base64URL.encode(SHA256Digest(authenticating: message.utf8, key: secret).bytes))"
}

func secretJWK(_ secret: [UInt8], _ members: String = #""alg":"HS256""#) -> String {
    #"{"kty":"oct","k":"\#(Base64URL.encode(secret))",\#(members)}"#
}

func keySet(_ keys: String...) -> String { #"{"keys":[\#(keys.joined(separator: ","))]}"# }

extension TokenVerifier {
    /// The verifier with the keys of a file with these contents.
    init(file: String, rules: TokenRules = TokenRules()) throws {
        self.init(keys: try TokenKeyFile.parse(Array(file.utf8)), rules: rules)
    }

    /// The code with which the token is refused; nil if it is accepted.
    func refusal(_ token: some Collection<UInt8>, at moment: Date = now) -> TokenError.Code? {
        do {
            _ = try caller(token: token, at: moment)
            return nil
        } catch {
            return error.code
        }
    }

    func refusal(_ token: String, at moment: Date = now) -> TokenError.Code? {
        refusal(Array(token.utf8), at: moment)
    }
}

/// The code with which a file of keys is refused; nil if it is accepted.
func fileRefusal(_ contents: String) -> KeyFileError.Code? {
    do {
        _ = try TokenKeyFile.parse(Array(contents.utf8))
        return nil
    } catch {
        return error.code
    }
}

/// A directory for one test, removed afterwards.
func withDirectory<T>(_ body: (String) async throws -> T) async throws -> T {
    let path = "/tmp/darkroom-tokens-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await body(path)
}

/// Replaces the file as an administrator's tools do.
func replace(_ path: String, _ contents: String) throws {
    try Data(contents.utf8).write(to: URL(filePath: path), options: .atomic)
}
