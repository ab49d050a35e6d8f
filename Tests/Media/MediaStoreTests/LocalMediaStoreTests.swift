import Digests
import Glibc
import Testing

@testable import MediaStore

@Suite(.timeLimit(.minutes(15))) struct OriginalTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test(arguments: bothWays)
    func `An original is stored under its hash and read back`(
        way: LocalMediaStore.UnfinishedFiles
    ) async throws {
        let photo = bytes(700_001, seed: 1)
        let source = try directory.write(photo, to: "photo.jpg")
        let store = try LocalMediaStore(location: directory.path + "/new/media", unfinishedFiles: way)

        let stored = try await store.putOriginal(fromFile: source)

        let hex = SHA256Digest(hashing: photo).hex
        #expect(stored.key.path == "originals/\(hex.prefix(2))/\(hex.dropFirst(2).prefix(2))/\(hex)")
        #expect(stored.sha256.hex == hex)
        #expect(stored.byteCount == 700_001)
        #expect(try mode(of: store.path(of: stored.key)) == 0o640)
        let file = try await store.openOriginal(stored.key)
        #expect(try file.byteCount() == 700_001)
        #expect(try await file.sha256() == stored.sha256)
        #expect(try file.bytes(atMost: 700_001) == photo)
        #expect(fcntl(file.descriptor, F_GETFD) & FD_CLOEXEC != 0)
        #expect(try files(below: store.root, unfinished: true) == [stored.key.path])
    }

    @Test func `The same bytes twice are one file`() async throws {
        let store = try LocalMediaStore(location: directory.path)
        let photo = bytes(1000, seed: 2)
        let first = try await store.putOriginal(bytes: photo)
        let second = try await store.putOriginal(bytes: photo)
        #expect(first == second)
        #expect(try files(below: directory.path) == [first.key.path])
    }

    @Test func `An empty original is a file too`() async throws {
        let store = try LocalMediaStore(location: directory.path)
        let stored = try await store.putOriginal(bytes: [])
        #expect(stored.byteCount == 0)
        #expect(try await store.openOriginal(stored.key).byteCount() == 0)
    }

    @Test func `Permissions do not depend on what was there but keep set-group-ID`() async throws {
        #expect(chmod(directory.path, 0o2770) == 0)
        let store = try LocalMediaStore(location: directory.path)
        let stored = try await store.putOriginal(bytes: [1])
        let parent = store.path(of: stored.key).split(separator: "/").dropLast().joined(separator: "/")
        #expect(try mode(of: "/" + parent) == 0o2770)
    }

    @Test func `Who shares a store is said, and what is not shared`() async throws {
        #expect(try await LocalMediaStore(location: directory.path + "/none").examine().isEmpty)
        let store = try LocalMediaStore(location: directory.path)
        _ = try await store.putOriginal(bytes: [1])
        #expect(try await store.examine().isEmpty)
        for path in ["", "/originals"] { try #require(chmod(directory.path + path, 0o2770) == 0) }
        let shared = try await store.examine()
        #expect(shared.map(\.what) == ["group"] && shared.first?.remedy == nil)
        for mode: mode_t in [0o770, 0o2750, 0o2760] {
            try #require(chmod(directory.path + "/originals", mode) == 0)
            let finding = try await store.examine().first
            #expect(finding?.remedy?.contains("chgrp -R") == true, "\(String(mode, radix: 8))")
        }
        try #require(chmod(directory.path + "/originals", 0o2770) == 0)
        guard geteuid() == 0 else { return }
        try #require(chown(directory.path + "/originals", 0, 54_321) == 0)
        try #require(chmod(directory.path + "/originals", 0o2770) == 0)
        #expect(try await store.examine().first?.remedy != nil)
        // A group that no list names.
        try #require(chown(directory.path, 0, 54_321) == 0 && chmod(directory.path, 0o2770) == 0)
        #expect(try await store.examine().first?.detail.contains("54321") == true)
    }

    @Test func `What is not a regular file is refused without waiting`() async throws {
        let store = try LocalMediaStore(location: directory.path)
        let pipe = directory.path + "/originals/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        for path in [pipe, directory.path, "/dev/null"] {
            let error = await #expect(throws: MediaError.self) { try await store.putOriginal(fromFile: path) }
            #expect(error?.code == .notARegularFile)
        }
        for key in ["originals/pipe", "originals/ab"] {
            mkdir(directory.path + "/originals/ab", 0o700)
            let error = await #expect(throws: MediaError.self) {
                try await store.openOriginal(MediaKey(validating: key))
            }
            #expect(error?.code == .notARegularFile)
        }
    }

    @Test(arguments: [
        "originals/00/11/0011", "originals/file/below", "renditions/00/11/0011.jpg", "secret",
    ])
    func `What is not there is not found`(key: String) async throws {
        let store = try LocalMediaStore(location: directory.path)
        _ = try await store.putOriginal(bytes: [2])
        _ = try directory.write([1], to: "originals/file")
        _ = try directory.write([1], to: "secret")
        let key = try MediaKey(validating: key)
        let error = await #expect(throws: MediaError.self) { try await store.openOriginal(key) }
        #expect(error?.code == .notFound)
        #expect(
            try await store.remove(key, storedBefore: .zero)
                == (key.path == "originals/file" ? .removed : .absent))
    }

    @Test func `A missing source names the path`() async throws {
        let store = try LocalMediaStore(location: directory.path)
        let error = await #expect(throws: MediaError.self) {
            try await store.putOriginal(fromFile: "/nowhere/photo.jpg")
        }
        #expect(error?.code == .notFound)
        #expect(error?.description.hasPrefix("/nowhere/photo.jpg: could not open") == true)
    }

    @Test func `Damage is noticed on opening`() async throws {
        let store = try LocalMediaStore(location: directory.path)
        let stored = try await store.putOriginal(bytes: [1, 2, 3])
        #expect(truncate(store.path(of: stored.key), 2) == 0)
        #expect(try await store.openOriginal(stored.key).sha256() != stored.sha256)
    }

    @Test func `Removing is done once`() async throws {
        let store = try LocalMediaStore(location: directory.path)
        let stored = try await store.putOriginal(bytes: [1])
        #expect(try await store.remove(stored.key, storedBefore: .zero) == .removed)
        #expect(try await store.remove(stored.key, storedBefore: .zero) == .absent)
        #expect(try files(below: directory.path) == [])
    }

    @Test func `Reading stops at the limit`() async throws {
        let store = try LocalMediaStore(location: directory.path)
        let stored = try await store.putOriginal(bytes: [1, 2, 3])
        let file = try await store.openOriginal(stored.key)
        #expect(throws: MediaError.self) { try file.bytes(atMost: 2) }
    }
}

@Suite(.timeLimit(.minutes(15))) struct StoreLocationTests {
    @Test func `A file URL with escapes opens the same store as the path`() async throws {
        let directory = try TemporaryDirectory()
        let store = try LocalMediaStore(location: "file://\(directory.path)/my%20media")
        let stored = try await store.putOriginal(bytes: [7])
        #expect(store.root == directory.path + "/my media")
        let again = try LocalMediaStore(location: directory.path + "/my media/")
        #expect(try await again.openOriginal(stored.key).byteCount() == 1)
    }

    @Test func `A file in the place of the directory is an error`() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write([], to: "file")
        #expect(throws: MediaError.self) { try LocalMediaStore(location: file) }
        #expect(throws: MediaError.self) { try LocalMediaStore(location: file + "/below") }
    }

    @Test func `Only old unfinished files are swept`() async throws {
        let directory = try TemporaryDirectory()
        let store = try LocalMediaStore(location: directory.path, unfinishedFiles: .named)
        let file = try await store.makeUnnamedRendition()
        _ = try directory.write([1], to: "renditions/.unfinished/abandoned")
        var times = [timespec(tv_sec: 1000, tv_nsec: 0), timespec(tv_sec: 1000, tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, directory.path + "/renditions/.unfinished/abandoned", &times, 0) == 0)
        try await LocalMediaStore(location: directory.path).check()
        let left = try files(below: directory.path, unfinished: true)
        #expect(left.count == 1)
        #expect(left.first.map { file.name.hasSuffix($0) } == true)
    }
}
