import Testing

@testable import Tokens

@Suite struct Base64URLTests {
    // RFC 4648, section 10, without padding, and the characters of the other alphabet.
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"), ("\u{fffd}~", "77-9fg"), ("??>", "Pz8-"),
    ])
    func `Bytes are written and read as the standard says`(bytes: String, text: String) {
        #expect(Base64URL.encode(bytes.utf8) == text)
        #expect(Base64URL.decode(text.utf8) == Array(bytes.utf8))
    }

    @Test func `Each text of up to three characters is refused, or is that of its bytes`() {
        var accepted = 0
        let characters = Array(UInt8(0x20)..<0x7f)
        for first in characters {
            for second in characters {
                for text in [[first], [first, second]] + characters.map({ [first, second, $0] }) {
                    guard let bytes = Base64URL.decode(text) else { continue }
                    accepted += 1
                    #expect(Base64URL.encode(bytes).utf8.elementsEqual(text))
                }
            }
        }
        // Every one and every two bytes have exactly one text.
        #expect(accepted == 256 + 65536)
    }
}
