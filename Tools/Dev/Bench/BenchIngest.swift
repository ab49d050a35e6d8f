import Arguments
import Benchmarking
import CommandSupport
import Threads

enum BenchIngest {
    static let command = Command(
        "ingest", "Measure a whole worker, from claim to published post, compared with its renderers alone.",
        discussion: """
            Stores and enqueues every JPEG of a folder, publishes them with 'darkroom work --drain', and measures from \
            the first claim to the last publication. The reference, measured alternately with it, is the same number \
            of renderers on the same photos without queue, database, stores and gazetteer. The ratio shows what those \
            cost. Every run uses a temporary database on the server of --database, and a temporary media store in \
            --scratch, which should be on the disk that will hold the photos. Server and disk should be idle otherwise. \
            Use at least 60 photos of 12 megapixels or more.

            With --bucket, the media store is in a bucket, and the reference is the same worker with a directory. 'here' \
            starts an OpenStack Swift for it. To measure what a worker does whose store is on another machine, worker and \
            renderers then have one core on both sides, and the store and PostgreSQL the others. PostgreSQL keeps its cores if \
            you are neither root nor the user that runs it. The store's CPU time is printed too. Then one more run through a \
            proxy counts requests and bytes.
            """,
        options: [
            .value("runs", "N", "runs", default: "5"),
            .value("renderers", "N", "renderers on both sides (default: one per core of the worker)"),
            .value("concurrency", "N", "jobs that the worker runs at once (default: as for 'darkroom work')"),
            .value("scratch", "DIR", "folder for media stores; /tmp may be memory", default: "/var/tmp"),
            .value(
                "bucket", "LOCATION",
                "compare a store in this bucket (s3://…, or 'here') with one in a directory"),
            Settings.json, Settings.database, Settings.gazetteer,
        ],
        positionals: [.required("DIR", "folder with JPEGs")],
        examples: [
            Example("darkroom-dev bench ingest ~/photos", "takes a few minutes"),
            Example("darkroom-dev bench ingest --concurrency 2 ~/photos", "runs two jobs at once"),
            Example(
                "darkroom-dev bench ingest --bucket here ~/photos",
                "compares an object store with a directory"),
        ]
    ) { arguments in
        var options = IngestBenchmark.Options()
        options.runs = try arguments.int("runs", in: 1...99) ?? 5
        options.renderers =
            try arguments.int("renderers", in: 1...64)
            ?? (arguments.string("bucket") == "here" ? 1 : UsableCores.count)
        options.concurrency = try arguments.int("concurrency", in: 1...1024)
        options.scratch = Settings.absolute(arguments.string("scratch") ?? options.scratch)
        options.bucket = arguments.string("bucket").map { $0 == "here" ? .here : .at($0) }
        // A missing index must fail here, rather than in the worker after the photos are stored.
        _ = try Settings.openGazetteer(arguments)
        let benchmark = IngestBenchmark(
            photos: Settings.absolute(arguments.string("DIR")!),
            server: try await Settings.databaseURL(arguments),
            gazetteer: Settings.absolute(Settings.gazetteerPath(arguments)),
            renderer: try Settings.rendererExecutable(), options: options,
            tools: BenchmarkTools(topic: "ingest"),
            progress: { Output.note($0) }, report: BenchCommand.report(arguments))
        try await interruptible { try await benchmark.run() }
    }
}
