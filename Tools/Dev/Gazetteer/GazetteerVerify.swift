import Arguments
import CommandSupport
import FoundationEssentials
import GazetteerVerification
import Threads

enum GazetteerVerify {
    static let command = Command(
        "gazetteer", "Check the gazetteer's results.", subcommands: [verify])

    private static let verify = Command(
        "verify", "Score the gazetteer on points or texts whose places are known.",
        discussion: """
            TRUTH is a tab-separated table. Its first line names the columns, in any order. It must have lat, lon and \
            country (ISO 3166-1; empty for no country, such as on the high seas). It may have admin1 (a GeoNames code \
            such as US.WA), geonameid (of the place), city (its geonameid), class (a word to group by), also_ok (other accepted countries, \
            separated by |) and note. If a point has no admin1, geonameid or city, that question is skipped. The misses \
            follow the score on standard output, one per line.

            With --at-least, exits with 1 if a smaller percentage is right: for country, admin1, place, city or sea (points \
            at sea for which no country is found), or for each of them if you give only a number.

            --forward scores texts instead. Its table has the columns text, kind (place, read_as, admin1, country, point, \
            invalid, ambiguous or none) and answer (a geonameid, GeoNames code, ISO code or point), and optionally also_ok \
            (geonameids separated by |), class, and the user's lat, lon and country. An ambiguous result whose first \
            candidate is right counts as unsure, and for --at-least as right.

            --names asks for every country by name and code, for every first-level division and every city of 100,000 by \
            name and country, and lists what is answered by something else. With --region-names TABLE, it also asks for every \
            country and division by the names of this table in all languages: it is the input regionNames.tsv of \
            `darkroom gazetteer build`.

            --self needs no table: it looks up every place, capital and division of the index at its own point, and \
            prints what gets another name, and why. It exits with 1 if no rule explains one of them. With --around KM, it \
            also looks up eight points at that distance from every place, and prints the places that lose their name to \
            a city although no other place is nearer. It exits with 1 if this happens at more than 1 % of the points within \
            1 km.
            """,
        options: [
            .value("forward", "TABLE", "score the texts of this table"),
            .flag("self", "look up every place at its own point"),
            .repeated(
                "around", "KM", "with --self, also look up every place at this distance from its point"),
            .flag("names", "ask for every country, division and large city by name"),
            .value(
                "region-names", "TABLE", "with --names, also ask for countries and divisions by these names"),
            .repeated(
                "at-least", "SCORE", "fail below this percentage, such as 97, or country=99 for one question"),
            Settings.json, Settings.gazetteer,
        ],
        positionals: [.optional("TRUTH", "the table of points")],
        examples: [
            Example("darkroom-dev gazetteer verify truth.tsv", "prints the score, and every miss"),
            Example(
                "darkroom-dev gazetteer verify --at-least country=99 --at-least admin1=97 truth.tsv",
                "checks a new index before you use it"),
            Example(
                "darkroom-dev gazetteer verify --forward Benchmarks/gazetteer/forward.tsv", "scores texts"),
            Example("darkroom-dev gazetteer verify --self", "checks every name of a new index"),
            Example(
                "darkroom-dev gazetteer verify --self --around 0.7",
                "also checks the surroundings of every place"),
        ]
    ) { arguments in
        let floors = try arguments.strings("at-least").map { try ScoreFloor($0) }
        let distances = try arguments.strings("around").map { try metres(of: $0) }
        guard distances.isEmpty || arguments.flag("self") else { throw UsageError("--around needs --self") }
        guard arguments.string("region-names") == nil || arguments.flag("names") else {
            throw UsageError("--region-names needs --names")
        }
        let gazetteer = try Settings.openGazetteer(arguments)
        if arguments.flag("self") {
            guard arguments.string("TRUTH") == nil, arguments.string("forward") == nil else {
                throw UsageError("give --self, --forward TABLE or TRUTH, only one of them")
            }
            let check = try await onThread { SelfCheck(of: gazetteer, around: distances) }
            Output.table(check.table)
            for line in check.lines { Output.line(line) }
            if !check.isExplained { throw ExitCode(1) }
            return
        }
        if let table = arguments.string("forward") {
            guard arguments.string("TRUTH") == nil else {
                throw UsageError("give --forward TABLE or TRUTH, not both")
            }
            try await verifyForward(gazetteer, Settings.absolute(table), floors, arguments)
            return
        }
        if arguments.flag("names") {
            let names = try arguments.string("region-names").map {
                try regionNames(at: Settings.absolute($0))
            }
            let check = try await onThread {
                var check = NameCheck(of: gazetteer)
                if let names { check.ask(gazetteer, names) }
                return check
            }
            for (kind, tally) in check.tallies.sorted(by: { $0.key < $1.key }) {
                Output.line("\(kind): \(tally)")
            }
            for exception in check.exceptions { Output.line("\(exception)") }
            if !check.exceptions.isEmpty { throw ExitCode(1) }
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

    /// The code and the name in each line.
    private static func regionNames(at path: String) throws -> [(code: String, name: String)] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw UsageError("--region-names \(path) cannot be read")
        }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").compactMap { line in
            let fields = line.split(separator: "\t", maxSplits: 1)
            return fields.count == 2 ? (String(fields[0]), String(fields[1])) : nil
        }
    }

    private static func metres(of kilometres: String) throws -> Double {
        guard let number = Double(kilometres), number > 0, number <= 100 else {
            throw UsageError("--around “\(kilometres)” is not a number of kilometres up to 100")
        }
        return number * 1_000
    }
}
