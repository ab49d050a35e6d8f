import ChildProcess
import FoundationEssentials
import Glibc

/// A running `darkroom serve`.
struct ServedAPI: Sendable {
    let program: RunningProgram
    let port: UInt16
    let key: String

    var address: String { "http://127.0.0.1:\(port)" }
    var figures: ProcessFigures { ProcessFigures(process: program.process) }

    /// Waits until the server listens.
    ///
    /// - Throws: ``BenchmarkError`` with what it said, if it ends before.
    static func start(
        _ executable: String, _ arguments: [String], key: String, log: String
    ) async throws -> ServedAPI {
        let output = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw BenchmarkError("\(log): \(String(cString: strerror(errno)))") }
        defer { close(output) }
        let program = try ChildProgram(
            executable, ["serve", "--http", "127.0.0.1:0", "--log-format", "json"] + arguments
        ).start(errors: output)
        let end = ContinuousClock.now + .seconds(30)
        while true {
            let lines = try Data(contentsOf: URL(filePath: log)).split(separator: UInt8(ascii: "\n"))
            if let port = lines.lazy.compactMap({ try? JSONDecoder().decode(Listening.self, from: $0).port })
                .first
            {
                return ServedAPI(program: program, port: port, key: key)
            }
            guard kill(program.process, 0) == 0, ContinuousClock.now < end else {
                program.send(SIGKILL)
                _ = try await program.end()
                let said = lines.last.map { String(decoding: $0, as: UTF8.self) } ?? "nothing"
                throw BenchmarkError("darkroom serve does not listen; it said: \(said)")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private struct Listening: Decodable {
        let port: UInt16
    }

    func stop() async {
        program.send(SIGTERM)
        _ = try? await program.end()
    }
}

/// What `wrk` measured of one run.
struct WrkFigures: Decodable, Sendable {
    let requests: Int
    let seconds: Double
    let failures: Int
    let p50Ms: Double
    let p99Ms: Double

    var rate: Double { Double(requests) / seconds }
}

extension BenchmarkTools {
    /// Whether there are the program and the scripts to send requests; if not, says what is missing.
    func hasWrk(_ progress: (String) -> Void) -> Bool {
        guard references != nil else {
            progress("nothing was sent: there is no Benchmarks/serve above the program or this folder")
            return false
        }
        guard ChildProgram.find("wrk") != nil else {
            progress("nothing was sent: there is no wrk; install Debian's wrk")
            return false
        }
        return true
    }

    /// Sends what a script of `Benchmarks/serve` makes, for an unmeasured second and then for `seconds`.
    ///
    /// - Parameter cpuSeconds: the processor time that the server has taken so far.
    /// - Throws: ``BenchmarkError`` if a request fails.
    func wrk(
        _ script: String, _ arguments: [String], to address: String, connections: Int, seconds: Int,
        cpuSeconds: () -> Double = { 0 }
    ) async throws -> (figures: WrkFigures, cpuSeconds: Double) {
        guard let wrk = ChildProgram.find("wrk"), let references else {
            throw BenchmarkError("there is no wrk")
        }
        let folder = references.split(separator: "/").dropLast().map { "/\($0)" }.joined()
        func send(_ seconds: Int) async throws -> WrkFigures {
            let output = try await ChildProgram(
                wrk,
                [
                    "-t1", "-c\(connections)", "-d\(seconds)s", "--timeout", "30s", "-s",
                    "\(folder)/\(script)",
                    address, "--",
                ] + arguments
            ).runSuccessfully().standardOutput
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            let line = output.split(separator: "\n").last ?? ""
            let figures = try decoder.decode(WrkFigures.self, from: Data(line.utf8))
            guard figures.failures == 0 else {
                throw BenchmarkError("\(figures.failures) of \(figures.requests) requests failed")
            }
            return figures
        }
        _ = try await send(1)
        let before = cpuSeconds()
        let figures = try await send(seconds)
        return (figures, cpuSeconds() - before)
    }
}
