import Digests
import Glibc
import Synchronization
import TestKit
import Testing

@testable import ObjectStorage

/// An unnamed file.
final class TestFile: Sendable {
    let descriptor: CInt

    init(_ bytes: [UInt8] = []) throws {
        var template = Array("/tmp/darkroom-object-XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        try #require(descriptor >= 0)
        unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        try #require(pwrite(descriptor, bytes, bytes.count, 0) == bytes.count)
    }

    deinit { close(descriptor) }

    var bytes: [UInt8] {
        let size = Int(lseek(descriptor, 0, SEEK_END))
        var bytes = [UInt8](repeating: 0, count: size)
        #expect(pread(descriptor, &bytes, size, 0) == size)
        return bytes
    }
}

/// The same for the same seed.
func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var state = seed
    return (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 33)
    }
}

/// What a client reported.
final class Reports: Sendable {
    private let list = Mutex<[TryReport]>([])
    func add(_ report: TryReport) { list.withLock { $0.append(report) } }
    var all: [TryReport] { list.withLock { $0 } }
}

let testKeys = TestBucket.keys

/// A client of the test process's server, with a bucket of its own.
struct TestStore: Sendable {
    let store: ObjectStore
    let bucket: String
    let reports: Reports

    /// - Parameter endpoint: another way to the same server.
    static func make(
        prefix: String = "", configure: (inout ObjectStore.Configuration) -> Void = { _ in }
    ) async throws -> TestStore {
        let bucket = try await TestBucket.make()
        return try make(
            bucket: bucket.name, endpoint: bucket.endpoint, prefix: prefix, configure: configure)
    }

    static func make(
        bucket: String, endpoint: String, prefix: String = "", keys: StoreCredentials = testKeys,
        configure: (inout ObjectStore.Configuration) -> Void = { _ in }
    ) throws -> TestStore {
        let reports = Reports()
        var configuration = ObjectStore.Configuration()
        configuration.policy.firstPause = .milliseconds(1)
        configuration.policy.longestPause = .milliseconds(10)
        // Only a test of a limit of time sets one that a busy machine could reach: each such try would count.
        configuration.policy.patience = .seconds(86_400)
        configuration.limits = TransferLimits(
            connect: .seconds(3600), idle: .seconds(3600), whole: .seconds(86_400))
        configuration.report = { reports.add($0) }
        configure(&configuration)
        let location = try ObjectStoreLocation(
            "s3://\(bucket)/\(prefix)?endpoint=\(endpoint)&region=us-east-1")
        return TestStore(
            store: try ObjectStore(
                location, credentials: CredentialSource(keys), configuration: configuration),
            bucket: bucket, reports: reports)
    }

    func put(_ bytes: [UInt8], _ key: String) async throws {
        let file = try TestFile(bytes)
        try await store.put(
            ObjectKey(key), from: file.descriptor, size: Int64(bytes.count),
            sha256: SHA256Digest(hashing: bytes))
        withExtendedLifetime(file) {}
    }

    func get(_ key: String, limit: Int64 = 1 << 30) async throws -> [UInt8] {
        let file = try TestFile()
        let contents = try await store.get(ObjectKey(key), into: file.descriptor, limit: limit)
        let bytes = file.bytes
        #expect(contents.size == Int64(bytes.count))
        #expect(contents.sha256 == SHA256Digest(hashing: bytes))
        return bytes
    }
}

/// The error that `body` throws.
func storeError(_ body: () async throws -> Void) async throws -> ObjectStoreError {
    do {
        try await body()
    } catch let error as ObjectStoreError {
        return error
    }
    throw Missing()
}

struct Missing: Error, CustomStringConvertible {
    var description: String { "there was no ObjectStoreError" }
}

/// A store's reply with an error.
func xmlReply(_ status: Int, _ reason: String, _ code: String) -> String {
    let body = "<?xml version=\"1.0\"?><Error><Code>\(code)</Code><RequestId>r1</RequestId></Error>"
    return
        "HTTP/1.1 \(status) \(reason)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
}
