import Postgres
import Proxying
import Synchronization
import TestKit
import Testing

/// An event that a task has reached.
private final class Flag: Sendable {
    private let state = Mutex(false)

    var isRaised: Bool { state.withLock { $0 } }
    func raise() { state.withLock { $0 = true } }
}

@Suite(.timeLimit(.minutes(15))) struct StallingProxyTests {
    /// A connection through a proxy, and one directly to the same database.
    private func withProxy(
        _ body: (StallingProxy, _ proxied: PostgresConnection, _ direct: PostgresConnection, TestDatabase)
            async throws -> Void
    ) async throws {
        try await withConnection { direct, database in
            try await StallingProxy.with { proxy in
                let proxied = try await PostgresConnection.connect(
                    PostgresConfiguration(url: proxy.url(database: database.name)))
                try await body(proxy, proxied, direct, database)
                await proxied.close()
            }
        }
    }

    @Test func forwardsMuchInBothDirections() async throws {
        try await withProxy { _, proxied, _, _ in
            let text = String(repeating: "0123456789abcdef", count: 1 << 18)
            let row = try await proxied.query("select \(text) || 'end' as text")[0]
            #expect(try row.decode("text", as: String.self) == text + "end")
        }
    }

    @Test func aStalledRequestReachesTheServerOnlyAfterwards() async throws {
        try await withProxy { proxy, proxied, direct, _ in
            try await direct.execute("create table t (i int)")
            proxy.stall()
            let hasReturned = Flag()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await proxied.query("insert into t values (1)")
                    hasReturned.raise()
                }
                try await until("the request is held") { proxy.isHolding }
                #expect(try await direct.query("select from t").isEmpty)
                #expect(!hasReturned.isRaised)
                proxy.resume()
                try await group.waitForAll()
            }
            #expect(try await direct.query("select from t").count == 1)
        }
    }

    @Test func aStalledAnswerReachesTheClientOnlyAfterwards() async throws {
        try await withProxy { proxy, proxied, direct, _ in
            try await direct.query("select pg_advisory_lock(1)")
            let process = await Int(proxied.backendProcessID)
            let hasReturned = Flag()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await proxied.query("select pg_advisory_lock(1)")
                    hasReturned.raise()
                }
                try await until("the server works on it") {
                    try await direct.query(
                        "select from pg_locks where pid = \(process) and locktype = 'advisory' and not granted"
                    ).count == 1
                }
                proxy.stall()
                try await direct.query("select pg_advisory_unlock(1)")
                try await until("the answer is held") { proxy.isHolding }
                #expect(!hasReturned.isRaised)
                proxy.resume()
                try await group.waitForAll()
            }
            #expect(hasReturned.isRaised)
        }
    }

    @Test(.timeLimit(.minutes(15)))
    func aCancelledTaskIsNotHeldByAStalledServer() async throws {
        try await withProxy { proxy, proxied, _, _ in
            proxy.stall()
            let task = Task { try await proxied.query("select 1") }
            try await until("the request is held") { proxy.isHolding }
            task.cancel()
            // The cancel request is held too.
            await #expect(throws: CancellationError.self) { try await task.value }
            let later = try await postgresError { try await proxied.query("select 1") }
            #expect(later.code == .connectionLost)
        }
    }

    @Test func nobodyConnectsThroughAStalledProxy() async throws {
        try await withProxy { proxy, _, _, database in
            proxy.stall()
            let error = try await postgresError {
                _ = try await PostgresConnection.connect(
                    PostgresConfiguration(
                        url: proxy.url(database: database.name), connectTimeout: .milliseconds(50)))
            }
            #expect(error.code == .timeout)
        }
    }

    @Test(arguments: [false, true])
    func cutConnectionsAreLostAndNewOnesTaken(whileStalled: Bool) async throws {
        try await withProxy { proxy, proxied, direct, database in
            let process = await Int(proxied.backendProcessID)
            let task = Task { try await proxied.query("select pg_sleep(600)") }
            try await until("the server works on it") {
                try await direct.query(
                    "select from pg_stat_activity where pid = \(process) and wait_event = 'PgSleep'"
                ).count == 1
            }
            if whileStalled { proxy.stall() }
            proxy.cut()
            let error = try await postgresError { _ = try await task.value }
            #expect(error.code == .connectionLost)
            proxy.resume()
            let next = try await PostgresConnection.connect(
                PostgresConfiguration(url: proxy.url(database: database.name)))
            #expect(try await next.query("select 1").count == 1)
            await next.close()
        }
    }
}
