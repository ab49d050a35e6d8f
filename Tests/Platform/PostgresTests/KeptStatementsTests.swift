import Postgres
import TestKit
import Testing

@Suite(.timeLimit(.minutes(15))) struct KeptStatementsTests {
    private func configuration(_ url: String) -> PostgresConfiguration {
        var configuration = PostgresConfiguration(url: url)
        configuration.keepsStatements = true
        return configuration
    }

    @Test func areParsedOnce() async throws {
        try await withConnection { _, database in
            let connection = try await PostgresConnection.connect(configuration(database.url))
            for number in 1...3 {
                let rows = try await connection.query("select \(number)::integer * 2 as twice")
                #expect(try rows[0].decode("twice", as: Int.self) == number * 2)
            }
            let kept = try await connection.query(
                "select count(*) as kept from pg_prepared_statements where statement like '%twice'")
            #expect(try kept[0].decode("kept", as: Int.self) == 1)
            await connection.close()
        }
    }

    @Test func areNotKeptUnlessAskedFor() async throws {
        try await withConnection { connection, _ in
            try await connection.query("select 1")
            #expect(try await connection.query("select from pg_prepared_statements").isEmpty)
        }
    }

    @Test func errorsAreThoseOfTheStatement() async throws {
        try await withConnection { _, database in
            let connection = try await PostgresConnection.connect(configuration(database.url))
            for _ in 1...2 {
                let error = try await postgresError { try await connection.query("select 1 / \(0)::integer") }
                #expect(error.sqlState == "22012")
                let unknown = try await postgresError { try await connection.query("select * from nowhere") }
                #expect(unknown.sqlState == .undefinedTable)
            }
            await connection.close()
        }
    }

    @Test func areSentWholeAgainWhenTheServerHasLostThem() async throws {
        try await withConnection { _, database in
            let connection = try await PostgresConnection.connect(configuration(database.url))
            try await connection.query("select 1 as one")
            try await connection.execute("deallocate all")
            for _ in 1...2 {
                #expect(try await connection.query("select 1 as one")[0].decode("one", as: Int.self) == 1)
            }
            #expect(try await connection.query("select from pg_prepared_statements").isEmpty)
            await connection.close()
        }
    }

    @Test func doNotMixThroughAPoolerThatSharesSessions() async throws {
        try await withConnection { _, database in
            try await PgBouncerProcess.with(poolSize: 2) { bouncer in
                let pool = PostgresPool(configuration(bouncer.url(database: database.name)), size: 10)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<200 {
                        group.addTask {
                            // Two statements with parameters of the same types.
                            let query: PostgresQuery =
                                number % 2 == 0
                                ? "select \(number)::integer + 1 as result, pg_sleep(0.002)"
                                : "select \(number)::integer - 1 as result, pg_sleep(0.002)"
                            let rows = try await pool.query(query)
                            let result = try rows[0].decode("result", as: Int.self)
                            #expect(result == (number % 2 == 0 ? number + 1 : number - 1))
                        }
                    }
                    try await group.waitForAll()
                }
                await pool.close()
            }
        }
    }
}
