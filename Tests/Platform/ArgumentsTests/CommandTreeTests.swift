import Synchronization
import Testing

@testable import Arguments

/// Gathers what a command tree writes.
private final class Recorder: Sendable {
    let texts = Mutex((out: "", err: ""))
    var out: String { texts.withLock { $0.out } }
    var err: String { texts.withLock { $0.err } }

    func console(width: Int = 80, environment: [String: String] = [:]) -> Console {
        Console(
            out: { text in self.texts.withLock { $0.out += text } },
            err: { text in self.texts.withLock { $0.err += text } }, outWidth: width, errWidth: width,
            environment: { environment[$0] })
    }
}

private struct Failure: Error, CustomStringConvertible { let description: String }

private func tree(_ run: @escaping @Sendable (ParsedArguments) async throws -> Void = { _ in }) -> CommandTree
{
    let enqueue = Command(
        "enqueue", "Enqueue photos.",
        discussion:
            "Each photo becomes a job of its own, which a worker takes when it is free to do so.\n\n  kept  as is",
        options: [
            .value("lat", "D", "Latitude in degrees north, used where the photo has none of its own."),
            .value(
                "database", short: "d", "URL", "The database.", default: "local", environment: "T_DATABASE"),
            .repeated("tag", "TAG", "A tag."), .flag("json", short: "j", "Print JSON."),
            .value("a-name-that-is-much-too-long", "PLACEHOLDER", "Described below."),
        ], positionals: [.restRequired("photo", "The files.")],
        examples: [Example("darkroom enqueue --lat -33.9 a.jpg", "enqueues one photo taken in Sydney")],
        run: run)
    let jobs = Command(
        "jobs", "Look after jobs.",
        subcommands: [
            Command("list", "List jobs.", run: run), Command("replay", "Run jobs again.", run: run),
        ])
    return CommandTree(
        tool: "darkroom", version: "1.2.3", summary: "Ingests photos.", commands: [enqueue, jobs])
}

@Suite(.timeLimit(.minutes(15))) struct CommandTreeTests {
    @Test(arguments: [[], ["--help"], ["-h"], ["help"]])
    func helpOfTheTool(arguments: [String]) async {
        let recorder = Recorder()
        #expect(await tree().run(arguments, console: recorder.console()) == 0)
        #expect(
            recorder.out == """
                usage: darkroom COMMAND ...

                Ingests photos.

                Commands:
                  enqueue  Enqueue photos.
                  jobs     Look after jobs.

                see 'darkroom COMMAND --help'

                """)
        #expect(recorder.err.isEmpty)
    }

    @Test("A command may report in its own way why it ends", arguments: [true, false])
    func ownReport(isReported: Bool) async {
        let reports = Mutex<[String]>([])
        let work = Command("work", "Work.", options: [.value("limit", "N", "How many.")]) { arguments in
            if let limit = arguments.string("limit") { throw Failure(description: "no \(limit)") }
        }.reportingFailures { arguments, message in
            reports.withLock { $0.append("\(arguments): \(message)") }
            return isReported
        }
        let tree = CommandTree(tool: "darkroom", version: "1", summary: "Works.", commands: [work])
        let recorder = Recorder()
        #expect(await tree.run(["work", "--bogus"], console: recorder.console()) == 64)
        #expect(await tree.run(["work", "--limit", "7"], console: recorder.console()) == 1)
        #expect(await tree.run(["work"], console: recorder.console()) == 0)
        let printed = recorder.err
        #expect(printed.isEmpty == isReported && (isReported || printed.contains("darkroom: no 7\n")))
        #expect(
            reports.withLock { $0 } == [
                "[\"--bogus\"]: unknown option --bogus", "[\"--limit\", \"7\"]: no 7",
            ])
    }

    @Test(arguments: [["jobs"], ["jobs", "--help"], ["help", "jobs"]])
    func helpOfAGroup(arguments: [String]) async {
        let recorder = Recorder()
        #expect(await tree().run(arguments, console: recorder.console()) == 0)
        #expect(recorder.out.hasPrefix("usage: darkroom jobs COMMAND ...\n\nLook after jobs.\n\nCommands:\n"))
        #expect(recorder.out.contains("  replay  Run jobs again.\n"))
    }

    @Test(arguments: [["enqueue", "--help"], ["enqueue", "--bogus", "-h"], ["help", "enqueue"]])
    func helpOfACommand(arguments: [String]) async {
        let recorder = Recorder()
        let code = await tree { _ in Issue.record("ran") }.run(
            arguments, console: recorder.console(width: 60))
        #expect(code == 0)
        #expect(
            recorder.out == """
                usage: darkroom enqueue [--lat D] [--database URL]
                                        [--tag TAG]... [--json]
                                        [--a-name-that-is-much-too-long PLACEHOLDER]
                                        PHOTO...

                Enqueue photos.

                Each photo becomes a job of its own, which a worker takes
                when it is free to do so.

                  kept  as is

                Arguments:
                  PHOTO...  The files.

                Options:
                      --lat D                     Latitude in degrees north,
                                                  used where the photo has
                                                  none of its own.
                  -d, --database URL              The database. (default:
                                                  local)
                      --tag TAG                   A tag. (may be repeated)
                  -j, --json                      Print JSON.
                      --a-name-that-is-much-too-long PLACEHOLDER
                                                  Described below.
                  -h, --help                      Show this help.

                Examples:
                  darkroom enqueue --lat -33.9 a.jpg
                      enqueues one photo taken in Sydney

                Environment:
                  T_DATABASE  Used if --database is not given.

                """)
    }

    @Test func helpAfterDoubleDashIsAnArgument() async {
        let recorder = Recorder()
        let code = await tree { #expect($0.strings("photo") == ["--help"]) }
            .run(["enqueue", "--", "--help"], console: recorder.console())
        #expect(code == 0 && recorder.out.isEmpty)
    }

    @Test func version() async {
        let recorder = Recorder()
        #expect(await tree().run(["--version"], console: recorder.console()) == 0)
        #expect(recorder.out == "darkroom 1.2.3\n")
    }

    @Test(arguments: [
        (["enqeue"], "unknown command enqeue of darkroom; did you mean enqueue?", "darkroom"),
        (["jobs", "lst"], "unknown command lst of darkroom jobs; did you mean list?", "darkroom jobs"),
        (
            ["--json", "jobs"], "unknown option --json; put options after the command they belong to",
            "darkroom"
        ),
        (["enqueue"], "PHOTO is missing: The files.", "darkroom enqueue"),
        (["enqueue", "a", "--jsn"], "unknown option --jsn; did you mean --json?", "darkroom enqueue"),
        (["jobs", "list", "x"], "unexpected argument x; accepted: options only", "darkroom jobs list"),
        (["\u{1B}]0;x\u{7}"], "unknown command ␛]0;x␇ of darkroom", "darkroom"),
    ])
    func usageErrors(arguments: [String], message: String, path: String) async {
        let recorder = Recorder()
        let code = await tree { _ in Issue.record("ran") }.run(arguments, console: recorder.console())
        #expect(code == 64)
        #expect(recorder.out.isEmpty)
        #expect(recorder.err.hasPrefix("darkroom: \(message)\nusage: \(path)"))
        #expect(recorder.err.hasSuffix("\nsee '\(path) --help'\n"))
    }

    @Test func usageErrorsOfACommandNameItsPath() async {
        let recorder = Recorder()
        let code = await tree { _ = try $0.double("lat", in: -90...90) }
            .run(["enqueue", "--lat", "91", "a"], console: recorder.console())
        #expect(code == 64)
        #expect(recorder.err.hasPrefix("darkroom: --lat 91 is outside -90 to 90\nusage: darkroom enqueue ["))
    }

    @Test func errorsAndExitCodes() async {
        let failed = Recorder()
        let failure = Failure(description: "the disk\nis \u{1B}full")
        #expect(await tree { _ in throw failure }.run(["jobs", "list"], console: failed.console()) == 1)
        #expect(failed.err == "darkroom: the disk\nis ␛full\n")

        let silent = Recorder()
        #expect(
            await tree { _ in throw ExitCode(75) }.run(["jobs", "list"], console: silent.console()) == 75)
        #expect(silent.err.isEmpty && silent.out.isEmpty)
    }

    @Test func theEnvironmentReachesTheCommand() async {
        let recorder = Recorder()
        let console = recorder.console(environment: ["T_DATABASE": "remote"])
        let code = await tree { #expect($0.string("database") == "remote") }
            .run(["enqueue", "a"], console: console)
        #expect(code == 0)
    }
}
