import Glibc
import Proxying
import Synchronization
import TestKit
import Testing

@testable import ObjectStorage

@Suite("Keys to a store", .timeLimit(.minutes(15)))
struct CredentialTests {
    private func find(
        _ environment: [String: String], now: Int = 1_000_000_000
    ) async throws(ObjectStoreError) -> StoreCredentials {
        var environment = environment
        // Not from the machine that the tests run on.
        if environment["AWS_EC2_METADATA_SERVICE_ENDPOINT"] == nil {
            environment["AWS_EC2_METADATA_DISABLED"] = "true"
        }
        let thread = try TransferThread()
        defer { thread.stop() }
        return try await CredentialSource(environment: environment).current(over: thread, now: now)
    }

    @Test("come from the environment")
    func environment() async throws {
        var given = ["AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "S"]
        #expect(try await find(given) == StoreCredentials(accessKey: "A", secretKey: "S"))
        given["AWS_SESSION_TOKEN"] = "T"
        #expect(try await find(given) == StoreCredentials(accessKey: "A", secretKey: "S", sessionToken: "T"))
        given["AWS_SECRET_ACCESS_KEY"] = ""
        let half = try await storeError { _ = try await find(given) }
        #expect(half.message.contains("AWS_SECRET_ACCESS_KEY"))
        let none = try await storeError { _ = try await find([:]) }
        #expect(none.code == .noCredentials)
        #expect(none.message.contains("~/.aws/credentials"))
    }

    @Test("come from a profile of the shared file")
    func file() async throws {
        try await withTemporaryDirectory { home in
            let text = """
                # comment
                [default]
                aws_access_key_id = A
                aws_secret_access_key=S==
                [ other ]
                AWS_ACCESS_KEY_ID=B
                ; aws_secret_access_key = no
                aws_secret_access_key = R
                aws_session_token = T
                [empty]
                """
            mkdir("\(home)/.aws", 0o700)
            let path = "\(home)/.aws/credentials"
            let file = try #require(fopen(path, "w"))
            fputs(text, file)
            fclose(file)
            #expect(try await find(["HOME": home]) == StoreCredentials(accessKey: "A", secretKey: "S=="))
            let other = StoreCredentials(accessKey: "B", secretKey: "R", sessionToken: "T")
            #expect(try await find(["HOME": home, "AWS_PROFILE": "other"]) == other)
            #expect(
                try await find(["AWS_SHARED_CREDENTIALS_FILE": path, "AWS_PROFILE": "other"]) == other)
            for profile in ["empty", "missing"] {
                let error = try await storeError {
                    _ = try await find(["HOME": home, "AWS_PROFILE": profile])
                }
                #expect(error.message.contains(profile))
            }
            let gone = try await storeError {
                _ = try await find(["AWS_SHARED_CREDENTIALS_FILE": "\(home)/gone"])
            }
            #expect(gone.message.contains("\(home)/gone"))
        }
    }

    @Test("are read again if the store refuses them", .realStore)
    func corrected() async throws {
        let bucket = try await TestBucket.make()
        try await withTemporaryDirectory { home in
            func write(_ secret: String) throws {
                let file = try #require(fopen("\(home)/keys", "w"))
                fputs(
                    "[default]\naws_access_key_id = \(TestBucket.keys.accessKey)\naws_secret_access_key = \(secret)\n",
                    file)
                fclose(file)
            }
            try write("wrong")
            let store = try ObjectStore(
                ObjectStoreLocation(bucket.location()),
                credentials: CredentialSource(environment: ["AWS_SHARED_CREDENTIALS_FILE": "\(home)/keys"]))
            let key = try ObjectKey("a")
            let error = try await storeError { try await store.put(key, bytes: [1]) }
            #expect(error.code == .signatureRejected && error.tries == 1)
            try write(TestBucket.keys.secretKey)
            try await store.put(key, bytes: [1])
            try write("wrong again")
            #expect(try await store.bytes(of: key, atMost: 1) == [1])
        }
    }

    private static func json(_ text: String, status: Int = 200) -> FaultProxy.Fault {
        .reply("HTTP/1.1 \(status) Status\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
    }

    private static let keys = """
        {"Code": "Success", "AccessKeyId": "A", "SecretAccessKey": "S", "Token": "T", "Expiration": "2001-09-09T02:46:40Z"}
        """
    private static let found = StoreCredentials(
        accessKey: "A", secretKey: "S", sessionToken: "T", expiry: 1_000_003_600)

    @Test("come from the container's metadata, with its token")
    func container() async throws {
        let server = try FaultProxy { head in
            head.hasPrefix("GET /keys HTTP/1.1\r\n") && head.contains("\r\nAuthorization: let me\r\n")
                ? Self.json(Self.keys) : Self.json("", status: 403)
        }
        var given = ["AWS_CONTAINER_CREDENTIALS_FULL_URI": "\(server.endpoint)/keys"]
        let refused = try await storeError { _ = try await find(given) }
        #expect(refused.code == .noCredentials)
        #expect(refused.status == 403)
        given["AWS_CONTAINER_AUTHORIZATION_TOKEN"] = "let me"
        #expect(try await find(given) == Self.found)
        try await withTemporaryDirectory { directory in
            let path = "\(directory)/token"
            let file = try #require(fopen(path, "w"))
            fputs("let me\n", file)
            fclose(file)
            given["AWS_CONTAINER_AUTHORIZATION_TOKEN"] = nil
            given["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] = path
            #expect(try await find(given) == Self.found)
        }
    }

    @Test(
        "are asked for without TLS on this machine alone",
        arguments: [
            ("http://127.0.0.1:1/a", true), ("http://localhost/a", true), ("http://[::1]:80/", true),
            ("http://169.254.170.2/a", true), ("http://169.254.170.23", true),
            ("http://[fd00:ec2::23]/v1", true),
            ("https://example.org/a", true), ("http://example.org/a", false),
            ("http://127.0.0.1.example.org", false),
            ("http://127.0.0.1@example.org/", false), ("http://169.254.169.254/", false),
            ("file:///etc/passwd", false),
            ("http://[::2]/", false), ("http://localhost.example.org", false),
        ])
    func trust(url: String, isTrusted: Bool) {
        #expect(CredentialChain.isTrusted(url) == isTrusted)
    }

    @Test("come from the machine's metadata, with a token of its own")
    func instance() async throws {
        let server = try FaultProxy { head in
            let hasToken = head.contains("\r\nX-aws-ec2-metadata-token: tok\r\n")
            if head.hasPrefix("PUT /latest/api/token "),
                head.contains("\r\nX-aws-ec2-metadata-token-ttl-seconds: 21600\r\n")
            {
                return Self.json("tok")
            }
            if hasToken, head.hasPrefix("GET /latest/meta-data/iam/security-credentials/ ") {
                return Self.json("a role\n")
            }
            if hasToken, head.hasPrefix("GET /latest/meta-data/iam/security-credentials/a%20role ") {
                return Self.json(Self.keys)
            }
            return Self.json("", status: 401)
        }
        let given = ["AWS_EC2_METADATA_SERVICE_ENDPOINT": server.endpoint]
        #expect(try await find(given) == Self.found)
        #expect(server.requests.count == 3)
    }

    @Test(
        "are not made of other replies",
        arguments: [
            "", "{}", "<html/>", #"{"AccessKeyId": "A", "SecretAccessKey": 1}"#,
            #"{"AccessKeyId": "A", "SecretAccessKey": "S", "Expiration": "soon"}"#,
        ])
    func otherReply(text: String) async throws {
        let server = try FaultProxy { _ in Self.json(text) }
        let error = try await storeError {
            _ = try await find(["AWS_CONTAINER_CREDENTIALS_FULL_URI": server.endpoint])
        }
        #expect(error.code == .noCredentials)
    }

    @Test("are fetched once for all who ask, again before they end, and used to their end if that fails")
    func refreshed() async throws {
        let replies = Replies()
        let server = try FaultProxy { _ in replies.next() }
        let thread = try TransferThread()
        defer { thread.stop() }
        let source = CredentialSource(environment: [
            "AWS_CONTAINER_CREDENTIALS_FULL_URI": server.endpoint
        ])
        let end = 1_000_003_600
        try await withThrowingTaskGroup(of: StoreCredentials.self) { group in
            for _ in 0..<8 { group.addTask { try await source.current(over: thread, now: end - 3600) } }
            for try await keys in group { #expect(keys == Self.found) }
        }
        #expect(try await source.current(over: thread, now: end - 301) == Self.found)
        #expect(server.requests.count == 1)
        // Five minutes before their end they are due, and the service is down.
        replies.isDown.store(true, ordering: .sequentiallyConsistent)
        #expect(try await source.current(over: thread, now: end - 300) == Self.found)
        while server.requests.count < 2 { try await Task.sleep(for: .milliseconds(5)) }
        let error = try await storeError { _ = try await source.current(over: thread, now: end) }
        #expect(error.code == .noCredentials)
        replies.isDown.store(false, ordering: .sequentiallyConsistent)
        #expect(try await source.current(over: thread, now: end) == Self.found)
        // One more, or two if the second was at its end.
        #expect((3...4).contains(server.requests.count))
    }

    @Test("are fetched again if the store says that they have ended", .realStore)
    func ended() async throws {
        let bucket = try await TestBucket.make()
        let isRenewed = Atomic(false)
        let metadata = try FaultProxy { _ in
            let (key, secret) =
                isRenewed.load(ordering: .sequentiallyConsistent)
                ? (TestBucket.keys.accessKey, TestBucket.keys.secretKey) : ("ended", "S")
            return Self.json(
                #"{"AccessKeyId": "\#(key)", "SecretAccessKey": "\#(secret)", "Expiration": "2999-01-01T00:00:00Z"}"#
            )
        }
        let store = try FaultProxy(before: bucket.endpoint) { head in
            head.contains("Credential=ended/") ? .reply(xmlReply(400, "Bad Request", "ExpiredToken")) : .pass
        }
        let reports = Reports()
        var configuration = ObjectStore.Configuration()
        configuration.report = { reports.add($0) }
        let client = try ObjectStore(
            ObjectStoreLocation("s3://\(bucket.name)/?endpoint=\(store.endpoint)&region=us-east-1"),
            credentials: CredentialSource(environment: [
                "AWS_CONTAINER_CREDENTIALS_FULL_URI": metadata.endpoint
            ]), configuration: configuration)
        let key = try ObjectKey("a")
        // The metadata still have the ended ones.
        let error = try await storeError { try await client.put(key, bytes: [1]) }
        #expect(error.code == .credentialsExpired && error.tries == 1)
        #expect(metadata.requests.count == 2)
        isRenewed.store(true, ordering: .sequentiallyConsistent)
        try await client.put(key, bytes: [1])
        #expect(try await client.bytes(of: key, atMost: 1) == [1])
        #expect(metadata.requests.count == 3)
        #expect(reports.all.map { $0.error?.code } == [.credentialsExpired, .credentialsExpired, nil, nil])
    }

    private final class Replies: Sendable {
        let isDown = Atomic(false)

        func next() -> FaultProxy.Fault {
            isDown.load(ordering: .sequentiallyConsistent)
                ? CredentialTests.json("", status: 500) : CredentialTests.json(CredentialTests.keys)
        }
    }
}
