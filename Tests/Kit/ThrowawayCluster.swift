import ChildProcess
import Glibc
import JobStore
import LocalCluster
import Postgres
import Threads

/// The PostgreSQL server of this test process: started when first needed, and gone when the process ends.
package actor ThrowawayCluster {
    package static let shared = ThrowawayCluster()

    /// The addresses of a started cluster.
    package struct Server: Sendable {
        package let directory: String
        /// The URL of database `darkroom`, as superuser `darkroom`.
        package let url: String
        let administration: PostgresPool
        fileprivate let supervisor: RunningProgram

        /// The folder of the server's socket, `.s.PGSQL.5432`.
        package var socketDirectory: String {
            let options = url.split(separator: "?").last?.split(separator: "&") ?? []
            return options.first { $0.hasPrefix("host=") }.map { String($0.dropFirst(5)) } ?? ""
        }

        /// The URL of another database of this server.
        package func url(database: String) -> String {
            url.replacing("///darkroom?", with: "///\(database)?")
        }
    }

    private var starting: Task<Server, any Error>?
    private var templates: [String: Task<Void, any Error>] = [:]

    package init() {}

    /// The server; the first call starts it.
    package func server() async throws -> Server {
        if let starting { return try await starting.value }
        let task = Task { try await Self.start() }
        starting = task
        return try await task.value
    }

    /// Makes `template`'s database once per process.
    func prepare(_ template: DatabaseTemplate) async throws {
        if let making = templates[template.name] { return try await making.value }
        let task = Task {
            let server = try await self.server()
            if let parent = template.parent { try await prepare(parent) }
            try await server.administration.query(
                """
                create database \(unescaped: quotedIdentifier(template.databaseName))
                template \(unescaped: quotedIdentifier(template.parent?.databaseName ?? "template1")) strategy file_copy
                """)
            try await template.prepare(server.url(database: template.databaseName))
        }
        templates[template.name] = task
        try await task.value
    }

    private static func start() async throws -> Server {
        let (directory, supervisor) = try await onThread { try makeDirectory() }
        let url = try await LocalCluster(directory: directory).start(profile: .throwaway)
        // The server's own processes clone databases; cloning more at once would only cause contention.
        let pool = PostgresPool(PostgresConfiguration(url: url, applicationName: "testkit"), size: 4)
        // Roles belong to the server. If one test made them, the migrations of all others would differ before and after.
        for role in InstallationRole.allCases {
            try await pool.query("create role \(unescaped: role.name) nologin")
        }
        return Server(directory: directory, url: url, administration: pool, supervisor: supervisor)
    }

    /// Makes a new directory. A supervisor removes it, and the server in it or in its folders, once this process has ended
    /// in any way: the supervisor reads a pipe whose only writer is this process.
    static func makeDirectory() throws -> (String, RunningProgram) {
        let directory = try makeTemporaryFolder("darkroom-test", in: parent, isPassable: true)
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw ChildProgramError("no pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let supervisor = try ChildProgram(
            "/bin/sh", ["-c", supervision, "darkroom-test-supervisor", directory]
        ).start(descriptors: [3: ends[0]], ownSession: true)
        close(ends[0])
        // The writing end stays open, unused, until the process ends.
        return (directory, supervisor)
    }

    /// Memory if there is enough of it, else `/tmp`.
    ///
    /// Each database has 700 files. ext4 does not use the number of a removed file again for some minutes, and passes over
    /// all of these one by one to find a free number: on a disk, that search takes most of the time to clone a
    /// database.
    private static var parent: String {
        var facts = statvfs()
        let memory = "/dev/shm"
        guard access(memory, W_OK | X_OK) == 0, statvfs(memory, &facts) == 0,
            UInt64(facts.f_bavail) * UInt64(facts.f_frsize) >= 4 << 30
        else { return "/tmp" }
        return memory
    }

    private static let supervision = """
        cat <&3 >/dev/null
        tries=0
        while [ -e "$1" ] && [ $tries -lt 300 ]; do
            for file in "$1"/pgdata/postmaster.pid "$1"/*/pgdata/postmaster.pid; do
                if [ -e "$file" ] && read -r process <"$file"; then
                    kill -QUIT "$process"
                    while kill -0 "$process" && [ $tries -lt 100 ]; do sleep 0.05; tries=$((tries + 1)); done
                fi
            done
            rm -rf -- "$1" || sleep 0.1
            tries=$((tries + 1))
        done
        """
}
