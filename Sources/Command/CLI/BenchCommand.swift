import Arguments
import Benchmarking
import Glibc
import JobQueue
import JobStore
import Postgres
import Telemetry
import Worker

/// `darkroom bench`: how fast it is here, beside what else there is.
enum BenchCommand {
    static let command = Command(
        "bench", "Measure how fast Darkroom is on this machine, beside references.",
        subcommands: [feeds, gazetteer, ingest, queue, render, worker])

    private static let render = Command(
        "render", "Measure the renderer beside a plain program with libvips and beside vipsthumbnail.",
        discussion: """
            Renders every JPEG of a folder through the coordinator and its sandboxed renderers, as a worker does. Every \
            figure is the median of several runs and stands beside references that were measured in turn with it; they \
            come from Benchmarks/render/reference of a checkout and need a C compiler and Debian's libvips-dev and \
            libvips-tools. Sixty photos of 12 megapixels or more make a fair measurement. With --soak it sends that many \
            photos through one renderer instead, and says whether the renderer's memory grows; --renderer can name a \
            script that sets something, such as LD_PRELOAD, and then becomes the renderer: exec darkroom-renderer "$@".
            """,
        options: [
            .flag("quality", "measure how near the pictures come to those of a full decode, and no speed"),
            .value("runs", "N", "runs", default: "5"),
            .value("processes", "N", "renderers (default: one a core)"),
            .value("soak", "N", "send N photos, at least 100, through one renderer that is not replaced"),
            .value("renderer", "PATH", "the renderer (default: beside this program, or DARKROOM_RENDERER)"),
            .value("references", "FILE", "the script of references (default: found above the program)"),
            Settings.json,
        ],
        positionals: [.required("DIR", "a folder with JPEGs")],
        examples: [
            Example("darkroom bench render ~/photos", "takes a few minutes"),
            Example("darkroom bench render --soak 20000 ~/small-photos", "shows whether memory leaks"),
            Example("darkroom bench render ~/photos --quality", "twenty photos are enough"),
        ]
    ) { arguments in
        let photos = Settings.absolute(arguments.string("DIR")!)
        let renderer =
            try arguments.string("renderer").map(Settings.absolute) ?? Settings.rendererExecutable()
        let isJSON = arguments.flag("json")
        if let count = try arguments.int("soak", in: 100...100_000_000) {
            let soak = RendererSoak(
                photos: photos, renderer: renderer, count: count, progress: { Output.note($0) },
                report: { Output.line(isJSON ? $0.json.line : $0.text) })
            return try await soak.run()
        }
        var options = RenderBenchmark.Options()
        options.runs = try arguments.int("runs", in: 1...99) ?? 5
        options.processes = try arguments.int("processes", in: 1...64) ?? cores
        let benchmark = RenderBenchmark(
            photos: photos, renderer: renderer, options: options,
            tools: BenchmarkTools(topic: "render", references: arguments.string("references")),
            progress: { Output.note($0) }, report: { Output.line(isJSON ? $0.json.line : $0.text) })
        try await arguments.flag("quality") ? benchmark.runQuality() : benchmark.run()
    }

    private static let ingest = Command(
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
            Example("darkroom bench ingest ~/photos", "takes a few minutes"),
            Example("darkroom bench ingest --concurrency 2 ~/photos", "as many jobs as there are renderers"),
        ]
    ) { arguments in
        var options = IngestBenchmark.Options()
        options.runs = try arguments.int("runs", in: 1...99) ?? 5
        options.renderers = try arguments.int("renderers", in: 1...64) ?? cores
        options.concurrency = try arguments.int("concurrency", in: 1...1024)
        options.scratch = Settings.absolute(arguments.string("scratch") ?? options.scratch)
        // Found missing here rather than by the worker after the photos are stored.
        _ = try Settings.openGazetteer(arguments)
        let isJSON = arguments.flag("json")
        let benchmark = IngestBenchmark(
            photos: Settings.absolute(arguments.string("DIR")!),
            server: try await Settings.databaseURL(arguments),
            gazetteer: Settings.absolute(Settings.gazetteerPath(arguments)),
            renderer: try Settings.rendererExecutable(), options: options,
            tools: BenchmarkTools(topic: "ingest", references: nil),
            progress: { Output.note($0) }, report: { Output.line(isJSON ? $0.json.line : $0.text) })
        try await interruptible { try await benchmark.run() }
    }

    /// Lets SIGINT and SIGTERM cancel `body`, so that what it made on a server or a disk is removed.
    private static func interruptible(
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        let work = Task { try await body() }
        let signals = Signals.stream()
        let watch = Task { for await _ in signals { work.cancel() } }
        let result = await work.result
        watch.cancel()
        try result.get()
    }

    private static let cores = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))

    private static let feeds = Command(
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
            .value("posts", "N", "posts", default: "1000000"),
            .value("readers", "N", "calls of each feed", default: "500"),
            .value(
                "keep", "NAME",
                "make the posts in a database of this name and leave it; once it is there, use it"),
            .value("runs", "N", "runs of each", default: "3"), Settings.json, Settings.database,
            Settings.gazetteer,
        ],
        examples: [
            Example("darkroom bench feeds", "takes about ten minutes"),
            Example("darkroom bench feeds --posts 10000000 --only feeds", "ten times as many"),
        ]
    ) { arguments in
        var options = FeedBenchmark.Options()
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
        let isJSON = arguments.flag("json")
        let benchmark = FeedBenchmark(
            server: try await Settings.databaseURL(arguments),
            gazetteer: Settings.absolute(Settings.gazetteerPath(arguments)), options: options,
            tools: BenchmarkTools(topic: "feeds", references: nil), progress: { Output.note($0) },
            report: { Output.line(isJSON ? $0.json.line : $0.text) })
        try await interruptible { try await benchmark.run() }
    }

    private static let gazetteer = Command(
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
            .value("points", "N", "points of a run", default: "1000000"),
            .value("check", "N", "points to compare with a search of everything", default: "0"),
            .value(
                "database", "URL", "a database with postgis, or where it may be made, to measure that too"),
            .value("references", "FILE", "the script of references (default: found above the program)"),
            Settings.json, Settings.gazetteer,
        ],
        examples: [
            Example("darkroom bench gazetteer", "in a minute or two"),
            Example("darkroom bench gazetteer --check 100000", "with a proof, in some minutes"),
        ]
    ) { arguments in
        var options = GazetteerBenchmark.Options()
        options.runs = try arguments.int("runs", in: 1...99) ?? 5
        options.points = try arguments.int("points", in: 1000...100_000_000) ?? 1_000_000
        options.check = try arguments.int("check", in: 0...10_000_000) ?? 0
        options.database = arguments.string("database")
        let isJSON = arguments.flag("json")
        let benchmark = GazetteerBenchmark(
            index: Settings.absolute(arguments.string("index") ?? Settings.gazetteerPath(arguments)),
            options: options,
            tools: BenchmarkTools(topic: "gazetteer", references: arguments.string("references")),
            progress: { Output.note($0) }, report: { Output.line(isJSON ? $0.json.line : $0.text) })
        try await interruptible { try await benchmark.run() }
    }

    private static let queue = Command(
        "queue", "Measure the queue beside plain SQL and another queue, on the same server.",
        discussion: """
            Works in a database of its own, which is made on the server of --database and dropped at the end; the server \
            should do nothing else meanwhile. Every figure is the median of several runs, and stands beside a reference \
            that was measured in turn with it. References come from Benchmarks/queue/reference of a checkout.
            """,
        options: [
            .repeated(
                "only", "PART",
                "measure only these: \(QueueBenchmark.Part.allCases.map(\.rawValue).joined(separator: ", "))"),
            .value("runs", "N", "runs of each", default: "5"),
            .value("jobs", "N", "jobs of a drain", default: "200000"),
            .value("scale", "SHARE", "shrink the large cases (10 million kept jobs and so on)", default: "1"),
            .value("processes", "N", "worker processes of a drain", default: "1"),
            .value("concurrency", "N", "jobs that each has at once", default: "2000"),
            .value("batch", "N", "jobs a claim, for both sides", default: "500"),
            .value("references", "FILE", "the script of references (default: found above the program)"),
            Settings.json, Settings.database,
        ],
        examples: [
            Example("darkroom bench queue", "everything, in about half an hour"),
            Example("darkroom bench queue --only drain --only pickup --runs 3", "two parts, quickly"),
        ]
    ) { arguments in
        var options = QueueBenchmark.Options()
        options.runs = try arguments.int("runs", in: 1...99) ?? 5
        options.jobs = try arguments.int("jobs", in: 1000...10_000_000) ?? 200_000
        options.scale = try arguments.double("scale", in: 0.001...1) ?? 1
        options.processes = try arguments.int("processes", in: 1...64) ?? 1
        options.concurrency = try arguments.int("concurrency", in: 1...100_000) ?? 2000
        options.batch = try arguments.int("batch", in: 1...10_000) ?? 500
        let parts = try arguments.choices("only", of: QueueBenchmark.Part.self)
        let isJSON = arguments.flag("json")
        let tools = BenchmarkTools(topic: "queue", references: arguments.string("references"))
        let url = try await Settings.databaseURL(arguments)
        let benchmark = QueueBenchmark(
            server: url, options: options, tools: tools, progress: { Output.note($0) },
            report: { Output.line(isJSON ? $0.json.line : $0.text) })
        try await interruptible {
            try await benchmark.run(parts.isEmpty ? QueueBenchmark.Part.allCases : parts)
        }
    }

    private static let worker = Command(
        "worker", "Run no-op jobs until none is left; 'bench queue' starts these.",
        options: [
            .value("concurrency", "N", "jobs at once", default: "2000"),
            .value("largest-claim", "N", "jobs a claim", default: "500"), Settings.database,
        ],
        examples: [Example("darkroom bench worker", "drains what bench queue enqueued")]
    ) { arguments in
        let url = try await Settings.databaseURL(arguments)
        let pool = PostgresPool(PostgresConfiguration(url: url, applicationName: "darkroom-worker"), size: 6)
        var configuration = Worker.Configuration(
            queues: [
                ServedQueue(
                    name: "default", concurrency: try arguments.int("concurrency", in: 1...100_000) ?? 2000)
            ],
            host: "bench", pid: getpid(), version: Program.version)
        configuration.drains = true
        configuration.largestClaim = try arguments.int("largest-claim", in: 1...10_000) ?? 500
        let worker = Worker(
            store: JobStore(pool: pool),
            database: PostgresConfiguration(url: url, applicationName: "darkroom-listener"),
            handlers: [.noop: NoopHandler()], configuration: configuration, log: Log(minimum: .warning))
        try await worker.run()
        await pool.close()
    }
}

extension BenchmarkLine {
    fileprivate var json: JSON {
        .object([
            ("name", .string(name)), ("unit", .string(unit)), ("value", .number(value)),
            ("reference_name", JSON.optional(referenceName) { .string($0) }),
            ("reference", JSON.optional(reference) { .number($0) }),
            ("ratio", JSON.optional(ratio) { .number($0) }), ("goal", JSON.optional(goal) { .number($0) }),
            ("lower_is_better", .bool(lowerIsBetter)), ("runs", .integer(Int64(runs))),
            ("note", JSON.optional(note) { .string($0) }),
        ])
    }

    fileprivate var text: String {
        var text = "\(name): \(Self.short(value)) \(unit)"
        if let referenceName, let reference, let ratio {
            text += ", \(Self.short(ratio)) x \(referenceName) (\(Self.short(reference)))"
        }
        if let goal, let meetsGoal {
            text +=
                ", goal \(lowerIsBetter ? "at most" : "at least") \(goal): \(meetsGoal ? "met" : "MISSED")"
        }
        return text + (note.map { "; \($0)" } ?? "")
    }

    private static func short(_ number: Double) -> String {
        number >= 100 ? String(Int(number.rounded())) : String((number * 1000).rounded() / 1000)
    }
}
