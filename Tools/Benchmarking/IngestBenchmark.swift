import ChildProcess
import DarkroomClient
import FoundationEssentials
import Glibc
import JobQueue
import JobStore
import ObjectStorage
import Postgres

/// `darkroom-dev bench ingest`: measures a whole worker from upload to post, next to only its renderers on the same
/// photos, or with its media store in a bucket, next to one in a directory.
package struct IngestBenchmark: Sendable {
    package struct Options: Sendable {
        /// The number of pairs of measurements; their median is reported.
        package var runs = 5
        /// Renderers of the worker and of the reference.
        package var renderers = 2
        /// Jobs that the worker runs at once; nil for its default.
        package var concurrency: Int?
        /// A folder on the disk under test, for the media store of each run.
        package var scratch = "/var/tmp"
        /// The bucket to compare with a directory; nil to compare a directory with the renderers alone.
        package var bucket: IngestBucket?

        package init() {}
    }

    private let photos: String
    private let server: String
    private let gazetteer: String
    private let renderer: String
    private let options: Options
    /// Set while the store is on this machine.
    private var cores: CoreSplit?
    private let tools: BenchmarkTools
    private let report: @Sendable (BenchmarkLine) -> Void
    private let progress: @Sendable (String) -> Void

    /// - Parameters:
    ///   - photos: a folder whose JPEGs are uploaded.
    ///   - server: a URL of any database on the server; its role must be allowed to create databases.
    ///   - gazetteer: path of an index.
    ///   - renderer: path of `darkroom-renderer`.
    package init(
        photos: String, server: String, gazetteer: String, renderer: String, options: Options,
        tools: BenchmarkTools, progress: @escaping @Sendable (String) -> Void,
        report: @escaping @Sendable (BenchmarkLine) -> Void
    ) {
        self.photos = photos
        self.server = server
        self.gazetteer = gazetteer
        self.renderer = renderer
        self.options = options
        self.tools = tools
        self.progress = progress
        self.report = report
    }

    struct Ingested: Sendable {
        var rate = 0.0
        /// Milliseconds a photo, of the worker and its renderers.
        var cpu = 0.0
        /// Milliseconds a photo, of the object store's processes meanwhile.
        var serverCPU = 0.0
        /// The median of each stage in milliseconds, in the order of the stages.
        var stages: [(name: String, milliseconds: Double)] = []
    }

    package func run() async throws {
        let paths = try PhotoFolder.photos(in: photos)
        switch options.bucket {
        case nil: try await compareWithRenderers(paths)
        case .here?:
            try await CoreSplit.with(server: server, progress: progress) { cores in
                var benchmark = self
                benchmark.cores = cores
                try await benchmark.compare(.here, paths)
            }
        case let bucket?: try await compare(bucket, paths)
        }
    }

    private func compareWithRenderers(_ paths: [String]) async throws {
        let renderers = RendererRun(executable: renderer, size: options.renderers)
        let runs = try await alternate(
            paths, { try await ingest(paths) }, { try await renderers.render(paths) })
        report(
            BenchmarkLine(
                "ingest", "photos/s", runs.map { (value: $0.0.rate, reference: $0.1.rate) },
                against: "render alone", goal: 0.92, note: note(paths)))
        report(stages: runs.map(\.0), of: "ingest")
    }

    private func compare(_ bucket: IngestBucket, _ paths: [String]) async throws {
        try await bucket.with { store in try await compare(store, paths) }
    }

    private func compare(_ store: IngestBucket.Store, _ paths: [String]) async throws {
        let runs = try await alternate(
            paths, { try await ingest(paths, in: store) }, { try await ingest(paths) })
        report(
            BenchmarkLine(
                "ingest-bucket", "photos/s", runs.map { (value: $0.0.rate, reference: $0.1.rate) },
                against: "directory", goal: 0.85, note: note(paths)))
        report(
            BenchmarkLine(
                "ingest-bucket-cpu", "ms", runs.map { (value: $0.0.cpu, reference: $0.1.cpu) },
                against: "directory", goal: nil, lowerIsBetter: true,
                note: "a photo, of the worker and its renderers"))
        report(stages: runs.map(\.0), of: "ingest-bucket")
        if store.isHere {
            report(
                BenchmarkLine(
                    "ingest-bucket-server-cpu", "ms", runs.map(\.0.serverCPU), lowerIsBetter: true,
                    note: "a photo, of the store's own processes, on cores that the worker does not use"))
        }
        // The proxy speaks no TLS, and knows this machine alone.
        guard store.location.endpoint.description.hasPrefix("http://127.0.0.1:") else { return }
        let traffic = try await IngestTraffic.of(store, photos: paths.count) { location in
            _ = try await ingest(paths, in: store, at: location)
        }
        for line in traffic.lines { report(line) }
    }

    private func note(_ paths: [String]) -> String {
        "\(paths.count) photos, \(options.renderers) renderers, every one published"
    }

    /// Alternating the order keeps a drift of the machine's speed out of the ratio.
    private func alternate<Value, Reference>(
        _ paths: [String], _ value: () async throws -> Value, _ reference: () async throws -> Reference
    ) async throws -> [(Value, Reference)] {
        var runs: [(Value, Reference)] = []
        for run in 1...options.runs {
            try Task.checkCancellation()
            progress("\(paths.count) photos, run \(run) of \(options.runs)")
            if run.isMultiple(of: 2) {
                let second = try await reference()
                let first = try await value()
                runs.append((first, second))
            } else {
                let first = try await value()
                let second = try await reference()
                runs.append((first, second))
            }
        }
        return runs
    }

    private func report(stages runs: [Ingested], of name: String) {
        for (index, stage) in runs[0].stages.enumerated() {
            report(
                BenchmarkLine(
                    "\(name)-stage-\(stage.name)", "ms",
                    runs.map { $0.stages[index].milliseconds }, lowerIsBetter: true,
                    note: stage.name == "render" ? "includes waiting for a renderer" : nil))
        }
    }

    private func ingest(_ paths: [String]) async throws -> Ingested {
        try await withDirectory { try await ingest(paths, from: $0, through: $0, in: nil) }
    }

    /// - Parameter location: another way to the same files for the worker.
    private func ingest(
        _ paths: [String], in store: IngestBucket.Store, at location: ((String) -> String)? = nil
    ) async throws -> Ingested {
        try await store.withLocation { media in
            try await ingest(paths, from: media, through: location?(media) ?? media, in: store)
        }
    }

    /// Uploads the photos to a temporary database and media store, and publishes them with a worker.
    private func ingest(
        _ paths: [String], from media: String, through workers: String, in store: IngestBucket.Store?
    ) async throws -> Ingested {
        try await BenchmarkDatabase.with(server: server) { database in
            try await upload(paths, to: database, media)
            var environment = ChildProgram.plainEnvironment.merging(store?.environment ?? [:]) { $1 }
            environment["DARKROOM_RENDERER"] = renderer
            var arguments = [
                "work", "--drain", "--log-level", "warning", "--renderers", String(options.renderers),
                "--database", database.url, "--media", workers, "--gazetteer", gazetteer,
            ]
            if let concurrency = options.concurrency {
                arguments += ["--concurrency", String(concurrency)]
            }
            let before = (own: ProcessFigures.endedCPUSeconds, server: store?.cpuSeconds ?? 0)
            let darkroom = try tools.darkroom
            let worker =
                cores?.program(darkroom, arguments, environment: environment)
                ?? ChildProgram(darkroom, arguments, environment: environment)
            try await worker.runSuccessfully()
            let cpu = ProcessFigures.endedCPUSeconds - before.own
            let served = (store?.cpuSeconds ?? 0) - before.server
            var figures = try await figures(of: paths.count, in: database)
            figures.cpu = cpu / Double(paths.count) * 1000
            figures.serverCPU = served / Double(paths.count) * 1000
            return figures
        }
    }

    private func upload(_ paths: [String], to database: BenchmarkDatabase, _ media: String) async throws {
        let client = try DarkroomClient(database: database.url, media: media)
        let result: Result<Void, any Error>
        do {
            for (number, path) in paths.enumerated() {
                var details = UploadDetails(uploader: "bench-\(number % 7)")
                // All over the world, so that the gazetteer's results do not come from one cached page.
                details.coordinates = (
                    latitude: Double(number * 37 % 120) - 55.5, longitude: Double(number * 101 % 360) - 179.5
                )
                _ = try await client.enqueue(photo: path, details)
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await client.close()
        try result.get()
    }

    private func figures(of count: Int, in database: BenchmarkDatabase) async throws -> Ingested {
        let posts = try await database.number(
            """
            select count(*)::float8 as value from darkroom.posts p
            where (select count(*) from darkroom.renditions r where r.post_id = p.post_id) = 3
            """)
        let (jobs, seconds) = try await database.drained(JobKind("ingest"))
        guard Int(posts) == count, jobs == count else {
            let ends = try await database.pool.query(
                """
                select string_agg(format('%s %s: %s', state, coalesce(reason, ''), coalesce(message, '')), '; ') as ends
                from (select distinct state, reason, message from darkroom.finished_jobs where kind = 'ingest' and state <> 'succeeded') e
                """)[0].decode("ends", as: String?.self)
            throw BenchmarkError("\(Int(posts)) of \(count) photos were published: \(ends ?? "")")
        }
        let stages = try await database.pool.query(
            """
            select s.stage, percentile_cont(0.5) within group (order by s.milliseconds)::float8 as milliseconds
            from darkroom.finished_jobs, unnest(stages) with ordinality as s (stage, milliseconds, number)
            where kind = 'ingest'
            group by s.stage order by min(s.number)
            """)
        return Ingested(
            rate: Double(count) / seconds,
            stages: try stages.map {
                (
                    name: try $0.decode("stage", as: String.self),
                    milliseconds: try $0.decode("milliseconds", as: Double.self)
                )
            })
    }

    private func withDirectory<T>(_ body: (String) async throws -> T) async throws -> T {
        let folder = try makeTemporaryFolder("darkroom-bench", in: options.scratch)
        let result: Result<T, any Error>
        do {
            result = .success(try await body(folder))
        } catch {
            result = .failure(error)
        }
        try? FileManager.default.removeItem(atPath: folder)
        return try result.get()
    }
}
