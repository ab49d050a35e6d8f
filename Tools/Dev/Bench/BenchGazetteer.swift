import Arguments
import Benchmarking
import CommandSupport

enum BenchGazetteer {
    static let command = Command(
        "gazetteer", "Measure the gazetteer, compared with two Python packages and PostGIS.",
        discussion: """
            Looks up a million points near places of the index on one thread, and then names. Rates are by the thread's \
            processor time, also for the references, so that other programs on the machine matter less. The references \
            come from Benchmarks/gazetteer/reference of a checkout, which installs reverse_geocoder and reverse-geocode \
            from the Python package index on its first call. --check compares the results with an exhaustive search of \
            edges and places, which takes some milliseconds per point.
            """,
        options: [
            .value("index", "FILE", "index to measure (default: that of --gazetteer)"),
            .value("runs", "N", "runs", default: "5"),
            BenchCommand.scale,
            .value("points", "N", "points per run (default: 1000000 times --scale)"),
            .value("check", "N", "points to compare with an exhaustive search", default: "0"),
            .value("database", "URL", "also measure PostGIS in this database, which has it or may create it"),
            .value("references", "FILE", "script of the references (default: found above the program)"),
            BenchCommand.without(GazetteerBenchmark.references), Settings.json, Settings.gazetteer,
        ],
        examples: [
            Example("darkroom-dev bench gazetteer", "takes a minute or two"),
            Example("darkroom-dev bench gazetteer --check 100000", "also checks 100,000 results"),
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
        try await interruptible { try await benchmark.run() }
    }
}
