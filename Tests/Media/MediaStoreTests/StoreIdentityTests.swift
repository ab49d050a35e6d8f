import Glibc
import Testing

@testable import MediaStore

@Suite("The identity of a store", .timeLimit(.minutes(15)))
struct StoreIdentityTests {
    private struct Refusal: Error {}

    @Test("is made with the first original, and recorded")
    func made() async throws {
        let scene = try await MovingStore()
        let identity = try #require(try await scene.store.identity())
        #expect(identity.utf8.count == 16 && identity.allSatisfy(\.isHexDigit))
        #expect(scene.register.recorded == identity)
        #expect(try await scene.another().check() == identity)
        _ = try await scene.store.putOriginal(bytes: [7])
        #expect(try await scene.store.identity() == identity)
    }

    @Test("is not made where nothing was stored", arguments: [true, false])
    func unused(isThere: Bool) async throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/store"
        if isThere { try #require(mkdir(path, 0o755) == 0) }
        let register = Register()
        let store = try LocalMediaStore(location: path, record: register.record)
        let key = try MediaKey(validating: "originals/00/00/0000")
        // Another machine may have the store: here nothing counts as missing.
        #expect(try await store.check() == nil)
        let calls: [() async throws -> Void] = [
            { _ = try await store.openOriginal(key) }, { _ = try await store.contains(key) },
            { _ = try await store.remove(key, storedBefore: .zero) },
            { _ = try await store.makeUnnamedRendition() },
        ]
        for call in calls {
            let error = await #expect(throws: MediaError.self) { try await call() }
            #expect(error?.code == .unavailable)
        }
        #expect(register.recorded == nil)
        #expect(try DirectoryHandle(opening: directory.path).entries() == (isThere ? ["store"] : []))
        if isThere { #expect(try DirectoryHandle(opening: path).entries() == []) }
    }

    @Test("is given to a store that other programs have filled, if none is recorded")
    func adopted() async throws {
        let scene = try await MovingStore()
        try await scene.enter(.unmarked)
        let register = Register()
        let store = try LocalMediaStore(location: scene.path, record: register.record)
        #expect(try await store.openOriginal(scene.key).byteCount() == 3)
        #expect(try await store.identity() == register.recorded && register.recorded != nil)
    }

    @Test("is recorded by the next call if the first one could not")
    func interrupted() async throws {
        let directory = try TemporaryDirectory()
        let register = Register()
        let dying = try LocalMediaStore(location: directory.path) { found in
            if found != nil { throw Refusal() }
            return try await register.record(found)
        }
        let error = await #expect(throws: MediaError.self) { try await dying.putOriginal(bytes: [1]) }
        #expect(error?.code == .unconfirmed && error?.cause?.error is Refusal)
        let marked = try #require(try await dying.identity())
        #expect(register.recorded == nil)
        let next = try LocalMediaStore(location: directory.path, record: register.record)
        #expect(try await next.check() == marked)
        #expect(register.recorded == marked)
    }

    @Test("is one, even if several processes make it at once")
    func race() async throws {
        for way in bothWays {
            let directory = try TemporaryDirectory()
            let register = Register()
            let path = directory.path
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<16 {
                    group.addTask {
                        let store = try LocalMediaStore(
                            location: path, unfinishedFiles: way, record: register.record)
                        _ = try await store.putOriginal(bytes: [UInt8(number)])
                    }
                }
                try await group.waitForAll()
            }
            let store = try LocalMediaStore(location: path, record: register.record)
            #expect(try await store.check() == register.recorded)
            #expect(try files(below: path, unfinished: true).count == 16)
        }
    }

    @Test("that an operator has adopted is used by processes that knew the old one")
    func moved() async throws {
        let scene = try await MovingStore()
        let other = try LocalMediaStore(location: "\(scene.directory.path)/other")
        let identity = try await other.mark(as: Register.proposal())
        let newer = try await other.putOriginal(bytes: [5, 6]).key
        scene.register.adopt(identity)
        // The old directory is still at the path. What is not in it may be in the new one.
        let missing = await #expect(throws: MediaError.self) { try await scene.store.openOriginal(newer) }
        #expect(missing?.code == .unavailable)
        try #require(rename(scene.path, scene.away) == 0)
        try #require(rename(other.root, scene.path) == 0)
        #expect(try await scene.store.openOriginal(newer).byteCount() == 2)
        #expect(try await scene.store.remove(scene.key, storedBefore: .zero) == .absent)
    }

    @Test("is compared with what a transaction has read, without asking again")
    func pinned() async throws {
        let scene = try await MovingStore()
        let silent = try LocalMediaStore(location: scene.path) { _ in throw Refusal() }
        let right = silent.recorded(as: try #require(scene.register.recorded))
        #expect(try await right.contains(scene.key))
        #expect(try await !right.contains(MediaKey(validating: "originals/00/00/0000")))
        let error = await #expect(throws: MediaError.self) {
            try await silent.recorded(as: "0123456789abcdef").contains(scene.key)
        }
        #expect(error?.code == .unavailable)
    }

    @Test(
        "must be whole",
        arguments: ["", "\n", "0123456789abcde\n", "0123456789ABCDEF\n", "0123456789abcdef0"])
    func damaged(text: String) async throws {
        let scene = try await MovingStore()
        let marker = "\(scene.path)/originals/\(StoreMarker.name)"
        try #require(unlink(marker) == 0)
        _ = try scene.directory.write(Array(text.utf8), to: "store/originals/\(StoreMarker.name)")
        let error = await #expect(throws: MediaError.self) { try await scene.store.contains(scene.key) }
        #expect(error?.code == .unavailable && error?.path == marker)
    }

    @Test("is looked at again when an original was stored: its directory may have been replaced meanwhile")
    func replacedMeanwhile() async throws {
        let scene = try await MovingStore()
        let before = try DirectoryHandle(opening: scene.path)
        try await scene.enter(.copied)
        let error = #expect(throws: MediaError.self) { try scene.store.storeOriginal([8], in: before) }
        #expect(error?.code == .unavailable)
        _ = try scene.store.storeOriginal([8], in: try DirectoryHandle(opening: scene.path))
    }

    private static let canMount: Bool = {
        guard let directory = try? TemporaryDirectory(), mount("tmpfs", directory.path, "tmpfs", 0, nil) == 0
        else { return false }
        umount2(directory.path, CInt(MNT_DETACH))
        return true
    }()

    @Test(
        "follows mounts: nothing is stored or missing in a bare mount point or on another disk",
        .enabled(if: canMount, "this process may not mount a file system"))
    func mounts() async throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/media"
        try #require(mkdir(path, 0o755) == 0)
        try #require(mount("tmpfs", path, "tmpfs", 0, "size=1m") == 0)
        defer { while umount2(path, CInt(MNT_DETACH)) == 0 {} }
        let register = Register()
        let store = try LocalMediaStore(location: path, record: register.record)
        let key = try await store.putOriginal(bytes: [1]).key
        func expectUnavailable(_ about: Comment) async throws {
            for other in [store, try LocalMediaStore(location: path, record: register.record)] {
                let calls: [() async throws -> Void] = [
                    { _ = try await other.openOriginal(key) },
                    { _ = try await other.putOriginal(bytes: [2]) },
                    { try await other.check() },
                ]
                for call in calls {
                    let error = await #expect(throws: MediaError.self, about) { try await call() }
                    #expect(error?.code == .unavailable, about)
                }
            }
        }
        // Another disk over it, and then that one with a store of its own.
        try #require(mount("tmpfs", path, "tmpfs", 0, "size=1m") == 0)
        try await expectUnavailable("an empty disk")
        _ = try await LocalMediaStore(location: path).putOriginal(bytes: [1])
        try await expectUnavailable("another store's disk")
        try #require(umount2(path, CInt(MNT_DETACH)) == 0)
        #expect(try await store.openOriginal(key).byteCount() == 1, "the disk is back")
        try #require(umount2(path, CInt(MNT_DETACH)) == 0)
        try await expectUnavailable("no disk")
        #expect(try DirectoryHandle(opening: path).entries() == [])
    }
}
