import Digests
import Glibc
import TestKit
import Testing

@testable import ObjectStorage

@Suite("OpenStack Swift refuses", .realStore, .timeLimit(.minutes(15)))
struct RefusalTests {
    private func error(
        keys: StoreCredentials = testKeys, region: String = "us-east-1", bucket: String? = nil,
        now: Int = Int(time(nil)), _ body: (ObjectStore) async throws -> Void
    ) async throws -> ObjectStoreError {
        let test = try await TestStore.make()
        try await test.put([1], "there")
        let endpoint = try await ObjectStoreServer.shared.endpoint()
        var configuration = ObjectStore.Configuration()
        configuration.now = { now }
        let store = try ObjectStore(
            ObjectStoreLocation("s3://\(bucket ?? test.bucket)?endpoint=\(endpoint)&region=\(region)"),
            credentials: CredentialSource(keys), configuration: configuration)
        let error = try await storeError { try await body(store) }
        #expect(error.tries == 1)
        #expect(!"\(error)".contains(keys.secretKey))
        return error
    }

    private let list: (ObjectStore) async throws -> Void = { _ = try await $0.list() }

    @Test("a wrong secret key")
    func secret() async throws {
        let keys = StoreCredentials(accessKey: "test:tester", secretKey: "secretive")
        #expect(try await error(keys: keys, list).code == .signatureRejected)
    }

    @Test("keys that may not do it")
    func rights() async throws {
        let keys = StoreCredentials(accessKey: "other:reader", secretKey: "reading")
        #expect(try await error(keys: keys, list).code == .accessDenied)
    }

    @Test("a bucket that is not there")
    func bucket() async throws {
        let error = try await error(bucket: "nowhere", list)
        #expect(error.code == .bucketNotFound)
        #expect(error.message.contains("nowhere"))
    }

    @Test("another region, and names its own")
    func region() async throws {
        let error = try await error(region: "mars-1", list)
        #expect(error.code == .wrongRegion)
        #expect(error.message.contains("region=us-east-1"))
    }

    @Test("a wrong clock, and the error tells by how much", arguments: [3600, -3600])
    func clock(skew: Int) async throws {
        for request: (ObjectStore) async throws -> Void in [
            list, { _ = try await $0.head(ObjectKey("there")) },
        ] {
            let error = try await error(now: Int(time(nil)) + skew, request)
            #expect(error.code == .clockSkew)
            #expect(abs((error.clockSkew ?? 0) - skew) < 60)
            #expect(error.message.contains(skew > 0 ? "ahead of" : "behind"))
        }
    }

    @Test("bytes that do not match the signed digest")
    func digest() async throws {
        let test = try await TestStore.make()
        var request = StoreRequest(method: .put, key: try ObjectKey("a"))
        request.body = .bytes([1, 2, 3])
        request.sha256 = SHA256Digest(hashing: [1, 2, 4])
        let error = try await storeError { _ = try await test.store.send(request) }
        #expect(error.code == .digestMismatch)
        #expect(error.tries == 1)
        #expect(try await test.store.head(ObjectKey("a")) == nil)
    }

    @Test(
        "nothing wrong is even sent whole: digest and size are checked while a file is read",
        arguments: [1 << 20, 11 << 20])
    func ownCheck(size: Int) async throws {
        let test = try await TestStore.make { $0.partSize = 5 << 20 }
        let bytes = noise(size)
        let file = try TestFile(bytes)
        let wrong = try await storeError {
            try await test.store.put(
                ObjectKey("a"), from: file.descriptor, size: Int64(size), sha256: SHA256Digest(hashing: [1]))
        }
        #expect(wrong.code == .digestMismatch)
        let short = try await storeError {
            try await test.store.put(
                ObjectKey("a"), from: file.descriptor, size: Int64(size) + 1,
                sha256: SHA256Digest(hashing: bytes))
        }
        #expect(short.code == .localFile)
        let closed = try await storeError {
            try await test.store.put(
                ObjectKey("a"), from: -1, size: Int64(size), sha256: SHA256Digest(hashing: bytes))
        }
        #expect(closed.errorNumber == EBADF)
        #expect(try await test.store.list().items.isEmpty)
        #expect(try await test.store.incompleteUploads().items.isEmpty)
        withExtendedLifetime(file) {}
    }

    @Test("an object that is larger than allowed, or not the one expected, is not returned")
    func limit() async throws {
        let test = try await TestStore.make()
        let bytes = noise(1000)
        try await test.put(bytes, "a")
        #expect(try await test.get("a", limit: 1000) == bytes)
        let large = try await storeError { _ = try await test.get("a", limit: 999) }
        #expect(large.code == .tooLarge)
        #expect(large.message.contains("1000") && large.message.contains("999"))
        let file = try TestFile()
        let other = try await storeError {
            _ = try await test.store.get(
                ObjectKey("a"), into: file.descriptor, limit: 1000, expected: SHA256Digest(hashing: [1]))
        }
        #expect(other.code == .digestMismatch)
        let closed = try await storeError {
            _ = try await test.store.get(ObjectKey("a"), into: -1, limit: 1000)
        }
        #expect(closed.code == .localFile)
        #expect(closed.errorNumber == EBADF)
        withExtendedLifetime(file) {}
    }

    // MARK: Signed URLs

    private func send(
        _ request: PresignedRequest, body: [UInt8], headers: [String: String]? = nil, over store: ObjectStore
    ) async throws -> TransferReply {
        var call = TransferCall(method: request.method == "PUT" ? .put : .get, url: request.url)
        // Curl tells the length itself.
        call.headers = (headers ?? request.headers).filter { $0.key != "content-length" }
            .map { ($0.key, $0.value) }
        if request.method == "PUT" { call.body = .bytes(body) }
        return try await store.thread.run(call)
    }

    @Test("a signed URL for anything but what was signed")
    func presigned() async throws {
        let test = try await TestStore.make(prefix: "p")
        let store = test.store
        let key = try ObjectKey("a b/ü+")
        let digest = SHA256Digest(hashing: [1, 2, 3])
        let put = try await store.presignedPut(key, size: 3, sha256: digest, lifetime: 600)
        let type = ["content-type": "application/octet-stream"]
        #expect(
            put.headers
                == ["content-length": "3", "x-amz-content-sha256": digest.hex].merging(type) { $1 })
        #expect(try await send(put, body: [1, 2, 4], over: store).status == 400)
        #expect(try await send(put, body: [1, 2, 3, 4], over: store).status == 403)
        let other = SHA256Digest(hashing: [1, 2, 4]).hex
        #expect(
            try await send(
                put, body: [1, 2, 4], headers: type.merging(["x-amz-content-sha256": other]) { $1 },
                over: store
            ).status == 403)
        #expect(try await send(put, body: [1, 2, 3], headers: type, over: store).status == 403)
        // A page that a browser would run.
        let page = put.headers.merging(["content-type": "text/html"]) { $1 }
        #expect(try await send(put, body: [1, 2, 3], headers: page, over: store).status == 403)
        #expect(try await store.list().items.isEmpty)
        #expect(try await send(put, body: [1, 2, 3], over: store).status == 200)

        let get = try await store.presignedGet(key, lifetime: 600)
        #expect(try await send(get, body: [], over: store).body == [1, 2, 3])
        try await test.put([9], "c")
        var moved = get
        let path = try #require(get.url.firstRange(of: "a%20b/%C3%BC%2B"))
        moved = PresignedRequest(
            method: "GET", url: get.url.replacingCharacters(in: path, with: "c"), headers: [:], expiry: 0)
        #expect(try await send(moved, body: [], over: store).status == 403)
    }

    @Test("a signed URL whose time is over")
    func expired() async throws {
        let test = try await TestStore.make { $0.now = { Int(time(nil)) - 120 } }
        let get = try await test.store.presignedGet(ObjectKey("a"), lifetime: 60)
        #expect(abs(get.expiry - (Int(time(nil)) - 60)) < 30)
        let reply = try await send(get, body: [], over: test.store)
        #expect(reply.status == 403)
    }
}

extension String {
    fileprivate func replacingCharacters(in range: Range<Index>, with text: String) -> String {
        self[..<range.lowerBound] + text + self[range.upperBound...]
    }
}
