import ChildProcess
import Glibc
import LocalCluster
import Postgres
import Threads

/// A PgBouncer with transaction pooling in front of the throwaway server, on a Unix socket in a separate folder.
///
/// Like the server it does not run as root: in a root process both run as the same other user.
package struct PgBouncerProcess: Sendable {
    /// Its folder, for its socket and its log.
    package let directory: String

    private static let port = 6432

    package func processID() async throws -> Int32 {
        let file = try await onThread { text(of: "\(directory)/pid") }
        guard let number = file.split(whereSeparator: \.isNewline).first.flatMap({ Int32($0) }) else {
            throw ChildProgramError("pgbouncer did not write its process ID")
        }
        return number
    }

    /// The URL of `database` through the pool, as superuser `darkroom` or another login that the pool admits.
    package func url(database: String, login: String = "darkroom") -> String {
        "postgresql:///\(database)?host=\(directory)&port=\(Self.port)&user=\(login)"
    }

    /// Starts a PgBouncer, calls `body` when it accepts connections, and stops it.
    ///
    /// It also ends with this process, however that ends. Throws `ChildProgramError` if it does not start.
    ///
    /// - Parameters:
    ///   - poolSize: server connections for each database and login.
    ///   - logins: whom it admits, next to superuser `darkroom`.
    package static func with<T>(
        poolSize: Int = 2, logins: [String] = [], _ body: (PgBouncerProcess) async throws -> T
    ) async throws -> T {
        guard let program = ChildProgram.find("pgbouncer") else {
            throw ChildProgramError("pgbouncer is missing; install it: apt-get install pgbouncer")
        }
        let server = try await ThrowawayCluster.shared.server()
        let supervised = try await onThread {
            let directory = try makeDirectory(before: server, poolSize: poolSize, logins: logins)
            return try Supervised(program: program, directory: directory)
        }
        let result: Result<T, any Error>
        do {
            let bouncer = PgBouncerProcess(directory: supervised.directory)
            try await bouncer.awaitReadiness()
            result = .success(try await body(bouncer))
        } catch {
            result = .failure(error)
        }
        try? await onThread { supervised.end() }
        return try result.get()
    }

    private func awaitReadiness() async throws {
        let configuration = PostgresConfiguration(
            url: url(database: "darkroom"), connectTimeout: .seconds(60))
        try await until("pgbouncer accepts connections", every: .milliseconds(20)) {
            do {
                let connection = try await PostgresConnection.connect(configuration)
                try await connection.query("select 1")
                await connection.close()
                return true
            } catch let error as PostgresError {
                let log = try await onThread { text(of: "\(directory)/log") }
                guard !log.contains(Supervised.ended) else {
                    throw ChildProgramError("pgbouncer accepts no connections: \(error); its log: \(log)")
                }
                return false
            }
        }
    }

    private static func makeDirectory(
        before server: ThrowawayCluster.Server, poolSize: Int, logins: [String]
    ) throws -> String {
        let directory = try makeTemporaryFolder("darkroom-pgbouncer")
        let configuration = """
            [databases]
            * = host=\(server.socketDirectory) port=5432
            [pgbouncer]
            listen_addr =
            listen_port = \(port)
            unix_socket_dir = \(directory)
            pidfile = \(directory)/pid
            auth_type = trust
            auth_file = \(directory)/users
            pool_mode = transaction
            default_pool_size = \(poolSize)
            max_client_conn = 500
            """
        try write(configuration, to: "\(directory)/pgbouncer.ini")
        let users = (["darkroom"] + logins).map { "\"\($0)\" \"\"\n" }.joined()
        try write(users, to: "\(directory)/users")
        if let owner = try ServerUser.choose(dataOwner: nil, directory: directory).owns {
            guard chown(directory, owner.user, owner.group) == 0 else {
                throw ChildProgramError("cannot give \(directory) to another user")
            }
        }
        return directory
    }
}

/// A PgBouncer with a shell as parent, which kills it and removes its folder when this process closes a pipe.
private struct Supervised: Sendable {
    let directory: String
    private let supervisor: RunningProgram
    private let lifeline: Int32

    /// The last line of the log of one that ended by itself.
    static let ended = "pgbouncer ended with status"

    init(program: String, directory: String) throws {
        self.directory = directory
        let user = try ServerUser.choose(dataOwner: nil, directory: directory)
        let bouncer = try user.running(ChildProgram(program, ["\(directory)/pgbouncer.ini"]))
        let shell = ChildProgram(
            "/bin/sh",
            ["-c", Self.supervision, "pgbouncer-supervisor", directory, bouncer.executable]
                + bouncer.arguments)
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw ChildProgramError("no pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // In a separate session, and so a separate process group: the shell kills the whole group.
        supervisor = try shell.start(descriptors: [3: ends[0]], ownSession: true)
        close(ends[0])
        lifeline = ends[1]
    }

    /// Ends both processes and waits for it.
    func end() {
        close(lifeline)
        _ = supervisor.awaitEnd()
    }

    private static let supervision = """
        directory=$1
        shift
        { "$@" 3<&-; echo "\(ended) $?"; } >"$directory/log" 2>&1 &
        cat <&3 >/dev/null
        rm -rf -- "$directory"
        kill -KILL 0
        """
}

private func write(_ content: String, to path: String) throws {
    guard let file = fopen(path, "we") else { throw ChildProgramError("cannot write \(path)") }
    // For the other user that reads it.
    fchmod(fileno(file), 0o644)
    let isWritten = fputs(content, file) >= 0
    guard fclose(file) == 0, isWritten else { throw ChildProgramError("cannot write \(path)") }
}

private func text(of path: String) -> String {
    guard let file = fopen(path, "re") else { return "" }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
}
