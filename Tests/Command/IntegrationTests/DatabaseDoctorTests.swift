import ChildProcess
import Glibc
import Postgres
import Proxying
import TestKit
import Testing

@Suite("darkroom doctor, if the database cannot be used,", .timeLimit(.minutes(15)))
struct DatabaseDoctorTests {
    /// What is wrong with the connection, and what the remedy says.
    enum Fault: String, CaseIterable, CustomTestStringConvertible {
        case noServer, noDatabase, noLogin, noFreeConnection
        var testDescription: String { rawValue }

        var remedy: String {
            switch self {
            case .noServer: "start the server, or correct DATABASE_URL"
            case .noDatabase: "create the database"
            case .noLogin: "correct the user and the password"
            case .noFreeConnection: "raise the server's max_connections"
            }
        }

        func url(_ database: QueueDatabase) async throws -> String {
            let name = try await database.name()
            let role = "\(name)_\(rawValue)".lowercased()
            switch self {
            case .noServer: return "postgresql://127.0.0.1:1/\(name)"
            case .noDatabase: return database.url.replacing("///\(name)?", with: "///\(name)_absent?")
            case .noLogin: try await database.pool.query("create role \(unescaped: role) nologin")
            case .noFreeConnection:
                try await database.pool.query("create role \(unescaped: role) login connection limit 0")
            }
            return database.url + "&user=\(role)"
        }

        func cleanUp(_ database: QueueDatabase) async throws {
            let role = "\(try await database.name())_\(rawValue)".lowercased()
            try await database.pool.query("drop role if exists \(unescaped: role)")
        }
    }

    private func finding(
        _ check: String, _ darkroom: Installation, url: String
    ) async throws -> JSONObject {
        let output = try await darkroom.command(["doctor", "--json", "--database", url]).run()
        #expect(output.ending == .exited(1))
        return try #require(
            try JSONObject.lines(output.standardOutput).first { $0.string("check") == check },
            "\(output.standardOutput)")
    }

    @Test("tells why, and advises only what helps", arguments: Fault.allCases)
    func unusable(_ fault: Fault) async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let url = try await fault.url(darkroom.database)
            let found = try await finding("database", darkroom, url: url)
            try await fault.cleanUp(darkroom.database)
            #expect(found.string("level") == "wrong")
            #expect(found.string("remedy")?.contains(fault.remedy) == true, "\(found)")
            #expect(found.string("remedy")?.contains("dev start") == false)
        }
    }

    @Test("advises to start the server of this folder only if no other one was named")
    func ownServer() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let found = try await finding("database", darkroom, url: "")
            #expect(found.string("detail")?.contains("darkroom dev start") == true)
        }
    }

    @Test("ends, although the server does not respond")
    func stalled() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await StallingProxy.with { proxy in
                proxy.stall()
                let url = proxy.url(database: try await darkroom.database.name())
                let found = try await finding("database", darkroom, url: url)
                #expect(found.string("level") == "wrong")
                #expect(found.string("remedy")?.contains("server") == true, "\(found)")
            }
        }
    }

    /// The server puts its temporary tables on a small disk that is full. So it reads, but cannot write.
    @Test("tells a server that has no space left")
    func full() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let disk = darkroom.root + "/disk"
            try #require(mkdir(disk, 0o711) == 0 && chmod(darkroom.root, 0o711) == 0)
            guard mount("tmpfs", disk, "tmpfs", 0, "size=64k,mode=0777") == 0 else {
                try Test.cancel("this process may not mount a file system")
            }
            defer { umount2(disk, CInt(MNT_DETACH)) }
            let name = try await darkroom.database.name()
            let server = try await ThrowawayCluster.shared.server()
            var owner = stat()
            try #require(stat("\(server.directory)/pgdata", &owner) == 0)
            try #require(chown(disk, owner.st_uid, owner.st_gid) == 0)
            let pool = darkroom.database.pool
            try await pool.query("create tablespace \(unescaped: name) location \(unescaped: "'\(disk)'")")
            try await pool.query(
                "alter database \(unescaped: name) set temp_tablespaces = \(unescaped: name)")
            let found = try await finding("writing", darkroom, url: darkroom.database.url)
            try await pool.query("drop tablespace \(unescaped: name)")
            #expect(found.string("level") == "wrong")
            #expect(found.string("detail")?.contains("53100") == true, "\(found)")
            #expect(found.string("remedy")?.contains("disk space on the database's machine") == true)
        }
    }
}
