import Glibc
import Postgres
import TestKit
import Testing

@Suite(.timeLimit(.minutes(15))) struct ConfigurationTests {
    @Test(arguments: [
        ("postgresql://me:sekret@127.0.0.1:1/db", "127.0.0.1"),
        ("host=/tmp/no-such-directory user=me password=sekret", "/tmp/no-such-directory"),
        ("postgresql://me:sekret@no-such-host.invalid/db", "no-such-host.invalid"),
    ])
    func failuresNameTheAddressAndNotThePassword(url: String, address: String) async throws {
        let configuration = PostgresConfiguration(url: url)
        let error = try await postgresError { _ = try await PostgresConnection.connect(configuration) }
        #expect(error.code == .connectionFailed)
        #expect("\(error)".contains(address))
        #expect(!"\(error) \(configuration) \(String(reflecting: configuration))".contains("sekret"))
        var dumped = ""
        dump(configuration, to: &dumped)
        #expect(!dumped.contains("sekret"))
    }

    @Test(arguments: [
        "postgresql://me:sekret@x@host/db", "postgresql://me:sek/ret@host/db",
        "postgresql://me:%zzsekret@host/db",
        "postgresql://me:sekret@host:port/db", "postgresql://me:sekret@[::1/db", "host=a password='sekret",
        "sekret", "host=a sekret=1", "mysql://me:sekret@host/db", "postgresql://me:sekret@host/db?nonsense=1",
    ])
    func addressesThatAreWrongDoNotLeakThePassword(url: String) async throws {
        let error = try await postgresError {
            _ = try await PostgresConnection.connect(
                PostgresConfiguration(url: url, connectTimeout: .seconds(1)))
        }
        #expect(!"\(error)".contains("sek"))
        #expect(!"\(error)".contains("ret@"))
    }

    @Test func refusedByTheServer() async throws {
        try await TestDatabase.withDatabase { database in
            let error = try await postgresError {
                _ = try await PostgresConnection.connect(
                    PostgresConfiguration(url: database.url(role: "nobody-known")))
            }
            #expect(error.code == .connectionFailed)
            #expect(error.message.contains("nobody-known"))
        }
    }

    @Test func aSilentServerTimesOut() async throws {
        let port = try SilentPort()
        let configuration = PostgresConfiguration(
            url: "postgresql://me:sekret@127.0.0.1:\(port.number)/db", connectTimeout: .milliseconds(50))
        let error = try await postgresError { _ = try await PostgresConnection.connect(configuration) }
        #expect(error.code == .timeout)
        #expect(error.message.contains("127.0.0.1"))
        #expect(!"\(error)".contains("sekret"))
    }

    @Test func aConnectionAttemptCanBeCancelled() async throws {
        let port = try SilentPort()
        let configuration = PostgresConfiguration(
            url: "postgresql://127.0.0.1:\(port.number)/db", connectTimeout: .seconds(600))
        let task = Task { _ = try await PostgresConnection.connect(configuration) }
        try await port.waitForClient()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func theApplicationNameIsShown() async throws {
        try await TestDatabase.withDatabase { database in
            let connection = try await PostgresConnection.connect(
                PostgresConfiguration(url: database.url, applicationName: "tests of ours"))
            let name = try await connection.query("select current_setting('application_name') as name")[0]
            #expect(try name.decode("name", as: String.self) == "tests of ours")
            await connection.close()
        }
    }
}
