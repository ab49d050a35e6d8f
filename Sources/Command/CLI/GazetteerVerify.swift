import Arguments
import Gazetteer
import Threads

extension GazetteerCommand {
    static let verify = Command(
        "verify", "Score the gazetteer at points or texts whose truth is known.",
        discussion: """
            TRUTH.tsv is a table with tabs. Its first line names the columns, in any order: lat, lon and country (ISO \
            3166-1; empty for no country, such as the high seas) must be there; admin1 (GeoNames code such as US.WA), \
            geonameid (of the place), class (a word to group by), also_ok (countries to accept too, with | between) \
            and note may be. Of a point without an admin1 or geonameid that question is not asked. Misses go to \
            standard output after the score, a line each.

            --at-least ends it with 1 where less than so many percent are right: of country, admin1, place or sea \
            ("at sea" points that come out without a country), or of each where only a number is given.

            --forward scores texts instead: a table with the columns text, kind (place, admin1, country, ambiguous or \
            none) and answer (a geonameid, GeoNames code or ISO code), and perhaps also_ok (geonameids with | between), \
            class, and lat and lon of who asks. An ambiguous answer whose first candidate is right counts as unsure, \
            and for --at-least as right.
            """,
        options: [
            .value("forward", "TABLE", "score texts of this table"),
            .repeated("at-least", "SCORE", "fail below this: a percentage, or such as country=99"),
            Settings.json, Settings.gazetteer,
        ],
        positionals: [.optional("TRUTH", "the table of points")],
        examples: [
            Example("darkroom gazetteer verify truth.tsv", "the score, and every miss"),
            Example(
                "darkroom gazetteer verify --at-least country=99 --at-least admin1=97 truth.tsv",
                "a check before a new index is put to work"),
            Example("darkroom gazetteer verify --forward Benchmarks/gazetteer/forward.tsv", "texts"),
        ]
    ) { arguments in
        let floors = try arguments.strings("at-least").map { try ScoreFloor($0) }
        let gazetteer = try Settings.openGazetteer(arguments)
        if let table = arguments.string("forward") {
            guard arguments.string("TRUTH") == nil else {
                throw UsageError("give --forward TABLE or TRUTH, not both")
            }
            try await verifyForward(gazetteer, Settings.absolute(table), floors, arguments)
            return
        }
        guard let truth = arguments.string("TRUTH") else {
            throw UsageError("give TRUTH, the table of points, or --forward with a table of texts")
        }
        let path = Settings.absolute(truth)
        let score = try await onThread { TruthScore(of: gazetteer, at: try TruthPoint.read(path: path)) }
        if arguments.flag("json") {
            for line in score.json { Output.line(line.line) }
        } else {
            Output.table(score.table)
            for miss in score.misses { Output.line(miss.text) }
        }
        let failures = floors.flatMap { $0.failures(of: score) }
        for failure in failures { Output.note(failure) }
        if !failures.isEmpty { throw ExitCode(1) }
    }
}

/// A share of right answers to reach.
struct ScoreFloor: Equatable {
    let questions: [TruthScore.Question]
    let percent: Double

    init(_ text: String) throws {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let question = parts.count == 2 ? TruthScore.Question(rawValue: String(parts[0])) : nil
        guard let number = parts.last.flatMap({ Double($0) }), (0...100).contains(number),
            parts.count == 1 || question != nil
        else {
            let known = TruthScore.Question.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError(
                "--at-least “\(text)” is neither a percentage nor one of \(known) with '=' and a percentage")
        }
        questions = question.map { [$0] } ?? TruthScore.Question.allCases
        percent = number
    }

    /// What is below the floor. A question that the table does not ask is below it where it is named, or where the
    /// table asks none at all.
    func failures(of score: TruthScore) -> [String] {
        let asked = questions.filter { score.totals[$0]?.percent != nil }
        guard !asked.isEmpty || questions.count == 1 else { return ["the table asks nothing"] }
        return questions.compactMap { question in
            guard let tally = score.totals[question], let reached = tally.percent else {
                return questions.count == 1 ? "\(question.rawValue): the table does not ask for it" : nil
            }
            guard reached < percent else { return nil }
            return "\(question.rawValue): \(tally.right) of \(tally.all) right, less than \(percent) %"
        }
    }
}

extension TruthScore {
    var table: TextTable {
        var table = TextTable(
            columns: [TextTable.Column("class")]
                + Question.allCases.map { TextTable.Column($0 == .sea ? "at sea" : $0.rawValue, .right) })
        for (name, tallies) in groups.sorted(by: { $0.key < $1.key }) {
            table.add([name.isEmpty ? "(none)" : name] + Question.allCases.map { Self.text(tallies[$0]) })
        }
        table.add(["all"] + Question.allCases.map { Self.text(totals[$0]) })
        return table
    }

    private static func text(_ tally: Tally?) -> String {
        guard let tally, let percent = tally.percent else { return "-" }
        return "\(tally.right) of \(tally.all) (\((percent * 10).rounded(.down) / 10) %)"
    }

    /// A line a class, one for all, and one a miss.
    var json: [JSON] {
        func line(_ name: String, _ value: String, _ tallies: [Question: Tally]) -> JSON {
            let members = Question.allCases.map { question in
                (
                    question.rawValue,
                    JSON.optional(tallies[question]) {
                        .object([("right", .integer(Int64($0.right))), ("all", .integer(Int64($0.all)))])
                    }
                )
            }
            return .object([(name, .string(value))] + members)
        }
        return groups.sorted { $0.key < $1.key }.map { line("class", $0.key, $0.value) }
            + [line("total", "all", totals)] + misses.map(\.json)
    }
}

extension TruthScore.Miss {
    var json: JSON {
        .object([
            ("miss", .string(question.rawValue)), ("line", .integer(Int64(point.line))),
            ("lat", .number(point.coordinate.latitude)), ("lon", .number(point.coordinate.longitude)),
            ("answered", .string(answered)), ("expected", .string(expected)), ("class", .string(point.group)),
            ("note", .string(point.note)),
        ])
    }

    var text: String {
        let subject = question == .sea ? "country" : question.rawValue
        let remarks = [point.group, point.note].filter { !$0.isEmpty }.joined(separator: ": ")
        return [
            "line \(point.line)", "\(point.coordinate.latitude)", "\(point.coordinate.longitude)",
            "\(subject) \(answered.isEmpty ? "none" : answered), expected \(expected)", remarks,
        ].map { Terminal.printable($0) }.joined(separator: "\t")
    }
}
