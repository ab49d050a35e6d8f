import Digests
import Glibc
import Testing

@testable import MediaStore

@Suite(.timeLimit(.minutes(15))) struct RenditionTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func fill(_ file: MediaFile, _ bytes: [UInt8]) {
        #expect(write(file.descriptor, bytes, bytes.count) == bytes.count)
    }

    @Test(arguments: bothWays)
    func `A rendition is published under its hash`(way: LocalMediaStore.UnfinishedFiles) async throws {
        let store = try LocalMediaStore(location: directory.path, unfinishedFiles: way)
        let image = bytes(300_000, seed: 3)
        let file = try await store.makeUnnamedRendition()
        fill(file, image)
        #expect(try files(below: directory.path) == [])

        let published = try await store.sealAndPublish(file, fileExtension: "jpg")

        let hex = SHA256Digest(hashing: image).hex
        #expect(published.key.path == "renditions/\(hex.prefix(2))/\(hex.dropFirst(2).prefix(2))/\(hex).jpg")
        #expect(published.byteCount == 300_000)
        #expect(try mode(of: store.path(of: published.key)) == 0o644)
        let opened = try await store.open(published.key, in: .renditions)
        #expect(try opened.bytes(atMost: 300_000) == image)
        #expect(try await opened.sha256() == published.sha256)
        #expect(try files(below: directory.path, unfinished: true) == [published.key.path])
        #expect(try await store.remove(published.key, storedBefore: .zero) == .removed)
        #expect(try await store.remove(published.key, storedBefore: .zero) == .absent)
    }

    @Test(arguments: bothWays)
    func `The same bytes published at once are one file`(way: LocalMediaStore.UnfinishedFiles) async throws {
        // Separate stores, as in two processes: they share only the directory.
        let path = directory.path
        let image = bytes(50_000, seed: 4)
        let published = try await withThrowingTaskGroup(of: StoredRendition.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    let store = try LocalMediaStore(location: path, unfinishedFiles: way)
                    let file = try await store.makeUnnamedRendition()
                    #expect(write(file.descriptor, image, image.count) == image.count)
                    return try await store.sealAndPublish(file, fileExtension: "jpg")
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(published.count == 1)
        #expect(try files(below: path, unfinished: true) == published.map(\.key.path))
    }

    @Test(arguments: bothWays)
    func `An unpublished rendition vanishes`(way: LocalMediaStore.UnfinishedFiles) async throws {
        let store = try LocalMediaStore(location: directory.path, unfinishedFiles: way)
        // Again and again: the thread that made the file must not hold it any longer than its caller does.
        for _ in 0..<500 {
            do {
                let file = try await store.makeUnnamedRendition()
                fill(file, [1, 2, 3])
            }
            try #require(try files(below: directory.path, unfinished: true) == [])
        }
    }

    @Test(arguments: bothWays)
    func `Nobody can change a sealed rendition`(way: LocalMediaStore.UnfinishedFiles) async throws {
        let store = try LocalMediaStore(location: directory.path, unfinishedFiles: way)
        let file = try await store.makeUnnamedRendition()
        fill(file, [1, 2, 3])
        // What a compromised renderer could keep: a descriptor to write with.
        let kept = dup(file.descriptor)
        defer { close(kept) }

        var checked: [[UInt8]] = []
        let sealed = try store.sealRendition(file, atMost: 3) { bytes in
            checked.append(Array(bytes))
            #expect(pwrite(kept, [9], 1, 0) == 1)
        }
        #expect(pwrite(kept, [8], 1, 0) == 1)
        let published = try await store.publishRendition(sealed, fileExtension: "jpg")
        #expect(pwrite(kept, [7], 1, 0) == 1)

        #expect(checked == [[1, 2, 3]])
        #expect(published.sha256 == SHA256Digest(hashing: [1, 2, 3]))
        let opened = try await store.open(published.key, in: .renditions)
        #expect(try opened.bytes(atMost: 3) == [1, 2, 3])
    }

    @Test(arguments: bothWays)
    func `What does not pass the check gets no name`(way: LocalMediaStore.UnfinishedFiles) async throws {
        struct Refusal: Error {}
        let store = try LocalMediaStore(location: directory.path, unfinishedFiles: way)
        do {
            let file = try await store.makeUnnamedRendition()
            fill(file, [1, 2, 3])
            #expect(throws: Refusal.self) {
                try store.sealRendition(file, atMost: 3) { _ in throw Refusal() }
            }
            let error = #expect(throws: MediaError.self) {
                try store.sealRendition(file, atMost: 2) { _ in Issue.record("it was read beyond the limit") }
            }
            #expect(error?.code == .io)
        }
        #expect(try files(below: directory.path, unfinished: true) == [])
    }

    @Test(arguments: bothWays)
    func `Sealing keeps the file itself when no writer is left`(
        way: LocalMediaStore.UnfinishedFiles
    ) async throws {
        let store = try LocalMediaStore(location: directory.path, unfinishedFiles: way)
        let file = try await store.makeUnnamedRendition()
        fill(file, [1, 2, 3])
        let sealed = try store.seal(file)
        #expect(sealed === file)
        #expect(write(sealed.descriptor, [4], 1) == -1 && errno == EBADF)
        #expect(fcntl(sealed.descriptor, F_GETFD) & FD_CLOEXEC != 0)
        #expect(try store.seal(sealed) === sealed)
        #expect(try await store.sealAndPublish(sealed, fileExtension: "webp").byteCount == 3)
    }

    @Test func `A shared writable mapping counts as a writer`() async throws {
        let store = try LocalMediaStore(location: directory.path)
        let file = try await store.makeUnnamedRendition()
        fill(file, [1, 2, 3])
        let mapping = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor, 0)
        try #require(mapping != MAP_FAILED)
        defer { munmap(mapping, 4096) }
        let sealed = try store.seal(file)
        mapping?.storeBytes(of: 9, as: UInt8.self)
        #expect(try sealed.bytes(atMost: 3) == [1, 2, 3])
    }

    @Test(arguments: ["", ".jpg", "JPG", "jpegjpegj", "a/b", "j\0", "../x"])
    func `Only plain file extensions are taken`(fileExtension: String) async throws {
        let store = try LocalMediaStore(location: directory.path)
        let file = try await store.makeUnnamedRendition()
        let error = await #expect(throws: MediaError.self) {
            try await store.sealAndPublish(file, fileExtension: fileExtension)
        }
        #expect(error?.code == .invalidFileExtension)
    }

    @Test func `Originals cannot be had as renditions`() async throws {
        let store = try LocalMediaStore(location: directory.path)
        let stored = try await store.putOriginal(bytes: [1])
        let error = await #expect(throws: MediaError.self) {
            try await store.open(stored.key, in: .renditions)
        }
        #expect(error?.code == .notFound)
        #expect(try files(below: directory.path) == [stored.key.path])
    }
}
