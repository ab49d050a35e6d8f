import Glibc
import LocalCluster
import Postgres
import TestKit
import Testing

@Suite(.timeLimit(.minutes(15))) struct StandbyTests {
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

    /// An address that moves, such as a virtual IP, leads to another server without cutting what is connected.
    @Test("a pool does not keep connections to a standby when its address leads elsewhere")
    func moved() async throws {
        try await withDirectory { directory in
            let primary = LocalCluster(directory: directory + "/primary")
            let primaryURL = try await primary.start(profile: .durable)
            let standby = LocalCluster(directory: directory + "/standby")
            let standbyURL = try await standby.startStandby(of: primary)
            func socket(of url: String) -> String {
                let host = url.split(separator: "host=").last?.prefix { $0 != "&" } ?? ""
                return "\(host)/.s.PGSQL.5432"
            }
            let address = directory + "/address"
            try #require(mkdir(address, 0o755) == 0)
            let link = address + "/.s.PGSQL.5432"
            try #require(symlink(socket(of: standbyURL), link) == 0)
            let pool = PostgresPool(
                PostgresConfiguration(url: "postgresql:///darkroom?host=\(address)&port=5432&user=darkroom"),
                size: 1)
            let single = try await postgresError { try await pool.query("create table t (i int)") }
            #expect(single.sqlState == .readOnlyTransaction)
            let transaction = try await postgresError { try await pool.withTransaction { _ in } }
            #expect(transaction.sqlState == .readOnlyTransaction)

            try #require(unlink(link) == 0 && symlink(socket(of: primaryURL), link) == 0)
            try await pool.query("create table t (i int)")
            // A promoted standby serves writers, also on connections that it had before.
            let reader = try await PostgresConnection.connect(PostgresConfiguration(url: standbyURL))
            try await primary.stop(mode: .immediate)
            try await standby.promote()
            try await reader.execute("create table u (i int)")
            await reader.close()
            await pool.close()
            try await standby.stop(mode: .immediate)
        }
    }

    /// What a checkpoint removes before a standby is connected never comes back.
    @Test("a standby follows though the primary server made checkpoints before it connected")
    func late() async throws {
        try await withDirectory { directory in
            let primary = LocalCluster(directory: directory + "/primary")
            let writer = try await PostgresConnection.connect(
                PostgresConfiguration(url: try await primary.start(profile: .durable)))
            let standby = LocalCluster(directory: directory + "/standby")
            let standbyURL = try await standby.startStandby(of: primary)
            try await standby.stop(mode: .immediate)
            for number in 1...3 {
                try await writer.execute("create table t\(number) (i int)")
                try await writer.execute("select pg_switch_wal()")
                try await writer.execute("checkpoint")
            }
            try await standby.start()
            let reader = try await PostgresConnection.connect(PostgresConfiguration(url: standbyURL))
            try await until("the standby has the last table") {
                try await reader.query("select to_regclass('t3') is not null as is_there")[0]
                    .decode("is_there", as: Bool.self)
            }
            await reader.close()
            await writer.close()
            try await standby.stop(mode: .immediate)
            try await primary.stop(mode: .immediate)
        }
    }
}
