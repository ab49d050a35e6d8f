import Testing

@testable import MediaStore

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
}

@Suite struct MediaKeyTests {
    @Test(arguments: ["a", "originals/ab/cd/abcd", "renditions/ab/cd/x.jpg", "a/b-c_d~e.f/%41", "a.b"])
    func `Plain relative paths are keys`(text: String) throws {
        #expect(try MediaKey(validating: text).path == text)
    }

    @Test(arguments: [
        "", "/", "/etc/passwd", "..", ".", "a/..", "a/../b", "../a", "./a", "a/./b", "a//b", "a/", "a\0b",
        "a\nb", "a b", "a\u{7F}", "é", "originals/.unfinished/1", String(repeating: "a", count: 256),
        String(repeating: "abc/", count: 128) + "a",
    ])
    func `Every other text is refused`(text: String) {
        let error = #expect(throws: MediaError.self) { try MediaKey(validating: text) }
        #expect(error?.code == .keyEscapesStore)
        #expect(error?.description.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } == true)
    }
}

@Suite struct MediaLocationTests {
    @Test(arguments: [
        ("/srv/media", "/srv/media"), ("media", "media"), ("/srv/media//", "/srv/media"), ("/", "/"),
        ("./a:b", "./a:b"), ("file:///srv/my%20media/", "/srv/my media"), ("FILE://LOCALHOST/m", "/m"),
        ("file:/srv", "/srv"), ("file:///s%C3%A9", "/sé"),
    ])
    func `Paths and file URLs are read`(location: String, path: String) throws {
        #expect(try MediaLocation.directoryPath(from: location) == path)
    }

    @Test(arguments: [
        "", "s3://bucket/photos", "file://example.org/media", "file:media", "file://media", "file:///a%2",
        "file:///a%zz", "file:///a%00b", "file:///a?b", "file:///a#b", "file:///%ff", "a\0b",
    ])
    func `Other locations are refused with advice`(location: String) {
        let error = #expect(throws: MediaError.self) { try MediaLocation.directoryPath(from: location) }
        #expect(error?.code == .unsupportedLocation)
        #expect(error?.message.contains("file:///srv/darkroom/media") == true)
    }
}
