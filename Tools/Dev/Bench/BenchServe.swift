import Arguments
import Benchmarking
import CommandSupport

enum BenchServe {
    static let command = Command(
        "serve", "Measure the HTTP API, compared with the database alone, FastAPI and nginx.",
        discussion: """
            Creates posts as 'bench feeds' does, in a temporary database on the server of --database, and starts \
            'darkroom serve' next to it. Calls, uploads and streams all stay on this machine, which should be idle \
            otherwise. Every figure is the median of several runs, and is compared with references that were measured \
            alternately with it: pgbench with prepared statements, and the programs of Benchmarks/serve/reference. The \
            part calls asks for the nearest posts, the map and single posts, and votes. The part uploads sends different \
            photos of a megabyte, which no worker renders. The part streams keeps streams of events open, to which \
            nothing happens. It needs Debian's wrk and nginx-light.
            """,
        options: [
            .repeated(
                "only", "PART",
                "measure only these: \(ServeBenchmark.Part.allCases.map(\.rawValue).joined(separator: ", "))"),
            BenchCommand.scale,
            .value("posts", "N", "number of posts (default: 100000 times --scale, but at least 10000)"),
            .value("runs", "N", "runs per figure", default: "5"),
            .value("connections", "N", "connections of clients, and to the database", default: "8"),
            .value("streams", "N", "streams of events (default: 10000 times --scale)"),
            .value("keep", "NAME", "keep the database under this name, and use it again if it exists"),
            .value("scratch", "DIR", "where uploads are stored, on both sides", default: "/var/tmp"),
            .value("references", "FILE", "script of the references (default: found above the program)"),
            BenchCommand.without(ServeBenchmark.references), Settings.json, Settings.database,
            Settings.gazetteer,
        ],
        examples: [
            Example("darkroom-dev bench serve", "takes about ten minutes"),
            Example(
                "darkroom-dev bench serve --scale 0.01 --without fastapi",
                "checks in a minute that everything works"),
        ]
    ) { arguments in
        var options = ServeBenchmark.Options(scale: try BenchCommand.scale(arguments))
        options.posts = try arguments.int("posts", in: 10_000...100_000_000) ?? options.posts
        options.runs = try arguments.int("runs", in: 1...99) ?? options.runs
        options.connections = try arguments.int("connections", in: 1...1000) ?? options.connections
        options.streams = try arguments.int("streams", in: 1...50_000) ?? options.streams
        options.kept = arguments.string("keep")
        options.scratch = Settings.absolute(arguments.string("scratch") ?? options.scratch)
        let parts = try arguments.choices("only", of: ServeBenchmark.Part.self)
        if !parts.isEmpty { options.parts = Set(parts) }
        let benchmark = ServeBenchmark(
            server: try await Settings.databaseURL(arguments),
            gazetteer: Settings.absolute(Settings.gazetteerPath(arguments)), options: options,
            tools: BenchmarkTools(
                topic: "serve", references: arguments.string("references"),
                without: try BenchCommand.leftOut(arguments, of: ServeBenchmark.references)),
            progress: { Output.note($0) }, report: BenchCommand.report(arguments))
        try await interruptible { try await benchmark.run() }
    }
}
