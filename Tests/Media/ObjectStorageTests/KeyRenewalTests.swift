import Proxying
import Synchronization
import TestKit
import Testing
import Threads

@testable import ObjectStorage

@Suite("Keys that change", .timeLimit(.minutes(15)))
struct KeyRenewalTests {
    private static func json(
        _ key: String = "A", _ secret: String = "S", expires: String
    ) -> FaultProxy.Fault {
        let text =
            #"{"AccessKeyId": "\#(key)", "SecretAccessKey": "\#(secret)", "Token": "T", "Expiration": "\#(expires)"}"#
        return .reply("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
    }

    private static func source(_ metadata: FaultProxy) -> CredentialSource {
        CredentialSource(environment: ["AWS_CONTAINER_CREDENTIALS_FULL_URI": metadata.endpoint])
    }

    @Test(
        "are fetched again if a HEAD is refused, whose reply cannot say why", .realStore,
        arguments: [400, 401, 403])
    func head(status: Int) async throws {
        let bucket = try await TestBucket.make()
        let key = try ObjectKey("a")
        try await bucket.client().put(key, bytes: [1, 2, 3])
        let isRenewed = Atomic(false)
        let metadata = try FaultProxy { _ in
            let isNew = isRenewed.exchange(true, ordering: .sequentiallyConsistent)
            return isNew
                ? Self.json(
                    TestBucket.keys.accessKey, TestBucket.keys.secretKey, expires: "2999-01-01T00:00:00Z")
                : Self.json("ended", expires: "2999-01-01T00:00:00Z")
        }
        let store = try FaultProxy(before: bucket.endpoint) { head in
            head.contains("Credential=ended/")
                ? .reply("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n") : .pass
        }
        let client = try ObjectStore(
            ObjectStoreLocation("s3://\(bucket.name)/?endpoint=\(store.endpoint)&region=us-east-1"),
            credentials: Self.source(metadata))
        #expect(try await client.head(key)?.size == 3)
        #expect(metadata.requests.count == 2)
    }

    /// 2001-09-09T02:46:40Z
    private static let end = 1_000_003_600

    @Test("are used while they are good and others are being fetched: a slow service holds up nobody")
    func slow() async throws {
        let isSlow = Atomic(false)
        let mayReply = Semaphore()
        let metadata = try FaultProxy { _ in
            guard isSlow.load(ordering: .sequentiallyConsistent) else {
                return Self.json(expires: "2001-09-09T02:46:40Z")
            }
            mayReply.wait()
            return Self.json("B", expires: "2001-09-09T03:46:40Z")
        }
        let thread = try TransferThread()
        defer { thread.stop() }
        let source = Self.source(metadata)
        #expect(try await source.current(over: thread, now: Self.end - 3600).accessKey == "A")
        isSlow.store(true, ordering: .sequentiallyConsistent)
        for _ in 0..<3 {
            #expect(try await source.current(over: thread, now: Self.end - 200).accessKey == "A")
        }
        mayReply.signal()
        while try await source.current(over: thread, now: Self.end - 100).accessKey != "B" {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(metadata.requests.count == 2)
    }

    @Test(
        "are used although they have ended if the service has no others, which it is not asked for each request"
    )
    func stale() async throws {
        let metadata = try FaultProxy { _ in Self.json(expires: "2001-09-09T02:46:40Z") }
        let thread = try TransferThread()
        defer { thread.stop() }
        let source = Self.source(metadata)
        for _ in 0..<5 {
            #expect(try await source.current(over: thread, now: Self.end + 60).accessKey == "A")
        }
        #expect(metadata.requests.count == 1)
        #expect(try await source.current(over: thread, now: Self.end + 70).accessKey == "A")
        #expect(metadata.requests.count == 2)
    }

    @Test("have no white space around them, and nothing else that would change the request")
    func plain() async throws {
        let thread = try TransferThread()
        defer { thread.stop() }
        let spaced = CredentialSource(environment: [
            "AWS_ACCESS_KEY_ID": " A\n", "AWS_SECRET_ACCESS_KEY": "S\n", "AWS_SESSION_TOKEN": "\n",
        ])
        let keys = StoreCredentials(accessKey: "A", secretKey: "S")
        #expect(try await spaced.current(over: thread, now: 0) == keys)
        let metadata = try FaultProxy { _ in
            Self.json(#"A\r\nx-amz-acl: public-read"#, expires: "2999-01-01T00:00:00Z")
        }
        let error = try await storeError { _ = try await Self.source(metadata).current(over: thread, now: 0) }
        #expect(error.code == .noCredentials && error.message.contains("character"), "\(error)")
        #expect(!error.description.contains("x-amz-acl"))
    }
}
