import FoundationEssentials
import Glibc
import LocalCluster
import Postgres
import Proxying
import Synchronization

/// The primary server of a storm and its standby, each behind a proxy for the workers and one for the uploader.
///
/// Replication is synchronous, unless the storm says otherwise: what the primary has committed, the standby has too.
final class StormServers: Sendable {
    struct Server: Sendable {
        let cluster: LocalCluster
        let workers: StallingProxy
        let uploader: StallingProxy
    }

    private let servers: [Server]
    private let isSynchronous: Bool
    private let state = Mutex(0)

    /// Makes a server below `root`, with a standby if there are to be two, calls `body`, and ends them.
    static func with<T: Sendable>(
        _ count: Int, isSynchronous: Bool, in root: String, _ body: (StormServers) async throws -> T
    ) async throws -> T {
        let clusters = (0..<count).map { LocalCluster(directory: "\(root)/server\($0)") }
        let result: Result<T, any Error>
        do {
            let url = try await clusters[0].start(profile: .durable)
            var folders = [Self.folder(of: url)]
            if count > 1 {
                // A standby tries to reach its primary again every five seconds, and commits wait for it meanwhile. And it
                // ends statements, such as those of the storm, for what it has to replay.
                for setting in ["wal_retrieve_retry_interval = '200ms'", "max_standby_streaming_delay = -1"] {
                    _ = try await run("alter system set \(unescaped: setting)", at: url)
                }
                folders.append(Self.folder(of: try await clusters[1].startStandby(of: clusters[0])))
            }
            let value = try await withProxies(before: folders.flatMap { [$0, $0] }, in: root) { proxies in
                let servers = clusters.indices.map {
                    Server(cluster: clusters[$0], workers: proxies[2 * $0], uploader: proxies[2 * $0 + 1])
                }
                let all = StormServers(servers, isSynchronous: isSynchronous)
                try await all.requireStandby()
                return try await body(all)
            }
            result = .success(value)
        } catch {
            result = .failure(error)
        }
        // In a separate task, so that an interrupted storm also ends them.
        await Task {
            for cluster in clusters {
                if case .running(_, let postmaster) = try? await cluster.status() {
                    ServerProcesses(postmaster: postmaster).resume()
                }
                try? await cluster.stop(mode: .immediate)
            }
        }.value
        return try result.get()
    }

    private static func withProxies<T>(
        before folders: [String], _ made: [StallingProxy] = [], in root: String,
        _ body: ([StallingProxy]) async throws -> T
    ) async throws -> T {
        guard made.count < folders.count else { return try await body(made) }
        return try await StallingProxy.with(before: folders[made.count], in: root) { proxy in
            try await withProxies(before: folders, made + [proxy], in: root, body)
        }
    }

    private init(_ servers: [Server], isSynchronous: Bool) {
        self.servers = servers
        self.isSynchronous = isSynchronous
    }

    private static func folder(of url: String) -> String {
        let options = url.split(separator: "?").last?.split(separator: "&") ?? []
        return options.first { $0.hasPrefix("host=") }.map { String($0.dropFirst(5)) } ?? ""
    }

    var primary: Server { servers[state.withLock(\.self)] }
    var hasStandby: Bool { servers.count > 1 }
    var workerProxies: [StallingProxy] { servers.map(\.workers) }
    var uploaderProxies: [StallingProxy] { servers.map(\.uploader) }

    /// The address of both servers, as a worker gets it.
    var workerURL: String { url(through: workerProxies) }
    var uploaderURL: String { url(through: uploaderProxies) }
    /// Straight to the servers, for the storm itself.
    func administrativeURL() async throws -> String {
        guard case .running(let url, _) = try await primary.cluster.status() else {
            throw ChaosError("the primary server does not run")
        }
        return url
    }

    private func url(through proxies: [StallingProxy]) -> String {
        let hosts = proxies.map { Self.folder(of: $0.url(database: "darkroom")) }.joined(separator: ",")
        let attributes = proxies.count > 1 ? "&target_session_attrs=read-write" : ""
        return "postgresql:///darkroom?host=\(hosts)&port=5432&user=darkroom\(attributes)"
    }

    func processes() async throws -> ServerProcesses {
        guard case .running(_, let postmaster) = try await primary.cluster.status() else {
            throw ChaosError("the primary server does not run")
        }
        return ServerProcesses(postmaster: postmaster)
    }

    /// Runs a statement on the primary, on a connection of its own, and again while the server recovers from a crash.
    @discardableResult
    func administer(_ query: PostgresQuery) async throws -> PostgresRows {
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            do {
                return try await Self.run(query, at: try await administrativeURL())
            } catch let error as PostgresError where error.isOutage && .now < deadline {
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    private static func run(_ query: PostgresQuery, at url: String) async throws -> PostgresRows {
        let connection = try await PostgresConnection.connect(
            PostgresConfiguration(url: url, applicationName: "storm"))
        let result: Result<PostgresRows, any Error>
        do {
            result = .success(try await connection.query(query))
        } catch {
            result = .failure(error)
        }
        await connection.close()
        return try result.get()
    }

    /// Kills every process of the primary and promotes the standby.
    ///
    /// - Returns: the last place of the primary's log of writes that the standby has.
    func failOver() async throws -> UInt64 {
        let standby = servers[1 - state.withLock(\.self)].cluster
        guard case .running(let url, _) = try await standby.status() else {
            throw ChaosError("there is no standby to promote")
        }
        try await processes().killAll()
        // All that has arrived is applied before the promotion.
        let rows = try await Self.run(
            "select (pg_last_wal_receive_lsn() - '0/0')::bigint as position", at: url)
        let position = try rows[0].decode("position", as: Int64.self)
        try await standby.promote()
        state.withLock { $0 = 1 - $0 }
        return UInt64(position)
    }

    /// Makes a standby of what was the primary.
    func replaceStandby() async throws {
        let lost = servers[1 - state.withLock(\.self)].cluster
        _ = try await lost.startStandby(of: primary.cluster)
        try await requireStandby()
    }

    /// Commits wait for the standby from now on.
    private func requireStandby() async throws {
        guard hasStandby, isSynchronous else { return }
        try await administer("alter system set synchronous_standby_names = '*'")
        try await administer("select pg_reload_conf()")
    }
}
