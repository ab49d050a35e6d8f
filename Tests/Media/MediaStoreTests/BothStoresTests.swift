import Digests
import Glibc
import ObjectStorage
import TestKit
import Testing

@testable import MediaStore

/// A place for a store of either kind.
struct StorePlace: Sendable {
    let directory: TemporaryDirectory
    let bucket: TestBucket?
    let register = Register()

    init(_ kind: StoreKind) async throws {
        directory = try TemporaryDirectory()
        bucket = kind == .bucket ? try await TestBucket.make() : nil
    }

    /// An instance of a process.
    func store(_ register: Register? = nil, endpoint: String? = nil) throws -> any MediaStore {
        let record = (register ?? self.register).record
        guard let bucket else {
            return try LocalMediaStore(location: "\(directory.path)/store", record: record)
        }
        return S3MediaStore(try bucket.client(prefix: "store", endpoint: endpoint), record: record)
    }

    /// The paths of all files of the store.
    func files() async throws -> [String] {
        guard let bucket else { return try MediaStoreTests.files(below: "\(directory.path)/store") }
        return try await bucket.keys(prefix: "store").filter { !$0.contains(StoreMarker.name) }
    }
}

extension MediaStore {
    func publish(_ bytes: [UInt8], fileExtension: String = "jpg") async throws -> StoredRendition {
        let file = try await makeUnnamedRendition()
        try #require(write(file.descriptor, bytes, bytes.count) == bytes.count)
        let sealed = try sealRendition(file, atMost: 1 << 20) { _ in }
        return try await publishRendition(sealed, fileExtension: fileExtension)
    }
}

@Suite("A store of either kind", .timeLimit(.minutes(15)))
struct BothStoresTests {
    @Test(
        "stores an original under its hash, and opens it for reading alone",
        arguments: await StoreKind.available())
    func original(kind: StoreKind) async throws {
        let place = try await StorePlace(kind)
        let store = try place.store()
        let photo = bytes(700_001, seed: 1)
        let source = try place.directory.write(photo, to: "photo.jpg")
        let stored = try await store.putOriginal(fromFile: source)
        let hex = SHA256Digest(hashing: photo).hex
        #expect(stored.key.path == "originals/\(hex.prefix(2))/\(hex.dropFirst(2).prefix(2))/\(hex)")
        #expect(stored.sha256.hex == hex && stored.byteCount == 700_001)
        #expect(try await store.putOriginal(bytes: photo) == stored)
        #expect(try await place.files() == [stored.key.path])
        let opened = try await store.openOriginal(stored.key, expectedBytes: 700_001, expectedSHA256: nil)
        #expect(opened.byteCount == 700_001 && opened.sha256 == stored.sha256)
        #expect(try opened.file.bytes(atMost: 700_001) == photo)
        #expect(fcntl(opened.file.descriptor, F_GETFD) & FD_CLOEXEC != 0)
        #expect(write(opened.file.descriptor, [1], 1) == -1 && errno == EBADF)
        #expect(lseek(opened.file.descriptor, 0, SEEK_CUR) == 0)
    }

    @Test(
        "tells the real size of an original that is not as expected", arguments: await StoreKind.available(),
        [0, 2, 4, 1000])
    func size(kind: StoreKind, expected: Int64) async throws {
        let store = try await StorePlace(kind).store()
        let stored = try await store.putOriginal(bytes: [1, 2, 3])
        let opened = try await store.openOriginal(stored.key, expectedBytes: expected, expectedSHA256: nil)
        #expect(opened.byteCount == 3 && opened.sha256 == nil)
    }

    @Test("takes an empty original, and refuses what is no file", arguments: await StoreKind.available())
    func unusual(kind: StoreKind) async throws {
        let place = try await StorePlace(kind)
        let store = try place.store()
        let stored = try await store.putOriginal(bytes: [])
        let opened = try await store.openOriginal(stored.key, expectedBytes: 0, expectedSHA256: nil)
        #expect(opened.byteCount == 0 && opened.sha256 == SHA256Digest(hashing: []))
        for (path, code) in [
            ("/nowhere/photo.jpg", MediaError.Code.notFound), ("/dev/null", .notARegularFile),
        ] {
            let error = await #expect(throws: MediaError.self) { try await store.putOriginal(fromFile: path) }
            #expect(error?.code == code && error?.path == path)
        }
        #expect(try await place.files() == [stored.key.path])
    }

    @Test("misses what is not there", arguments: await StoreKind.available())
    func missing(kind: StoreKind) async throws {
        let store = try await StorePlace(kind).store()
        let stored = try await store.putOriginal(bytes: [1])
        for path in [
            "originals/00/11/0011", "renditions/00/11/0011.jpg", "secret", stored.key.path + "/below",
        ] {
            let key = try MediaKey(validating: path)
            let error = await #expect(throws: MediaError.self) {
                try await store.openOriginal(key, expectedBytes: 1, expectedSHA256: nil)
            }
            #expect(error?.code == .notFound)
            #expect(try await !store.contains(key))
            let unread = await #expect(throws: MediaError.self) { try await store.readBack(key) }
            #expect(unread?.code == .notFound)
            #expect(try await store.remove(key, storedBefore: .zero) == .absent)
        }
        #expect(try await store.contains(stored.key))
    }

    @Test(
        "publishes a rendition under its hash, as it was when it was sealed",
        arguments: await StoreKind.available())
    func rendition(kind: StoreKind) async throws {
        let place = try await StorePlace(kind)
        let store = try place.store()
        _ = try await store.putOriginal(bytes: [1])
        let file = try await store.makeUnnamedRendition()
        let image = bytes(300_000, seed: 3)
        #expect(write(file.descriptor, image, image.count) == image.count)
        // What a compromised renderer could keep: a descriptor to write with.
        let kept = dup(file.descriptor)
        defer { close(kept) }
        let sealed = try store.sealRendition(file, atMost: image.count) { bytes in
            #expect(Array(bytes) == image)
            #expect(pwrite(kept, [9, 9, 9], 3, 0) == 3)
        }
        #expect(pwrite(kept, [8, 8, 8], 3, 0) == 3)
        let ended = AsyncStream<Void>.makeStream()
        let published = try await store.publishRendition(sealed, fileExtension: "jpg") {
            ended.continuation.yield()
        }
        var ends = ended.stream.makeAsyncIterator()
        _ = await ends.next()
        let hex = SHA256Digest(hashing: image).hex
        #expect(published.key.path == "renditions/\(hex.prefix(2))/\(hex.dropFirst(2).prefix(2))/\(hex).jpg")
        #expect(published.sha256.hex == hex && published.byteCount == 300_000)
        let found = try await store.readBack(published.key)
        #expect(found.byteCount == 300_000 && found.sha256.hex == hex)
        #expect(try await store.remove(published.key, storedBefore: .zero) == .removed)
        #expect(try await store.remove(published.key, storedBefore: .zero) == .absent)
        #expect(try await place.files().count == 1)
    }

    @Test(
        "takes only plain file extensions", arguments: await StoreKind.available(),
        ["", ".jpg", "JPG", "a/b", "../x"])
    func extensions(kind: StoreKind, fileExtension: String) async throws {
        let store = try await StorePlace(kind).store()
        _ = try await store.putOriginal(bytes: [1])
        let error = await #expect(throws: MediaError.self) {
            try await store.publish([1], fileExtension: fileExtension)
        }
        #expect(error?.code == .invalidFileExtension)
    }

    @Test("keeps what was stored recently, or again", arguments: await StoreKind.available())
    func age(kind: StoreKind) async throws {
        let store = try await StorePlace(kind).store()
        let key = try await store.putOriginal(bytes: [1, 2, 3]).key
        guard case .tooRecent(let left) = try await store.remove(key, storedBefore: .seconds(100)) else {
            Issue.record("the file was stored just now")
            return
        }
        #expect(left > .seconds(30) && left <= .seconds(100))
        #expect(try await store.contains(key))
    }

    @Test("is walked through: each file once, with its size and age", arguments: await StoreKind.available())
    func walk(kind: StoreKind) async throws {
        let place = try await StorePlace(kind)
        let store = try place.store()
        var keys: Set<MediaKey> = []
        for number in 0..<12 {
            keys.insert(try await store.putOriginal(bytes: Array(repeating: 1, count: number)).key)
        }
        keys.insert(try await store.publish(Array(repeating: 1, count: 12)).key)
        var found: [StoredFile] = []
        var walk = store.walk()
        while let files = try await walk.next() { found += files }
        #expect(found.count == 13 && Set(found.map(\.key)) == keys)
        #expect(Set(found.map(\.byteCount)) == Set(0...12))
        #expect(found.allSatisfy { $0.age >= .zero && $0.age < .seconds(300) })
        #expect(try await store.countPresent(among: Array(keys)) == 13)
    }

    @Test(
        "has one identity, even if several processes make it at once", arguments: await StoreKind.available())
    func race(kind: StoreKind) async throws {
        for _ in 0..<5 {
            let place = try await StorePlace(kind)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let store = try place.store()
                        let stored = try await store.putOriginal(bytes: [UInt8(number)])
                        _ = try await store.openOriginal(stored.key, expectedBytes: 1, expectedSHA256: nil)
                    }
                }
                try await group.waitForAll()
            }
            let recorded = try #require(place.register.recorded)
            let store = try place.store()
            #expect(try await store.check() == recorded)
            #expect(try await store.identity() == recorded)
            #expect(try await place.files().count == 8)
        }
    }

    @Test("is not made where nothing was stored", arguments: await StoreKind.available())
    func unused(kind: StoreKind) async throws {
        let place = try await StorePlace(kind)
        let store = try place.store()
        let key = try MediaKey(validating: "originals/00/00/0000")
        #expect(try await store.check() == nil)
        let calls: [() async throws -> Void] = [
            { _ = try await store.openOriginal(key, expectedBytes: 1, expectedSHA256: nil) },
            { _ = try await store.contains(key) },
            { _ = try await store.remove(key, storedBefore: .zero) },
            { _ = try await store.makeUnnamedRendition() },
        ]
        for call in calls {
            let error = await #expect(throws: MediaError.self) { try await call() }
            #expect(error?.code == .unavailable)
        }
        try await store.probeReading(isNeeded: false)
        await #expect(throws: MediaError.self) { try await store.probeWriting(isNeeded: true) }
        #expect(place.register.recorded == nil)
        if let bucket = place.bucket { #expect(try await bucket.keys() == []) }
    }

    @Test(
        "of another database is not used, and another one can be adopted",
        arguments: await StoreKind.available())
    func foreign(kind: StoreKind) async throws {
        let place = try await StorePlace(kind)
        let theirs = try place.store()
        let stored = try await theirs.putOriginal(bytes: [1])
        let identity = try #require(place.register.recorded)
        let register = Register("0123456789abcdef")
        let ours = try place.store(register)
        let calls: [() async throws -> Void] = [
            { _ = try await ours.openOriginal(stored.key, expectedBytes: 1, expectedSHA256: nil) },
            { _ = try await ours.contains(stored.key) },
            { _ = try await ours.remove(stored.key, storedBefore: .zero) },
            { _ = try await ours.putOriginal(bytes: [2]) }, { _ = try await ours.check() },
            { _ = try await ours.readBack(stored.key) },
        ]
        for call in calls {
            let error = await #expect(throws: MediaError.self) { try await call() }
            #expect(error?.code == .unavailable)
            #expect(error?.message.contains(identity) == true)
            #expect(error?.message.contains("0123456789abcdef") == true)
        }
        #expect(try await place.files() == [stored.key.path])
        #expect(try await ours.mark(as: Register.proposal()) == identity)
        register.adopt(identity)
        #expect(try await ours.contains(stored.key))
    }

    @Test(
        "is compared with what a transaction has read, without asking again",
        arguments: await StoreKind.available())
    func pinned(kind: StoreKind) async throws {
        let place = try await StorePlace(kind)
        let store = try place.store()
        let key = try await store.putOriginal(bytes: [1]).key
        let right = try await store.recorded(as: .identity(try #require(place.register.recorded)))
        #expect(try await right.contains(key))
        #expect(try await !right.contains(MediaKey(validating: "originals/00/00/0000")))
        let error = await #expect(throws: MediaError.self) {
            try await store.recorded(as: .identity("0123456789abcdef")).contains(key)
        }
        #expect(error?.code == .unavailable)
    }

    @Test("is tried out by probes, which leave nothing", arguments: await StoreKind.available())
    func probes(kind: StoreKind) async throws {
        let place = try await StorePlace(kind)
        let store = try place.store()
        let key = try await store.putOriginal(bytes: [1]).key
        try await store.requireResponse()
        try await store.probeReading(isNeeded: true)
        try await store.probeWriting(isNeeded: true)
        try await store.probeDescriptors()
        #expect(try await place.files() == [key.path])
    }
}
