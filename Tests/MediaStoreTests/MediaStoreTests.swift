import FoundationEssentials
import Glibc
import MediaStore
import TestKit
import Testing

@Suite("SHA-256")
struct SHA256Tests {
    /// FIPS 180-4's own examples: https://csrc.nist.gov/projects/cryptographic-standards-and-guidelines/example-values
    @Test(
        "agrees with the standard's examples",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func vectors(text: String, hex: String) {
        #expect(SHA256Digest(of: Array(text.utf8)).description == hex)
        #expect(SHA256Digest(hex: hex.uppercased())?.description == hex)
    }

    @Test(
        "takes nothing but 64 hexadecimal digits", arguments: ["", "abc", String(repeating: "g", count: 64)])
    func invalid(hex: String) {
        #expect(SHA256Digest(hex: hex) == nil)
    }
}

@Suite("Media keys")
struct MediaKeyTests {
    @Test("stay within the store", arguments: ["originals/ab/cd/abcd", "a", "a/.b", "ü/photo 1.jpg"])
    func valid(path: String) throws {
        #expect(try MediaKey(validating: path).path == path)
    }

    @Test(
        "are refused when they could leave it",
        arguments: [
            "", "/etc/passwd", "../secret", "a/../../b", "a//b", "a/./b", "a/", ".", "..", "a\0b", "a\nb",
            String(repeating: "a/", count: 600) + "a", String(repeating: "x", count: 300),
        ])
    func invalid(path: String) {
        let error = #expect(throws: MediaError.self) { try MediaKey(validating: path) }
        #expect(error?.code == .keyEscapesStore)
    }
}

@Suite("The local media store")
struct LocalMediaStoreTests {
    @Test("keeps an original under its hash, once however often it is stored")
    func original() async throws {
        try await withTemporaryDirectory { (root: String) async throws -> Void in
            let store = try LocalMediaStore(location: root + "/media")
            let bytes = Array("a photo".utf8)
            let stored = try await store.putOriginal(bytes: bytes)
            let hex = SHA256Digest(of: bytes).description
            #expect(stored.key.path == "originals/\(hex.prefix(2))/\(hex.dropFirst(2).prefix(2))/\(hex)")
            #expect(stored.byteCount == 7)
            try Data(bytes).write(to: URL(filePath: root + "/photo.jpg"))
            #expect(try await store.putOriginal(fromFile: root + "/photo.jpg") == stored)
            #expect(try filesBelow(root + "/media") == [stored.key.path])
            let file = try await store.openOriginal(stored.key)
            #expect(try await file.bytes() == bytes)
            #expect(try await file.sha256() == stored.sha256)
        }
    }

    @Test("lets many store the same bytes at once")
    func concurrent() async throws {
        try await withTemporaryDirectory { (root: String) async throws -> Void in
            let store = try LocalMediaStore(location: root)
            let bytes = [UInt8](repeating: 7, count: 300_000)
            let keys = try await withThrowingTaskGroup(of: MediaKey.self) { group in
                for _ in 0..<16 { group.addTask { try await store.putOriginal(bytes: bytes).key } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(keys.count == 1)
            #expect(try filesBelow(root).count == 1)
        }
    }

    @Test("shows a rendition only when it is complete")
    func rendition() async throws {
        try await withTemporaryDirectory { (root: String) async throws -> Void in
            let store = try LocalMediaStore(location: root)
            let file = try store.makeUnnamedRendition()
            let bytes = Array("jpeg".utf8)
            #expect(write(file.descriptor, bytes, bytes.count) == 4)
            #expect(try filesBelow(root).isEmpty, "nothing has a name yet")
            let stored = try await store.publishRendition(file, fileExtension: "jpg")
            #expect(try filesBelow(root) == [stored.key.path])
            #expect(stored.key.path.hasSuffix("\(stored.sha256).jpg"))
            let again = try store.makeUnnamedRendition()
            #expect(write(again.descriptor, bytes, bytes.count) == 4)
            #expect(try await store.publishRendition(again, fileExtension: "jpg") == stored)
            try await store.remove(stored.key)
            try await store.remove(stored.key)
            #expect(try filesBelow(root).isEmpty)
        }
    }

    @Test("opens regular files within itself only")
    func opening() async throws {
        try await withTemporaryDirectory { (root: String) async throws -> Void in
            let store = try LocalMediaStore(location: root + "/media")
            try Data("secret".utf8).write(to: URL(filePath: root + "/secret"))
            symlink(root + "/secret", root + "/media/originals/link")
            symlink(root, root + "/media/originals/up")
            mkfifo(root + "/media/originals/fifo", 0o600)
            let cases: [(String, MediaError.Code)] = [
                ("originals/none", .notFound), ("originals/link", .keyEscapesStore),
                ("originals/up/secret", .keyEscapesStore), ("originals", .notARegularFile),
                ("originals/fifo", .notARegularFile),
            ]
            for (path, code) in cases {
                let key = try MediaKey(validating: path)
                let error = await #expect(throws: MediaError.self, "\(path)") {
                    try await store.openOriginal(key)
                }
                #expect(error?.code == code, "\(path)")
            }
        }
    }

    @Test("is named by a path or a local file URL")
    func locations() async throws {
        try await withTemporaryDirectory { (root: String) async throws -> Void in
            #expect(try LocalMediaStore(location: "file://\(root)/a%20b").root == "\(root)/a b")
            #expect(try LocalMediaStore(location: "file://localhost\(root)/c").root == "\(root)/c")
            for location in ["", "s3://bucket/x", "file://elsewhere/x"] {
                let error = #expect(throws: MediaError.self) { try LocalMediaStore(location: location) }
                #expect(error?.code == .invalidLocation)
            }
        }
    }

    @Test("says what to do when a file cannot be read")
    func unreadable() async throws {
        try await withTemporaryDirectory { (root: String) async throws -> Void in
            let store = try LocalMediaStore(location: root + "/media")
            let missing = await #expect(throws: MediaError.self) {
                try await store.putOriginal(fromFile: root + "/none.jpg")
            }
            #expect(missing?.code == .notFound)
            #expect(missing?.message.contains("none.jpg") == true)
            let directory = await #expect(throws: MediaError.self) {
                try await store.putOriginal(fromFile: root)
            }
            #expect(directory?.code == .notARegularFile)
            #expect(try filesBelow(root + "/media").isEmpty, "nothing is left behind")
        }
    }
}
