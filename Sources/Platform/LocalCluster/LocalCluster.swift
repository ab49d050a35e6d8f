import Glibc
import Postgres
import Threads

/// A private PostgreSQL server in a directory, for development and for tests.
///
/// It listens on a Unix socket only, in a folder that only its owner can enter, so it needs no password: role
/// `darkroom` is superuser and owns database `darkroom`. It is never the system's own server. PostgreSQL refuses to
/// run as root; if this process is root, the server runs as user `postgres` or `nobody`.
package struct LocalCluster: Sendable {
    package enum Profile: Sendable {
        /// Survives crashes and power failures.
        case durable
        /// Fast, low on memory and open to many connections; a crash of the machine loses everything.
        case throwaway
        /// As `throwaway`, but a standby can follow it, or it can be one.
        case throwawayReplicated
    }

    package enum Status: Sendable, Equatable {
        /// No cluster has been created in the directory.
        case absent
        case stopped
        case running(url: String, processID: Int32)
    }

    package enum StopMode: String, Sendable {
        /// Ends sessions, then writes everything to disk.
        case fast
        /// Ends at once; the next start runs recovery.
        case immediate
    }

    package let directory: String

    /// A cluster in `directory`, which `start` creates if it is missing.
    package init(directory: String) { self.directory = directory }

    /// The path of another program of the same PostgreSQL version as the clusters, such as `pg_dump`.
    package static func serverProgram(_ name: String) async throws -> String {
        try await "\(ServerPrograms.find().folder)/\(name)"
    }

    /// Starts the server, creating the cluster first if there is none, and returns the URL of database `darkroom`.
    ///
    /// A running server is left as it is. Callers in any number of processes may start it at once. Throws
    /// `LocalClusterError`, whose text says what to do.
    @discardableResult
    package func start(profile: Profile = .durable) async throws -> String {
        let programs = try await ServerPrograms.find()
        let layout = try await onThread { try ClusterLayout.prepare(directory: directory) }
        return try await withLock(layout) {
            try await onThread { try layout.removeLeftovers() }
            try await layout.initialize(with: programs, profile: profile)
            if try await onThread({ layout.runningProcess() }) == nil {
                try await layout.startServer(with: programs, profile: profile)
            }
            try await layout.createDatabase()
            return layout.url(database: "darkroom")
        }
    }

    /// Stops the server and waits for its end; does nothing if none is running.
    package func stop(mode: StopMode = .fast) async throws {
        guard let layout = try await onThread({ try ClusterLayout.existing(directory: directory) }) else {
            return
        }
        let programs = try await ServerPrograms.find()
        try await withLock(layout) {
            guard try await onThread({ layout.runningProcess() }) != nil else { return }
            try await layout.stopServer(with: programs, mode: mode)
            try await onThread { layout.removeSocketDirectory() }
        }
    }

    package func status() async throws -> Status {
        guard let layout = try await onThread({ try ClusterLayout.existing(directory: directory) }) else {
            return .absent
        }
        guard let process = try await onThread({ layout.runningProcess() }) else { return .stopped }
        return .running(url: layout.url(database: "darkroom"), processID: process)
    }
}

/// Why a local cluster is not available, and what to do about it.
package struct LocalClusterError: Error, Sendable, CustomStringConvertible {
    package enum Code: Sendable, Equatable {
        case serverNotInstalled
        case serverTooOld
        case directory
        case noUser
        case startFailed
        case stopFailed
        case lockTimeout
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}

extension LocalCluster {
    /// Runs `body` while no other process starts or stops this cluster.
    private func withLock<T>(_ layout: ClusterLayout, _ body: () async throws -> T) async throws -> T {
        let descriptor = open(layout.lockFile, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw LocalClusterError(
                .directory, "cannot open \(layout.lockFile): \(String(cString: strerror(errno)))")
        }
        // Closing it also unlocks it.
        defer { close(descriptor) }
        let deadline = ContinuousClock.now + .seconds(180)
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw LocalClusterError(
                    .directory, "cannot lock \(layout.lockFile): \(String(cString: strerror(errno)))")
            }
            guard ContinuousClock.now < deadline else {
                throw LocalClusterError(
                    .lockTimeout,
                    "another process has been starting or stopping the server in \(directory) for 3 minutes")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        return try await body()
    }
}
