import Postgres
import TestKit
import Testing

private struct Refusal: Error {}

@Suite(.timeLimit(.minutes(5))) struct TransactionTests {
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
