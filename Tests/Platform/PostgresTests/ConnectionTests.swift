import Postgres
import TestKit
import Testing

@Suite(.timeLimit(.minutes(15))) struct ConnectionTests {
    @Test(arguments: [
        ("select 1/0", "22012"), ("select * from nowhere", SQLState.undefinedTable),
        ("select 'x'::int", "22P02"), ("insert into u values (1)", .uniqueViolation),
        ("insert into u values (-1)", .checkViolation), ("insert into u values (null)", "23502"),
        ("do $$ begin raise 'no' using errcode = 'P0001', hint = 'try'; end $$", "P0001"),
        ("selec", "42601"), ("select 1; select 2", "42601"),
    ])
    func serverErrorsCarryTheirState(sql: String, state: SQLState) async throws {
        try await withConnection { connection, _ in
            try await connection.execute(
                "create table u (i int not null constraint u_once unique constraint u_sign check (i > 0)); insert into u values (1)"
            )
            let error = try await postgresError { try await connection.query(PostgresQuery(unescaped: sql)) }
            #expect(error.code == .server)
            #expect(error.sqlState == state)
            if state == .uniqueViolation { #expect(error.constraint == "u_once") }
            if state == "P0001" { #expect(error.hint == "try") }
            #expect(try await connection.query("select 1 as one").count == 1)
        }
    }

    @Test func aScriptStopsAtItsFirstError() async throws {
        try await withConnection { connection, _ in
            let error = try await postgresError {
                try await connection.execute("create table a(); select 1/0; select x")
            }
            #expect(error.sqlState == "22012")
            #expect(
                try await connection.query("select to_regclass('a')::text as a")[0].decode(
                    "a", as: String?.self) == nil)
            try await connection.execute("")
        }
    }

    @Test func theSessionIsInUTCWhateverTheRoleSays() async throws {
        try await withConnection { connection, database in
            try await connection.execute(
                """
                create role traveller login;
                alter role traveller set timezone = 'Asia/Kathmandu';
                alter role traveller set datestyle = 'German'
                """)
            let other = try await PostgresConnection.connect(
                PostgresConfiguration(url: database.url(role: "traveller")))
            let row = try await other.query("select '2024-01-01 00:00:00+00'::timestamptz::text as t")[0]
            #expect(try row.decode("t", as: String.self) == "2024-01-01 00:00:00+00")
            await other.close()
            try await connection.execute("drop role traveller")
        }
    }

    @Test func cancellingATaskCancelsItsQuery() async throws {
        try await withConnection { connection, database in
            let observer = try await PostgresConnection.connect(PostgresConfiguration(url: database.url))
            let process = await connection.backendProcessID
            let task = Task { try await connection.query("select pg_sleep(600)") }
            try await until("the query runs") {
                try await observer.query(
                    "select from pg_stat_activity where pid = \(Int(process)) and wait_event = 'PgSleep'"
                ).count == 1
            }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await connection.query("select 7 as n")[0].decode("n", as: Int.self) == 7)
            #expect(await connection.backendProcessID == process)
            await observer.close()
        }
    }

    @Test func aCancellationNeverHitsTheNextStatement() async throws {
        try await withConnection { connection, _ in
            for round in 0..<300 {
                // Usually over before the cancel request arrives.
                let microseconds = Double(round % 30) * 100
                let task = Task { try await connection.query("select pg_sleep(\(microseconds / 1e6))") }
                if round.isMultiple(of: 2) { await Task.yield() }
                task.cancel()
                let result = await task.result
                if case .failure(let error) = result { #expect(error is CancellationError) }
                try await connection.query("select pg_sleep(0.001)")
            }
        }
    }

    @Test func aCancelByTheServerIsAServerError() async throws {
        try await withConnection { connection, _ in
            try await connection.execute("set statement_timeout = '5ms'")
            let error = try await postgresError { try await connection.query("select pg_sleep(600)") }
            #expect(error.sqlState == .queryCanceled)
        }
    }

    @Test func aCancelledTaskSendsNothing() async throws {
        try await withConnection { connection, _ in
            try await connection.execute("create table t (i int)")
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await connection.query("insert into t values (1)")
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await connection.query("select from t").isEmpty)
        }
    }

    @Test func copyIsRefusedAndTooManyParametersAre() async throws {
        try await withConnection { connection, _ in
            // 2 to the 16th, one more than the protocol can count.
            let many = (0..<16).reduce(into: "\(1)" as PostgresQuery) { many, _ in many = "\(many), \(many)" }
            let tooMany = try await postgresError { try await connection.query("select \(many)") }
            #expect(tooMany.code == .unsupported)
            try await connection.query("select 1")
            let copy = try await postgresError { try await connection.execute("copy pg_class to stdout") }
            #expect(copy.code == .unsupported)
            let later = try await postgresError { try await connection.query("select 1") }
            #expect(later.code == .unsupported)
        }
    }

    @Test func aTerminatedConnectionSaysWhy() async throws {
        try await withConnection { connection, database in
            let observer = try await PostgresConnection.connect(PostgresConfiguration(url: database.url))
            let process = await Int(connection.backendProcessID)
            let task = Task { try await connection.query("select pg_sleep(600)") }
            try await until("the query runs") {
                try await observer.query(
                    "select from pg_stat_activity where pid = \(process) and wait_event = 'PgSleep'"
                ).count == 1
            }
            try await observer.query("select pg_terminate_backend(\(process))")
            let error = try await postgresError { _ = try await task.value }
            #expect(error.code == .connectionLost)
            #expect(error.sqlState == "57P01")
            #expect(
                try await postgresError { try await connection.query("select 1") }.code == .connectionLost)
            await observer.close()
        }
    }

    @Test func waitingConnectionsHoldNoCooperativeThread() async throws {
        try await withConnection { holder, database in
            try await holder.query("select pg_advisory_lock(1)")
            // Many more than there are cooperative threads: if each blocked one of them, none would be left to
            // release the lock.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<40 {
                    group.addTask {
                        let connection = try await PostgresConnection.connect(
                            PostgresConfiguration(url: database.url))
                        try await connection.query("select pg_advisory_lock_shared(1)")
                        await connection.close()
                    }
                }
                try await until("all wait for the lock") {
                    try await holder.query(
                        "select from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())"
                    )
                    .count == 40
                }
                try await holder.query("select pg_advisory_unlock(1)")
                try await group.waitForAll()
            }
        }
    }

    @Test func closedConnectionsSaySo() async throws {
        try await withConnection { connection, _ in
            await connection.close()
            await connection.close()
            let error = try await postgresError { try await connection.query("select 1") }
            #expect(error.code == .connectionClosed)
        }
    }
}
