import ChildProcess
import DarkroomClient
import FoundationEssentials
import Glibc
import JobQueue
import JobStore
import Postgres

/// `darkroom-dev bench ingest`: measures a whole worker from upload to post, next to only its renderers on the same
/// photos.
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

        package init() {}
    }

    private let photos: String
    private let server: String
    private let gazetteer: String
    private let renderer: String
    private let options: Options
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

    private struct Ingested {
        var rate = 0.0
        /// The median of each stage in milliseconds, in the order of the stages.
        var stages: [(name: String, milliseconds: Double)] = []
    }

    package func run() async throws {
        let paths = try PhotoFolder.photos(in: photos)
        let renderers = RendererRun(executable: renderer, size: options.renderers)
        var runs: [(ingested: Ingested, rendered: RendererRun.Figures)] = []
        for run in 1...options.runs {
            try Task.checkCancellation()
            progress("\(paths.count) photos, run \(run) of \(options.runs)")
            // Alternating the order keeps a drift of the machine's speed out of the ratio.
            if run.isMultiple(of: 2) {
                let rendered = try await renderers.render(paths)
                runs.append((try await ingest(paths), rendered))
            } else {
                let ingested = try await ingest(paths)
                runs.append((ingested, try await renderers.render(paths)))
            }
        }
        report(
            BenchmarkLine(
                "ingest", "photos/s", runs.map { (value: $0.ingested.rate, reference: $0.rendered.rate) },
                against: "render alone", goal: 0.92,
                note: "\(paths.count) photos, \(options.renderers) renderers, every one published"))
        for (index, stage) in runs[0].ingested.stages.enumerated() {
            report(
                BenchmarkLine(
                    "ingest-stage-\(stage.name)", "ms",
                    runs.map { $0.ingested.stages[index].milliseconds },
                    lowerIsBetter: true,
                    note: stage.name == "render" ? "includes waiting for a renderer" : nil))
        }
    }

    /// Uploads the photos to a temporary database and media store, and publishes them with a worker.
    private func ingest(_ paths: [String]) async throws -> Ingested {
        try await BenchmarkDatabase.with(server: server) { database in
            try await withMediaStore { media in
                try await upload(paths, to: database, media)
                var environment = ChildProgram.plainEnvironment
                environment["DARKROOM_RENDERER"] = renderer
                var arguments = [
                    "work", "--drain", "--log-level", "warning", "--renderers", String(options.renderers),
                    "--database", database.url, "--media", media, "--gazetteer", gazetteer,
                ]
                if let concurrency = options.concurrency {
                    arguments += ["--concurrency", String(concurrency)]
                }
                try await ChildProgram(try tools.darkroom, arguments, environment: environment)
                    .runSuccessfully()
                return try await figures(of: paths.count, in: database)
            }
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

    private func withMediaStore<T>(_ body: (String) async throws -> T) async throws -> T {
        var path = Array("\(options.scratch)/darkroom-bench-XXXXXX".utf8CString)
        guard mkdtemp(&path) != nil else {
            throw BenchmarkError("\(options.scratch): \(String(cString: strerror(errno)))")
        }
        let folder = path.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
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
