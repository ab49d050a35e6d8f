import ChildProcess
import Glibc
import JobQueue
import JobStore
import TestKit
import Testing

@Suite("A photo that the renderer fails to read", .timeLimit(.minutes(15)))
struct RendererFaultTests {
    @Test("by its own fault is tried again, not rejected")
    func fault() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let photo = try darkroom.write(PhotoFixture.webp(width: 400, height: 300), to: "p.webp")
            _ = try await darkroom.json("enqueue", "--lat", "47.6", "--lon", "-122.3", photo)
            // libvips then needs a temporary file for the picture, which the sandbox refuses.
            let renderer = try darkroom.write(
                Array(
                    """
                    #!/bin/sh
                    export VIPS_DISC_THRESHOLD=1k
                    exec '\(Checkout.programs)/darkroom-renderer' "$@"

                    """.utf8), to: "renderer")
            #expect(chmod(renderer, 0o700) == 0)
            var command = darkroom.command(["work", "--concurrency", "1"])
            command.environment["DARKROOM_RENDERER"] = renderer
            let worker = WorkerProcess(try command.start())
            var attempt: AttemptRecord?
            while attempt == nil {
                let job = try #require(try await darkroom.database.jobs().first)
                attempt = try await darkroom.database.store.attempts(of: job.id).first
                try await Task.sleep(for: .milliseconds(20))
            }
            worker.send(SIGTERM)
            #expect(try await worker.end() == .exited(0))
            #expect(attempt?.outcome == "retry" && attempt?.reason?.code == "renderer_fault")
            #expect(attempt?.reason?.message.contains("openat") == true)
        }
    }
}
