import Glibc
import TestKit
import Testing

@testable import MediaStore

@Suite("Removal by age", .timeLimit(.minutes(15)))
struct RemovalTests {
    /// Both ways of writing: without a name and with one.
    static let ways: [LocalMediaStore.UnfinishedFiles] = [.unnamedIfPossible, .named]

    /// Makes a file look as if it was stored this many seconds ago.
    static func age(_ key: MediaKey, _ seconds: Int, in store: LocalMediaStore) throws {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let then = timespec(tv_sec: now.tv_sec - seconds, tv_nsec: 0)
        try #require(
            [then, then].withUnsafeBufferPointer {
                utimensat(AT_FDCWD, store.path(of: key), $0.baseAddress, 0)
            } == 0)
    }

    /// A store that uses the time which ``age(_:_:in:)`` sets: nobody can set the time that stores normally use.
    static func store(
        _ directory: TemporaryDirectory, _ way: LocalMediaStore.UnfinishedFiles = .unnamedIfPossible
    ) throws -> LocalMediaStore {
        var store = try LocalMediaStore(location: directory.path, unfinishedFiles: way)
        store.storedAt = { $0.st_mtim }
        return store
    }

    @Test("keeps files that were stored recently or again", arguments: ways)
    func storedAgain(way: LocalMediaStore.UnfinishedFiles) async throws {
        let directory = try TemporaryDirectory()
        let store = try Self.store(directory, way)
        let key = try await store.putOriginal(bytes: [1, 2, 3]).key
        guard case .tooRecent(let left) = try await store.remove(key, storedBefore: .seconds(100)) else {
            Issue.record("the file was stored just now")
            return
        }
        #expect(left > .seconds(30) && left <= .seconds(100))
        try Self.age(key, 3600, in: store)
        #expect(try await store.putOriginal(bytes: [1, 2, 3]).key == key)
        #expect(try await store.remove(key, storedBefore: .seconds(100)) != .removed)
        try Self.age(key, 3600, in: store)
        #expect(try await store.contains(key))
        #expect(try await store.remove(key, storedBefore: .seconds(100)) == .removed)
        #expect(try await !store.contains(key))
        #expect(try await store.remove(key, storedBefore: .seconds(100)) == .absent)
    }

    @Test("never removes a file that was stored a moment before, in any order of events", arguments: ways)
    func race(way: LocalMediaStore.UnfinishedFiles) async throws {
        let directory = try TemporaryDirectory()
        let store = try Self.store(directory, way)
        for round in 0..<100 {
            let key = try await store.putOriginal(bytes: [7]).key
            try Self.age(key, 3600, in: store)
            async let removal = store.remove(key, storedBefore: .seconds(600))
            if round.isMultiple(of: 2) { await Task.yield() }
            #expect(try await store.putOriginal(bytes: [7]).key == key)
            _ = try await removal
            #expect(try await store.contains(key), "the file was stored after its removal began")
        }
    }

    @Test("refuses files that no store has put there")
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

    @Test("a walk finds each file once, with its size and age")
    func walk() async throws {
        let directory = try TemporaryDirectory()
        let store = try Self.store(directory, .named)
        var keys: Set<MediaKey> = []
        for number in 0..<50 {
            keys.insert(try await store.putOriginal(bytes: Array(repeating: 1, count: number)).key)
        }
        let unfinished = try await store.makeUnnamedRendition()
        try Self.age(try #require(keys.first), 1000, in: store)
        var found: [StoredFile] = []
        var walk = store.walk()
        while let files = try await walk.next() { found += files }
        #expect(found.count == keys.count && Set(found.map(\.key)) == keys)
        #expect(Set(found.map(\.byteCount)) == Set(0..<50))
        #expect(found.count { $0.age >= .seconds(999) } == 1)
        withExtendedLifetime(unfinished) {}
    }

    @Test(
        "goes by when a file arrived, not by its own times", arguments: [-2_000_000_000, 2_000_000_000])
    func foreignTimes(secondsAgo: Int) async throws {
        let directory = try TemporaryDirectory()
        let store = try LocalMediaStore(location: directory.path)
        let key = try await store.putOriginal(bytes: [1, 2, 3]).key
        try Self.age(key, secondsAgo, in: store)
        guard case .tooRecent(let left) = try await store.remove(key, storedBefore: .seconds(100)) else {
            Issue.record("the file arrived just now")
            return
        }
        #expect(left > .seconds(30) && left <= .seconds(100))
        var walk = store.walk()
        var ages: [Duration] = []
        while let files = try await walk.next() { ages += files.map(\.age) }
        #expect(ages.count == 1 && ages.allSatisfy { $0 >= .zero && $0 < .seconds(50) })
        #expect(try await store.remove(key, storedBefore: .zero) == .removed)
    }

    @Test("does not remove a file that replaced the one it examined")
    func successor() async throws {
        let directory = try TemporaryDirectory()
        let store = try LocalMediaStore(location: directory.path)
        let key = try await store.putOriginal(bytes: [1, 2, 3]).key
        let path = store.path(of: key)
        let holder = open(path, O_RDONLY | O_CLOEXEC)
        try #require(holder >= 0 && flock(holder, LOCK_EX) == 0)
        var status = stat()
        try #require(fstat(holder, &status) == 0)
        async let removal = store.remove(key, storedBefore: .zero)
        // Waits until the removal has opened the file and waits for its lock.
        while try !Self.waitsForLock(inode: status.st_ino) { try await Task.sleep(for: .milliseconds(1)) }
        try #require(unlink(path) == 0)
        #expect(try await store.putOriginal(bytes: [1, 2, 3]).key == key)
        close(holder)
        #expect(try await removal == .absent)
        #expect(try await store.contains(key))
    }

    /// Whether a process waits for a lock on a file, by /proc/locks: `7: -> FLOCK ADVISORY WRITE 812 fe:00:1311 0 EOF`.
    private static func waitsForLock(inode: ino_t) throws -> Bool {
        let file = open("/proc/locks", O_RDONLY | O_CLOEXEC)
        try #require(file >= 0)
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(file, &chunk, chunk.count), count > 0 { bytes += chunk[..<count] }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").contains { line in
            line.contains("-> FLOCK") && line.contains(":\(inode) ")
        }
    }

    @Test(
        "keeps a file that another user of the group stored again",
        .enabled(if: geteuid() == 0, "only root can be two users"),
        arguments: ways)
    func otherUser(way: LocalMediaStore.UnfinishedFiles) async throws {
        let directory = try TemporaryDirectory()
        let store = try Self.store(directory, way)
        try #require(chmod(directory.path, 0o755) == 0)
        let key = try await store.putOriginal(bytes: [1, 2, 3]).key
        try Self.age(key, 3600, in: store)
        let root = try DirectoryHandle(opening: store.root)
        let again = try Self.asNobody { () throws(MediaError) in try store.storeOriginal([1, 2, 3], in: root)
        }
        #expect(again.key == key)
        guard case .tooRecent = try await store.remove(key, storedBefore: .seconds(100)) else {
            Issue.record("the file was stored again just now")
            return
        }
        #expect(try await store.openOriginal(key).byteCount() == 3)
        #expect(try files(below: directory.path, unfinished: true) == [key.path])
    }

    /// Calls `body` with the file rights of the user `nobody`, with this process's group, on this thread only.
    private static func asNobody<Value>(_ body: () throws -> Value) throws -> Value {
        typealias SetUser = @convention(c) (uid_t) -> CInt
        let symbol = try #require(dlsym(nil, "setfsuid"))
        let setUser = unsafeBitCast(symbol, to: SetUser.self)
        _ = setUser(65_534)
        defer { _ = setUser(0) }
        return try body()
    }
}
