import ChildProcess
import Glibc
import Postgres
import Threads

extension LocalCluster {
    /// Makes this cluster a standby that streams from a running `primary`, and starts it. Whatever was in the directory is
    /// removed.
    ///
    /// The primary server keeps all WAL that the standby has not received, in a replication slot: without one, a checkpoint
    /// before the standby has connected would remove what it needs, and it would never follow. A primary server can have
    /// one such standby, of its own `profile`.
    ///
    /// - Returns: the URL of database `darkroom` on the standby.
    package func startStandby(of primary: LocalCluster, profile: Profile = .durable) async throws -> String {
        guard case .running(let url, _) = try await primary.status() else {
            throw LocalClusterError(.startFailed, "the primary server in \(primary.directory) does not run")
        }
        let programs = try await ServerPrograms.find()
        let layout = try await onThread {
            if FileFacts(path: directory) != nil { try removeTree(directory) }
            let layout = try ClusterLayout.prepare(directory: directory)
            guard mkdir(layout.unfinishedDataDirectory, 0o700) == 0 else {
                throw failure("cannot make \(layout.unfinishedDataDirectory)")
            }
            if let owns = layout.user.owns, lchown(layout.unfinishedDataDirectory, owns.user, owns.group) != 0
            {
                throw failure("cannot give \(layout.unfinishedDataDirectory) to user \(layout.user.name)")
            }
            return layout
        }
        let copy = ChildProgram(
            "\(programs.folder)/pg_basebackup",
            [
                "--pgdata=\(layout.unfinishedDataDirectory)", "--dbname=\(url)",
                "--write-recovery-conf", "--create-slot", "--slot=standby",
                "--checkpoint=fast", "--wal-method=stream", "--no-sync",
            ])
        try await layout.user.running(copy).runSuccessfully()
        try await onThread {
            guard rename(layout.unfinishedDataDirectory, layout.dataDirectory) == 0 else {
                throw failure("cannot rename \(layout.unfinishedDataDirectory)")
            }
        }
        return try await start(profile: profile)
    }

    /// Ends the recovery of a standby, which then is a primary server.
    package func promote() async throws {
        guard case .running(let url, _) = try await status() else {
            throw LocalClusterError(.startFailed, "the standby in \(directory) does not run")
        }
        let connection = try await PostgresConnection.connect(PostgresConfiguration(url: url))
        let result: Result<Bool, any Error>
        do {
            let rows = try await connection.query("select pg_promote(true, 60) as is_promoted")
            result = .success(try rows[0].decode("is_promoted", as: Bool.self))
        } catch {
            result = .failure(error)
        }
        await connection.close()
        guard try result.get() else {
            throw LocalClusterError(.startFailed, "the standby in \(directory) was not promoted in time")
        }
    }
}
