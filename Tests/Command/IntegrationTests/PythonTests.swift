import ChildProcess
import FoundationEssentials
import JobQueue
import Postgres
import TestKit
import Testing

@Suite("The Python module", .timeLimit(.minutes(15)))
struct PythonTests {
    /// The interpreter in whose environment the module is installed.
    private static func python() async throws -> String {
        try await PythonEnvironment.interpreter(madeBy: "clients/python/environment")
    }

    @Test("has types that mypy accepts")
    func types() async throws {
        try await ChildProgram(
            try await Self.python(), ["-m", "mypy", "--no-incremental"],
            workingDirectory: Checkout.root + "/clients/python"
        ).runSuccessfully()
    }

    @Test("and the example of an app pass their tests, with this server and a real worker")
    func suite() async throws { try await Self.runTests("not object_store and not standby") }

    @Test("stores photos in an object store, and signs direct uploads", .realStore)
    func objectStore() async throws {
        let endpoint = try await ObjectStoreServer.shared.endpoint()
        try await Self.runTests(
            Extent.of("object_store and not check", check: "object_store"),
            ["DARKROOM_OBJECT_STORE": endpoint])
    }

    @Test("reads from a standby as its README shows")
    func standby() async throws {
        try await ReplicatedDatabase.with { (database: ReplicatedDatabase) async throws -> Void in
            try await database.primary.publishPosts(5)
            try await database.awaitReplay()
            try await Self.runTests(
                "standby",
                ["DARKROOM_PRIMARY": database.primary.url, "DARKROOM_STANDBY": database.standby.url])
        }
    }

    /// Runs the module's tests with this mark, some of them behind PgBouncer.
    private static func runTests(_ mark: String, _ more: [String: String] = [:]) async throws {
        try await PgBouncerProcess.with { (pooler: PgBouncerProcess) async throws -> Void in
            try await runTests(
                mark, with: more.merging(["DARKROOM_POOLER": pooler.directory]) { $1 })
        }
    }

    private static func runTests(_ mark: String, with more: [String: String]) async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            var environment = darkroom.environment.merging(more) { $1 }
            environment["DARKROOM_PROGRAMS"] = Checkout.programs
            environment["DARKROOM_PHOTO"] = try darkroom.write(PhotoFixture.jpeg(), to: "photo.jpg")
            environment["PYTHONDONTWRITEBYTECODE"] = "1"
            let output = try await ChildProgram(
                try await python(), ["-m", "pytest", "-m", mark, "--basetemp=\(darkroom.root)/python"],
                environment: environment, workingDirectory: Checkout.root + "/clients/python"
            ).run()
            #expect(output.ending == .exited(0), "\(output.standardOutput)\(output.standardError)")
        }
    }

    @Test("enqueues as docs/enqueueing.md shows")
    func example() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await darkroom.database.pool.query("create table drafts (photo text, job_id bigint)")
            let photo = try darkroom.write(
                PhotoFixture.jpeg(latitude: -33.9, longitude: 18.4), to: "photo.jpg")
            let example = try EnqueueTests.example("python", in: "docs/enqueueing.md")
            let script = try darkroom.write(
                Array((example + "\n\nimport sys\nprint(publish(*sys.argv[1:]))\n").utf8), to: "enqueue.py")
            let output = try await ChildProgram(
                try await Self.python(), [script, darkroom.database.url, darkroom.media, photo]
            ).runSuccessfully()
            try await darkroom.drain()
            let job = try #require(Int64(output.standardOutput.split(separator: "\n").last ?? ""))
            #expect(try await darkroom.database.state(of: JobID(rawValue: job)) == .succeeded)
            let post = try #require(try await darkroom.json("posts", "list").first)
            #expect(post.string("caption") == "The \"ferry\" at dawn")
            #expect(post.string("place", "name") == "Cape Town")
            let drafts = try await darkroom.database.pool.query("select job_id from drafts")
            #expect(try drafts.map { try $0.decode("job_id", as: Int64.self) } == [job])
        }
    }
}
