import ChildProcess
import DarkroomClient
import Digests
import FoundationEssentials
import JobStore
import MediaStore
import ObjectStorage
import Postgres
import TestKit
import Testing

/// Uploads that do not pass the API, on a real object store. An HTTP client that knows nothing of Darkroom is the phone.
@Suite("Direct uploads", .timeLimit(.minutes(15)))
struct DirectUploadTests {
    private static let photo = Array("a photo, for all that the store knows".utf8)

    @Test("store exactly the bytes that were signed, which then can be enqueued", .realStore)
    func upload() async throws {
        try await Scene.onBucket { (scene: Scene, bucket: TestBucket) async throws -> Void in
            let client = scene.client
            let digest = SHA256Digest(hashing: Self.photo)
            let count = Int64(Self.photo.count)
            let (photo, request) = try await client.signUpload(sha256: digest.hex, byteCount: count)
            #expect(photo == StoredPhoto(key: photo.key, sha256: digest.hex, byteCount: count))
            #expect(abs(request.expires.timeIntervalSinceNow - 900) < 60)
            #expect(try await !client.hasArrived(photo))

            #expect(try await send(request, Array(Self.photo.reversed())) >= 400)
            #expect(try await send(request, Self.photo + [0]) >= 400)
            #expect(try await send(request, []) >= 400)
            #expect(try await !client.hasArrived(photo))

            #expect(try await send(request, Self.photo) == 200)
            #expect(try await client.hasArrived(photo))
            #expect(try await bucket.keys().filter { !$0.contains("/.") } == [photo.key])
            // A phone that lost the response sends it again.
            #expect(try await send(request, Self.photo) == 200)

            let job = try await client.enqueue(photo, UploadDetails(uploader: "ada"))
            #expect(try await client.status(of: job)?.state == .waiting)
            #expect(try await client.store(bytes: Self.photo) == photo)
        }
    }

    @Test("return an original to its owner until the request expires", .realStore)
    func download() async throws {
        try await Scene.onBucket { (scene: Scene, _) async throws -> Void in
            let photo = try await scene.client.store(bytes: Self.photo)
            let request = try await scene.client.signDownload(
                ofOriginal: photo.key, lifetime: .seconds(604_800))
            #expect(request.method == "GET" && request.headers.isEmpty)
            #expect(try await send(request, []) == 200)
            let other = request.url.replacing(photo.sha256, with: String(photo.sha256.reversed()))
            #expect(try await send(request, [], to: other) == 403)
            for key in ["renditions/aa/bb/aabb.webp", "originals/../x", "originals/.darkroom-store", ""] {
                await #expect(throws: DarkroomError.self, "\(key)") {
                    try await scene.client.signDownload(ofOriginal: key)
                }
            }
        }
    }

    @Test("refuse what is no photo's digest, size or a time", .realStore)
    func refused() async throws {
        try await Scene.onBucket { (scene: Scene, bucket: TestBucket) async throws -> Void in
            let digest = String(repeating: "a", count: 64)
            for (sha256, count, lifetime) in [
                ("", 1, Duration.seconds(1)), ("a", 1, .seconds(1)), (digest + "a", 1, .seconds(1)),
                (String(repeating: "ä", count: 32), 1, .seconds(1)),
                (digest, 0, .seconds(1)), (digest, -1, .seconds(1)), (digest, .min, .seconds(1)),
                (digest, 1, .zero), (digest, 1, .seconds(-1)), (digest, 1, .seconds(86_401)),
                (digest, 1, .milliseconds(1500)), (digest, 1, .seconds(Int64.max)),
            ] as [(String, Int64, Duration)] {
                let error = await #expect(throws: DarkroomError.self, "\(sha256) \(count) \(lifetime)") {
                    _ = try await scene.client.signUpload(
                        sha256: sha256, byteCount: count, lifetime: lifetime)
                }
                #expect(error?.code == .invalidArgument)
            }
            #expect(try await bucket.keys() == [])
        }
    }

    @Test("sign nothing for the store of another database", .realStore)
    func otherStore() async throws {
        try await Scene.onBucket { (first: Scene, bucket: TestBucket) async throws -> Void in
            _ = try await first.client.store(bytes: [1])
            try await Scene.onBucket(bucket) { (second: Scene, _) async throws -> Void in
                // Clones of one database are one installation.
                try await second.execute("update darkroom.settings set installation = 'ffffffff'")
                let error = await #expect(throws: DarkroomError.self) {
                    _ = try await second.client.signUpload(
                        sha256: String(repeating: "a", count: 64), byteCount: 1)
                }
                #expect(error?.code == .media)
                #expect("\(error.map { "\($0)" } ?? "")".contains("another database"))
            }
        }
    }

    @Test("need a store that a phone can reach")
    func directory() async throws {
        try await Scene.with { (scene: Scene) async throws -> Void in
            let error = await #expect(throws: DarkroomError.self) {
                _ = try await scene.client.signUpload(
                    sha256: String(repeating: "a", count: 64), byteCount: 1)
            }
            #expect(error?.code == .media)
            #expect(error.map { "\($0)" }?.contains("use an s3:// store") == true)
        }
    }

    @Test("throw CancellationError when they are cancelled", .realStore)
    func cancelled() async throws {
        try await Scene.onBucket { (scene: Scene, _) async throws -> Void in
            let client = scene.client
            let photo = try await client.store(bytes: [1])
            let calls: [@Sendable () async throws -> Void] = [
                { _ = try await client.signUpload(sha256: photo.sha256, byteCount: 1) },
                { _ = try await client.signDownload(ofOriginal: photo.key) },
                { _ = try await client.hasArrived(photo) },
            ]
            for (number, call) in calls.enumerated() {
                let early = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    try await call()
                }
                await #expect(throws: CancellationError.self, "call \(number)") { try await early.value }
            }
        }
    }

    /// Sends the request with Python. Returns the status.
    private func send(
        _ request: SignedRequest, _ body: [UInt8], to url: String? = nil
    ) async throws -> Int {
        // The length is told by Python itself: with a wrong one the store would only wait.
        let headers = request.headers.filter { $0.key != "content-length" }
        let input = try JSONEncoder().encode([
            "method": request.method, "url": url ?? request.url, "body": Data(body).base64EncodedString(),
            "headers": String(decoding: JSONEncoder().encode(headers), as: UTF8.self),
        ])
        let arguments = ["python3", "-c", Self.phone, String(decoding: input, as: UTF8.self)]
        let output = try await ChildProgram("/usr/bin/env", arguments).run()
        return try #require(Int(output.standardOutput), "\(output)")
    }

    private static let phone = """
        import base64, json, sys, urllib.error, urllib.request
        given = json.loads(sys.argv[1])
        body = base64.b64decode(given['body']) if given['method'] == 'PUT' else None
        request = urllib.request.Request(given['url'], body, json.loads(given['headers']), method=given['method'])
        try:
            print(urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60).status, end='')
        except urllib.error.HTTPError as error:
            print(error.code, end='')
        """
}

extension Scene {
    /// The library with its media store in a bucket: a new one, if none is given.
    fileprivate static func onBucket(
        _ bucket: TestBucket? = nil, _ body: (Scene, TestBucket) async throws -> Void
    ) async throws {
        let bucket = if let bucket { bucket } else { try await TestBucket.make() }
        try await with { (scene: Scene) async throws -> Void in
            let client = try DarkroomClient(
                database: try await scene.database.url(as: .api), connections: 2
            ) { S3MediaStore(try bucket.client(), record: $0) }
            let result: Result<Void, any Error>
            do {
                try await body(Scene(database: scene.database, client: client), bucket)
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await client.close()
            try result.get()
        }
    }
}
