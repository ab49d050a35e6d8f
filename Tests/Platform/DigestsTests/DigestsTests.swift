import Digests
import Testing

@Suite struct SHA256DigestTests {
    // FIPS 180-4 example values and RFC 6234's.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `Digests are those of the standard`(text: String, hex: String) throws {
        let digest = SHA256Digest(hashing: text.utf8)
        #expect(digest.hex == hex)
        #expect("\(digest)" == hex)
        #expect(SHA256Digest(hex: hex.uppercased()) == digest)
        #expect(SHA256Digest(bytes: digest.bytes) == digest)
        #expect(digest.bytes.count == 32)
    }

    @Test func `A million letters are hashed`() {
        #expect(
            SHA256Digest(hashing: repeatElement(UInt8(ascii: "a"), count: 1_000_000)).hex
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test(arguments: [
        "", "ba78", String(repeating: "g", count: 64), String(repeating: "0", count: 63),
        String(repeating: "0", count: 65), "+" + String(repeating: "0", count: 63),
    ])
    func `Other text is not a digest`(text: String) {
        #expect(SHA256Digest(hex: text) == nil)
    }

    @Test func `Other counts of bytes are not a digest`() {
        #expect(SHA256Digest(bytes: [UInt8](repeating: 0, count: 31)) == nil)
        #expect(SHA256Digest(bytes: [UInt8](repeating: 0, count: 33)) == nil)
    }

    // RFC 4231's test cases 1, 2 and 6; 5 cuts the code.
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0b, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ])
    func `Keyed hashes are those of the standard`(key: [UInt8], text: String, hex: String) {
        #expect(SHA256Digest(authenticating: text.utf8, key: key).hex == hex)
    }
}
