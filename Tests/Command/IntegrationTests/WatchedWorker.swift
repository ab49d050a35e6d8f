import ChildProcess
import FoundationEssentials
import Glibc
import TestKit
import Testing

/// A `darkroom work --http` whose log and responses a test reads.
final class WatchedWorker: Sendable {
    let process: WorkerProcess
    private let logPath: String

    /// Calls `body` with a worker at its own port, and kills the worker if it still runs afterwards.
    static func with(
        _ darkroom: Installation, _ arguments: String..., environment: [String: String] = [:],
        _ body: (WatchedWorker) async throws -> Void
    ) async throws {
        var command = darkroom.command(["work", "--http", "127.0.0.1:0", "--concurrency", "1"] + arguments)
        command.environment.merge(environment) { $1 }
        try await body(try WatchedWorker(command, log: darkroom.root + "/work.log"))
    }

    private init(_ command: ChildProgram, log: String) throws {
        logPath = log
        let descriptor = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        process = WorkerProcess(try command.start(errors: descriptor))
    }

    var log: String {
        String(decoding: FileManager.default.contents(atPath: logPath) ?? Data(), as: UTF8.self)
    }

    func get(_ path: String) async throws -> HTTPAnswer { try await request("GET", path) }

    func request(_ method: String, _ path: String) async throws -> HTTPAnswer {
        try await HTTPAnswer.to(
            "\(method) \(path) HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n", port: port())
    }

    /// Asks until the response is as wanted.
    @discardableResult
    func wait(for path: String, _ isWanted: (HTTPAnswer) -> Bool) async throws -> HTTPAnswer {
        while true {
            let answer = try await get(path)
            if isWanted(answer) { return answer }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// The port that the worker logs.
    func port() async throws -> UInt16 {
        while true {
            try #require(isAlive(process.program.process), "\(log)")
            let lines = log.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            for line in try JSONObject.lines(lines.joined(separator: "\n"))
            where line.string("event") == "http.listening" {
                return UInt16(try #require(line.number("port")))
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// The samples of /metrics: `name{labels}` and the value.
    static func samples(_ exposition: String) -> [String: Double] {
        Dictionary(
            exposition.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
                guard let space = line.lastIndex(of: " ") else { return nil }
                return (String(line[..<space]), Double(line[line.index(after: space)...]) ?? .nan)
            }
        ) { $1 }
    }
}
