import Postgres
import Proxying
import TestKit
import Testing

private struct Refusal: Error {}

@Suite(.timeLimit(.minutes(15))) struct TransactionTests {
    private func withTable(_ body: (PostgresConnection, TestDatabase) async throws -> Void) async throws {
        try await withConnection { connection, database in
            try await connection.execute("create table t (i int primary key)")
            try await body(connection, database)
        }
    }

    private func numbers(_ connection: PostgresConnection) async throws -> [Int] {
        try await connection.query("select i from t order by i").map { try $0.decode("i") }
    }

    @Test func commits() async throws {
        try await withTable { connection, _ in
            let count = try await connection.transaction { connection in
                try await connection.query("insert into t values (1), (2)").affected
            }
            #expect(count == 2)
            let stored = try await numbers(connection)
            #expect(stored == [1, 2])
        }
    }

    @Test func theErrorOfTheBodyIsThrownAfterARollback() async throws {
        try await withTable { connection, _ in
            await #expect(throws: Refusal.self) {
                try await connection.transaction { connection in
                    try await connection.query("insert into t values (1)")
                    throw Refusal()
                }
            }
            let stored = try await numbers(connection)
            #expect(stored == [])
            let error = try await postgresError {
                try await connection.transaction { _ = try await $0.query("insert into t values (1), (1)") }
            }
            #expect(error.sqlState == .uniqueViolation)
            try await connection.transaction { _ = try await $0.query("insert into t values (1)") }
        }
    }

    @Test func aCommitCanFail() async throws {
        try await withTable { connection, _ in
            try await connection.execute(
                "create table u (i int constraint u_t references t deferrable initially deferred)")
            let error = try await postgresError {
                try await connection.transaction { _ = try await $0.query("insert into u values (5)") }
            }
            #expect(error.sqlState == "23503")
            #expect(error.constraint == "u_t")
            let left = try await connection.query("select from u")
            #expect(left.isEmpty)
        }
    }

    @Test func aSwallowedErrorIsNotACommit() async throws {
        try await withTable { connection, _ in
            let error = try await postgresError {
                try await connection.transaction { connection in
                    try await connection.query("insert into t values (1)")
                    _ = try? await connection.query("select 1/0")
                }
            }
            #expect(error.code == .transaction)
            let stored = try await numbers(connection)
            #expect(stored == [])
        }
    }

    @Test func transactionsDoNotNest() async throws {
        try await withTable { connection, _ in
            try await connection.transaction { connection in
                try await connection.query("insert into t values (1)")
                let error = try await postgresError { try await connection.transaction { _ in } }
                #expect(error.code == .transaction)
            }
            let stored = try await numbers(connection)
            #expect(stored == [1])
        }
    }

    @Test func cancellationRollsBack() async throws {
        try await withTable { connection, _ in
            let task = Task {
                try await connection.transaction { connection in
                    try await connection.query("insert into t values (1)")
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            let stored = try await numbers(connection)
            #expect(stored == [])
        }
    }

    /// A connection whose next commit gets no reply, and one directly to the same database.
    private func withHeldCommit(
        timeout: Duration,
        _ body: (StallingProxy, _ held: PostgresConnection, PostgresConnection) async throws -> Void
    ) async throws {
        try await withTable { direct, database in
            try await StallingProxy.with { proxy in
                var configuration = PostgresConfiguration(url: proxy.url(database: database.name))
                configuration.commitTimeout = timeout
                let held = try await PostgresConnection.connect(configuration)
                proxy.hold(1, repliesTo: "commit")
                try await body(proxy, held, direct)
                await held.close()
            }
        }
    }

    @Test func aCommitWithoutAReplyHasAnUnknownOutcome() async throws {
        try await withHeldCommit(timeout: .milliseconds(100)) { _, held, direct in
            let error = try await postgresError {
                try await held.transaction { _ = try await $0.query("insert into t values (1)") }
            }
            #expect(error.code == .connectionLost && error.isOutage)
            let later = try await postgresError { try await held.query("select 1") }
            #expect(later.code == .connectionLost)
            try await until("the server has committed") { try await numbers(direct) == [1] }
        }
    }

    @Test func aCancelledTaskWaitsLittleForItsCommit() async throws {
        try await withHeldCommit(timeout: .seconds(86_400)) { proxy, held, direct in
            let task = Task {
                try await held.transaction { _ = try await $0.query("insert into t values (1)") }
            }
            try await until("the server gets the commit") { proxy.held == 1 }
            task.cancel()
            let error = try await postgresError { try await task.value }
            #expect(error.code == .connectionLost)
            try await until("the server has committed") { try await numbers(direct) == [1] }
        }
    }

    @Test func aLostConnectionStillThrowsTheErrorOfTheBody() async throws {
        try await withTable { connection, database in
            await #expect(throws: Refusal.self) {
                try await connection.transaction { connection in
                    let process = await Int(connection.backendProcessID)
                    let observer = try await PostgresConnection.connect(
                        PostgresConfiguration(url: database.url))
                    try await observer.query("select pg_terminate_backend(\(process))")
                    await observer.close()
                    throw Refusal()
                }
            }
            let error = try await postgresError { try await connection.query("select 1") }
            #expect(error.code == .connectionLost || error.code == .connectionClosed)
        }
    }
}
