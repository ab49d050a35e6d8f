import FoundationEssentials
import Glibc
import Telemetry
import TestKit
import Testing
import Worker

/// Runs `workers` while `body` runs, then lets them finish.
///
/// A failing worker also ends `body`, which would otherwise wait forever.
/// - Throws: what a worker or `body` throws.
func running(_ workers: Worker..., body: @escaping @Sendable () async throws -> Void) async throws {
    try await withThrowingTaskGroup { group in
        for worker in workers { group.addTask { try await worker.run() } }
        group.addTask {
            defer { for worker in workers { worker.drain() } }
            try await body()
        }
        while try await group.next() != nil {}
    }
}

/// The lines that `body` logs.
func linesLogged(_ body: (Log) async throws -> Void) async throws -> [String] {
    try await withTemporaryDirectory { folder -> [String] in
        let path = folder + "/log"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let log = Log(descriptor: descriptor, format: .json)
        try await body(log)
        log.flush()
        let text = try #require(FileManager.default.contents(atPath: path))
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
