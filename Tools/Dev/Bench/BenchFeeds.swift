import Arguments
import Benchmarking
import CommandSupport

enum BenchFeeds {
    static let command = Command(
        "feeds", "Measure readers' feeds over a million posts, compared with PostGIS.",
        discussion: """
            Creates posts around the largest places of the index (town sizes by Zipf's law, 3 km spread, over a year) \
            in a temporary database on the server of --database, and drops it at the end. The server should be idle \
            otherwise. Times are those of single calls by the server's clock, for readers located where posts are. \
            Every figure is the median of several runs. The references are plain queries over the same posts in \
            PostGIS, measured alternately with ours. They need Debian's postgresql-15-postgis-3 and a role that may \
            create the extension. A million posts take 2 GB. The part mixed publishes, votes and reads at once; the part \
            cold, which is measured only if --only names it, empties the server's buffers and, as root on the server's \
            machine, the system's cache.
            """,
        options: [
            .repeated(
                "only", "PART",
                "measure only these: \(FeedBenchmark.Part.allCases.map(\.rawValue).joined(separator: ", "))"),
            BenchCommand.scale,
            .value("posts", "N", "number of posts (default: 1000000 times --scale, but at least 10000)"),
            .value("readers", "N", "calls per feed (default: 500 times --scale)"),
            .value("keep", "NAME", "keep the database under this name, and use it again if it exists"),
            .value("runs", "N", "runs per figure", default: "3"),
            .value("minutes", "N", "minutes of the mixed load (default: 1 times --scale)"),
            BenchCommand.without(FeedBenchmark.references), Settings.json, Settings.database,
            Settings.gazetteer,
        ],
        examples: [
            Example("darkroom-dev bench feeds", "takes about ten minutes"),
            Example(
                "darkroom-dev bench feeds --posts 10000000 --keep ten --only feeds",
                "uses ten times as many posts, and keeps them for the next run"),
            Example(
                "darkroom-dev bench feeds --keep ten --only mixed --minutes 10", "uses the posts of that run"),
        ]
    ) { arguments in
        var options = FeedBenchmark.Options(scale: try BenchCommand.scale(arguments))
        options.posts = try arguments.int("posts", in: 10_000...100_000_000) ?? options.posts
        options.readers = try arguments.int("readers", in: 10...100_000) ?? options.readers
        options.runs = try arguments.int("runs", in: 1...99) ?? options.runs
        if let minutes = try arguments.int("minutes", in: 1...1440) { options.mixedSeconds = minutes * 60 }
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
        try await interruptible { try await benchmark.run() }
    }
}
