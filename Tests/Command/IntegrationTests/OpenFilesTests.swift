import ChildProcess
import FoundationEssentials
import TestKit
import Testing

@Suite("A worker's open files", .timeLimit(.minutes(15)))
struct OpenFilesTests {
    /// `darkroom work` with `options`, started by a shell that first runs `limit`.
    private static func worker(
        _ darkroom: Installation, limit: String, _ options: String = "--concurrency 12 --drain"
    ) -> ChildProgram {
        let work = darkroom.command([]).executable + " work " + options
        return ChildProgram(
            "/bin/sh", ["-c", "\(limit) && exec \(work)"], environment: darkroom.environment,
            workingDirectory: darkroom.root)
    }

    /// The number that the error of a worker with too few names.
    private static func need(_ darkroom: Installation) async throws -> Int {
        let output = try await worker(darkroom, limit: "ulimit -n 40").run()
        #expect(output.ending == .exited(1), "\(output.standardError)")
        let words = output.standardError
        #expect(words.contains("its limit is 40") && words.contains("--concurrency"), "\(words)")
        let need = try #require(words.firstMatch(of: /may need (\d+) open files/)?.output.1)
        #expect(words.contains("ulimit -n \(need)") && words.contains("LimitNOFILE=\(need)"))
        return try #require(Int(need))
    }

    @Test("are counted before it starts, and the number is enough for a full worker")
    func need() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let need = try await Self.need(darkroom)
            for seed in 0..<16 {
                let photo = PhotoFixture.jpeg(latitude: 47.61, longitude: -122.33, seed: seed)
                try await darkroom.command(["enqueue", try darkroom.write(photo, to: "\(seed).jpg")])
                    .runSuccessfully()
            }
            let output = try await Self.worker(darkroom, limit: "ulimit -n \(need)").runSuccessfully()
            #expect(try await darkroom.json("posts", "list").count == 16, "\(output.standardError)")
            let setBack = output.standardError.split(separator: "\n").filter {
                $0.contains("snoozed") || $0.contains("retry")
            }
            #expect(setBack == [])
        }
    }

    @Test("may be as many as the system allows: it raises its own limit")
    func raise() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await Self.worker(darkroom, limit: "ulimit -S -n 40").runSuccessfully()
        }
    }
}
