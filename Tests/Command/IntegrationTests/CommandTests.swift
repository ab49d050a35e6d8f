import ChildProcess
import FoundationEssentials
import JobQueue
import Postgres
import TestKit
import Testing

@Suite("The command line", .timeLimit(.minutes(15)))
struct CommandTests {
    private static func run(
        _ arguments: [String], of program: String = "darkroom"
    ) async throws -> ChildProgram.Output {
        try await ChildProgram(Checkout.programs + "/" + program, arguments).run()
    }

    @Test("explains each command with an example", arguments: [("darkroom", 52), ("darkroom-dev", 11)])
    func help(program: String, atLeast: Int) async throws {
        var waiting: [[String]] = [[]]
        var explained = 0
        while let command = waiting.popLast() {
            let output = try await Self.run(command + ["--help"], of: program)
            let text = output.standardOutput
            let name = ([program] + command).joined(separator: " ")
            #expect(output.ending == .exited(0) && output.standardError.isEmpty, "\(name)")
            #expect(text.contains("usage: \(name)"))
            let below = Self.subcommands(text)
            waiting += below.map { command + [$0] }
            guard below.isEmpty else { continue }
            #expect(text.contains("Examples:"), "\(name)")
            explained += 1
        }
        #expect(explained >= atLeast)
    }

    @Test("keeps development tools out of darkroom")
    func contents() async throws {
        let grep = try #require(ChildProgram.find("grep"))
        // These modules as they appear in mangled names.
        for module in ["12Benchmarking", "14ReferencePages", "21GazetteerVerification", "8Proxying"] {
            for (program, found) in [("darkroom", Int32(1)), ("darkroom-dev", 0)] {
                let output = try await ChildProgram(
                    grep, ["-q", "-F", "-a", module, "\(Checkout.programs)/\(program)"]
                ).run()
                #expect(output.ending == .exited(found), "\(module) in \(program)")
            }
        }
        for command in ["bench", "chaos", "docs"] {
            #expect(try await Self.run([command]).ending == .exited(64))
        }
        let recipe = try #require(FileManager.default.contents(atPath: "\(Checkout.root)/docker/Dockerfile"))
        #expect(!String(decoding: recipe, as: UTF8.self).contains("darkroom-dev"))
    }

    /// The names listed in a help text, each after two spaces.
    private static func subcommands(_ help: String) -> [String] {
        help.split(separator: "\n", omittingEmptySubsequences: false)
            .drop { $0 != "Commands:" }.dropFirst().prefix { !$0.isEmpty }
            .filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
            .compactMap { $0.split(separator: " ").first.map(String.init) }
    }

    @Test(
        "exits with 64 after a mistake, and says on standard error what to do",
        arguments: [
            (["enqeue"], "enqueue"), (["enqueue"], "PHOTO"),
            (["enqueue", "--lat", "91", "--lon", "0", "x"], "90"),
            (["enqueue", "--lat", "9", "x"], "--lon"), (["jobs", "replay"], "--state"),
            (["jobs", "show", "x"], "number"), (["posts", "list", "--state", "lost"], "published"),
            (["enqueue", "--taken-at", "yesterday", "x"], "--taken-at"),
            (["enqueue", "--idempotency-key", "k", "a", "b"], "one photo"),
        ])
    func usage(arguments: [String], hint: String) async throws {
        let output = try await Self.run(arguments)
        #expect(output.ending == .exited(64))
        #expect(output.standardOutput.isEmpty)
        #expect(output.standardError.contains(hint))
        #expect(output.standardError.contains("--help"))
    }

    @Test("does not link the image libraries into the program that holds the credentials")
    func linkage() async throws {
        let ldd = try #require(ChildProgram.find("ldd"))
        let output = try await ChildProgram(ldd, [Checkout.programs + "/darkroom"]).runSuccessfully()
        #expect(output.standardOutput.contains("libpq"))
        for library in ["vips", "exif", "heif", "jpeg", "glib"] {
            #expect(!output.standardOutput.contains("lib\(library)"))
        }
    }

    @Test("says how to get a database if there is none")
    func noDatabase() async throws {
        try await withTemporaryDirectory { (root: String) async throws -> Void in
            let output = try await ChildProgram(
                Checkout.programs + "/darkroom", ["jobs", "list"], workingDirectory: root
            ).run()
            #expect(output.ending == .exited(1))
            #expect(output.standardError.contains("darkroom dev start"))
        }
    }

    @Test("says that the database must be migrated")
    func unmigrated() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await darkroom.database.pool.query("drop schema darkroom cascade")
            let environment = darkroom.environment
            let photo = try darkroom.write(PhotoFixture.jpeg(), to: "p.jpg")
            for arguments in [
                ["jobs", "list"], ["posts", "list"], ["queue", "stats"], ["enqueue", photo],
                ["work", "--drain"],
            ] {
                let output = try await ChildProgram(
                    Checkout.programs + "/darkroom", arguments, environment: environment
                ).run()
                #expect(output.ending == .exited(1))
                #expect(output.standardError.contains("darkroom migrate"), "\(arguments)")
            }
            let status = try await ChildProgram(
                Checkout.programs + "/darkroom", ["migrate", "--status", "--json"],
                environment: environment
            ).run()
            #expect(status.ending == .exited(1))
            #expect(
                try JSONObject.lines(status.standardOutput).allSatisfy { $0.string("state") == "pending" })
        }
    }

    @Test("inspects without a database, and writes renditions on request")
    func inspect() async throws {
        try await withTemporaryDirectory { (root: String) async throws -> Void in
            let photo = PhotoFixture.jpeg(
                width: 400, height: 300, latitude: 47.6, longitude: -122.3, takenAt: "2024:02:10 17:32:11",
                offset: "-08:00", orientation: 8)
            try Data(photo).write(to: URL(filePath: root + "/good.jpg"))
            try Data(PhotoFixture.text).write(to: URL(filePath: root + "/bad.jpg"))
            // Links with the names of renditions: what they lead to stays as it is.
            try FileManager.default.createDirectory(
                atPath: root + "/out", withIntermediateDirectories: true)
            for name in ["first", "second"] {
                try Data(name.utf8).write(to: URL(filePath: "\(root)/\(name)"))
            }
            try FileManager.default.createSymbolicLink(
                atPath: root + "/out/good.large.jpg", withDestinationPath: root + "/first")
            try FileManager.default.linkItem(
                atPath: root + "/second", toPath: root + "/out/good.medium.jpg")
            let output = try await ChildProgram(
                Checkout.programs + "/darkroom",
                ["inspect", "--json", "--render", "out", "good.jpg", "bad.jpg"],
                workingDirectory: root
            ).run()
            #expect(output.ending == .exited(1), "one is rejected")
            let answers = try JSONObject.lines(output.standardOutput)
            try #require(answers.count == 2)
            let contract: Set = [
                "file", "verdict", "reason", "message", "format", "width", "height", "orientation", "gps",
                "taken_at",
                "renditions",
            ]
            for answer in answers { #expect(answer.keys.isSuperset(of: contract)) }
            let good = answers[0]
            #expect(good.string("verdict") == "accepted" && good.isNull("reason"))
            #expect(
                good.number("width") == 300 && good.number("height") == 400 && good.number("orientation") == 8
            )
            #expect(good.string("gps", "state") == "valid")
            #expect(abs(try #require(good.number("gps", "lon")) + 122.3) < 1e-5)
            #expect(good.string("taken_at") == "2024-02-10T17:32:11-08:00")
            #expect(
                answers[1].string("verdict") == "rejected" && answers[1].string("reason") == "not_an_image")
            #expect(
                try filesBelow(root + "/out") == ["good.large.jpg", "good.medium.jpg", "good.square.jpg"])
            for name in ["first", "second"] {
                #expect(try Data(contentsOf: URL(filePath: "\(root)/\(name)")) == Data(name.utf8), "\(name)")
            }
            let large = try FileManager.default.attributesOfItem(atPath: root + "/out/good.large.jpg")
            #expect(large[.type] as? FileAttributeType == .typeRegular)

            // Photos of one name in several folders, and with several extensions.
            try FileManager.default.createDirectory(
                atPath: root + "/more", withIntermediateDirectories: true)
            try Data(PhotoFixture.png(width: 30, height: 20)).write(to: URL(filePath: root + "/good.png"))
            try Data(PhotoFixture.text).write(to: URL(filePath: root + "/more/good.jpg"))
            let both = try await ChildProgram(
                Checkout.programs + "/darkroom",
                ["inspect", "--json", "--render", "both", "good.jpg", "more/good.jpg", "good.png"],
                workingDirectory: root
            ).run()
            let paths = try JSONObject.lines(both.standardOutput).map { answer in
                answer.array("renditions").compactMap { $0.string("path") }
            }
            #expect(paths.map(\.count) == [3, 0, 3])
            #expect(paths.last?.allSatisfy { $0.hasPrefix("both/good-3.") } ?? false)
            #expect(try filesBelow(root + "/both") == paths.joined().map { String($0.dropFirst(5)) }.sorted())
        }
    }

    @Test("replays, cancels and shows jobs")
    func operate() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let path = try darkroom.write(PhotoFixture.jpeg(), to: "nowhere.jpg")
            _ = try await darkroom.json("enqueue", path)
            try await darkroom.drain()
            let dry = try await darkroom.json("jobs", "replay", "--state", "rejected", "--dry-run")
            #expect(dry.map { $0.number("job_id") } == [1])
            #expect(try await darkroom.database.state(of: JobID(rawValue: 1)) == .rejected)
            _ = try await darkroom.json("jobs", "replay", "1")
            #expect(try await darkroom.database.state(of: JobID(rawValue: 1)) == .waiting)
            let again = try await darkroom.darkroom("jobs", "replay", "1")
            #expect(again.ending == .exited(1), "it already waits")
            #expect(try await darkroom.darkroom("jobs", "cancel", "1").ending == .exited(0))
            let shown = try #require(try await darkroom.json("jobs", "show", "1").first)
            #expect(shown.string("state") == "cancelled")
            #expect(shown.array("attempts").map { $0.string("reason") } == ["no_location"])
            let stats = try #require(try await darkroom.json("queue", "stats").first)
            // The tally that told of the rejection succeeded.
            let finished = stats.array("finished_last_hour").map { $0.string("state") }
            #expect(finished.sorted { ($0 ?? "") < ($1 ?? "") } == ["cancelled", "succeeded"])
            let unknown = try await darkroom.darkroom("jobs", "show", "99")
            #expect(unknown.ending == .exited(1) && unknown.standardError.contains("no job 99"))
        }
    }

    @Test("finds nothing wrong with a good installation, and names what is missing in a bad one")
    func doctor() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let good = try await darkroom.darkroom("doctor")
            #expect(good.ending == .exited(0), "\(good.standardOutput)")
            try FileManager.default.removeItem(atPath: darkroom.root + "/gazetteer.drg")
            try await darkroom.database.pool.query(
                "update darkroom.schema_files set checksum = '' where name = 'posts_within'")
            let bad = try await darkroom.command(["doctor", "--json"]).run()
            #expect(bad.ending == .exited(1))
            let wrong = try JSONObject.lines(bad.standardOutput).filter { !$0.isNull("remedy") }
            #expect(Set(wrong.compactMap { $0.string("check") }) == ["schema", "gazetteer"])
            #expect(wrong.contains { $0.string("remedy") == "darkroom migrate" })
        }
    }
}
