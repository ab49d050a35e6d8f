import FoundationEssentials
import Glibc
import HTTPServer
import TestKit
import Testing

@Suite("The address that a server listens on", .timeLimit(.minutes(15)))
struct ListenAddressTests {
    private static func contents(_ file: String) -> String {
        (try? String(contentsOf: URL(filePath: file), encoding: .utf8)) ?? ""
    }

    /// Whether the loopback interface has `::1`, which it lacks in many containers.
    static let hasIPv6 = contents("/proc/net/if_inet6").contains(String(repeating: "0", count: 31) + "1 ")
    /// Containers often let everyone use every port.
    static let keepsLowPorts =
        contents("/proc/sys/net/ipv4/ip_unprivileged_port_start").trimmingPrefix("0") != "\n"

    @Test(
        "is a host and a port",
        arguments: [
            ("127.0.0.1:9464", "127.0.0.1", 9464), (":0", nil, 0), ("[::1]:80", "::1", 80),
            ("localhost:65535", "127.0.0.1", 65535), ("0.0.0.0:1", "0.0.0.0", 1), ("[::]:2", "::", 2),
        ] as [(String, String?, UInt16)])
    func wellFormed(text: String, host: String?, port: UInt16) throws {
        let address = try ListenAddress(text)
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(try ListenAddress(address.description) == address)
    }

    @Test(
        "is refused if it is malformed, with an example",
        arguments: [
            "", ":", "9464", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1",
            "127.0.0.1:http", "::1:80", "[::1]", "[::1:80", "::1]:80", "[]:80", "[127.0.0.1]:80",
            "256.0.0.1:80",
            "worker.example.org:80", "http://127.0.0.1:80", "127.0.0.1:80/metrics", "127.0.0.1:٣", " :80",
            "[::g]:1",
            "unix:/run/darkroom.sock",
        ])
    func malformed(text: String) {
        #expect {
            _ = try ListenAddress(text)
        } throws: { error in
            let error = error as? HTTPServerError
            return error?.code == .malformedAddress && error?.address == text
                && error?.description.contains("127.0.0.1:9464") == true
        }
    }

    @Test("in use is reported, and so is one of another machine")
    func taken() async throws {
        let server = try HTTPServer(address: "127.0.0.1:0") { _ in .notFound }
        let taken = "127.0.0.1:\(server.port)"
        #expect {
            _ = try HTTPServer(address: taken) { _ in .notFound }
        } throws: { error in
            let error = error as? HTTPServerError
            return error?.code == .addressInUse && error?.errorNumber == EADDRINUSE && error?.address == taken
                && error?.description.contains("another program uses that port") == true
        }
        // 192.0.2.0/24 is reserved for documentation (RFC 5737).
        #expect {
            _ = try HTTPServer(address: "192.0.2.1:0") { _ in .notFound }
        } throws: { ($0 as? HTTPServerError)?.code == .addressNotAvailable }
        await server.stop()
    }

    @Test("that this user may not use is reported", .enabled(if: keepsLowPorts))
    func notPermitted() async {
        await #expect(processExitsWith: .success) {
            // Root may use every port; the user nobody may not.
            if getuid() == 0 { #expect(setuid(65534) == 0) }
            #expect {
                _ = try HTTPServer(address: "127.0.0.1:1") { _ in .notFound }
            } throws: { error in
                let error = error as? HTTPServerError
                return error?.code == .notPermitted && error?.description.contains("1024") == true
            }
        }
    }

    @Test("without a host means every interface, by IPv4 and, if there is one, IPv6")
    func everyInterface() async throws {
        let server = try HTTPServer(address: ":0") { _ in HTTPResponse(body: "here\n") }
        #expect(server.port != 0)
        #expect(try await HTTPAnswer.get("/", port: server.port).body == "here\n")
        if Self.hasIPv6 {
            #expect(try await HTTPAnswer.get("/", port: server.port, host: "::1").body == "here\n")
        }
        await server.stop()
    }

    @Test(
        "with a host means that address only",
        arguments: [("127.83.0.3", "127.83.0.4"), ("127.83.0.5", "::1"), ("::1", "127.83.0.6")])
    func oneAddress(host: String, other: String) async throws {
        guard Self.hasIPv6 || !(host + other).contains(":") else { return }
        let text = host.contains(":") ? "[\(host)]:0" : "\(host):0"
        let mark = "\(UUID())"
        let server = try HTTPServer(address: text) { _ in HTTPResponse(body: mark) }
        #expect(server.address.host == host)
        #expect(try await HTTPAnswer.get("/", port: server.port, host: host).body == mark)
        // Another test's server may have the same port there.
        #expect((try? await HTTPAnswer.get("/", port: server.port, host: other))?.body != mark)
        await server.stop()
    }
}
