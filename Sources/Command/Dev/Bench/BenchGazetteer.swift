import Arguments
import Benchmarking
import CommandSupport

/// `darkroom-dev bench gazetteer`.
enum BenchGazetteer {
    static let command = Command(
        "gazetteer", "Measure the gazetteer beside two Python packages and PostGIS.",
        discussion: """
            Asks for a million points near places of the index, on one thread, and for names. Rates are by the \
            thread's processor time, of the references too, so that other programs on the machine matter less; they \
            come from Benchmarks/gazetteer/reference of a checkout, which installs reverse_geocoder and \
            reverse-geocode from the Python package index at its first call. --check compares answers with a search \
            of every edge and every place, at some milliseconds a point.
            """,
        options: [
            .value("index", "FILE", "the index (default: that of --gazetteer)"),
            .value("runs", "N", "runs", default: "5"),
            BenchCommand.scale,
            .value("points", "N", "points of a run (default: 1000000, or the share of --scale)"),
            .value("check", "N", "points to compare with a search of everything", default: "0"),
            .value(
                "database", "URL", "a database with postgis, or where it may be made, to measure that too"),
            .value("references", "FILE", "the script of references (default: found above the program)"),
            BenchCommand.without(GazetteerBenchmark.references), Settings.json, Settings.gazetteer,
        ],
        examples: [
            Example("darkroom-dev bench gazetteer", "in a minute or two"),
            Example("darkroom-dev bench gazetteer --check 100000", "with a proof, in some minutes"),
        ]
    ) { arguments in
        var options = GazetteerBenchmark.Options(scale: try BenchCommand.scale(arguments))
        options.runs = try arguments.int("runs", in: 1...99) ?? 5
        options.points = try arguments.int("points", in: 1000...100_000_000) ?? options.points
        options.check = try arguments.int("check", in: 0...10_000_000) ?? 0
        options.database = arguments.string("database")
        let benchmark = GazetteerBenchmark(
            index: Settings.absolute(arguments.string("index") ?? Settings.gazetteerPath(arguments)),
            options: options,
            tools: BenchmarkTools(
                topic: "gazetteer", references: arguments.string("references"),
                without: try BenchCommand.leftOut(arguments, of: GazetteerBenchmark.references)),
            progress: { Output.note($0) }, report: BenchCommand.report(arguments))
        try await BenchCommand.interruptible { try await benchmark.run() }
    }
}
