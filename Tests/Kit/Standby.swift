package import JobStore
import LocalCluster
package import Postgres

/// The hot standby of a ``ReplicatedDatabase``.
package struct Standby: Sendable {
    /// The database on this standby, as superuser `darkroom`.
    package let url: String
    /// Another database, which is there before the standby has replayed that this one was made.
    let administrationURL: String
    let cluster: LocalCluster
    let primary: QueueDatabase

    /// The address for the login that has a role.
    package func url(as role: InstallationRole) async throws -> String {
        url.replacing("user=darkroom", with: "user=\(try await primary.login(role))")
    }

    /// Waits until it has replayed all that is committed.
    package func awaitReplay() async throws {
        let position = try await primary.pool.query("select pg_current_wal_flush_lsn()::text as lsn")[0]
            .decode("lsn", as: String.self)
        do {
            try await until("the standby has replayed \(position)") {
                try await administering {
                    try await $0.query(
                        "select coalesce(pg_last_wal_replay_lsn() >= \(position)::pg_lsn, false) as is_there")[
                            0
                        ]
                        .decode("is_there", as: Bool.self)
                }
            }
        } catch let error as NotInTime {
            throw NotInTime(description: "\(error.description); it \(try await replayState())")
        }
    }

    /// What it waits for, as a predicate.
    private func replayState() async throws -> String {
        try await administering { (connection: PostgresConnection) async throws -> String in
            try await connection.query(
                """
                select format(
                    'is at %s, has received %s, replay %s, receiver %s; its processes: %s', pg_last_wal_replay_lsn(),
                    pg_last_wal_receive_lsn(), pg_get_wal_replay_pause_state(),
                    coalesce((select r.status from pg_stat_wal_receiver r), 'none'),
                    (
                        select string_agg(concat_ws(' ', backend_type, datname, state, wait_event), ', ')
                        from pg_stat_activity where pid <> pg_backend_pid()
                    )) as state
                """)[0].decode("state", as: String.self)
        }
    }

    /// It replays nothing more; what it receives waits.
    package func pauseReplay() async throws {
        try await administering { (connection: PostgresConnection) async throws -> Void in
            try await connection.query("select pg_wal_replay_pause()")
            try await until("replay is paused") {
                try await connection.query("select pg_get_wal_replay_pause_state() as state")[0]
                    .decode("state", as: String.self) == "paused"
            }
        }
    }

    package func resumeReplay() async throws {
        try await administering { (connection: PostgresConnection) async throws -> Void in
            try await connection.query("select pg_wal_replay_resume()")
        }
    }

    package func stop() async throws { try await cluster.stop(mode: .immediate) }

    package func start() async throws { try await cluster.start(profile: .throwawayReplicated) }

    /// Whatever a test has done to it: it runs and replays again.
    func restore() async throws {
        try await start()
        try await resumeReplay()
    }

    /// Calls `body` with a superuser's connection to the database on this standby.
    package func connected<T>(_ body: (PostgresConnection) async throws -> T) async throws -> T {
        try await connected(to: url, body)
    }

    private func administering<T>(_ body: (PostgresConnection) async throws -> T) async throws -> T {
        try await connected(to: administrationURL, body)
    }

    private func connected<T>(
        to url: String, _ body: (PostgresConnection) async throws -> T
    ) async throws -> T {
        let connection = try await PostgresConnection.connect(PostgresConfiguration(url: url))
        do {
            let value = try await body(connection)
            await connection.close()
            return value
        } catch {
            await connection.close()
            throw error
        }
    }
}
