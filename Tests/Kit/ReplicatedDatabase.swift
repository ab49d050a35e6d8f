import ChildProcess
import JobStore
import LocalCluster
import Postgres
import Threads

/// A migrated database on a primary server, and its copy on a hot standby.
///
/// All tests of a process share the servers and take turns.
package struct ReplicatedDatabase: Sendable {
    /// On the primary server.
    package let primary: QueueDatabase
    package let standby: Standby

    /// Calls `body` with a fresh database. Afterwards the standby runs and replays again.
    package static func with(_ body: (ReplicatedDatabase) async throws -> Void) async throws {
        try await ReplicatedServers.shared.takingTurns {
            let servers = try await ReplicatedServers.shared.servers()
            let name = "replicated_\(servers.number)"
            try await servers.administration.query(
                "create database \(unescaped: name) template template_replicated strategy file_copy")
            let url = servers.url.replacing("///darkroom?", with: "///\(name)?")
            let pool = PostgresPool(PostgresConfiguration(url: url), size: 4)
            let primary = QueueDatabase(url: url, pool: pool, store: JobStore(pool: pool))
            let standby = Standby(
                url: servers.standbyURL.replacing("///darkroom?", with: "///\(name)?"),
                administrationURL: servers.standbyURL, cluster: servers.standby, primary: primary)
            let database = ReplicatedDatabase(primary: primary, standby: standby)
            let result: Result<Void, any Error>
            do {
                try await standby.awaitReplay()
                try await body(database)
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await pool.close()
            try await standby.restore()
            try await servers.administration.query("drop database \(unescaped: name) with (force)")
            try result.get()
        }
    }

    /// Waits until the standby has replayed all that is committed.
    package func awaitReplay() async throws { try await standby.awaitReplay() }
}

/// The servers of this test process: started when first needed, and gone when the process ends.
private actor ReplicatedServers {
    static let shared = ReplicatedServers()

    struct Servers: Sendable {
        let url: String
        let administration: PostgresPool
        let standby: LocalCluster
        let standbyURL: String
        /// Ends the servers when this process ends.
        let supervisor: RunningProgram
        /// How often they were taken.
        var number = 0
    }

    private var current: Servers?
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    nonisolated func takingTurns(_ body: () async throws -> Void) async throws {
        await take()
        do {
            try await body()
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

    /// For the one whose turn it is.
    func servers() async throws -> Servers {
        var servers = if let current { current } else { try await Self.start() }
        servers.number += 1
        current = servers
        return servers
    }

    private static func start() async throws -> Servers {
        let (directory, supervisor) = try await onThread { try ThrowawayCluster.makeDirectory() }
        let primary = LocalCluster(directory: "\(directory)/primary")
        let url = try await primary.start(profile: .throwawayReplicated)
        let administration = PostgresPool(PostgresConfiguration(url: url), size: 2)
        try await administration.query("create database template_replicated")
        try await QueueDatabase.migrate(url.replacing("///darkroom?", with: "///template_replicated?"))
        let standby = LocalCluster(directory: "\(directory)/standby")
        return Servers(
            url: url, administration: administration, standby: standby,
            standbyURL: try await standby.startStandby(of: primary, profile: .throwawayReplicated),
            supervisor: supervisor)
    }
}
