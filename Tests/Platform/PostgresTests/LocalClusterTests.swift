import ChildProcess
import Glibc
import LocalCluster
import Postgres
import TestKit
import Testing

/// Calls `body` with a new directory below `/tmp`, and removes it and the server in it.
func withDirectory(_ suffix: String = "", _ body: (String) async throws -> Void) async throws {
    let root = try makeTemporaryFolder("darkroom-cluster", isPassable: true)
    let directory = root + suffix
    let result: Result<Void, any Error>
    do { result = .success(try await body(directory)) } catch { result = .failure(error) }
    try? await LocalCluster(directory: directory).stop(mode: .immediate)
    try await ChildProgram("/bin/rm", ["-rf", root]).runSuccessfully()
    try result.get()
}

private func process(_ cluster: LocalCluster) async throws -> Int32 {
    guard case .running(_, let process) = try await cluster.status() else {
        throw ChildProgramError("the server does not run")
    }
    return process
}

@Suite(.serialized, .timeLimit(.minutes(15))) struct LocalClusterTests {
    @Test func startStopAndStatus() async throws {
        try await withDirectory("/made/on/the way") { directory in
            let cluster = LocalCluster(directory: directory)
            let before = try await cluster.status()
            #expect(before == .absent)
            try await cluster.stop()
            let url = try await cluster.start(profile: .throwaway)
            let first = try await process(cluster)
            let again = try await cluster.start(profile: .throwaway)
            #expect(again == url)
            let second = try await process(cluster)
            #expect(second == first)
            let connection = try await PostgresConnection.connect(PostgresConfiguration(url: url))
            try await connection.execute("create table kept (i int)")
            await connection.close()
            try await cluster.stop()
            try await cluster.stop()
            let stopped = try await cluster.status()
            #expect(stopped == .stopped)
            try await cluster.start(profile: .durable)
            let later = try await PostgresConnection.connect(PostgresConfiguration(url: url))
            try await later.query("select from kept")
            await later.close()
        }
    }

    @Test func concurrentStartsGiveOneServer() async throws {
        try await withDirectory { directory in
            let urls = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<4 {
                    group.addTask { try await LocalCluster(directory: directory).start(profile: .throwaway) }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(urls.count == 1)
        }
    }

    @Test func aKilledServersFileDoesNotPreventAStart() async throws {
        try await withDirectory { directory in
            let cluster = LocalCluster(directory: directory)
            try await cluster.start(profile: .throwaway)
            let killed = try await process(cluster)
            kill(killed, SIGKILL)
            try await until("the server is gone") { try await cluster.status() == .stopped }
            // The process ID of a running process: this one's.
            let file = "\(directory)/pgdata/postmaster.pid"
            try await ChildProgram("/bin/sed", ["-i", "1s/.*/\(getpid())/", file]).runSuccessfully()
            let impostor = try await cluster.status()
            #expect(impostor == .stopped)
            try await cluster.start(profile: .throwaway)
            let now = try await process(cluster)
            #expect(now != killed)
        }
    }

    @Test func aLongPathGetsAShortSocketDirectory() async throws {
        try await withDirectory("/" + String(repeating: "long", count: 40)) { directory in
            let cluster = LocalCluster(directory: directory)
            let url = try await cluster.start(profile: .throwaway)
            let connection = try await PostgresConnection.connect(PostgresConfiguration(url: url))
            await connection.close()
            let folder = try #require(
                url.split(separator: "=").dropFirst().first?.split(separator: "&").first)
            #expect(folder.hasPrefix("/tmp/darkroom-"))
            try await cluster.stop(mode: .immediate)
            #expect(access(String(folder), F_OK) != 0)
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root has folders that the server's user cannot enter"))
    func aClosedParentStaysClosed() async throws {
        try await withDirectory("/home/data") { directory in
            let home = String(directory.dropLast("/data".utf8.count))
            try #require(mkdir(home, 0o700) == 0)
            try await LocalCluster(directory: directory).start(profile: .throwaway)
            var facts = stat()
            try #require(stat(home, &facts) == 0)
            #expect(facts.st_mode & 0o777 == 0o700)
            #expect(facts.st_uid == 0)
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can try another user"))
    func anOrdinaryUserRunsTheServerToo() async throws {
        await #expect(processExitsWith: .success) {
            setgroups(0, nil)
            try #require(setgid(65534) == 0 && setuid(65534) == 0)
            try await withDirectory { directory in
                let cluster = LocalCluster(directory: directory)
                let url = try await cluster.start(profile: .throwaway)
                let connection = try await PostgresConnection.connect(PostgresConfiguration(url: url))
                try await connection.query("select 1")
                await connection.close()
                try await cluster.stop()
                let status = try await cluster.status()
                try #require(status == .stopped)
            }
        }
    }

    @Test func theTestServerGoesWithAKilledProcess() async throws {
        let result = try #require(
            await #expect(processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]) {
                let server = try await ThrowawayCluster.shared.server()
                let process = try await process(LocalCluster(directory: server.directory))
                print("\nserver \(server.directory) \(process)")
                fflush(nil)
                kill(getpid(), SIGKILL)
            })
        let output = String(decoding: result.standardOutputContent, as: UTF8.self)
        let line = try #require(output.split(separator: "\n").first { $0.hasPrefix("server /") })
        let words = line.split(separator: " ")
        let number = try #require(Int32(words[2]))
        try await until("server and directory are gone") {
            access(String(words[1]), F_OK) != 0 && kill(number, 0) != 0
        }
    }

    @Test func manyDatabasesAtOnce() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<30 {
                group.addTask {
                    try await TestDatabase.withDatabase(template: .counted) { database in
                        let connection = try await PostgresConnection.connect(
                            PostgresConfiguration(url: database.url))
                        try await connection.query("insert into numbers values (\(number))")
                        let rows = try await connection.query("select i from numbers")
                        let numbers: [Int] = try rows.map { try $0.decode("i") }
                        #expect(numbers == [number])
                        await connection.close()
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

extension DatabaseTemplate {
    fileprivate static let counted = DatabaseTemplate(name: "counted") { url in
        let connection = try await PostgresConnection.connect(PostgresConfiguration(url: url))
        // Fails if a template is made twice.
        try await connection.execute("create table numbers (i int)")
        await connection.close()
    }
}
