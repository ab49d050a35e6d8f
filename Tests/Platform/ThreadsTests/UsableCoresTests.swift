import Foundation
import Testing

@testable import Threads

@Suite("The cores that a process can use")
struct UsableCoresTests {
    /// Files of `/proc` and `/sys` below a temporary directory.
    private func count(allowed: String, group: String = "/", limits: [String: String] = [:]) throws -> Int {
        let root = FileManager.default.temporaryDirectory.appending(path: "cores-\(UUID())")
        defer { try? FileManager.default.removeItem(at: root) }
        var files = [
            "proc/self/status": "Name:\tdarkroom\nCpus_allowed:\tff\nCpus_allowed_list:\t\(allowed)\n",
            "proc/self/cgroup": "1:cpu:/v1\n0::\(group)\n",
        ]
        for (path, limit) in limits { files["sys/fs/cgroup\(path)/cpu.max"] = limit + "\n" }
        for (path, text) in files {
            let file = root.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: file, atomically: false, encoding: .utf8)
        }
        return UsableCores.count(root: root.path())
    }

    @Test("are those of its affinity mask", arguments: [("0", 1), ("3", 1), ("0-7", 8), ("0-1,4,6-7", 5)])
    func mask(allowed: String, cores: Int) throws {
        #expect(try count(allowed: allowed) == cores)
    }

    @Test(
        "are as many as its control group allows, a share of one being one",
        arguments: [
            ("max 100000", 8), ("50000 100000", 1), ("100000 100000", 1), ("100001 100000", 2),
            ("250000 100000", 3), ("6400000 100000", 8), ("", 8), ("nonsense", 8), ("0 0", 8),
        ])
    func limit(limit: String, cores: Int) throws {
        #expect(try count(allowed: "0-7", limits: ["": limit]) == cores)
    }

    @Test("are as many as the tightest of the groups around it allows")
    func nested() throws {
        let group = "/system.slice/darkroom.service"
        #expect(
            try count(
                allowed: "0-7", group: group,
                limits: ["/system.slice": "200000 100000", group: "max 100000", "": "400000 100000"]) == 2)
        #expect(try count(allowed: "0-7", group: group, limits: ["/other": "100000 100000"]) == 8)
    }

    @Test("are known of another process, and not of one that is gone")
    func others() throws {
        let own = try #require(UsableCores.allowed())
        #expect(!own.isEmpty && UsableCores.count <= own.count)
        #expect(UsableCores.allowed(to: String(getpid())) == own)
        #expect(UsableCores.allowed(to: "0") == nil)
    }
}
