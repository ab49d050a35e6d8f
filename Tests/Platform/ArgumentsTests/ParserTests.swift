import FoundationEssentials
import Testing

@testable import Arguments

private let action = Command.Action(
    options: [
        .value("lat", "D", "Latitude."), .value("lon", "D", "Longitude."),
        .value("caption", short: "c", "TEXT", "Caption."),
        .value("limit", short: "n", "N", "Limit.", default: "20", environment: "T_LIMIT"),
        .value("within", "SPAN", "Span."), .value("at", "TIME", "Time."), .value("state", "STATE", "State."),
        .repeated("tag", "TAG", "Tag."), .repeated("only", "STATE", "States."),
        .flag("json", short: "j", "JSON."), .flag("quiet", short: "q", "Quiet."),
    ],
    positionals: [
        .required("first", "the first"), .optional("second", "the second"), .rest("more", "the others"),
    ],
    examples: [], run: { _ in })

private func parse(_ tokens: [String], environment: [String: String] = [:]) throws -> ParsedArguments {
    try Parser.parse(tokens, for: action, environment: { environment[$0] })
}

private func message<T>(_ body: () throws -> T) -> String {
    do {
        return "no error but \(try body())"
    } catch {
        return (error as? UsageError)?.message ?? "another error: \(error)"
    }
}

private enum State: String, CaseIterable { case queued, running }

@Suite struct ParserTests {
    @Test(arguments: [
        (["x", "--caption", "a b"], "a b"), (["--caption=a=b", "x"], "a=b"), (["x", "--caption="], ""),
        (["x", "-c", "v"], "v"), (["-cv", "x"], "v"), (["x", "-jqc", "v"], "v"), (["x", "-jcv"], "v"),
        (["x", "--caption", "-"], "-"), (["x", "--caption", "-3 stars"], "-3 stars"),
        (["x", "--caption=-v"], "-v"),
    ])
    func formsOfAValue(tokens: [String], caption: String) throws {
        let parsed = try parse(tokens)
        #expect(parsed.string("caption") == caption)
        #expect(parsed.string("first") == "x")
    }

    @Test(arguments: ["-33.9", "-.5", "-0", "33.9", "+1.5", "-1e-3"])
    func negativeNumbersAreValues(text: String) throws {
        let number = try #require(Double(text))
        let parsed = try parse([text, "--lat", text, "--lon=\(text)"])
        #expect(try parsed.double("first", in: -90...90) == number)
        #expect(try parsed.double("lat", in: -90...90) == number)
        #expect(try parsed.double("lon", in: -90...90) == number)
    }

    @Test func flags() throws {
        #expect(try parse(["x", "--json"]).flag("json"))
        #expect(try parse(["x", "--json", "--json"]).flag("json"))
        #expect(try !parse(["x"]).flag("json"))
        let cluster = try parse(["-jq", "x"])
        #expect(cluster.flag("json") && cluster.flag("quiet"))
    }

    @Test func positionalsMixWithOptionsAndDoubleDashEndsThem() throws {
        let parsed = try parse(["a", "--tag", "t", "b", "--tag=u", "c", "--", "--json", "--", "-j"])
        #expect(parsed.string("first") == "a")
        #expect(parsed.string("second") == "b")
        #expect(parsed.strings("more") == ["c", "--json", "--", "-j"])
        #expect(parsed.strings("tag") == ["t", "u"])
        #expect(!parsed.flag("json"))
    }

    @Test func absentIsNilOrEmpty() throws {
        let parsed = try parse(["a"])
        #expect(parsed.string("second") == nil && parsed.string("caption") == nil)
        #expect(parsed.strings("more").isEmpty && parsed.strings("tag").isEmpty)
        #expect(try parsed.double("lat", in: 0...1) == nil)
        #expect(try parsed.int("second", in: 0...1) == nil)
        #expect(try parsed.duration("within") == nil)
        #expect(try parsed.time("at") == nil)
        #expect(try parsed.choice("state", of: State.self) == nil)
        #expect(try parsed.choices("only", of: State.self).isEmpty)
    }

    @Test func argumentThenEnvironmentThenDefault() throws {
        #expect(try parse(["a"]).string("limit") == "20")
        #expect(try parse(["a"], environment: ["T_LIMIT": "30"]).string("limit") == "30")
        #expect(try parse(["a"], environment: ["T_LIMIT": ""]).string("limit") == "20")
        #expect(try parse(["a", "-n", "40"], environment: ["T_LIMIT": "30"]).int("limit", in: 1...99) == 40)
        let wrong = message { try parse(["a"], environment: ["T_LIMIT": "many"]).int("limit", in: 1...9) }
        #expect(wrong == "T_LIMIT many is not a whole number; give 1 to 9")
    }

    @Test(
        arguments: [
            ([], "FIRST is missing: the first"),
            (["x", "--lat"], "--lat needs a value: --lat D"),
            (
                ["x", "--caption", "--json"],
                "--caption needs a value: --caption TEXT; for a value that starts with '-' write --caption=--json"
            ),
            (["x", "-c"], "--caption needs a value: --caption TEXT"),
            (["x", "--lat", "1", "--lat=2"], "--lat is given twice, 1 and 2; give it once"),
            (["x", "--json=yes"], "--json takes no value, but was given yes"),
            (["x", "--captoin", "v"], "unknown option --captoin; did you mean --caption?"),
            (["x", "--capt=v"], "unknown option --capt; did you mean --caption?"),
            (["x", "--zzzzzzz"], "unknown option --zzzzzzz"),
            (["x", "-z"], "unknown option -z"),
            (["x", "-jz"], "unknown option -z in -jz"),
            (["x", "-json"], "unknown option -s in -json; did you mean --json?"),
            (["x", "--\u{1B}[2J"], "unknown option --␛[2J"),
        ] as [([String], String)])
    func mistakes(tokens: [String], expected: String) {
        #expect(message { try parse(tokens) } == expected)
    }

    @Test func tooManyPositionals() {
        let narrow = Command.Action(
            options: [], positionals: [.required("lat", "l")], examples: [], run: { _ in })
        let none = Command.Action(options: [], positionals: [], examples: [], run: { _ in })
        #expect(
            message { try Parser.parse(["1", "2"], for: narrow, environment: { _ in nil }) }
                == "unexpected argument 2; accepted: LAT")
        #expect(
            message { try Parser.parse(["a b"], for: none, environment: { _ in nil }) }
                == "unexpected argument 'a b'; accepted: options only")
    }

    @Test func oneOrMoreNeedsOne() throws {
        let many = Command.Action(
            options: [], positionals: [.restRequired("photo", "files")], examples: [], run: { _ in })
        #expect(
            message { try Parser.parse([], for: many, environment: { _ in nil }) }
                == "PHOTO is missing: files")
        let two = try Parser.parse(["a", "b"], for: many, environment: { _ in nil })
        #expect(two.strings("photo") == ["a", "b"])
    }

    @Test(arguments: [
        ("kitten", "sitting", 3), ("abc", "abc", 0), ("", "abc", 3), ("abc", "", 3), ("enqeue", "enqueue", 1),
        ("captoin", "caption", 1), ("ca", "abc", 3),
    ])
    func distances(first: String, second: String, edits: Int) {
        #expect(Suggestion.distance(first, second) == edits)
    }

    @Test(arguments: [
        ("job", "jobs"), ("gaz", "gazetteer"), ("enqueu", "enqueue"), ("rep", nil), ("xyz", nil), ("", nil),
        ("q", nil), (String(repeating: "e", count: 5000), nil),
    ])
    func suggestions(word: String, expected: String?) {
        #expect(
            Suggestion.nearest(to: word, among: ["jobs", "gazetteer", "enqueue", "replay", "report"])
                == expected)
    }
}

@Suite struct ValueTests {
    @Test(arguments: [
        ("91", "--lat 91 is outside -90 to 90"), ("-90.01", "--lat -90.01 is outside -90 to 90"),
        ("1e999", "--lat 1e999 is outside -90 to 90"), ("north", "--lat north is not a number"),
        ("nan", "--lat nan is not a number"), ("0x10", "--lat 0x10 is not a number"),
        ("", "--lat '' is not a number"),
        ("48,1", "--lat 48,1 is not a number; write the decimal separator as a point"),
    ])
    func wrongNumbers(text: String, expected: String) {
        #expect(message { try parse(["x", "--lat=\(text)"]).double("lat", in: -90...90) } == expected)
    }

    @Test(arguments: [
        ("0", "--limit 0 is outside 1 to 100"), ("101", "--limit 101 is outside 1 to 100"),
        ("99999999999999999999", "--limit 99999999999999999999 is outside 1 to 100"),
        ("1.5", "--limit 1.5 is not a whole number; give 1 to 100"),
        ("-", "--limit - is not a whole number; give 1 to 100"),
    ])
    func wrongWholeNumbers(text: String, expected: String) {
        #expect(message { try parse(["x", "--limit=\(text)"]).int("limit", in: 1...100) } == expected)
    }

    @Test func choices() throws {
        let parsed = try parse(["x", "--state", "running", "--only", "queued", "--only=running"])
        #expect(try parsed.choice("state", of: State.self) == .running)
        #expect(try parsed.choices("only", of: State.self) == [.queued, .running])
        #expect(
            message { try parse(["x", "--state=Queued"]).choice("state", of: State.self) }
                == "--state Queued is not one of queued, running")
        #expect(
            message { try parse(["x", "--only=queued", "--only=no"]).choices("only", of: State.self) }
                == "--only no is not one of queued, running")
    }

    @Test(
        arguments: [
            ("500ms", .milliseconds(500)), ("30s", .seconds(30)), ("5m", .seconds(300)),
            ("2h", .seconds(7200)),
            ("7d", .seconds(604_800)), ("0s", .zero),
        ] as [(String, Duration)])
    func durations(text: String, expected: Duration) throws {
        #expect(try parse(["x", "--within", text]).duration("within") == expected)
    }

    @Test(arguments: [
        ("5", "has no unit; write it like 500ms, 30s, 5m, 2h or 7d"),
        ("1.5h", "is not a duration; write it like 500ms, 30s, 5m, 2h or 7d"),
        ("-5m", "is not a duration; write it like 500ms, 30s, 5m, 2h or 7d"),
        ("5w", "is not a duration; write it like 500ms, 30s, 5m, 2h or 7d"),
        ("s", "is not a duration; write it like 500ms, 30s, 5m, 2h or 7d"),
        ("9223372036854775807d", "is too long"),
        ("92233720368547758070ms", "is too long"),
    ])
    func wrongDurations(text: String, expected: String) {
        #expect(
            message { try parse(["x", "--within", text]).duration("within") }
                == "--within \(text) \(expected)")
    }

    // The expected seconds come from GNU date: date -d TEXT +%s.
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-05-01T12:00:00+02:00", 1_777_629_600),
            ("2026-05-01 12:00+02:00", 1_777_629_600), ("2026-05-01t10:00z", 1_777_629_600),
            ("2026-05-01T12:00:00+0200", 1_777_629_600), ("2026-05-01T12+02", nil),
            ("2026-05-01T12:00+02", 1_777_629_600), ("2024-02-29T23:59:59.25-03:30", 1_709_263_799.25),
            ("1969-12-31T23:59:59Z", -1), ("0001-01-01T00:00:00Z", -62_135_596_800),
            ("9999-12-31T23:59:59Z", 253_402_300_799),
        ] as [(String, Double?)])
    func times(text: String, expected: Double?) throws {
        let date = try? parse(["x", "--at", text]).time("at")
        #expect(date?.timeIntervalSince1970 == expected)
    }

    @Test(arguments: [
        ("2026-05-01T12:00:00", "has no offset from UTC; end it with Z or with one such as +02:00"),
        ("2026-05-01", "has no time of day; write it like 2026-05-01T12:00:00+02:00"),
        ("yesterday", "is not a time; write it like 2026-05-01T12:00:00+02:00"),
        ("2026-02-29T12:00Z", "is not a real date or time; write it like 2026-05-01T12:00:00+02:00"),
        ("1900-02-29T12:00Z", "is not a real date or time; write it like 2026-05-01T12:00:00+02:00"),
        ("2026-13-01T12:00Z", "is not a real date or time; write it like 2026-05-01T12:00:00+02:00"),
        ("2026-05-01T24:00Z", "is not a real date or time; write it like 2026-05-01T12:00:00+02:00"),
        ("2026-05-01T12:00Zulu", "is not a time; write it like 2026-05-01T12:00:00+02:00"),
        ("2026-05-01T12:00:00.Z", "is not a time; write it like 2026-05-01T12:00:00+02:00"),
        ("2026-05-01T12:00+02:", "is not a time; write it like 2026-05-01T12:00:00+02:00"),
        (
            "2026-05-01T12:00+19:00",
            "has an impossible offset from UTC; write it like 2026-05-01T12:00:00+02:00"
        ),
        ("２026-05-01T12:00Z", "is not a time; write it like 2026-05-01T12:00:00+02:00"),
    ])
    func wrongTimes(text: String, expected: String) {
        #expect(message { try parse(["x", "--at", text]).time("at") } == "--at \(text) \(expected)")
    }
}
