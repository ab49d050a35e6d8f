import Postgres
import TestKit
import Testing

@Suite(.timeLimit(.minutes(15))) struct PoolTests {
    private func withPool(
        size: Int, _ body: (PostgresPool, PostgresConnection) async throws -> Void
    ) async throws {
        try await withConnection { observer, database in
            let pool = PostgresPool(
                PostgresConfiguration(url: database.url, applicationName: "pool"), size: size)
            try await body(pool, observer)
            await pool.close()
        }
    }

    private func waitUntilGone(_ process: Int, _ observer: PostgresConnection) async throws {
        try await until("the server process is gone") {
            try await observer.query("select from pg_stat_activity where pid = \(process)").isEmpty
        }
    }

    @Test func manyQueriesShareFewConnections() async throws {
        try await withPool(size: 5) { pool, observer in
            let sum = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 1...200 {
                    group.addTask {
                        try await pool.query("select \(number)::int as n, pg_sleep(0.001)")[0].decode("n")
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(sum == 20_100)
            let count = try await observer.query(
                "select from pg_stat_activity where application_name = 'pool' and datname = current_database()"
            ).count
            #expect((1...5).contains(count))
        }
    }

    @Test func waitersAreServedInOrder() async throws {
        try await withPool(size: 1) { pool, _ in
            let (served, serve) = AsyncStream.makeStream(of: Int.self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                try await pool.withConnection { _ in
                    for number in 1...10 {
                        group.addTask {
                            try await pool.withConnection { _ in _ = serve.yield(number) }
                        }
                        try await until("the waiter queues") { pool.waiting == number }
                    }
                }
                try await group.waitForAll()
            }
            serve.finish()
            let order = await served.reduce(into: []) { $0.append($1) }
            #expect(order == Array(1...10))
        }
    }

    @Test func aWaiterCanBeCancelled() async throws {
        try await withPool(size: 1) { pool, _ in
            try await pool.withConnection { _ in
                let waiter = Task { try await pool.query("select 1") }
                try await until("the waiter queues") { pool.waiting == 1 }
                waiter.cancel()
                await #expect(throws: CancellationError.self) { try await waiter.value }
                #expect(pool.waiting == 0)
            }
            try await pool.query("select 1")
        }
    }

    @Test func anIdleConnectionThatDiedIsReplaced() async throws {
        try await withPool(size: 1) { pool, observer in
            let process = try await pool.query("select pg_backend_pid() as p")[0].decode("p", as: Int.self)
            try await observer.query("select pg_terminate_backend(\(process))")
            try await waitUntilGone(process, observer)
            let next = try await pool.query("select pg_backend_pid() as p")[0].decode("p", as: Int.self)
            #expect(next != process)
        }
    }

    @Test func aConnectionThatDiedAtWorkIsReplaced() async throws {
        try await withPool(size: 1) { pool, observer in
            let error = try await postgresError {
                try await pool.query("select pg_terminate_backend(pg_backend_pid()), pg_sleep(600)")
            }
            #expect(error.code == .connectionLost)
            #expect(error.sqlState == "57P01")
            try await pool.query("select 1")
        }
    }

    @Test(arguments: ["begin", "listen x"])
    func aConnectionLeftInDisorderIsNotReused(statement: String) async throws {
        try await withPool(size: 1) { pool, _ in
            let process = try await pool.withConnection { connection in
                if statement == "begin" {
                    try await connection.execute(statement)
                } else {
                    try await connection.listen("x")
                }
                return await connection.backendProcessID
            }
            let next = try await pool.withConnection { await $0.backendProcessID }
            #expect(next != process)
        }
    }

    @Test func aConnectionInOrderIsReused() async throws {
        try await withPool(size: 3) { pool, _ in
            let process = try await pool.withConnection { await $0.backendProcessID }
            await #expect(throws: PostgresError.self) { try await pool.query("select 1/0") }
            await #expect(throws: PostgresError.self) {
                try await pool.withTransaction { _ = try await $0.query("select 1/0") }
            }
            let next = try await pool.withConnection { await $0.backendProcessID }
            #expect(next == process)
        }
    }

    @Test func transactionsCommit() async throws {
        try await withPool(size: 2) { pool, observer in
            try await observer.execute("create table t (i int)")
            try await pool.withTransaction { _ = try await $0.query("insert into t values (1)") }
            let count = try await observer.query("select from t").count
            #expect(count == 1)
        }
    }

    @Test func aFailedConnectionGivesItsPlaceBack() async throws {
        let pool = PostgresPool(PostgresConfiguration(url: "host=/tmp/no-such-directory"), size: 1)
        for _ in 1...3 {
            let error = try await postgresError { try await pool.query("select 1") }
            #expect(error.code == .connectionFailed)
        }
    }

    @Test func closingRefusesWaitersAndNewcomersAndClosesAll() async throws {
        try await withPool(size: 1) { pool, observer in
            let process = try await pool.withConnection { connection in
                let waiter = Task { try await pool.query("select 1") }
                try await until("the waiter queues") { pool.waiting == 1 }
                await pool.close()
                let error = try await postgresError { _ = try await waiter.value }
                #expect(error.code == .poolClosed)
                try await connection.query("select 1")
                return await Int(connection.backendProcessID)
            }
            let error = try await postgresError { try await pool.query("select 1") }
            #expect(error.code == .poolClosed)
            try await waitUntilGone(process, observer)
        }
    }
}
