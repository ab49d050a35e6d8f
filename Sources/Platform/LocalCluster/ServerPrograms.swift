import ChildProcess
import Glibc
import Threads

/// Finds PostgreSQL's server programs. Debian keeps them off the search path.
struct ServerPrograms: Sendable {
    static let oldestVersion = 15

    /// The folder of `initdb`, `pg_ctl` and `postgres`.
    let folder: String
    let version: Int

    /// Those of the `pg_config` that the variable `PG_CONFIG` names, else the newest version under `/usr/lib/postgresql`, else
    /// those of the `pg_config` on `PATH`, else one on `PATH`.
    static func find() async throws -> ServerPrograms {
        var candidates: [String] = []
        if let given = getenv("PG_CONFIG").map({ String(cString: $0) }), !given.isEmpty {
            candidates = [try await folder(of: given)]
        }
        if candidates.isEmpty {
            let versions = try await onThread {
                installedVersions().filter { access("/usr/lib/postgresql/\($0)/bin/initdb", X_OK) == 0 }
            }
            candidates = versions.max().map { ["/usr/lib/postgresql/\($0)/bin"] } ?? []
        }
        if candidates.isEmpty {
            if let configure = ChildProgram.find("pg_config"), let folder = try? await folder(of: configure) {
                candidates.append(folder)
            }
            if let initialize = ChildProgram.find("initdb") {
                candidates.append(String(initialize.dropLast("/initdb".utf8.count)))
            }
        }
        for folder in candidates where access("\(folder)/initdb", X_OK) == 0 {
            let output = try await ChildProgram("\(folder)/postgres", ["--version"]).runSuccessfully()
                .standardOutput
            let number =
                output.split(separator: " ").lazy.compactMap { Int($0.prefix { $0.isNumber }) }.first ?? 0
            guard number >= oldestVersion else {
                throw LocalClusterError(
                    .serverTooOld,
                    "PostgreSQL \(number) in \(folder) is too old; version \(oldestVersion) or newer is needed: "
                        + "apt-get install postgresql")
            }
            return ServerPrograms(folder: folder, version: number)
        }
        throw LocalClusterError(
            .serverNotInstalled,
            "no PostgreSQL server programs were found"
                + (getenv("PG_CONFIG") == nil ? "" : " where PG_CONFIG says, in \(candidates.joined())")
                + "; install them: apt-get install postgresql")
    }

    private static func folder(of configure: String) async throws -> String {
        let output = try await ChildProgram(configure, ["--bindir"]).runSuccessfully().standardOutput
        return String(output.prefix { !$0.isNewline })
    }

    private static func installedVersions() -> [Int] {
        guard let directory = opendir("/usr/lib/postgresql") else { return [] }
        defer { closedir(directory) }
        var versions: [Int] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if let version = Int(name) { versions.append(version) }
        }
        return versions
    }
}
