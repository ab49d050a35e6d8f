import Glibc
import LocalCluster
import Postgres
import TestKit
import Testing

@Suite(.timeLimit(.minutes(5))) struct StandbyTests {
    /// After the loss of a primary server an address may lead to a standby for a while.
    @Test func aStandbyServesReadersAndIsAnOutageForWriters() async throws {
        try await withDirectory { directory in
            let cluster = LocalCluster(directory: directory)
            let url = try await cluster.start(profile: .durable)
            let primary = try await PostgresConnection.connect(PostgresConfiguration(url: url))
            try await primary.execute("create table t (i int)")
            await primary.close()
            try await cluster.stop()
            let signal = try #require(fopen("\(directory)/pgdata/standby.signal", "w"))
            fclose(signal)
            try await cluster.start(profile: .durable)

            let standby = try await PostgresConnection.connect(PostgresConfiguration(url: url))
            #expect(try await standby.query("select from t").isEmpty)
            let single = try await postgresError { try await standby.query("insert into t values (1)") }
            #expect(single.sqlState == .readOnlyTransaction)
            #expect(single.isOutage)
            let transaction = try await postgresError { try await standby.transaction { _ in } }
            #expect(transaction.sqlState == .readOnlyTransaction)
            #expect(transaction.isOutage)
            #expect(try await standby.query("select from t").isEmpty)
            await standby.close()
        }
    }
}
