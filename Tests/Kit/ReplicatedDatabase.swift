import Glibc
package import JobStore
import LocalCluster
package import Postgres
import Proxying
import Threads

/// A migrated database on a primary server, and its copy on a hot standby that streams through a proxy.
///
/// All tests of a process share the two servers and take turns.
package struct ReplicatedDatabase: Sendable {
    /// On the primary server.
    package let primary: QueueDatabase
    /// The same database on the standby, as superuser `darkroom`.
    package let standbyURL: String
    /// What the standby receives goes through it.
    let replication: StallingProxy
    let standby: LocalCluster
    /// Another database of the standby, which is there before it has replayed that this one was made.
    let administrationURL: String

    /// Calls `body` with a fresh database. Afterwards the standby runs and streams again.
    package static func with(_ body: (ReplicatedDatabase) async throws -> Void) async throws {
        try await ReplicatedServers.shared.takingTurns { servers in
            let name = try await servers.makeDatabase()
            let url = servers.primaryURL.replacing("///darkroom?", with: "///\(name)?")
            let pool = PostgresPool(PostgresConfiguration(url: url), size: 4)
            let database = ReplicatedDatabase(
                primary: QueueDatabase(url: url, pool: pool, store: JobStore(pool: pool)),
                standbyURL: servers.standbyURL.replacing("///darkroom?", with: "///\(name)?"),
                replication: servers.proxy, standby: servers.standby,
                administrationURL: servers.standbyURL)
            let result: Result<Void, any Error>
            do {
                try await database.awaitReplay()
                try await body(database)
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await pool.close()
            try await servers.restore()
            try result.get()
        }
    }

    /// The address of the standby for the login that has a role.
    package func standbyURL(as role: InstallationRole) async throws -> String {
        standbyURL.replacing("user=darkroom", with: "user=\(try await primary.login(role))")
    }

    /// Waits until the standby has replayed all that is committed.
    package func awaitReplay() async throws {
        let position = try await primary.pool.query("select pg_current_wal_flush_lsn()::text as lsn")[0]
            .decode("lsn", as: String.self)
        try await until("the standby has replayed \(position)") {
            try await administering {
                try await $0.query(
                    "select coalesce(pg_last_wal_replay_lsn() >= \(position)::pg_lsn, false) as is_there")[0]
                    .decode("is_there", as: Bool.self)
            }
        }
    }

    /// The standby replays nothing more; what it receives waits.
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

    /// From now on no byte of the log reaches the standby, whose connection stays open.
    package func stallReplication() { replication.stall() }

    package func resumeReplication() { replication.resume() }

    package func stopStandby() async throws { try await standby.stop(mode: .immediate) }

    package func startStandby() async throws { try await standby.start() }

    /// Calls `body` with a superuser's connection to the standby.
    package func onStandby<T>(_ body: (PostgresConnection) async throws -> T) async throws -> T {
        try await connected(to: standbyURL, body)
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

private func until(_ what: String, _ condition: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while try await !condition() {
        guard ContinuousClock.now < end else { throw NotInTime(description: "not within a minute: \(what)") }
        try await Task.sleep(for: .milliseconds(5))
    }
}

private struct NotInTime: Error, CustomStringConvertible { let description: String }

/// The two servers of this test process: started when first needed, and gone when the process ends.
private actor ReplicatedServers {
    static let shared = ReplicatedServers()

    struct Servers: Sendable {
        let primaryURL: String
        let standbyURL: String
        let standby: LocalCluster
        let proxy: StallingProxy
        let administration: PostgresPool
        let number: Int

        func makeDatabase() async throws -> String {
            let name = "replicated_\(number)"
            try await administration.query(
                "create database \(unescaped: name) template template_replicated")
            return name
        }

        /// Whatever a test has done to the standby.
        func restore() async throws {
            proxy.resume()
            try await standby.start()
            let connection = try await PostgresConnection.connect(PostgresConfiguration(url: standbyURL))
            try await connection.query("select pg_wal_replay_resume()")
            await connection.close()
            try await administration.query(
                "drop database \(unescaped: "replicated_\(number)") with (force)")
        }
    }

    private var starting: Task<Servers, any Error>?
    private var number = 0
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    nonisolated func takingTurns(_ body: (Servers) async throws -> Void) async throws {
        await take()
        do {
            try await body(try await servers())
            await giveBack()
        } catch {
            await giveBack()
            throw error
        }
    }

    private func take() async {
        if isTaken {
            await withCheckedContinuation { waiting.append($0) }
        } else {
            isTaken = true
        }
    }

    private func giveBack() {
        if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
    }

    private func servers() async throws -> Servers {
        let task = starting ?? Task { try await Self.start() }
        starting = task
        let found = try await task.value
        number += 1
        return Servers(
            primaryURL: found.primaryURL, standbyURL: found.standbyURL, standby: found.standby,
            proxy: found.proxy, administration: found.administration, number: number)
    }

    private static func start() async throws -> Servers {
        let (directory, _) = try await onThread { try ThrowawayCluster.makeDirectory() }
        let primary = LocalCluster(directory: "\(directory)/primary")
        let url = try await primary.start()
        let administration = PostgresPool(PostgresConfiguration(url: url), size: 2)
        try await administration.query("create database template_replicated")
        try await QueueDatabase.migrate(url.replacing("///darkroom?", with: "///template_replicated?"))
        let socket = url.split(separator: "host=").last.map { String($0.prefix { $0 != "&" }) } ?? ""
        let proxy = try await StallingProxy.forever(before: socket, in: directory)
        // The server may run as another user than this process, and finds the primary through the proxy.
        if let owner = try ServerUser.choose(dataOwner: nil, directory: directory).owns {
            for path in [proxy.directory, "\(proxy.directory)/.s.PGSQL.5432"] {
                _ = chown(path, owner.user, owner.group)
            }
        }
        let standby = LocalCluster(directory: "\(directory)/standby")
        let standbyURL = try await standby.startStandby(of: primary, at: proxy.url(database: "darkroom"))
        return Servers(
            primaryURL: url, standbyURL: standbyURL, standby: standby, proxy: proxy,
            administration: administration, number: 0)
    }
}

extension StallingProxy {
    /// A proxy that forwards until the process ends.
    fileprivate static func forever(before server: String, in directory: String) async throws -> StallingProxy
    {
        try await withCheckedThrowingContinuation { continuation in
            Task {
                do {
                    try await with(before: server, in: directory) {
                        (proxy: StallingProxy) async throws -> Void in
                        continuation.resume(returning: proxy)
                        try await Task.sleep(for: .seconds(1 << 40))
                    }
                } catch let error as ProxyError {
                    continuation.resume(throwing: error)
                } catch {}
            }
        }
    }
}
