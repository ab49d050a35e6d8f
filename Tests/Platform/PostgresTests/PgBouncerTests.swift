import Glibc
import Postgres
import TestKit
import Testing

@Suite(.timeLimit(.minutes(15))) struct PgBouncerTests {
    @Test func transactionsOfManyClientsShareFewServerConnections() async throws {
        try await withConnection { direct, database in
            try await direct.execute("create table t (i int, process int default pg_backend_pid())")
            try await PgBouncerProcess.with(poolSize: 2) { bouncer in
                let pool = PostgresPool(
                    PostgresConfiguration(url: bouncer.url(database: database.name)), size: 10)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<50 {
                        group.addTask {
                            try await pool.withTransaction { connection in
                                try await connection.query("insert into t values (\(number))")
                                try await connection.copy("copy t (i) from stdin", of: 0..<10) {
                                    try $1.append(number * 100 + $0)
                                }
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                await pool.close()
            }
            let row = try await direct.query(
                "select count(*) as rows, count(distinct process) as processes from t")[0]
            #expect(try row.decode("rows", as: Int.self) == 550)
            #expect(try (1...2).contains(row.decode("processes", as: Int.self)))
        }
    }

    @Test func cancellingATaskCancelsItsQueryThere() async throws {
        try await withConnection { direct, database in
            try await PgBouncerProcess.with { bouncer in
                let connection = try await PostgresConnection.connect(
                    PostgresConfiguration(url: bouncer.url(database: database.name)))
                let task = Task { try await connection.query("select pg_sleep(600)") }
                try await until("the query runs") {
                    try await direct.query(
                        "select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'"
                    ).count == 1
                }
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
                let after = try await connection.query("select 1")
                #expect(after.count == 1)
                await connection.close()
            }
        }
    }

    @Test func notificationsDoNotReachAListener() async throws {
        try await withConnection { direct, database in
            try await PgBouncerProcess.with(poolSize: 1) { bouncer in
                let configuration = PostgresConfiguration(url: bouncer.url(database: database.name))
                let listener = try await PostgresConnection.connect(configuration)
                try await listener.listen("work")
                let direct = try await PostgresConnection.connect(PostgresConfiguration(url: database.url))
                try await direct.listen("work")
                try await direct.query("notify work")
                // It has been delivered to every listening session.
                let heard = try await direct.nextNotification(timeout: .seconds(600))
                #expect(heard != nil)
                let missed = try await listener.nextNotification(timeout: .milliseconds(200))
                #expect(missed == nil)
                await direct.close()
                await listener.close()
            }
        }
    }

    private func isGone(_ directory: String, _ process: Int32) -> Bool {
        access(directory, F_OK) != 0 && kill(process, 0) != 0
    }

    @Test func nothingIsLeftBehind() async throws {
        let (directory, process) = try await PgBouncerProcess.with { bouncer in
            (bouncer.directory, try await bouncer.processID())
        }
        try await until("process and directory are gone") { isGone(directory, process) }
    }

    @Test func itGoesWithAKilledProcess() async throws {
        let result = try #require(
            await #expect(processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]) {
                try await PgBouncerProcess.with { bouncer in
                    print("\nbouncer \(bouncer.directory) \(try await bouncer.processID())")
                    fflush(nil)
                    kill(getpid(), SIGKILL)
                }
            })
        let output = String(decoding: result.standardOutputContent, as: UTF8.self)
        let line = try #require(output.split(separator: "\n").first { $0.hasPrefix("bouncer /tmp/") })
        let words = line.split(separator: " ")
        let process = try #require(Int32(words[2]))
        try await until("process and directory are gone") { isGone(String(words[1]), process) }
    }
}
