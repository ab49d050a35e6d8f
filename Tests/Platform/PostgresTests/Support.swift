import Glibc
import Postgres
import TestKit
import Testing

/// A clone of the empty database and a connection to it.
func withConnection<T>(
    _ body: (PostgresConnection, TestDatabase) async throws -> T
) async throws -> T {
    try await TestDatabase.withDatabase { database in
        let connection = try await PostgresConnection.connect(PostgresConfiguration(url: database.url))
        let value = try await body(connection, database)
        await connection.close()
        return value
    }
}

/// Runs `body` and returns the `PostgresError` that it must throw.
func postgresError(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async throws -> PostgresError {
    try #require(
        await #expect(throws: PostgresError.self, sourceLocation: sourceLocation) { try await body() },
        sourceLocation: sourceLocation)
}

/// A TCP port of this machine that accepts connections and never replies.
struct SilentPort: ~Copyable {
    let number: UInt16
    private let descriptor: Int32

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let port: UInt16? =
            withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    bind(descriptor, pointer, length) == 0 && listen(descriptor, 8) == 0
                        && getsockname(descriptor, pointer, &length) == 0
                }
            } ? UInt16(bigEndian: address.sin_port) : nil
        number = try #require(port)
    }

    deinit { close(descriptor) }

    /// Waits until somebody has connected; the connection gets no reply.
    func waitForClient() async throws {
        let descriptor = descriptor
        try await until("a client connects") {
            var listening = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&listening, 1, 0) == 1
        }
    }
}
