import ChildProcess
import FoundationEssentials
import Glibc
import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

/// Procfile runners end all processes as soon as one ends.
@Suite("The Procfile", .timeLimit(.minutes(15)))
struct ProcfileTests {
    private static let honcho = ChildProgram.find("honcho")

    /// Calls `body` with a checkout whose programs are built, and an environment whose database has no schema yet.
    private static func withCheckout(_ body: (Installation, [String: String]) async throws -> Void)
        async throws
    {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try FileManager.default.createDirectory(
                atPath: darkroom.root + "/.build", withIntermediateDirectories: true)
            try #require(symlink(Checkout.programs, darkroom.root + "/.build/release") == 0)
            try FileManager.default.copyItem(
                atPath: Checkout.root + "/Procfile", toPath: darkroom.root + "/Procfile")
            try await darkroom.database.pool.query("drop schema darkroom cascade")
            let environment = darkroom.environment.merging(["PORT": "0"]) { $1 }
            try await body(darkroom, environment)
        }
    }

    /// Enqueues a photo when the worker has started, and waits until the photo is published. None of the programs may end.
    private static func publish(
        _ darkroom: Installation, _ environment: [String: String], log: OutputFile,
        by programs: [RunningProgram]
    ) async throws {
        func waitFor(_ event: String) async throws {
            while !log.text.contains(event) {
                for program in programs { try #require(isAlive(program.process), "it ended: \(log.text)") }
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        try await waitFor("worker.started")
        let photo = PhotoFixture.jpeg(latitude: 47.61, longitude: -122.33)
        let path = try darkroom.write(photo, to: "photo.jpg")
        var command = darkroom.command(["enqueue", path])
        command.environment = environment
        try await command.runSuccessfully()
        try await waitFor("post.published")
    }

    /// A file that children write to.
    private final class OutputFile: Sendable {
        private let path: String
        let descriptor: Int32

        init(_ path: String) {
            self.path = path
            descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        }

        deinit { close(descriptor) }

        var text: String {
            String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
        }
    }

    @Test("has only processes that go on, and needs no step before")
    func processes() async throws {
        try await Self.withCheckout {
            (darkroom: Installation, environment: [String: String]) async throws -> Void in
            let output = OutputFile(darkroom.root + "/output")
            let text = try String(contentsOfFile: darkroom.root + "/Procfile", encoding: .utf8)
            let programs = try text.matches(of: /^[A-Za-z0-9_-]+:\s*(.+)$/.anchorsMatchLineEndings()).map {
                try ChildProgram(
                    "/bin/sh", ["-c", String($0.output.1)], environment: environment,
                    workingDirectory: darkroom.root
                ).start(output: output.descriptor, errors: output.descriptor)
            }
            try #require(!programs.isEmpty)
            try await Self.publish(darkroom, environment, log: output, by: programs)
            for program in programs {
                program.send(SIGTERM)
                #expect(try await program.end() == .exited(0), "\(output.text)")
            }
        }
    }

    @Test("runs under honcho", .enabled(if: honcho != nil, "there is no honcho: pip install honcho"))
    func underHoncho() async throws {
        try await Self.withCheckout {
            (darkroom: Installation, environment: [String: String]) async throws -> Void in
            let output = OutputFile(darkroom.root + "/output")
            let program = try ChildProgram(
                try #require(Self.honcho), ["start"], environment: environment,
                workingDirectory: darkroom.root
            ).start(output: output.descriptor, errors: output.descriptor)
            try await Self.publish(darkroom, environment, log: output, by: [program])
            program.send(SIGTERM)
            _ = try await program.end()
            #expect(output.text.contains("worker.stopped"), "\(output.text)")
        }
    }
}
