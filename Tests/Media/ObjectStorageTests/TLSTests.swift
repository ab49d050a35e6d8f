import ChildProcess
import Glibc
import TestKit
import Testing
import Threads

@testable import ObjectStorage

/// nghttpx ends TLS in front of the real store, and speaks HTTP/2.
@Suite("Over TLS", .realStore, .timeLimit(.minutes(15)))
struct TLSTests {
    private static func run(_ command: String, in directory: String) async throws {
        _ = try await ChildProgram("/bin/sh", ["-euc", command], workingDirectory: directory)
            .runSuccessfully()
    }

    /// An authority, and a certificate that it has signed for `localhost`.
    private static func makeCertificates(in directory: String, days: Int) async throws {
        try await run(
            """
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=authority \
                -keyout authority.key -out authority.pem
            openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=store -keyout key -out request
            printf 'subjectAltName = DNS:localhost\\n' >names
            openssl x509 -req -in request -CA authority.pem -CAkey authority.key -set_serial 1 -days \(days) \
                -extfile names -out certificate
            """, in: directory)
    }

    /// Runs `body` with the front's port and the authority's certificate.
    private static func withFront(
        days: Int = 2, _ body: (Int, String) async throws -> Void
    ) async throws {
        let nghttpx = try #require(ChildProgram.find("nghttpx"), "make setup installs nghttp2-proxy")
        let endpoint = try await ObjectStoreServer.shared.endpoint()
        let storePort = try #require(endpoint.split(separator: ":").last.flatMap { Int($0) })
        try await withTemporaryDirectory { directory in
            try await makeCertificates(in: directory, days: days)
            // Another program may take a free port before nghttpx does.
            for _ in 0..<10 {
                let port = try freePort()
                // It ends by itself if this process dies.
                let front = try ChildProgram(
                    ChildProgram.find("timeout") ?? "/usr/bin/timeout",
                    [
                        "600", nghttpx, "--frontend=127.0.0.1,\(port)", "--backend=127.0.0.1,\(storePort)",
                        "--conf=/dev/null", "--workers=1", "--errorlog-file=\(directory)/log", "key",
                        "certificate",
                    ], workingDirectory: directory
                ).start()
                let ended = Task { try await front.end() }
                let isOpen: Bool
                do {
                    isOpen = try await accepts(port, while: front)
                    if isOpen { try await body(port, "\(directory)/authority.pem") }
                } catch {
                    front.send(SIGTERM)
                    throw error
                }
                front.send(SIGTERM)
                _ = try await ended.value
                if isOpen { return }
            }
            Issue.record("nghttpx does not start")
        }
    }

    private static func address(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        return address
    }

    private static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = address(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        try #require(isBound)
        return Int(in_port_t(bigEndian: address.sin_port))
    }

    /// Whether the port takes connections before the program has ended.
    private static func accepts(_ port: Int, while program: RunningProgram) async throws -> Bool {
        for _ in 0..<1000 {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            defer { close(descriptor) }
            var address = address(port)
            let isConnected = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            if isConnected { return true }
            if kill(program.process, 0) != 0 { return false }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    @Test("objects of any size are stored and read with HTTP/2, trusting an authority of one's own")
    func stores() async throws {
        let bucket = try await TestBucket.make()
        try await Self.withFront { port, authority in
            let test = try TestStore.make(bucket: bucket.name, endpoint: "https://localhost:\(port)") {
                $0.certificates = authority
                $0.partSize = 5 << 20
            }
            for size in [0, 1, 300_000, 11 << 20] {
                let bytes = noise(size)
                try await test.put(bytes, "a/\(size) é")
                #expect(try await test.get("a/\(size) é") == bytes)
            }
            #expect(try await test.store.list(prefix: "a/").items.count == 4)
            let reply = try await test.store.send(
                StoreRequest(method: .head, key: ObjectKey("a/1 é")))
            #expect(reply.transfer.httpVersion == 20)
            // Several streams share a connection.
            try await withThrowingTaskGroup { group in
                for _ in 0..<16 { group.addTask { try await test.get("a/300000 é").count } }
                for try await count in group { #expect(count == 300_000) }
            }
            #expect(test.reports.all.allSatisfy { $0.error == nil })
            try await test.store.delete(ObjectKey("a/1 é"))
            #expect(try await test.store.head(ObjectKey("a/1 é")) == nil)
        }
    }

    @Test("an unknown authority and a wrong host are refused at once, and nothing is sent")
    func refusals() async throws {
        try await Self.withFront { port, authority in
            for (host, certificates, words) in [
                ("localhost", nil, "certificate"), ("127.0.0.1", authority, "127.0.0.1"),
            ] {
                let test = try TestStore.make(bucket: "bucket", endpoint: "https://\(host):\(port)") {
                    $0.certificates = certificates
                }
                let error = try await storeError { try await test.put([1], "a") }
                #expect(error.code == .tls)
                #expect(error.tries == 1)
                #expect(error.status == nil)
                #expect(error.description.contains(words), "\(error)")
            }
        }
    }

    @Test("a handshake that is cut is tried again: a store that restarts is not one with a wrong certificate")
    func cut() async throws {
        let server = try CutServer()
        let test = try TestStore.make(bucket: "bucket", endpoint: "https://localhost:\(server.port)") {
            $0.policy.tries = 3
        }
        let error = try await storeError { try await test.put([1], "a") }
        #expect(error.code == .connection && error.tries == 3, "\(error)")
        #expect(!error.description.contains("certificate"), "\(error)")
    }

    @Test("TLS where there is none, and none where there is, are told apart from a store that is away")
    func mixedUp() async throws {
        let plain = try await ObjectStoreServer.shared.endpoint().split(separator: ":").last ?? ""
        let encrypted = try TestStore.make(bucket: "bucket", endpoint: "https://localhost:\(plain)")
        let first = try await storeError { try await encrypted.put([1], "a") }
        #expect(first.description.contains("http://"), "\(first)")
        try await Self.withFront { port, _ in
            let test = try TestStore.make(bucket: "bucket", endpoint: "http://localhost:\(port)")
            let second = try await storeError { try await test.put([1], "a") }
            #expect(second.description.contains("https://"), "\(second)")
        }
    }

    @Test("a certificate that has expired is refused at once")
    func expired() async throws {
        try await Self.withFront(days: -1) { port, authority in
            let test = try TestStore.make(bucket: "bucket", endpoint: "https://localhost:\(port)") {
                $0.certificates = authority
            }
            let error = try await storeError { _ = try await test.get("a") }
            #expect(error.code == .tls)
            #expect(error.tries == 1)
            #expect(error.description.contains("expired"), "\(error)")
        }
    }
}

/// Closes each connection as soon as something comes.
private final class CutServer: Sendable {
    let port: Int
    private let listener: CInt

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 8) == 0
                    && getsockname(listener, $0, &size) == 0
            }
        }
        try #require(isListening)
        self.listener = listener
        port = Int(in_port_t(bigEndian: address.sin_port))
        try startThread(named: "cut-server") {
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                var byte: UInt8 = 0
                _ = read(client, &byte, 1)
                close(client)
            }
        }
    }

    deinit {
        shutdown(listener, CInt(SHUT_RDWR))
        close(listener)
    }
}
