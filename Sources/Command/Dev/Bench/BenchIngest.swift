import Arguments
import Benchmarking
import CommandSupport

/// `darkroom-dev bench ingest`.
enum BenchIngest {
    static let command = Command(
        "ingest", "Measure a whole worker, from claim to published post, beside its renderers alone.",
        discussion: """
            Stores and enqueues every JPEG of a folder, has 'darkroom work --drain' publish them all, and counts from the \
            first claim to the last publication. The reference, measured in turn with it, is as many renderers on the \
            same photos without queue, database, stores and gazetteer: what is lost to those is the ratio. Every run has \
            a database of its own, which is made on the server of --database and dropped at the end, and a media store of \
            its own in the folder of --scratch, which should be on the disk that is to hold the photos. Server \
            and disk should do nothing else meanwhile. Sixty photos of 12 megapixels or more make a fair measurement.
            """,
        options: [
            .value("runs", "N", "runs", default: "5"),
            .value("renderers", "N", "renderers of both sides (default: one a core)"),
            .value("concurrency", "N", "jobs that the worker has at once (default: that of 'work')"),
            .value("scratch", "DIR", "where media stores are made; /tmp may be memory", default: "/var/tmp"),
            Settings.json, Settings.database, Settings.gazetteer,
        ],
        positionals: [.required("DIR", "a folder with JPEGs")],
        examples: [
            Example("darkroom-dev bench ingest ~/photos", "takes a few minutes"),
            Example(
                "darkroom-dev bench ingest --concurrency 2 ~/photos", "as many jobs as there are renderers"),
        ]
    ) { arguments in
        var options = IngestBenchmark.Options()
        options.runs = try arguments.int("runs", in: 1...99) ?? 5
        options.renderers = try arguments.int("renderers", in: 1...64) ?? BenchCommand.cores
        options.concurrency = try arguments.int("concurrency", in: 1...1024)
        options.scratch = Settings.absolute(arguments.string("scratch") ?? options.scratch)
        // Found missing here rather than by the worker after the photos are stored.
        _ = try Settings.openGazetteer(arguments)
        let benchmark = IngestBenchmark(
            photos: Settings.absolute(arguments.string("DIR")!),
            server: try await Settings.databaseURL(arguments),
            gazetteer: Settings.absolute(Settings.gazetteerPath(arguments)),
            renderer: try Settings.rendererExecutable(), options: options,
            tools: BenchmarkTools(topic: "ingest"),
            progress: { Output.note($0) }, report: BenchCommand.report(arguments))
        try await BenchCommand.interruptible { try await benchmark.run() }
    }
}
