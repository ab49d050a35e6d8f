import Digests
import Glibc
import Proxying
import Synchronization
import TestKit
import Testing

@testable import MediaStore
@testable import ObjectStorage

/// A bucket with one original, and an instance that has used it before, behind a proxy.
struct S3Scene: Sendable {
    let place: StorePlace
    let bucket: TestBucket
    let key: MediaKey
    let fault = Fault()
    let proxy: FaultProxy
    let store: S3MediaStore

    /// What the proxy does with requests that match.
    final class Fault: Sendable {
        private let state = Mutex<(fault: FaultProxy.Fault, text: String, left: Int)>((.pass, "", 0))
        func set(_ fault: FaultProxy.Fault, on text: String = "", times: Int = .max) {
            state.withLock { $0 = (fault, text, times) }
        }
        func of(_ head: String) -> FaultProxy.Fault {
            state.withLock {
                guard $0.left > 0, $0.text.isEmpty || head.contains($0.text) else { return .pass }
                $0.left -= 1
                return $0.fault
            }
        }
    }

    static let photo = bytes(100_000, seed: 7)

    /// As much as the photo has, and nothing of what a store tells.
    static let otherBytes = FaultProxy.Fault.reply(
        "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\nConnection: close\r\n\r\n"
            + String(repeating: "x", count: 100_000))

    init(scratch: String? = nil, configure: (inout ObjectStore.Configuration) -> Void = { _ in }) async throws
    {
        place = try await StorePlace(.bucket)
        bucket = try #require(place.bucket)
        key = try await place.store().putOriginal(bytes: Self.photo).key
        let fault = fault
        proxy = try FaultProxy(before: bucket.endpoint) { fault.of($0) }
        let client = try bucket.client(prefix: "store", endpoint: proxy.endpoint) {
            $0.policy.tries = 2
            configure(&$0)
        }
        store = S3MediaStore(client, scratch: ScratchDirectory(scratch), record: place.register.record)
        try await store.check()
    }

    func open() async throws -> OpenedOriginal {
        try await store.openOriginal(
            key, expectedBytes: Int64(Self.photo.count), expectedSHA256: SHA256Digest(hashing: Self.photo))
    }

    /// How many requests `body` makes, by method.
    func requests(_ body: () async throws -> Void) async throws -> [String] {
        let before = proxy.requests.count
        try await body()
        return proxy.requests.dropFirst(before).map { String($0.prefix { $0 != " " }) }
    }
}

@Suite("A store in a bucket", .realStore, .timeLimit(.minutes(15)))
struct S3StoreTests {
    @Test("asks for no more than it needs: the marker is not read again for each call")
    func requests() async throws {
        let scene = try await S3Scene()
        #expect(try await scene.requests { _ = try await scene.open() } == ["GET"])
        #expect(try await scene.requests { _ = try await scene.store.publish([1]) } == ["PUT"])
        // Storing again renews the time.
        #expect(try await scene.requests { _ = try await scene.store.publish([1]) } == ["PUT"])
        #expect(try await scene.requests { _ = try await scene.store.contains(scene.key) } == ["HEAD"])
        #expect(
            try await scene.requests { _ = try await scene.store.remove(scene.key, storedBefore: .zero) }
                == ["HEAD", "DELETE"])
    }

    private static func reply(_ status: Int, _ code: String) -> FaultProxy.Fault {
        let body = "<?xml version=\"1.0\"?><Error><Code>\(code)</Code></Error>"
        return .reply(
            "HTTP/1.1 \(status) No\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)")
    }

    private static let outages: [(FaultProxy.Fault, MediaError.Code)] = [
        (reply(503, "SlowDown"), .noResponse), (reply(500, "InternalError"), .noResponse),
        (.reply(""), .noResponse), (.cutReply(after: 0), .noResponse), (.loseReply, .noResponse),
        (reply(404, "NoSuchBucket"), .unavailable), (reply(403, "RequestTimeTooSkewed"), .unavailable),
        (reply(400, "ExpiredToken"), .unavailable), (reply(403, "SignatureDoesNotMatch"), .unavailable),
        (reply(403, "InvalidAccessKeyId"), .unavailable), (reply(301, "PermanentRedirect"), .unavailable),
        (reply(403, "AccessDenied"), .permissionDenied), (reply(507, "InsufficientStorage"), .noSpace),
        (reply(400, "EntityTooLarge"), .noSpace),
        (.reply("HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\n<html>"), .unavailable),
        (.reply("HTTP/1.1 404 No\r\nContent-Length: 6\r\nConnection: close\r\n\r\n<html>"), .unavailable),
        (.reply("HTTP/1.1 404 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"), .unavailable),
        (reply(501, "NotImplemented"), .unavailable),
    ]

    @Test("blames no photo for a fault of the store, of the way to it, or of the keys", arguments: 0..<18)
    func outage(number: Int) async throws {
        let scene = try await S3Scene()
        let (fault, code) = Self.outages[number]
        scene.fault.set(fault)
        let error = await #expect(throws: MediaError.self, "\(fault)") { try await scene.open() }
        #expect(error?.code == code)
        let calls: [(String, () async throws -> Void)] = [
            ("contains", { _ = try await scene.store.contains(scene.key) }),
            ("remove", { _ = try await scene.store.remove(scene.key, storedBefore: .zero) }),
            ("publish", { _ = try await scene.store.publish([1]) }),
            ("put", { _ = try await scene.store.putOriginal(bytes: [2]) }),
            ("probe", { try await scene.store.probeWriting(isNeeded: true) }),
        ]
        // A reply that is cut before its body is whole if it has none.
        let isDetected = if case .cutReply = fault { false } else { true }
        if isDetected {
            for (name, call) in calls {
                let error = await #expect(throws: MediaError.self, "\(name)") { try await call() }
                #expect(error?.code != .notFound, "\(name)")
            }
        }
        scene.fault.set(.pass)
        // A removal may have been carried out although its reply was lost.
        if case .loseReply = fault { return }
        if case .cutReply = fault { return }
        #expect(try await scene.open().sha256 == SHA256Digest(hashing: S3Scene.photo))
    }

    @Test(
        "believes no reply that was cut, or lies about its length, to be the photo",
        arguments: [
            FaultProxy.Fault.misstateLength(by: -50_000), .misstateLength(by: 50_000), .cutReply(after: 10),
            .omitLength,
        ], ["GET ", ""])
    func lies(fault: FaultProxy.Fault, method: String) async throws {
        let scene = try await S3Scene()
        let directory = scene.key.path.split(separator: "/")[1]
        scene.fault.set(fault, on: "\(method)/\(scene.bucket.name)/store/originals/\(directory)")
        let error = await #expect(throws: MediaError.self) { try await scene.open() }
        #expect(
            error.map { [.io, .noResponse, .unavailable].contains($0.code) } == true,
            "\(String(describing: error))")
        scene.fault.set(.pass)
        #expect(try await scene.open().sha256 == SHA256Digest(hashing: S3Scene.photo))
    }

    @Test("reads a photo again that was damaged on its way, also one that its uploader put there")
    func damagedOnTheWay() async throws {
        let scene = try await S3Scene()
        scene.fault.set(
            S3Scene.otherBytes, on: "GET /\(scene.bucket.name)/store/\(scene.key.path)", times: 1)
        let opened = try await scene.open()
        #expect(opened.sha256 == SHA256Digest(hashing: S3Scene.photo))
        #expect(try opened.file.bytes(atMost: S3Scene.photo.count) == S3Scene.photo)
    }

    @Test(
        "tells the size of a photo whose upload tells another one with the right digest", arguments: [-1, 1])
    func misstatedSize(by difference: Int64) async throws {
        let scene = try await S3Scene()
        let count = Int64(S3Scene.photo.count)
        let opened = try await scene.store.openOriginal(
            scene.key, expectedBytes: count + difference, expectedSHA256: SHA256Digest(hashing: S3Scene.photo)
        )
        #expect(opened.byteCount == count)
    }

    @Test("tells what the photo really is if the store says the same twice")
    func damaged() async throws {
        let scene = try await S3Scene()
        let wrong = bytes(S3Scene.photo.count, seed: 8)
        try await scene.bucket.client(prefix: "store").put(ObjectKey(scene.key.path), bytes: wrong)
        #expect(try await scene.open().sha256 == SHA256Digest(hashing: wrong))
        try await scene.bucket.client(prefix: "store").put(ObjectKey(scene.key.path), bytes: [1, 2])
        let short = try await scene.open()
        #expect(short.byteCount == 2 && short.sha256 == nil)
    }

    @Test("calls nothing missing in a bucket that was emptied, and stores nothing there")
    func emptied() async throws {
        let scene = try await S3Scene()
        try await scene.bucket.empty()
        let calls: [(String, () async throws -> Void)] = [
            ("open", { _ = try await scene.open() }),
            ("contains", { _ = try await scene.store.contains(scene.key) }),
            ("read", { _ = try await scene.store.readBack(scene.key) }),
            ("remove", { _ = try await scene.store.remove(scene.key, storedBefore: .zero) }),
            ("put", { _ = try await scene.store.putOriginal(bytes: [1]) }),
            ("publish", { _ = try await scene.store.publish([1]) }),
            ("check", { _ = try await scene.store.check() }),
        ]
        for (name, call) in calls {
            let error = await #expect(throws: MediaError.self, "\(name)") { try await call() }
            #expect(error?.code == .unavailable, "\(name)")
        }
        #expect(try await scene.bucket.keys() == [])
    }

    @Test("puts its marker back if a process that had lost the race to make it wrote its own late")
    func lateRival() async throws {
        let scene = try await S3Scene()
        let recorded = try #require(scene.place.register.recorded)
        let client = try scene.bucket.client(prefix: "store")
        let late = Register.proposal()
        try await client.put(ObjectKey(StoreMarker.path), bytes: StoreMarker.contents(late))
        #expect(try await scene.place.store().check() == recorded)
        #expect(try await scene.store.identity() == recorded)
        // Another bucket in which another process of the same database made a store is not taken for this one.
        let other = try await TestBucket.make()
        let elsewhere = S3MediaStore(try other.client(prefix: "store"), record: scene.place.register.record)
        #expect(try await elsewhere.mark(as: late) == late)
        let error = await #expect(throws: MediaError.self) { try await elsewhere.check() }
        #expect(error?.code == .unavailable)
        #expect(try await elsewhere.identity() == late)
    }

    @Test(
        "must have a whole marker",
        arguments: ["", "\n", "0123456789abcde\n", "0123456789ABCDEF\n", String(repeating: "a", count: 100)])
    func marker(text: String) async throws {
        let scene = try await S3Scene()
        try await scene.bucket.client(prefix: "store").put(
            ObjectKey(StoreMarker.path), bytes: Array(text.utf8))
        let error = await #expect(throws: MediaError.self) {
            try await scene.place.store().contains(scene.key)
        }
        #expect(error?.code == .unavailable && error?.path == StoreMarker.path)
    }

    @Test("needs a directory for temporary files with room in it, and says so")
    func scratch() async throws {
        let scene = try await S3Scene(scratch: "/nowhere")
        for call in [{ _ = try await scene.open() }, { try await scene.store.probeReading(isNeeded: true) }]
            as [() async throws -> Void]
        {
            let error = await #expect(throws: MediaError.self) { try await call() }
            #expect(error?.code == .unavailable && error?.message.contains("TMPDIR") == true)
        }
    }

    @Test("that keeps each version of an object does not erase, and says so")
    func versions() async throws {
        let scene = try await S3Scene()
        func finding() async throws -> StoreFinding? {
            try await scene.store.examine().first { $0.what == "versions" }
        }
        #expect(try await finding()?.remedy == nil)
        try await scene.bucket.client().keepVersions()
        #expect(try await finding()?.remedy?.contains("versioning") == true)
    }

    @Test("that keeps the time of bytes that are stored again is not fit, and the doctor says so")
    func renewal() async throws {
        let scene = try await S3Scene()
        func finding() async throws -> StoreFinding? {
            try await scene.store.examine().first { $0.what == "storing again" }
        }
        #expect(try await finding()?.remedy == nil)
        scene.fault.set(
            .reply(
                "HTTP/1.1 200 OK\r\nContent-Length: 131072\r\nETag: \"a\"\r\nConnection: close\r\n"
                    + "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\nDate: Sun, 06 Nov 1994 08:49:40 GMT\r\n\r\n"
            ),
            on: "HEAD ")
        #expect(try await finding()?.remedy?.contains("Last-Modified") == true)
    }

    @Test("is told from a proxy by the tag of what it stored, or else by its number of the request")
    func replies() async throws {
        let scene = try await S3Scene()
        for (header, isStore) in [
            ("ETag: \"a\"", true), ("x-amz-request-id: tx1", true), ("Server: proxy", false),
        ] {
            scene.fault.set(
                .reply("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\(header)\r\n\r\n"),
                on: "PUT ")
            let error: MediaError?
            do throws(MediaError) {
                _ = try await scene.store.putOriginal(bytes: [9])
                error = nil
            } catch let fault {
                error = fault
            }
            #expect((error == nil) == isStore, "\(header)")
            #expect(isStore || error?.message.contains("check the endpoint") == true)
        }
    }

    @Test("goes by the store's clock alone", arguments: [-3600, 3600])
    func clock(skew: Int) async throws {
        let place = try await StorePlace(.bucket)
        let key = try await place.store().putOriginal(bytes: [1]).key
        let client = try #require(place.bucket).client(prefix: "store")
        let store = S3MediaStore(client, record: place.register.record)
        #expect(try store.timeSinceStored(key, 1_000_000, 1_000_000 + 50) == .seconds(49))
        #expect(try store.timeSinceStored(key, 1_000_000, 1_000_000 + skew) == .seconds(max(0, skew - 1)))
        #expect(throws: MediaError.self) { try store.timeSinceStored(key, nil, 1) }
        #expect(throws: MediaError.self) { try store.timeSinceStored(key, 1, nil) }
    }

    @Test("of which a walk ends leaves foreign objects alone")
    func foreignObjects() async throws {
        let scene = try await S3Scene()
        let client = try scene.bucket.client(prefix: "store")
        for key in ["originals/.hidden", "originals/a b", "other/file", "originals//x"] {
            try await client.put(ObjectKey(key), bytes: [1])
        }
        var found: [MediaKey] = []
        var walk = scene.store.walk()
        while let files = try await walk.next() { found += files.map(\.key) }
        #expect(found == [scene.key])
        #expect(try await scene.place.files().count == 5)
    }
}

extension ObjectStore {
    /// Makes the bucket keep what is replaced or removed.
    fileprivate func keepVersions() async throws {
        let bytes = Array(
            "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>".utf8)
        var request = StoreRequest(method: .put, key: nil, sha256: SHA256Digest(hashing: bytes))
        request.query = [("versioning", "")]
        request.body = .bytes(bytes)
        _ = try await send(request)
    }
}
