import ChildProcess
import FoundationEssentials
import Glibc
import Imaging
import JobQueue
import JobStore
import TestKit
import Testing

@Suite("A worker without a renderer", .timeLimit(.minutes(15)))
struct MissingRendererTests {
    /// Writes a program that stands in for the renderer. `$REAL` is the real one.
    private static func program(_ darkroom: Installation, _ script: String) async throws -> String {
        let text = "#!/bin/sh\nREAL='\(Checkout.programs)/darkroom-renderer'\n\(script)\n"
        let path = darkroom.root + "/renderer"
        try await writeProgram(Array(text.utf8), to: path)
        return path
    }

    private static func enqueue(_ darkroom: Installation) async throws -> JobID {
        let photo = try darkroom.write(
            PhotoFixture.jpeg(latitude: 47.61, longitude: -122.33), to: "photo.jpg")
        let job = try #require(try await darkroom.json("enqueue", photo).first?.number("job_id"))
        return JobID(rawValue: Int64(job))
    }

    private static func events(_ event: String, of worker: WatchedWorker) throws -> [JSONObject] {
        let lines = worker.log.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        return try JSONObject.lines(lines.joined(separator: "\n")).filter { $0.string("event") == event }
    }

    @Test("stays up, says so once, spends no try, and takes up work when the program is there")
    func missing() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let path = darkroom.root + "/not-yet"
            let job = try await Self.enqueue(darkroom)
            try await WatchedWorker.with(darkroom, environment: ["DARKROOM_RENDERER": path]) {
                (worker: WatchedWorker) async throws -> Void in
                let store = darkroom.database.store
                let unready = try await worker.wait(for: "/readyz") { $0.body.contains(path) }
                #expect(unready.status == 503 && unready.body.contains("renderer: renderer_unavailable: "))
                #expect(try await worker.get("/livez").status == 200)

                try #require(symlink(Checkout.programs + "/darkroom-renderer", path) == 0)
                try await until { try await store.job(job)?.state == .succeeded }
                try await worker.wait(for: "/readyz") { $0.status == 200 }
                let attempts = try await store.attempts(of: job)
                #expect(attempts.last?.outcome == "succeeded")
                for attempt in attempts.dropLast() {
                    #expect(attempt.outcome == "snoozed" && attempt.reason?.code == "renderer_unavailable")
                }
                #expect(try await store.job(job)?.failures == 0)
                #expect(try Self.events("dependency.away", of: worker).count == 1)
                #expect(try Self.events("dependency.back", of: worker).count == 1)
                worker.process.send(SIGTERM)
                #expect(try await worker.process.end() == .exited(0))
            }
        }
    }

    @Test("that was killed while the worker started starts another one")
    func killed() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let path = try await Self.program(
                darkroom, #"mkdir "$0.killed" 2>/dev/null && kill -9 $$; exec "$REAL" "$@""#)
            let job = try await Self.enqueue(darkroom)
            try await WatchedWorker.with(darkroom, environment: ["DARKROOM_RENDERER": path]) {
                (worker: WatchedWorker) async throws -> Void in
                try await until { try await darkroom.database.store.job(job)?.state == .succeeded }
                #expect(try await darkroom.database.store.job(job)?.failures == 0)
                worker.process.send(SIGTERM)
                #expect(try await worker.process.end() == .exited(0))
            }
        }
    }

    @Test("that was killed while the worker started drains the queue nevertheless")
    func killedWhileDraining() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let job = try await Self.enqueue(darkroom)
            var command = darkroom.command(["work", "--drain", "--concurrency", "1"])
            command.environment["DARKROOM_RENDERER"] = try await Self.program(
                darkroom, #"mkdir "$0.killed" 2>/dev/null && kill -9 $$; exec "$REAL" "$@""#)
            try await command.runSuccessfully()
            #expect(try await darkroom.database.store.job(job)?.state == .succeeded)
        }
    }

    @Test("with the sandbox that it requires ends, because no later renderer would have it")
    func unconfined() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            var command = darkroom.command(["work", "--require-sandbox"])
            command.environment["DARKROOM_RENDERER"] = try await Self.program(
                darkroom, "exec '\(Checkout.programs)/Breakout' seccomp,limits \"$@\"")
            let output = try await command.run()
            #expect(output.ending == .exited(1) && output.standardError.contains("landlock (not applied)"))
        }
    }

    @Test("because it hangs at its start obeys SIGTERM")
    func hang() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let path = try await Self.program(darkroom, "exec sleep 3600")
            let job = try await Self.enqueue(darkroom)
            try await WatchedWorker.with(
                darkroom, "--shutdown-budget", "1s", environment: ["DARKROOM_RENDERER": path]
            ) { (worker: WatchedWorker) async throws -> Void in
                let store = darkroom.database.store
                try await until { try await store.job(job)?.state == .running }
                worker.process.send(SIGTERM)
                #expect(try await worker.process.end() == .exited(0))
                #expect(try await store.attempts(of: job).last?.outcome == "returned")
            }
        }
    }

    @Test("ends with the reason if it is to drain the queue, for which a person waits")
    func drain() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let job = try await Self.enqueue(darkroom)
            var command = darkroom.command(["work", "--drain"])
            command.environment["DARKROOM_RENDERER"] = try await Self.program(
                darkroom, "echo no luck >&2; exit 5")
            let output = try await command.run()
            #expect(output.ending == .exited(1))
            for words in ["status 5", "no luck", darkroom.root] {
                #expect(output.standardError.contains(words), "\(output.standardError)")
            }
            #expect(try await darkroom.database.store.job(job)?.failures == 0)
        }
    }
}
