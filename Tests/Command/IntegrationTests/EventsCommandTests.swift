import ChildProcess
import FoundationEssentials
import Glibc
import JobStore
import Postgres
import TestKit
import Testing

@Suite("Events from the command line", .timeLimit(.minutes(15)))
struct EventsCommandTests {
    private static func happen(_ darkroom: Installation, _ posts: ClosedRange<Int>) async throws {
        for post in posts {
            try await darkroom.database.pool.query(
                "insert into darkroom.outbox (post_id, event) values (\(Int64(post)), 'published')")
        }
        try await darkroom.database.pool.query("select darkroom.notify_of_events()")
    }

    private static func posts(_ output: String) throws -> [Double?] {
        try events(output).map { $0.number("post_id") }
    }

    /// The events in an output that also contains a log.
    private static func events(_ output: String) throws -> [JSONObject] {
        try JSONObject.lines(output).filter { $0.string("level") == nil }
    }

    /// The log lines about the listener.
    private static func log(_ output: String) throws -> [JSONObject] {
        try JSONObject.lines(output).filter { $0.string("level") != nil }
    }

    @Test("are printed once to a consumer, and again if they could not be written")
    func consumer() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await Self.happen(darkroom, 1...3)
            let tail = ["events", "tail", "--consumer", "push", "--from-start", "--json"]
            // Standard output is closed: nothing can be written, so nothing may be acknowledged.
            let words = ([Checkout.programs + "/darkroom"] + tail).map { "'\($0)'" }.joined(
                separator: " ")
            var closed = darkroom.command([])
            closed = ChildProgram(
                "/bin/sh", ["-c", "exec \(words) >&-"], environment: closed.environment,
                workingDirectory: darkroom.root)
            _ = try await closed.run()
            let first = try await darkroom.command(tail).runSuccessfully().standardOutput
            #expect(try Self.posts(first) == [1, 2, 3])
            #expect(try await darkroom.command(tail).runSuccessfully().standardOutput == "")
            try await Self.happen(darkroom, 4...4)
            let next = try await darkroom.command(tail).runSuccessfully().standardOutput
            #expect(try Self.posts(next) == [4])

            let all = try await darkroom.command(["events", "tail", "--from-start", "--json"])
                .runSuccessfully().standardOutput
            #expect(try Self.posts(all) == [1, 2, 3, 4], "without a consumer nothing is remembered")
            let after = try await darkroom.command(["events", "tail", "--from", "2"]).runSuccessfully()
                .standardOutput
            #expect(after.contains("published  post 3") && !after.contains("post 2"))
            let refused = try await darkroom.command(["events", "tail", "--from", "2", "--consumer", "x"])
                .run()
            #expect(refused.ending != .exited(0) && refused.standardError.contains("--from"))
        }
    }

    @Test("are followed until Ctrl-C as an app's login, and the next call reads the rest")
    func follow() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await darkroom.database.makeLogins()
            let address = try await darkroom.database.url(as: .api)
            let store = try OperatorProcess(
                darkroom, database: address, "events", "tail", "--consumer", "push", "--follow", "--json")
            // A consumer gets the events from its first read on.
            let known: PostgresQuery = "select from darkroom.event_consumers where consumer = 'push'"
            while try await darkroom.database.pool.query(known).isEmpty {
                try #require(isAlive(store.program.process), "\(store.text)")
                try await Task.sleep(for: .milliseconds(20))
            }
            try await Self.happen(darkroom, 1...2)
            while try Self.posts(store.text).count < 2 { try await Task.sleep(for: .milliseconds(20)) }
            try await Self.happen(darkroom, 3...3)
            while try Self.posts(store.text).count < 3 { try await Task.sleep(for: .milliseconds(20)) }
            while try Self.log(store.text).isEmpty { try await Task.sleep(for: .milliseconds(20)) }
            store.send(SIGINT)
            #expect(try await store.end() == .exited(0))
            #expect(try Self.posts(store.text) == [1, 2, 3])
            #expect(try Self.log(store.text).map { $0.string("event") } == ["events.listening"])
            try await Self.happen(darkroom, 4...5)
            var tail = darkroom.command(["events", "tail", "--consumer", "push", "--json"])
            tail.environment["DATABASE_URL"] = address
            let rest = try await tail.runSuccessfully().standardOutput
            #expect(try Self.posts(rest) == [4, 5])
            // An app may not read earlier events, and the message says who may.
            tail = darkroom.command(["events", "tail", "--consumer", "other", "--from-start"])
            tail.environment["DATABASE_URL"] = address
            let refused = try await tail.run()
            #expect(refused.ending == .exited(1))
            #expect(
                refused.standardError.contains("--from-start") && refused.standardError.contains("operator"))
            for options in [[], ["--from", "2"], ["--from-start"], ["--follow"]] {
                tail = darkroom.command(["events", "tail"] + options)
                tail.environment["DATABASE_URL"] = address
                let refused = try await tail.run()
                let message = refused.standardError
                #expect(refused.ending == .exited(1), "\(options)")
                #expect(message.contains("give --consumer NAME"), "\(options): \(message)")
                #expect(!message.contains("permission denied"), "\(options)")
            }
        }
    }

    @Test("are polled once a second behind a pooler in transaction mode, which is logged once")
    func pooler() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await PgBouncerProcess.with { (bouncer: PgBouncerProcess) async throws -> Void in
                let url = bouncer.url(database: try await darkroom.database.name())
                let tail = try OperatorProcess(
                    darkroom, "events", "tail", "--consumer", "push", "--from-start", "--follow", "--json",
                    "--database", url)
                try await Self.happen(darkroom, 1...2)
                while try Self.posts(tail.text).count < 2 { try await Task.sleep(for: .milliseconds(20)) }
                while try Self.log(tail.text).isEmpty { try await Task.sleep(for: .milliseconds(20)) }
                for post in 3...5 {
                    try await Self.happen(darkroom, post...post)
                    while try Self.posts(tail.text).count < post {
                        try await Task.sleep(for: .milliseconds(20))
                    }
                }
                tail.send(SIGINT)
                #expect(try await tail.end() == .exited(0))
                #expect(try Self.posts(tail.text) == [1, 2, 3, 4, 5])
                let log = try Self.log(tail.text)
                #expect(log.map { $0.string("event") } == ["events.listener_deaf"])
                #expect(log.first?.string("level") == "warning")
                #expect(log.first?.number("polling_every_ms") == 1000)
            }
        }
    }

    @Test("of a photo reach an app's login through SQL")
    func throughWorker() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await darkroom.database.makeLogins()
            try await darkroom.database.connected(as: .api) {
                (app: PostgresConnection) async throws -> Void in
                func read() async throws -> [String] {
                    try await app.query("select event from darkroom.read_events('push')").map {
                        try $0.decode("event", as: String.self)
                    }
                }
                #expect(try await read() == [], "the first read registers the consumer")
                let path = try darkroom.write(
                    PhotoFixture.jpeg(latitude: 47.6, longitude: -122.3), to: "photo.jpg")
                _ = try await darkroom.json("enqueue", "--uploader", "ada", path)
                try await darkroom.drain()
                #expect(try await read() == ["published"])
                try await app.query(
                    "select darkroom.ack_events('push', (select max(number) from darkroom.read_events('push')))"
                )
                #expect(try await read() == [])
            }
        }
    }
}
