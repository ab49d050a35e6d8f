import Glibc
import TestKit
import Testing

@testable import MediaStore

@Suite("Removal by age")
struct RemovalTests {
    /// Both ways of writing: without a name and with one.
    static let ways: [LocalMediaStore.UnfinishedFiles] = [.unnamedIfPossible, .named]

    /// Makes a file look as if it had been stored so many seconds ago.
    static func age(_ key: MediaKey, _ seconds: Int, in store: LocalMediaStore) throws {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let then = timespec(tv_sec: now.tv_sec - seconds, tv_nsec: 0)
        try #require(
            [then, then].withUnsafeBufferPointer {
                utimensat(AT_FDCWD, store.path(of: key), $0.baseAddress, 0)
            } == 0)
    }

    @Test("spares what was stored recently, and what was stored again", arguments: ways)
    func storedAgain(way: LocalMediaStore.UnfinishedFiles) async throws {
        let directory = try TemporaryDirectory()
        let store = try LocalMediaStore(location: directory.path, unfinishedFiles: way)
        let key = try await store.putOriginal(bytes: [1, 2, 3]).key
        guard case .tooRecent(let left) = try await store.remove(key, storedBefore: .seconds(100)) else {
            Issue.record("it was stored just now")
            return
        }
        #expect(left > .seconds(90) && left <= .seconds(100))
        try Self.age(key, 3600, in: store)
        #expect(try await store.putOriginal(bytes: [1, 2, 3]).key == key)
        #expect(try await store.remove(key, storedBefore: .seconds(100)) != .removed)
        try Self.age(key, 3600, in: store)
        #expect(try await store.contains(key))
        #expect(try await store.remove(key, storedBefore: .seconds(100)) == .removed)
        #expect(try await !store.contains(key))
        #expect(try await store.remove(key, storedBefore: .seconds(100)) == .absent)
    }

    @Test("never takes what was stored a moment before, however the two meet", arguments: ways)
    func race(way: LocalMediaStore.UnfinishedFiles) async throws {
        let directory = try TemporaryDirectory()
        let store = try LocalMediaStore(location: directory.path, unfinishedFiles: way)
        for round in 0..<100 {
            let key = try await store.putOriginal(bytes: [7]).key
            try Self.age(key, 3600, in: store)
            async let removal = store.remove(key, storedBefore: .seconds(600))
            if round.isMultiple(of: 2) { await Task.yield() }
            #expect(try await store.putOriginal(bytes: [7]).key == key)
            _ = try await removal
            #expect(try await store.contains(key), "it was stored after it was to be removed")
        }
    }

    @Test("refuses what no store has put there")
    func refusals() async throws {
        let directory = try TemporaryDirectory()
        let store = try LocalMediaStore(location: directory.path)
        let elsewhere = try MediaKey(validating: "elsewhere/file")
        #expect(try await store.remove(elsewhere, storedBefore: .zero) == .absent)
        let folder = try await store.putOriginal(bytes: [1]).key
        let parent = try MediaKey(validating: String(folder.path.prefix("originals/ab/cd".count)))
        await #expect(throws: MediaError.self) { try await store.remove(parent, storedBefore: .zero) }
        await #expect(throws: MediaError.self) { try await store.contains(parent) }
        #expect(try await store.contains(folder))
    }

    @Test("is of no file twice: a walk finds each once, with its size and age")
    func walk() async throws {
        let directory = try TemporaryDirectory()
        let store = try LocalMediaStore(location: directory.path, unfinishedFiles: .named)
        var keys: Set<MediaKey> = []
        for number in 0..<50 {
            keys.insert(try await store.putOriginal(bytes: Array(repeating: 1, count: number)).key)
        }
        let unfinished = try store.makeUnnamedRendition()
        try Self.age(try #require(keys.first), 1000, in: store)
        var found: [StoredFile] = []
        var walk = store.walk()
        while let files = try await walk.next() { found += files }
        #expect(found.count == keys.count && Set(found.map(\.key)) == keys)
        #expect(Set(found.map(\.byteCount)) == Set(0..<50))
        #expect(found.count { $0.age >= .seconds(999) } == 1)
        withExtendedLifetime(unfinished) {}
    }
}
