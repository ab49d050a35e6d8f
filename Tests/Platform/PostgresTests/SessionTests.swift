import Postgres
import TestKit
import Testing

@Suite(.timeLimit(.minutes(15))) struct SessionTests {
    /// What a role or a database may set, and what a session of ours has. The server shows 0 for the settings of TCP on
    /// a Unix socket.
    private static let settings: [(name: String, hostile: String, ours: String)] = [
        ("statement_timeout", "2s", "0"),
        ("lock_timeout", "1ms", "0"),
        ("idle_in_transaction_session_timeout", "1ms", "1min"),
        ("idle_session_timeout", "2s", "0"),
        ("default_transaction_isolation", "serializable", "read committed"),
        ("default_transaction_read_only", "on", "off"),
        ("default_transaction_deferrable", "on", "off"),
        ("tcp_keepalives_idle", "7200", "0"),
        ("tcp_keepalives_interval", "75", "0"),
        ("tcp_keepalives_count", "9", "0"),
        ("tcp_user_timeout", "3600000", "0"),
        ("standard_conforming_strings", "off", "on"),
        ("timezone", "Asia/Kathmandu", "UTC"),
        ("datestyle", "German", "ISO, YMD"),
        ("bytea_output", "escape", "hex"),
        ("extra_float_digits", "-15", "1"),
    ]

    /// Calls `body` with a superuser's connection and the address for a role that has all the hostile settings.
    private func withHostileRole(
        _ body: (PostgresConnection, PostgresConfiguration) async throws -> Void
    ) async throws {
        try await withConnection { connection, database in
            let role = "\(database.name)_hostile"
            try await connection.execute("create role \(role) login")
            for (name, hostile, _) in Self.settings {
                try await connection.execute("alter role \(role) set \(name) = '\(hostile)'")
            }
            let result: Result<Void, any Error>
            do {
                try await body(connection, PostgresConfiguration(url: database.url(role: role)))
                result = .success(())
            } catch {
                result = .failure(error)
            }
            try await connection.execute("drop role \(role)")
            try result.get()
        }
    }

    @Test func noSettingDependsOnTheRole() async throws {
        try await withHostileRole { _, configuration in
            let session = try await PostgresConnection.connect(configuration)
            for (name, _, ours) in Self.settings {
                let row = try await session.query(
                    "select current_setting(\(name)) as value, source from pg_settings where lower(name) = \(name)"
                )[0]
                #expect(try row.decode("value", as: String.self) == ours, "\(name)")
                #expect(try row.decode("source", as: String.self) == "session", "\(name)")
            }
            await session.close()
        }
    }

    @Test func itsStatementsAreNotLimited() async throws {
        try await withHostileRole { _, configuration in
            let session = try await PostgresConnection.connect(configuration)
            try await session.query("select pg_sleep(2.2)")
            try await session.transaction { transaction in
                _ = try await transaction.query("create temporary table t (i int) on commit drop")
                try await Task.sleep(for: .milliseconds(20))
                let row = try await transaction.query(
                    """
                    select current_setting('transaction_isolation') as isolation,
                           current_setting('transaction_deferrable') as deferrable
                    """)[0]
                #expect(try row.decode("isolation", as: String.self) == "read committed")
                #expect(try row.decode("deferrable", as: String.self) == "off")
            }
            await session.close()
        }
    }

    @Test func waitingForALockCanBeLimited() async throws {
        try await withConnection { holder, database in
            try await holder.execute("create table t (i int)")
            var configuration = PostgresConfiguration(url: database.url)
            configuration.lockTimeout = .milliseconds(20)
            let session = try await PostgresConnection.connect(configuration)
            try await holder.transaction { holder in
                try await holder.query("lock table t")
                let error = try await postgresError { try await session.query("select from t") }
                #expect(error.sqlState == .lockNotAvailable)
                #expect(error.isContention)
            }
            await session.close()
        }
    }

    @Test func aTransactionThatStandsStillIsEnded() async throws {
        try await withConnection { observer, database in
            var configuration = PostgresConfiguration(url: database.url)
            configuration.idleInTransactionTimeout = .milliseconds(50)
            let session = try await PostgresConnection.connect(configuration)
            let process = await Int(session.backendProcessID)
            let error = try await postgresError {
                try await session.transaction { session in
                    try await until("the server ends it") {
                        try await observer.query("select from pg_stat_activity where pid = \(process)")
                            .isEmpty
                    }
                    _ = try await session.query("select 1")
                }
            }
            #expect(error.sqlState == .idleInTransactionTimeout)
            #expect(error.isOutage)
        }
    }

    @Test func aTransactionIsRightInASessionOfAPoolerThatLacksTheSettings() async throws {
        try await withConnection { direct, database in
            try await direct.execute(
                """
                create table t (i int);
                alter database \(database.name) set default_transaction_isolation = 'serializable';
                alter database \(database.name) set default_transaction_read_only = on
                """)
            try await PgBouncerProcess.with(poolSize: 2) { bouncer in
                let configuration = PostgresConfiguration(url: bouncer.url(database: database.name))
                let first = try await PostgresConnection.connect(configuration)
                let second = try await PostgresConnection.connect(configuration)
                try await first.transaction { _ in
                    // The server's only session so far is taken, so this runs in another.
                    try await second.transaction { second in
                        let row = try await second.query(
                            """
                            select current_setting('default_transaction_read_only') as lacking,
                                   current_setting('transaction_isolation') as isolation
                            """)[0]
                        #expect(try row.decode("lacking", as: String.self) == "on")
                        #expect(try row.decode("isolation", as: String.self) == "read committed")
                        try await second.query("insert into t values (1)")
                    }
                }
                await first.close()
                await second.close()
            }
        }
    }

    @Test func settingUpASessionHasALimitAndCanBeCancelled() async throws {
        try await withConnection { _, database in
            try await PgBouncerProcess.with(poolSize: 1) { bouncer in
                var configuration = PostgresConfiguration(url: bouncer.url(database: database.name))
                let holder = try await PostgresConnection.connect(configuration)
                try await holder.transaction { holder in
                    try await holder.query("select 1")
                    let waiting = Task { [configuration] in
                        _ = try await PostgresConnection.connect(configuration)
                    }
                    configuration.connectTimeout = .milliseconds(100)
                    let error = try await postgresError {
                        _ = try await PostgresConnection.connect(configuration)
                    }
                    #expect(error.code == .timeout)
                    waiting.cancel()
                    await #expect(throws: CancellationError.self) { try await waiting.value }
                }
                await holder.close()
            }
        }
    }
}
