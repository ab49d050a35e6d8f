import Digests
import Testing

@testable import Tokens

@Suite struct APIKeysTests {
    private func keys(_ text: String) throws -> APIKeys { try APIKeys(Array(text.utf8)) }

    private func refusal(_ text: String) -> KeyFault? {
        do {
            _ = try keys(text)
            return nil
        } catch {
            return error as? KeyFault
        }
    }

    @Test func `A new key is accepted with its line`() throws {
        let (first, second) = (
            try #require(APIKeys.make(name: "web.1", note: "Ada's server")),
            try #require(APIKeys.make(name: "web_2-b"))
        )
        #expect(first.key.hasPrefix("drk_") && first.key.utf8.count == 47 && first.key != second.key)
        #expect(first.line == "web.1 \(SHA256Digest(hashing: first.key.utf8).hex) Ada's server")
        #expect(!first.line.contains(first.key))
        let keys = try keys("# servers\n\n \(first.line)\r\n\(second.line)")
        #expect(keys.count == 2)
        #expect(keys.name(of: first.key) == "web.1")
        #expect(keys.name(of: second.key) == "web_2-b")
    }

    @Test func `Names and notes that would not be read are refused`() {
        for name in ["", "a b", "#a", "é", "a\n", "a\0", String(repeating: "a", count: 101)] {
            #expect(APIKeys.make(name: name) == nil)
        }
        #expect(APIKeys.make(name: "a", note: "b\nc") == nil)
    }

    @Test func `A key with one other bit, or of another form, is refused`() throws {
        let new = try #require(APIKeys.make(name: "a"))
        let keys = try keys(new.line)
        let bytes = Array(new.key.utf8)
        for bit in 0..<bytes.count * 8 {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(keys.name(of: String(decoding: damaged, as: UTF8.self)) == nil)
        }
        for count in 0..<bytes.count { #expect(keys.name(of: String(new.key.prefix(count))) == nil) }
        for other in [new.key + "A", new.key + "=", " " + new.key, SHA256Digest(hashing: bytes).hex, ""] {
            #expect(keys.name(of: other) == nil)
        }
        // The hash of a text that is no key does not make it one.
        #expect(try self.keys("a \(SHA256Digest(hashing: "drk_secret".utf8))").name(of: "drk_secret") == nil)
    }

    @Test func `A broken line is named`() throws {
        let line = try #require(APIKeys.make(name: "a")).line
        #expect(try keys("").count == 0)
        for (text, code, number) in [
            ("a", KeyFileError.Code.malformed, 1), ("\(line)\nb 12ab", .malformed, 2),
            ("#\n\n\(line)0 x", .malformed, 3),
            ("a/b \(line.dropFirst(2))", .malformed, 1), ("\(line)\nb\(line.dropFirst())", .malformed, 2),
            (String(line.dropLast()), .malformed, 1),
        ] {
            let fault = try #require(refusal(text))
            #expect(fault.code == code && fault.message.hasPrefix("line \(number):"), "\(fault)")
        }
        #expect(throws: KeyFault.self) { try APIKeys([0xff]) }
    }

    @Test func `A file has at most 1,000 keys`() throws {
        func lines(_ count: Int) -> String {
            (0..<count).map { "a\($0) \(SHA256Digest(hashing: "\($0)".utf8))" }.joined(separator: "\n")
        }
        #expect(try keys(lines(1000)).count == 1000)
        #expect(refusal(lines(1001))?.code == .count)
    }
}
