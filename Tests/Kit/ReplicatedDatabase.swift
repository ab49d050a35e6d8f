import ChildProcess
import Glibc
import JobStore
import LocalCluster
import Postgres
import Proxying
import Threads

/// A migrated database on a primary server, and its copies on hot standbys, each of which streams through a proxy.
///
/// All tests of a process share the servers and take turns.
package struct ReplicatedDatabase: Sendable {
    /// On the primary server.
    package let primary: QueueDatabase
    package let standbys: [Standby]

    /// The first standby.
    package var standby: Standby { standbys[0] }

    /// Calls `body` with a fresh database. Afterwards the standbys run and stream again.
    package static func with(
        standbys count: Int = 1, _ body: (ReplicatedDatabase) async throws -> Void
    ) async throws {
        try await ReplicatedServers.shared.takingTurns {
            let servers = try await ReplicatedServers.shared.servers(standbys: count)
            let name = "replicated_\(servers.number)"
            try await servers.administration.query(
                "create database \(unescaped: name) template template_replicated")
            let url = servers.url.replacing("///darkroom?", with: "///\(name)?")
            let pool = PostgresPool(PostgresConfiguration(url: url), size: 4)
            let primary = QueueDatabase(url: url, pool: pool, store: JobStore(pool: pool))
            let standbys = servers.standbys.map {
                Standby(
                    url: $0.url.replacing("///darkroom?", with: "///\(name)?"), administrationURL: $0.url,
                    replication: $0.proxy, cluster: $0.cluster, primary: primary)
            }
            let database = ReplicatedDatabase(primary: primary, standbys: Array(standbys.prefix(count)))
            let result: Result<Void, any Error>
            do {
                try await database.awaitReplay()
                try await body(database)
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await pool.close()
            for standby in standbys { try await standby.restore() }
            try await servers.administration.query("drop database \(unescaped: name) with (force)")
            try result.get()
        }
    }

    /// Waits until all standbys have replayed all that is committed.
    package func awaitReplay() async throws {
        for standby in standbys { try await standby.awaitReplay() }
    }
}

/// The servers of this test process: started when first needed, and gone when the process ends.
private actor ReplicatedServers {
    static let shared = ReplicatedServers()

    struct Copy: Sendable {
        let url: String
        let cluster: LocalCluster
        let proxy: StallingProxy
    }

    struct Servers: Sendable {
        let url: String
        let administration: PostgresPool
        let primary: LocalCluster
        let directory: String
        /// Ends the servers when this process ends.
        let supervisor: RunningProgram
        var standbys: [Copy] = []
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
    func servers(standbys count: Int) async throws -> Servers {
        var servers = if let current { current } else { try await Self.start() }
        while servers.standbys.count < count {
            let number = servers.standbys.count + 1
            servers.standbys.append(try await Self.copy(servers, to: "\(servers.directory)/standby\(number)"))
        }
        servers.number += 1
        current = servers
        return servers
    }

    private static func start() async throws -> Servers {
        let (directory, supervisor) = try await onThread { try ThrowawayCluster.makeDirectory() }
        let primary = LocalCluster(directory: "\(directory)/primary")
        let url = try await primary.start()
        let administration = PostgresPool(PostgresConfiguration(url: url), size: 2)
        try await administration.query("create database template_replicated")
        try await QueueDatabase.migrate(url.replacing("///darkroom?", with: "///template_replicated?"))
        return Servers(
            url: url, administration: administration, primary: primary, directory: directory,
            supervisor: supervisor)
    }

    private static func copy(_ servers: Servers, to directory: String) async throws -> Copy {
        let socket = servers.url.split(separator: "host=").last.map { String($0.prefix { $0 != "&" }) } ?? ""
        let proxy = try await StallingProxy.forever(before: socket, in: servers.directory)
        // The server may run as another user than this process, and finds the primary through the proxy.
        if let owner = try ServerUser.choose(dataOwner: nil, directory: servers.directory).owns {
            for path in [proxy.directory, "\(proxy.directory)/.s.PGSQL.5432"] {
                _ = chown(path, owner.user, owner.group)
            }
        }
        let cluster = LocalCluster(directory: directory)
        let url = try await cluster.startStandby(of: servers.primary, at: proxy.url(database: "darkroom"))
        return Copy(url: url, cluster: cluster, proxy: proxy)
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
