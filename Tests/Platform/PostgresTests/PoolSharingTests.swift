import Synchronization
import TestKit
import Testing

@testable import Postgres

/// Pools that share a server with others: they change their size, close what nobody needs, and wait while the server
/// has no free connection.
@Suite(.timeLimit(.minutes(15))) struct PoolSharingTests {
    /// A role that may have `limit` connections, and a connection to watch it.
    private struct Server {
        let observer: PostgresConnection
        let configuration: PostgresConfiguration
        let role: String

        func connections() async throws -> Int {
            try await observer.query("select from pg_stat_activity where usename = \(role)").count
        }

        func waitForConnections(_ count: Int) async throws {
            try await until("\(count) connections are left") { try await connections() == count }
        }
    }

    private func withServer(limit: Int = -1, _ body: (Server) async throws -> Void) async throws {
        try await withConnection { observer, database in
            let role = "\(database.name)_limited"
            try await observer.execute("create role \(role) login connection limit \(limit)")
            let result: Result<Void, any Error>
            do {
                try await body(
                    Server(
                        observer: observer,
                        configuration: PostgresConfiguration(url: database.url(role: role)), role: role))
                result = .success(())
            } catch {
                result = .failure(error)
            }
            try await observer.execute("drop role \(role)")
            try result.get()
        }
    }

    /// Has `count` connections lent out at the same time, and calls `body` then.
    private func lending(
        _ count: Int, of pool: PostgresPool, _ body: () async throws -> Void = {}
    ) async throws {
        guard count > 0 else { return try await body() }
        try await pool.withConnection { _ in try await lending(count - 1, of: pool, body) }
    }

    @Test func idleConnectionsLeaveTheServer() async throws {
        try await withServer { server in
            let pool = PostgresPool(server.configuration, size: 3, idleLimit: .milliseconds(50))
            for _ in 0..<2 {
                try await lending(3, of: pool) { try await server.waitForConnections(3) }
                try await server.waitForConnections(0)
            }
            await pool.close()
        }
    }

    @Test func theIdleLimitCanChange() async throws {
        try await withServer { server in
            let pool = PostgresPool(server.configuration, size: 2, idleLimit: .seconds(600))
            try await lending(2, of: pool)
            #expect(try await server.connections() == 2)
            await pool.resize(to: 2, idleLimit: .milliseconds(50))
            try await server.waitForConnections(0)
            await pool.close()
        }
    }

    @Test func anIdleLimitOfZeroClosesWhatNobodyWaitsFor() async throws {
        try await withServer { server in
            let pool = PostgresPool(server.configuration, size: 1, idleLimit: .zero)
            let processes: Set<Int32> = try await withThrowingTaskGroup(of: Int32.self) { group in
                let first = try await pool.withConnection { connection in
                    for number in 1...5 {
                        group.addTask { try await pool.withConnection { await $0.backendProcessID } }
                        try await until("the waiter queues") { pool.waiting == number }
                    }
                    return await connection.backendProcessID
                }
                return try await group.reduce(into: [first]) { $0.insert($1) }
            }
            #expect(processes.count == 1)
            try await server.waitForConnections(0)
            await pool.close()
        }
    }

    @Test func aSmallerPoolClosesWhatIsTooMuch() async throws {
        try await withServer { server in
            let pool = PostgresPool(server.configuration, size: 4, idleLimit: .seconds(600))
            try await lending(2, of: pool) {
                try await lending(2, of: pool)
                #expect(try await server.connections() == 4)
                await pool.resize(to: 1)
                try await server.waitForConnections(2)
                let waiter = Task { try await pool.query("select 1") }
                try await until("the waiter queues") { pool.waiting == 1 }
                waiter.cancel()
                _ = await waiter.result
            }
            try await server.waitForConnections(1)
            try await pool.query("select 1")
            #expect(try await server.connections() == 1)
            await pool.close()
        }
    }

    @Test func aLargerPoolServesThoseWhoWait() async throws {
        try await withServer { server in
            let pool = PostgresPool(server.configuration, size: 1)
            try await pool.withConnection { _ in
                let waiter = Task { try await lending(2, of: pool) }
                try await until("the waiter queues") { pool.waiting == 1 }
                await pool.resize(to: 3)
                try await waiter.value
                #expect(try await server.connections() == 3)
            }
            await pool.close()
        }
    }

    @Test func manyPoolsShareFewConnections() async throws {
        try await withServer(limit: 10) { server in
            let done = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<40 {
                    group.addTask {
                        let pool = PostgresPool(
                            server.configuration, size: 3, idleLimit: .milliseconds(10))
                        let done = try await withThrowingTaskGroup(of: Int.self) { group in
                            for number in 0..<25 {
                                group.addTask { try await pool.query("select \(number)").count }
                            }
                            return try await group.reduce(0, +)
                        }
                        await pool.close()
                        return done
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(done == 40 * 25)
        }
    }

    @Test func aRefusedTaskGetsAConnectionThatComesBack() async throws {
        try await withServer(limit: 1) { server in
            let pool = PostgresPool(server.configuration, size: 5)
            let (served, serve) = AsyncStream.makeStream(of: (Int, Int32).self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                let process = try await pool.withConnection { connection in
                    for number in 1...10 {
                        group.addTask {
                            try await pool.withConnection {
                                _ = serve.yield((number, await $0.backendProcessID))
                            }
                        }
                        try await until("the waiter queues") { pool.waiting == number }
                    }
                    return await connection.backendProcessID
                }
                try await group.waitForAll()
                serve.finish()
                let order = await served.reduce(into: []) { $0.append($1) }
                #expect(order.map(\.0) == Array(1...10))
                #expect(order.allSatisfy { $0.1 == process })
            }
            await pool.close()
        }
    }

    @Test func aRefusedTaskConnectsWhenAnotherProgramLeaves() async throws {
        try await withServer(limit: 1) { server in
            let other = try await PostgresConnection.connect(server.configuration)
            let pool = PostgresPool(server.configuration, size: 2)
            let waiters = (0..<3).map { _ in Task { try await pool.query("select 1").count } }
            try await until("all were refused or wait") { pool.waiting == 3 }
            await other.close()
            for waiter in waiters { #expect(try await waiter.value == 1) }
            await pool.close()
        }
    }

    @Test func aDeadlineThatPassesSaysThatTheServerIsFull() async throws {
        try await withServer(limit: 1) { server in
            let other = try await PostgresConnection.connect(server.configuration)
            let pool = PostgresPool(server.configuration, size: 2)
            func expectRefusal(_ body: () async throws -> Void) async throws {
                let error = try await postgresError(body)
                #expect(error.code == .connectionFailed)
                #expect(error.sqlState == .tooManyConnections)
                #expect(error.message.hasPrefix("the server has no free connection: "))
                #expect(error.isOutage)
            }
            try await expectRefusal {
                // As a deadline that passes when it has been refused, however long that takes.
                let alone = Task {
                    try await Deadline.$end.withValue(.now) { try await pool.query("select 1") }
                }
                try await until("it was refused") { pool.waiting == 1 }
                alone.cancel()
                _ = try await alone.value
            }
            let first = Task { try await pool.query("select 1").count }
            try await until("the first was refused") { pool.waiting == 1 }
            // These wait behind it, and are never refused themselves.
            for _ in 0..<20 {
                try await expectRefusal {
                    _ = try await withDeadline(.milliseconds(.random(in: 1...50))) {
                        try await pool.query("select 1")
                    }
                }
            }
            await other.close()
            #expect(try await first.value == 1)
            // What was true then is not claimed later.
            try await pool.withConnection { _ in
                try await server.observer.execute("alter role \(server.role) connection limit 2")
                try await pool.withConnection { _ in
                    let error = try await postgresError {
                        _ = try await withDeadline(.milliseconds(20)) { try await pool.query("select 1") }
                    }
                    #expect(error.code == .timeout)
                }
            }
            await pool.close()
        }
    }

    @Test func aRefusedTaskCanBeCancelled() async throws {
        try await withServer(limit: 1) { server in
            let other = try await PostgresConnection.connect(server.configuration)
            let pool = PostgresPool(server.configuration, size: 2)
            let waiter = Task { try await pool.query("select 1") }
            try await until("the waiter was refused") { pool.waiting == 1 }
            waiter.cancel()
            await #expect(throws: CancellationError.self) { try await waiter.value }
            #expect(pool.waiting == 0)
            await other.close()
            // It is as good as new.
            try await pool.query("select 1")
            await pool.close()
        }
    }

    @Test func aPoolThatWaitsForTheServerCanBeClosed() async throws {
        try await withServer(limit: 1) { server in
            let other = try await PostgresConnection.connect(server.configuration)
            let pool = PostgresPool(server.configuration, size: 2)
            let waiter = Task { try await pool.query("select 1") }
            try await until("the waiter was refused") { pool.waiting == 1 }
            await pool.close()
            let error = try await postgresError { _ = try await waiter.value }
            #expect(error.code == .poolClosed)
            await other.close()
            try await server.waitForConnections(0)
        }
    }

    @Test func waitersLearnThatTheServerWentAway() async throws {
        try await withServer(limit: 1) { server in
            let other = try await PostgresConnection.connect(server.configuration)
            let pool = PostgresPool(server.configuration, size: 2)
            let waiters = (0..<3).map { _ in Task { try await pool.query("select 1") } }
            try await until("all were refused or wait") { pool.waiting == 3 }
            try await server.observer.execute("alter role \(server.role) nologin")
            for waiter in waiters {
                let error = try await postgresError { _ = try await waiter.value }
                #expect(error.sqlState == "28000")
            }
            await other.close()
            await pool.close()
        }
    }
}
