import Arguments
import CommandSupport
import GazetteerVerification
import Threads

/// `darkroom-dev gazetteer verify`: the gazetteer's answers against known truth.
enum GazetteerVerify {
    static let command = Command(
        "gazetteer", "Check the gazetteer's answers.", subcommands: [verify])

    private static let verify = Command(
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
            Example("darkroom-dev gazetteer verify truth.tsv", "the score, and every miss"),
            Example(
                "darkroom-dev gazetteer verify --at-least country=99 --at-least admin1=97 truth.tsv",
                "a check before a new index is put to work"),
            Example("darkroom-dev gazetteer verify --forward Benchmarks/gazetteer/forward.tsv", "texts"),
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
