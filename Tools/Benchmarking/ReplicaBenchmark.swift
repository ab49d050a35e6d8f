import ChildProcess
import DarkroomClient
import FoundationEssentials
import Glibc
import LocalCluster
import Postgres
import Threads

/// `darkroom-dev bench replicas`: feeds through the Swift library with and without a hot standby, next to each other.
///
/// One machine runs both servers and the client, so the rate says little: what counts is how much processor time of which server
/// a feed takes.
package struct ReplicaBenchmark: Sendable {
    package struct Options: Sendable {
        package var posts: Int
        package var runs = 5
        /// Feeds that are asked for at once.
        package var readers = 8
        package var votesPerSecond = 50
        package var scratch = "/var/tmp"
        let seconds: Double

        /// - Parameter scale: the share of the usual size, 0…1.
        package init(scale: Double = 1) {
            posts = max(10_000, Int(100_000 * scale))
            seconds = max(1, 5 * scale)
        }
    }

    private let gazetteer: String
    let options: Options
    private let progress: @Sendable (String) -> Void
    private let report: @Sendable (BenchmarkLine) -> Void

    /// - Parameter gazetteer: path of an index; the posts are around its largest places.
    package init(
        gazetteer: String, options: Options, progress: @escaping @Sendable (String) -> Void,
        report: @escaping @Sendable (BenchmarkLine) -> Void
    ) {
        self.gazetteer = gazetteer
        self.options = options
        self.progress = progress
        self.report = report
    }

    package func run() async throws {
        let root = try makeTemporaryFolder("darkroom-bench", in: options.scratch, isPassable: true)
        let clusters = ["writer", "reader"].map { LocalCluster(directory: "\(root)/\($0)") }
        let result: Result<Void, any Error>
        do {
            result = .success(try await run(clusters, in: root))
        } catch {
            result = .failure(error)
        }
        // In a separate task, so that an interrupted benchmark also ends them.
        await Task {
            for cluster in clusters { try? await cluster.stop(mode: .immediate) }
            try? await onThread { try FileManager.default.removeItem(atPath: root) }
        }.value
        try result.get()
    }

    private func run(_ clusters: [LocalCluster], in root: String) async throws {
        let server = try await clusters[0].start()
        let filling = FeedBenchmark(
            server: server, gazetteer: gazetteer, options: FeedBenchmark.Options(),
            tools: BenchmarkTools(topic: "feeds", without: ["postgis"]), progress: progress, report: report)
        try await BenchmarkDatabase.with(server: server) { database in
            _ = try await filling.fill(database, towns: try filling.towns(), posts: options.posts)
            let name = try await database.pool.query("select current_database()::text as name")[0]
                .decode("name", as: String.self)
            progress("copying the server")
            let standby = try PostgresConfiguration(
                url: try await clusters[1].startStandby(of: clusters[0])
            ).url(database: name)
            var servers: [ServerFigures] = []
            for cluster in clusters {
                guard case .running(_, let process) = try await cluster.status() else {
                    throw BenchmarkError("the server in \(cluster.directory) does not run")
                }
                servers.append(ServerFigures(postmaster: process))
            }
            let places = try await places(in: database)
            let clients = try [nil, standby].map { reader in
                try DarkroomClient(
                    database: database.url, reader: reader, media: "\(root)/media",
                    connections: options.readers)
            }
            let result: Result<[[Load]], any Error>
            do {
                result = .success(try await measure(clients, places, database, servers))
            } catch {
                result = .failure(error)
            }
            for client in clients { await client.close() }
            reportRuns(try result.get())
        }
    }

    /// A load of each client in turn, several times.
    ///
    /// - Returns: by run, without a reader and with one.
    private func measure(
        _ clients: [DarkroomClient], _ places: [Place], _ database: BenchmarkDatabase,
        _ servers: [ServerFigures]
    ) async throws -> [[Load]] {
        var runs: [[Load]] = []
        // The first one fills the caches.
        for run in 0...options.runs {
            var loads: [Load] = []
            for (client, name) in zip(clients, ["no reader", "a reader"]) {
                progress(run == 0 ? "\(name), warming up" : "\(name), run \(run)")
                loads.append(try await load(client, places, database, servers))
            }
            if run > 0 { runs.append(loads) }
        }
        return runs
    }

    private func reportRuns(_ runs: [[Load]]) {
        let note =
            "\(options.posts) posts, \(options.readers) feeds at once, \(options.votesPerSecond) votes/s"
        func lines(
            _ name: String, _ unit: String, lowerIsBetter: Bool = false, note: String? = nil,
            _ figure: (Load) -> Double
        ) {
            let pairs = runs.map { (value: figure($0[1]), reference: figure($0[0])) }
            report(
                BenchmarkLine(
                    "\(name)-no-reader", unit, pairs.map(\.reference), lowerIsBetter: lowerIsBetter,
                    note: note))
            report(
                BenchmarkLine(
                    "\(name)-reader", unit, pairs, against: "no reader", goal: nil,
                    lowerIsBetter: lowerIsBetter, note: note))
        }
        lines("feeds", "feeds/s", note: note) { $0.feeds / $0.seconds }
        lines("feeds-per-cpu", "feeds/CPU s") { $0.feeds / $0.serverSeconds.reduce(0, +) }
        lines("writer-cpu", "CPU ms/feed", lowerIsBetter: true) { $0.serverSeconds[0] * 1000 / $0.feeds }
    }

    private func places(in database: BenchmarkDatabase) async throws -> [Place] {
        try await database.pool.withConnection { try await $0.execute(FeedBenchmark.stopwatch) }
        return try await database.pool.query("select * from public.bench_readers(1000, 1)").map {
            Place(
                latitude: try $0.decode("latitude"), longitude: try $0.decode("longitude"),
                geonameID: try $0.decode("place"))
        }
    }
}
