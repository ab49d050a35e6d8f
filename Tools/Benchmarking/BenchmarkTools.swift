import ChildProcess
import FoundationEssentials
import Glibc

/// The programs that a benchmark starts: this one as workers, `darkroom`, the references' script, and pgbench.
package struct BenchmarkTools: Sendable {
    /// The running `darkroom-dev`.
    let executable: String
    /// The script of `Benchmarks/`; nil outside of a checkout.
    let references: String?
    private let leftOut: Set<String>

    /// - Parameters:
    ///   - references: the path of a `reference` script; nil looks for `Benchmarks/<topic>/reference` above the program and
    ///     the working directory.
    ///   - leftOut: the names of references to skip.
    package init(topic: String, references: String? = nil, without leftOut: Set<String> = []) {
        self.leftOut = leftOut
        executable = Self.resolved("/proc/self/exe")
        self.references =
            references
            ?? Self.ancestors(of: executable, FileManager.default.currentDirectoryPath + "/x")
            .map { "\($0)/Benchmarks/\(topic)/reference" }.first { access($0, X_OK) == 0 }
    }

    /// The `darkroom` that was built with this program.
    ///
    /// - Throws: ``BenchmarkError`` if there is none.
    var darkroom: String {
        get throws {
            let path = executable.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/darkroom"
            guard access(path, X_OK) == 0 else {
                throw BenchmarkError("there is no \(path): build both with 'make build'")
            }
            return path
        }
    }

    /// The remark on a figure whose reference was not measured.
    func absence(of reference: String) -> String {
        leftOut.contains(reference)
            ? "\(reference) was skipped" : "\(reference) was not measured: there is no script of references"
    }

    /// Whether a reference is measured if possible.
    func measures(_ reference: String) -> Bool { !leftOut.contains(reference) }

    /// A reference's figure; nil if there is no script or the reference is skipped.
    ///
    /// - Throws: ``ChildProgramError`` if the script fails.
    func reference(_ name: String, url: String, _ options: [String]) async throws -> Reference? {
        try await reference(name, ["--url", url] + options)
    }

    func reference(_ name: String, _ options: [String]) async throws -> Reference? {
        guard let references, measures(name) else { return nil }
        var environment = ChildProgram.plainEnvironment
        for name in ["HOME", "PATH"] { environment[name] = getenv(name).map { String(cString: $0) } }
        let output = try await ChildProgram(
            references, [name] + options, environment: environment,
            workingDirectory: FileManager.default.currentDirectoryPath
        ).runSuccessfully()
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(Reference.self, from: Data(output.standardOutput.utf8))
    }

    struct Reference: Decodable, Sendable {
        struct Detail: Decodable, Sendable {
            let kept: Double?
            let cpuMsAPhoto: Double?
            let p50Ms: Double?
            let p99Ms: Double?
        }
        let value: Double
        let detail: Detail?
    }

    /// Runs `processes` no-op workers with `concurrency` jobs each until no job is left.
    func drain(url: String, processes: Int, concurrency: Int, largestClaim: Int = 500) async throws {
        try await withThrowingTaskGroup { group in
            for _ in 0..<processes {
                group.addTask {
                    try await ChildProgram(
                        executable,
                        [
                            "bench", "worker", "--database", url, "--concurrency", String(concurrency),
                            "--largest-claim", String(largestClaim),
                        ]
                    ).runSuccessfully()
                }
            }
            try await group.waitForAll()
        }
    }

    /// Transactions per second of one statement, sent by pgbench over `connections` for `seconds`.
    func pgbench(_ statement: String, url: String, connections: Int, seconds: Int) async throws -> Double {
        guard let pgbench = ChildProgram.find("pgbench") ?? Self.installedPgbench else {
            throw BenchmarkError("there is no pgbench: install Debian's postgresql-15")
        }
        let script = "/tmp/darkroom-\(getpid())-pgbench.sql"
        try Data(statement.utf8).write(to: URL(filePath: script))
        defer { unlink(script) }
        let output = try await ChildProgram(
            pgbench,
            [
                "-n", "-M", "prepared", "-f", script, "-c", String(connections), "-j",
                String(min(connections, 2)),
                "-T", String(seconds), url,
            ]
        ).runSuccessfully()
        guard
            let line = output.standardOutput.split(separator: "\n").first(where: { $0.hasPrefix("tps = ") }),
            let rate = line.split(separator: " ").dropFirst(2).first.flatMap({ Double($0) })
        else { throw BenchmarkError("pgbench gave no rate: \(output.standardOutput)") }
        return rate
    }

    /// Runs several transactions, each as often as its weight says, and returns the milliseconds that each took, by name.
    func pgbench(
        _ kinds: [(name: String, weight: Int, script: String)], url: String, connections: Int, seconds: Int,
        variables: [String: Int]
    ) async throws -> [String: [Double]] {
        guard let pgbench = ChildProgram.find("pgbench") ?? Self.installedPgbench else {
            throw BenchmarkError("there is no pgbench: install Debian's postgresql-15")
        }
        let folder = "/tmp/darkroom-\(getpid())-pgbench"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var arguments = [
            "-n", "-M", "prepared", "-c", String(connections), "-j", "2", "-T", String(seconds), "-l",
            "--log-prefix", "\(folder)/log",
        ]
        for (name, value) in variables { arguments += ["-D", "\(name)=\(value)"] }
        for kind in kinds {
            try Data(kind.script.utf8).write(to: URL(filePath: "\(folder)/\(kind.name).sql"))
            arguments += ["-f", "\(folder)/\(kind.name).sql@\(kind.weight)"]
        }
        _ = try await ChildProgram(pgbench, arguments + [url]).runSuccessfully()
        var times: [String: [Double]] = [:]
        for file in try FileManager.default.contentsOfDirectory(atPath: folder) where file.hasPrefix("log") {
            let text = String(
                decoding: try Data(contentsOf: URL(filePath: "\(folder)/\(file)")), as: UTF8.self)
            for line in text.split(separator: "\n") {
                // Client, transaction, microseconds, script, time.
                let fields = line.split(separator: " ")
                guard fields.count > 3, let time = Double(fields[2]), let script = Int(fields[3]) else {
                    throw BenchmarkError("pgbench logged: \(line)")
                }
                times[kinds[script].name, default: []].append(time / 1000)
            }
        }
        return times
    }

    private static var installedPgbench: String? {
        (15...20).reversed().map { "/usr/lib/postgresql/\($0)/bin/pgbench" }.first { access($0, X_OK) == 0 }
    }

    static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    private static func ancestors(of paths: String...) -> [String] {
        paths.flatMap { path in
            let parts = path.split(separator: "/")
            return parts.indices.reversed().map { "/" + parts[..<$0].joined(separator: "/") }
        }
    }
}
