import Glibc
import LocalCluster
import Postgres
import Proxying
import TestKit
import Testing

@testable import Postgres

@Suite("An address with several hosts", .timeLimit(.minutes(15)))
struct SeveralHostsTests {
    /// A machine without power refuses no connection: it says nothing.
    @Test("leads past a host that says nothing")
    func silent() async throws {
        let server = try await ThrowawayCluster.shared.server()
        try await StallingProxy.with(before: server.socketDirectory, in: "/tmp") {
            (proxy: StallingProxy) async throws -> Void in
            proxy.stall()
            let silent = proxy.url(database: "darkroom")
            let url = silent.replacing("&port=", with: ",\(server.socketDirectory)&port=")
            #expect(url != silent)
            let connection = try await PostgresConnection.connect(
                PostgresConfiguration(url: url, connectTimeout: .seconds(20)))
            #expect(try await connection.query("select 1 as one").count == 1)
            await connection.close()
            // It has the whole time if no host follows.
            let error = try await postgresError {
                _ = try await PostgresConnection.connect(
                    PostgresConfiguration(url: silent, connectTimeout: .milliseconds(300)))
            }
            #expect(error.code == .timeout)
        }
    }

    @Test("that all refuse gives the reason of each")
    func refused() async throws {
        let error = try await postgresError {
            _ = try await PostgresConnection.connect(
                PostgresConfiguration(url: "postgresql:///darkroom?host=/nowhere/a,/nowhere/b"))
        }
        #expect(error.code == .connectionFailed)
        #expect(error.message.contains("/nowhere/a") && error.message.contains("/nowhere/b"), "\(error)")
    }

    @Test(
        "is taken apart where libpq would wait for ever",
        arguments: [
            ("host=a,b", [("a", nil), ("b", nil)]),
            ("host=a,b port=1,2", [("a", "1"), ("b", "2")]),
            ("host=a,b port=1 target_session_attrs=read-write", [("a", "1"), ("b", "1")]),
            ("host=a", []), ("", []), ("host=a,b hostaddr=127.0.0.1,127.0.0.2", []),
            ("host=a,b port=1,2,3", []), ("host=a,b target_session_attrs=prefer-standby", []),
        ] as [(String, [(String, String?)])])
    func hosts(address: String, hosts: [(String, String?)]) throws {
        #expect(
            try PostgresConfiguration(url: address).hosts
                == hosts.map { PostgresHost(host: $0.0, port: $0.1) })
    }
}
