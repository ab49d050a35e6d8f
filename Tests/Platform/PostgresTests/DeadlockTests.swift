import Postgres
import Synchronization
import TestKit
import Testing

private final class Attempts: Sendable {
    private let state = Mutex(0)

    var count: Int { state.withLock(\.self) }
    func add() { state.withLock { $0 += 1 } }
}

/// Deadlocks are made, not hoped for: each transaction takes its second lock after the other has its first.
@Suite("Transactions that the server undoes", .timeLimit(.minutes(15)))
struct DeadlockTests {
    private func withRows(_ body: @Sendable (PostgresPool) async throws -> Void) async throws {
        try await withConnection { connection, database in
            try await connection.execute(
                "create table t (i int primary key, n int not null); insert into t values (1, 0), (2, 0)")
            let pool = PostgresPool(PostgresConfiguration(url: database.url), size: 4)
            try await body(pool)
            await pool.close()
        }
    }

    @Test("because of a deadlock run again, and all are committed once")
    func deadlock() async throws {
        try await withRows { pool in
            let attempts = Attempts()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (first, second) in [(1, 2), (2, 1)] {
                    group.addTask {
                        try await pool.withTransaction {
                            (transaction: PostgresConnection) async throws -> Void in
                            attempts.add()
                            try await transaction.query("set local deadlock_timeout = '10ms'")
                            try await transaction.query("update t set n = n + 1 where i = \(first)")
                            // Until both have their first row, or the other has gone on.
                            try await until("both have begun") { attempts.count >= 2 }
                            try await until("the other holds its row") {
                                try await pool.query(
                                    "select from t where i = \(second) for update skip locked"
                                ).isEmpty || attempts.count > 2
                            }
                            try await transaction.query("update t set n = n + 1 where i = \(second)")
                        }
                    }
                }
                try await group.waitForAll()
            }
            let rows = try await pool.query("select n from t order by i")
            #expect(try rows.map { try $0.decode("n", as: Int.self) } == [2, 2])
            #expect(attempts.count == 3, "one of them ran twice")
        }
    }

    @Test("five times are not run again, and the error is thrown", arguments: ["40P01", "40001"])
    func limit(state: String) async throws {
        try await withRows { pool in
            let attempts = Attempts()
            let error = await #expect(throws: PostgresError.self) {
                try await pool.withTransaction { (transaction: PostgresConnection) async throws -> Void in
                    attempts.add()
                    try await transaction.query("update t set n = n + 1")
                    try await transaction.execute(
                        "do $$ begin raise exception using errcode = '\(state)'; end $$")
                }
            }
            #expect(error?.sqlState?.code == state)
            let ran = attempts.count
            #expect(ran == 5)
            let changed = try await pool.query("select from t where n <> 0")
            #expect(changed.isEmpty)
        }
    }

    @Test("for another reason are not run again")
    func others() async throws {
        try await withRows { pool in
            let attempts = Attempts()
            let error = await #expect(throws: PostgresError.self) {
                try await pool.withTransaction { (transaction: PostgresConnection) async throws -> Void in
                    attempts.add()
                    try await transaction.query("insert into t values (1, 1)")
                }
            }
            #expect(error?.sqlState == .uniqueViolation)
            #expect(attempts.count == 1)
        }
    }
}
