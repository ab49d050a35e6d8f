import Arguments
import Benchmarking
import CommandSupport

/// `darkroom-dev bench feeds`.
enum BenchFeeds {
    static let command = Command(
        "feeds", "Measure readers' feeds over a million posts, beside PostGIS.",
        discussion: """
            Makes posts around the largest places of the index (town sizes by Zipf's law, 3 km spread, over a year) in a \
            database of its own, which is made on the server of --database and dropped at the end; the server should do \
            nothing else meanwhile. Times are those of single calls by the server's clock, for readers that stand where \
            posts are; every figure is the median of several runs. The references are plain queries over the same posts \
            in PostGIS, called in turn with ours; they need Debian's postgresql-15-postgis-3 and a role that may make the \
            extension. A million posts take 2 GB.
            """,
        options: [
            .repeated(
                "only", "PART",
                "measure only these: \(FeedBenchmark.Part.allCases.map(\.rawValue).joined(separator: ", "))"),
            BenchCommand.scale,
            .value("posts", "N", "posts (default: 1000000, or the share of --scale, but 10000 at least)"),
            .value("readers", "N", "calls of each feed (default: 500, or the share of --scale)"),
            .value(
                "keep", "NAME",
                "make the posts in a database of this name and leave it; once it is there, use it"),
            .value("runs", "N", "runs of each", default: "3"),
            BenchCommand.without(FeedBenchmark.references), Settings.json, Settings.database,
            Settings.gazetteer,
        ],
        examples: [
            Example("darkroom-dev bench feeds", "takes about ten minutes"),
            Example("darkroom-dev bench feeds --posts 10000000 --only feeds", "ten times as many"),
        ]
    ) { arguments in
        var options = FeedBenchmark.Options(scale: try BenchCommand.scale(arguments))
        options.posts = try arguments.int("posts", in: 10_000...100_000_000) ?? options.posts
        options.readers = try arguments.int("readers", in: 10...100_000) ?? options.readers
        options.runs = try arguments.int("runs", in: 1...99) ?? options.runs
        options.kept = arguments.string("keep")
        let names = arguments.strings("only")
        if !names.isEmpty {
            options.parts = Set(
                try names.map { name in
                    guard let part = FeedBenchmark.Part(rawValue: name) else {
                        throw UsageError(
                            "--only \(name): the parts are \(FeedBenchmark.Part.allCases.map(\.rawValue).joined(separator: ", "))"
                        )
                    }
                    return part
                })
        }
        let benchmark = FeedBenchmark(
            server: try await Settings.databaseURL(arguments),
            gazetteer: Settings.absolute(Settings.gazetteerPath(arguments)), options: options,
            tools: BenchmarkTools(
                topic: "feeds", without: try BenchCommand.leftOut(arguments, of: FeedBenchmark.references)),
            progress: { Output.note($0) },
            report: BenchCommand.report(arguments))
        try await BenchCommand.interruptible { try await benchmark.run() }
    }
}
