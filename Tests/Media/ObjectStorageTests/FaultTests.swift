import Digests
import Glibc
import Proxying
import Synchronization
import TestKit
import Testing

@testable import ObjectStorage

private let slowDown = xmlReply(503, "Slow Down", "SlowDown")

/// Behind a proxy that damages what passes.
@Suite("Under faults", .realStore, .timeLimit(.minutes(15)))
struct FaultTests {
    private static let size = 300_000

    private enum Requests: Sendable {
        case all, completion
        case part(Int)

        func has(_ head: String) -> Bool {
            switch self {
            case .all: true
            case .completion: head.hasPrefix("POST ") && head.contains("uploadId=")
            case .part(let number): head.hasPrefix("PUT ") && head.contains("partNumber=\(number)&")
            }
        }
    }

    /// A client behind a proxy that damages the first `count` requests that match.
    private func make(
        _ fault: FaultProxy.Fault, count: Int = .max,
        on damagedRequests: Requests = .all,
        configure: (inout ObjectStore.Configuration) -> Void = { _ in }
    ) async throws -> (test: TestStore, damaged: TestStore, proxy: FaultProxy) {
        let test = try await TestStore.make()
        let left = Mutex(count)
        let proxy = try FaultProxy(before: try await ObjectStoreServer.shared.endpoint()) { head in
            guard damagedRequests.has(head) else { return .pass }
            return left.withLock { left in
                left -= 1
                return left >= 0 ? fault : .pass
            }
        }
        let damaged = try TestStore.make(bucket: test.bucket, endpoint: proxy.endpoint, configure: configure)
        return (test, damaged, proxy)
    }

    private static let passing: [FaultProxy.Fault] = [
        .reply(slowDown), .reply(xmlReply(500, "Internal", "InternalError")),
        .reply("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 6\r\n\r\n<html>"),
        .reply("HTTP/1.1 503 Away\r\nContent-Length: 0\r\n\r\n"),
        .reply("HTTP/1.1 504 Late\r\nContent-Length: 0\r\n\r\n"), .reply(""),
        .reply("HTTP/1.1 200 OK\r\nCont"),
        .reply(xmlReply(400, "Bad Request", "RequestTimeout")),
        .cutRequest(after: 0), .cutReply(after: 0), .loseReply,
    ]

    @Test(
        "storing is tried again after a fault that may pass",
        arguments: passing + [.cutRequest(after: 100_000)])
    func put(fault: FaultProxy.Fault) async throws {
        let (test, damaged, proxy) = try await make(fault, count: 1)
        let bytes = noise(Self.size)
        try await damaged.put(bytes, "a")
        let reports = damaged.reports.all
        // A cut after a reply of nothing but a head harms nobody.
        if reports.count == 1, case .cutReply = fault { return }
        #expect(reports.map { $0.error == nil } == [false, true])
        #expect(reports.first?.pause != nil)
        #expect(try await test.get("a") == bytes)
        withExtendedLifetime(proxy) {}
    }

    @Test(
        "reading is tried again after a fault that may pass, and starts anew",
        arguments: passing + [.cutReply(after: 100_000), .misstateLength(by: 1000)])
    func get(fault: FaultProxy.Fault) async throws {
        let (test, damaged, proxy) = try await make(fault, count: 1)
        let bytes = noise(Self.size)
        try await test.put(bytes, "a")
        #expect(try await damaged.get("a") == bytes)
        #expect(damaged.reports.all.map { $0.error == nil } == [false, true])
        withExtendedLifetime(proxy) {}
    }

    @Test("a fault that stays is an error that tells how often it was tried", arguments: passing)
    func staying(fault: FaultProxy.Fault) async throws {
        let (test, damaged, proxy) = try await make(fault) { $0.policy.tries = 3 }
        try await test.put(noise(Self.size), "a")
        let error = try await storeError { _ = try await damaged.get("a") }
        #expect(error.tries == 3)
        #expect(error.isPassing)
        #expect(error.description.contains("tried 3 times"))
        #expect(proxy.requests.count == 3)
        #expect(damaged.reports.all.map { $0.pause == nil } == [false, false, true])
    }

    @Test("the time for tries is bounded too")
    func patience() async throws {
        let (_, damaged, proxy) = try await make(.reply(slowDown)) {
            $0.policy.tries = .max
            $0.policy.patience = .zero
        }
        let error = try await storeError { _ = try await damaged.get("a") }
        #expect(error.code == .slowDown)
        #expect(error.tries == 1)
        withExtendedLifetime(proxy) {}
    }

    @Test(
        "what would not pass is not tried again",
        arguments: [
            (xmlReply(403, "Forbidden", "AccessDenied"), ObjectStoreError.Code.accessDenied),
            (xmlReply(400, "Bad Request", "ExpiredToken"), .credentialsExpired),
            (xmlReply(403, "Forbidden", "QuotaExceeded"), .noSpace),
            (xmlReply(507, "Full", "Other"), .noSpace),
            (xmlReply(400, "Bad Request", "EntityTooLarge"), .noSpace),
            (xmlReply(409, "Conflict", "Other"), .invalidRequest),
            (xmlReply(501, "Not Implemented", "NotImplemented"), .invalidRequest),
            (xmlReply(301, "Moved", "PermanentRedirect"), .wrongRegion),
            (
                "HTTP/1.1 307 Moved\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
                .wrongRegion
            ),
            ("HTTP/1.1 404 Not Found\r\nContent-Length: 13\r\n\r\n<Error><Code>", .unexpected),
            (xmlReply(404, "Not Found", "NoSuchKey"), .notFound),
        ])
    func final(reply: String, code: ObjectStoreError.Code) async throws {
        let (_, damaged, proxy) = try await make(.reply(reply))
        let error = try await storeError { _ = try await damaged.get("a") }
        #expect(error.code == code)
        #expect(error.tries == 1)
        #expect(proxy.requests.count == 1)
    }

    @Test("no part of an object passes for the whole")
    func lies() async throws {
        for fault: FaultProxy.Fault in [.misstateLength(by: -1000), .omitLength] {
            let (test, damaged, proxy) = try await make(fault)
            try await test.put(noise(Self.size), "a")
            let error = try await storeError { _ = try await damaged.get("a") }
            if case .omitLength = fault {
                #expect(error.code == .unexpected)
            } else {
                #expect(error.code == .digestMismatch)
            }
            withExtendedLifetime(proxy) {}
        }
    }

    /// Each page says that the next one is itself.
    private static let endless = """
        <ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>a</NextContinuationToken></ListBucketResult>
        """

    @Test("a list that was cut, has no end, or is another document, is no list")
    func lists() async throws {
        for body in [
            "<ListBucketResult><IsTruncated>false</Is", "<html/>",
            "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>", Self.endless,
        ] {
            let (_, damaged, proxy) = try await make(
                .reply("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"))
            let error = try await storeError {
                let first = try await damaged.store.list()
                _ = try await damaged.store.list(after: first.next)
            }
            #expect(error.code == .unexpected)
            withExtendedLifetime(proxy) {}
        }
    }

    @Test("silence ends at the time limits")
    func silence() async throws {
        let (test, damaged, proxy) = try await make(.stallReply(after: 1000)) {
            $0.policy.tries = 2
            $0.limits.idle = .seconds(1)
        }
        try await test.put(noise(Self.size), "a")
        let idle = try await storeError { _ = try await damaged.get("a") }
        #expect(idle.code == .timeout)
        #expect(idle.tries == 2)
        #expect(idle.message.contains("neither sent nor took"))
        let brief = try TestStore.make(bucket: test.bucket, endpoint: proxy.endpoint) {
            $0.policy = .once
            $0.limits.whole = .milliseconds(500)
        }
        let whole = try await storeError { _ = try await brief.get("a") }
        #expect(whole.code == .timeout)
        #expect(whole.message.contains("not done after 0.5 s"))
    }

    @Test("a store that is not there is a fault of the connection")
    func absent() async throws {
        let test = try TestStore.make(bucket: "bucket", endpoint: "http://127.0.0.1:1")
        let error = try await storeError { try await test.put([1], "a") }
        #expect(error.code == .connection)
        #expect(error.tries == 5)
        let named = try TestStore.make(bucket: "bucket", endpoint: "http://store.invalid") {
            $0.policy = .once
        }
        #expect(try await storeError { try await named.put([1], "a") }.code == .connection)
    }

    @Test("a cancelled task ends its transfer, and its connection")
    func cancellation() async throws {
        let (test, damaged, proxy) = try await make(.stallReply(after: 1000))
        try await test.put(noise(Self.size), "a")
        let reading = Task { try await damaged.get("a") }
        var stalls = proxy.stalls.makeAsyncIterator()
        #expect(await stalls.next() == true)
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
        #expect(await stalls.next() == false)
        // A task that was cancelled before asks nothing.
        let count = proxy.requests.count
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await damaged.get("a")
        }
        await #expect(throws: CancellationError.self) { try await late.value }
        #expect(proxy.requests.count == count)
    }

    // MARK: Parts

    @Test("parts that came are removed if another fails")
    func failedPart() async throws {
        let (test, damaged, proxy) = try await make(
            .reply(xmlReply(403, "Forbidden", "AccessDenied")), on: .part(2)
        ) { $0.partSize = 5 << 20 }
        let error = try await storeError { try await damaged.put(noise(11 << 20), "a") }
        #expect(error.code == .accessDenied)
        #expect(proxy.requests.last?.hasPrefix("DELETE ") == true)
        #expect(try await test.store.incompleteUploads().items.isEmpty)
        #expect(try await test.store.head(ObjectKey("a")) == nil)
    }

    @Test("parts that came are removed if the task is cancelled")
    func cancelledPart() async throws {
        let (test, damaged, proxy) = try await make(.stallReply(after: 0), on: .part(2)) {
            $0.partSize = 5 << 20
        }
        let writing = Task { try await damaged.put(noise(11 << 20), "a") }
        var stalls = proxy.stalls.makeAsyncIterator()
        #expect(await stalls.next() == true)
        #expect(try await test.store.incompleteUploads().items.map(\.key.text) == ["a"])
        writing.cancel()
        await #expect(throws: CancellationError.self) { try await writing.value }
        #expect(try await test.store.incompleteUploads().items.isEmpty)
    }

    @Test("what a dead process left is listed page by page, and aborted")
    func leftovers() async throws {
        let test = try await TestStore.make(prefix: "p")
        for key in ["a/1 +é", "a/2", "b/1"] {
            _ = try await test.store.send(
                StoreRequest(method: .post, key: ObjectKey(key), query: [("uploads", "")]))
        }
        let left = try await test.store.incompleteUploads(prefix: "a/").items
        #expect(left.map(\.key.text) == ["a/1 +é", "a/2"])
        #expect(left.allSatisfy { abs($0.begun - Int(time(nil))) < 300 })
        for upload in left { try await test.store.abortUpload(upload.key, id: upload.id) }
        #expect(try await test.store.incompleteUploads().items.map(\.key.text) == ["b/1"])
        try await test.store.abortUpload(ObjectKey("a/2"), id: left[1].id)
    }

    @Test("a lost reply to the completion is found out about")
    func lostCompletion() async throws {
        let (test, damaged, proxy) = try await make(
            .loseReply, count: 1, on: .completion
        ) { $0.partSize = 5 << 20 }
        let bytes = noise(6 << 20)
        try await damaged.put(bytes, "a")
        #expect(try await test.get("a") == bytes)
        withExtendedLifetime(proxy) {}
    }

    @Test("a completion that says 200 and tells an error has failed")
    func falseCompletion() async throws {
        let (test, damaged, proxy) = try await make(
            .reply(xmlReply(200, "OK", "InternalError")),
            on: .completion
        ) { $0.partSize = 5 << 20 }
        let error = try await storeError { try await damaged.put(noise(6 << 20), "a") }
        #expect(error.code == .server, "\(error)")
        #expect(error.tries == 5)
        #expect(try await test.store.head(ObjectKey("a")) == nil)
        #expect(try await test.store.incompleteUploads().items.isEmpty)
        withExtendedLifetime(proxy) {}
    }
}
