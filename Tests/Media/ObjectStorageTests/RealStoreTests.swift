import Digests
import Glibc
import TestKit
import Testing

@testable import ObjectStorage

@Suite("Against OpenStack Swift", .realStore, .timeLimit(.minutes(15)))
struct RealStoreTests {
    @Test("an object of any size comes back as it was", arguments: [0, 1, 1000, 1 << 20, 5_000_001])
    func roundTrip(size: Int) async throws {
        let test = try await TestStore.make()
        let bytes = noise(size)
        try await test.put(bytes, "a/b")
        #expect(try await test.get("a/b") == bytes)
        let facts = try #require(try await test.store.head(ObjectKey("a/b")))
        #expect(facts.size == Int64(size))
        #expect(facts.sha256 == SHA256Digest(hashing: bytes))
        #expect(abs((facts.modified ?? 0) - Int(time(nil))) < 300)
        try await test.store.delete(ObjectKey("a/b"))
        #expect(try await test.store.head(ObjectKey("a/b")) == nil)
        // Removing what is not there is no error.
        try await test.store.delete(ObjectKey("a/b"))
        let error = try await storeError { _ = try await test.get("a/b") }
        #expect(error.code == .notFound)
        #expect(error.status == 404)
        #expect(error.serverCode == "NoSuchKey")
        #expect(error.tries == 1)
    }

    @Test("an object is replaced whole, also by a shorter one")
    func replaced() async throws {
        let test = try await TestStore.make()
        try await test.put(noise(100_000), "a")
        try await test.put([7], "a")
        #expect(try await test.get("a") == [7])
    }

    @Test("connections are used again")
    func reuse() async throws {
        let test = try await TestStore.make()
        for number in 0..<10 { try await test.put([UInt8(number)], "a\(number)") }
        #expect(test.reports.all.map(\.connections).reduce(0, +) == 1)
    }

    @Test("every key that S3 allows can be stored, read, listed and removed")
    func keys() async throws {
        let test = try await TestStore.make(prefix: "some/where")
        // Every ASCII character but NUL, which Swift refuses; all lengths of UTF-8; what paths and forms would change.
        var keys = Array(1..<128).every(5).map { "k\(UnicodeScalar($0)!)e" }
        keys += ["é", "e\u{301}", "ж", "写真", "📷", "\u{FFFD}", "\u{10FFFD}", "a\u{200D}b"]
        keys += [
            "a/../b", "a/./b", "a//b", "../a", "./a", "..", ".", "a/", "/a", "a%2Fb", "a%20b", "a+b", "a b",
            " a", "a ", "a?b=c&d#e", "a/b/", "%", "%%", "a=b", String(repeating: "x", count: 900),
        ]
        for key in keys { try await test.put(Array(key.utf8), key) }
        var listed: [ObjectKey] = []
        var next: ListPage<ListedObject>.Continuation?
        repeat {
            let page = try await test.store.list(after: next, atMost: 50)
            listed += page.items.map(\.key)
            next = page.next
        } while next != nil
        #expect(listed == (try keys.map { try ObjectKey($0) }.sorted()))
        for key in keys {
            #expect(try await test.get(key) == Array(key.utf8), "\(key.printable)")
            try await test.store.delete(ObjectKey(key))
        }
        #expect(try await test.store.list().items.isEmpty)
    }

    @Test("a list has the objects below its prefix, page by page")
    func list() async throws {
        let test = try await TestStore.make(prefix: "p")
        for key in ["a/1", "a/2", "a/3", "b/1"] { try await test.put(Array(key.utf8), key) }
        let first = try await test.store.list(prefix: "a/", atMost: 2)
        #expect(first.items.map(\.key.text) == ["a/1", "a/2"])
        #expect(first.items.map(\.size) == [3, 3])
        #expect(first.items.allSatisfy { abs($0.modified - Int(time(nil))) < 300 })
        let second = try await test.store.list(prefix: "a/", after: first.next, atMost: 2)
        #expect(second.items.map(\.key.text) == ["a/3"])
        #expect(second.next == nil)
    }

    @Test("a large file is stored in parts")
    func parts() async throws {
        let test = try await TestStore.make { $0.partSize = 5 << 20 }
        let bytes = noise(11 << 20)
        try await test.put(bytes, "large")
        #expect(test.reports.all.map(\.method) == ["POST", "PUT", "PUT", "PUT", "POST"])
        #expect(try await test.get("large") == bytes)
        #expect(try await test.store.head(ObjectKey("large"))?.sha256 == SHA256Digest(hashing: bytes))
        #expect(try await test.store.incompleteUploads().items.isEmpty)
    }
}
