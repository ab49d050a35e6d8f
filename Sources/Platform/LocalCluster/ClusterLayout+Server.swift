import ChildProcess
import Glibc
import Postgres
import Threads

extension ClusterLayout {
    /// Creates the cluster if there is none. It gets its final name only when it is complete.
    func initialize(with programs: ServerPrograms, profile: LocalCluster.Profile) async throws {
        guard FileFacts(path: dataDirectory) == nil else { return }
        try await onThread {
            guard mkdir(unfinishedDataDirectory, 0o700) == 0 else {
                throw failure("cannot make \(unfinishedDataDirectory)")
            }
            if let owns = user.owns, lchown(unfinishedDataDirectory, owns.user, owns.group) != 0 {
                throw failure("cannot give \(unfinishedDataDirectory) to user \(user.name)")
            }
        }
        var arguments = [
            "--pgdata=\(unfinishedDataDirectory)", "--username=darkroom", "--auth=trust", "--encoding=UTF8",
            "--locale=C.UTF-8",
        ]
        if profile != .durable { arguments.append("--no-sync") }
        try await attempt(.startFailed, "cannot create a PostgreSQL cluster in \(directory)") {
            try await user.running(ChildProgram("\(programs.folder)/initdb", arguments)).runSuccessfully()
        }
        try await onThread {
            try write(
                "local all all trust\nlocal replication all trust\n",
                to: "\(unfinishedDataDirectory)/pg_hba.conf")
            guard rename(unfinishedDataDirectory, dataDirectory) == 0 else {
                throw failure("cannot rename \(unfinishedDataDirectory)")
            }
        }
    }

    func startServer(with programs: ServerPrograms, profile: LocalCluster.Profile) async throws {
        try await onThread { try makeSocketDirectory() }
        let settings = settings(for: profile).map { "-c \($0)=\($1)" }.joined(separator: " ")
        let command = ChildProgram(
            "\(programs.folder)/pg_ctl",
            [
                "start", "--wait", "--timeout=120", "--silent", "--pgdata=\(dataDirectory)",
                "--log=\(logFile)",
                "--options=\(settings)",
            ])
        try await attempt(
            .startFailed, "the PostgreSQL server in \(directory) does not start; see \(logFile)"
        ) {
            let deadline = ContinuousClock.now + .seconds(20)
            while true {
                let output = try await user.running(command).run()
                if output.succeeded { return }
                let log = try await onThread { contents(of: logFile) } ?? ""
                let lines = (output.standardError + "\n" + log).split(whereSeparator: \.isNewline).suffix(6)
                // The processes of a killed server linger for a moment, and PostgreSQL refuses to start next to them.
                guard lines.contains(where: { $0.contains("shared memory block") }),
                    ContinuousClock.now < deadline
                else { throw ChildProgramError(lines.joined(separator: " | ")) }
                try await Task.sleep(for: .milliseconds(200))
            }
        }
    }

    func stopServer(with programs: ServerPrograms, mode: LocalCluster.StopMode) async throws {
        let command = ChildProgram(
            "\(programs.folder)/pg_ctl",
            [
                "stop", "--wait", "--timeout=120", "--silent", "--pgdata=\(dataDirectory)",
                "--mode=\(mode.rawValue)",
            ])
        try await attempt(.stopFailed, "the PostgreSQL server in \(directory) does not stop; see \(logFile)")
        {
            try await user.running(command).runSuccessfully()
        }
    }

    /// Waits until the server accepts connections, and creates database `darkroom` if it is missing.
    func createDatabase() async throws {
        let connection = try await connect()
        do {
            let isThere = try await connection.query(
                "select 1 as one from pg_database where datname = 'darkroom'")
            if isThere.isEmpty { try await connection.execute("create database darkroom") }
        } catch {
            await connection.close()
            throw error
        }
        await connection.close()
    }

    private func connect() async throws -> PostgresConnection {
        let configuration = PostgresConfiguration(url: url(database: "postgres"))
        let deadline = ContinuousClock.now + .seconds(120)
        while true {
            do {
                return try await PostgresConnection.connect(configuration)
            } catch let error as PostgresError where error.code == .connectionFailed {
                // A server that another process just started, or that is recovering, refuses connections for a while.
                guard ContinuousClock.now < deadline, try await onThread({ runningProcess() }) != nil else {
                    throw LocalClusterError(
                        .startFailed,
                        "the PostgreSQL server in \(directory) accepts no connections; see \(logFile): \(error)"
                    )
                }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    private func settings(for profile: LocalCluster.Profile) -> [(String, String)] {
        var settings = [
            ("listen_addresses", "''"), ("port", "\(Self.port)"),
            ("unix_socket_directories", socketDirectory),
            ("unix_socket_permissions", "0700"),
        ]
        guard profile != .durable else { return settings + [("max_connections", "100")] }
        settings += [
            ("fsync", "off"), ("full_page_writes", "off"),
            // Enabled, as everywhere, but not within the life of a test.
            ("autovacuum_naptime", "86400"),
            ("max_connections", "300"), ("shared_buffers", "64MB"), ("max_wal_size", "256MB"), ("jit", "off"),
        ]
        if profile == .throwaway {
            settings += [
                ("synchronous_commit", "off"), ("wal_level", "minimal"), ("max_wal_senders", "0"),
            ]
        }
        return settings
    }

    private func attempt(
        _ code: LocalClusterError.Code, _ what: String, _ body: () async throws -> Void
    ) async throws {
        do {
            try await body()
        } catch let error as ChildProgramError {
            throw LocalClusterError(code, "\(what): \(error)")
        }
    }

    private func write(_ text: String, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("cannot write \(path)") }
        defer { close(descriptor) }
        let count = Array(text.utf8).withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        guard count == text.utf8.count else { throw failure("cannot write \(path)") }
    }
}
