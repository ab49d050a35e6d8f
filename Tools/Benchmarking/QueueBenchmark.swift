import JobStore
import Postgres

/// `darkroom-dev bench queue`: measures Darkroom's queue next to references on the same server.
package struct QueueBenchmark: Sendable {
    package struct Options: Sendable {
        /// The number of pairs of measurements; their median is reported.
        package var runs = 5
        /// Jobs per drain, already shrunk by `scale`.
        package var jobs = 200_000
        /// The size of all other cases, as a share of their usual size, 0…1.
        package var scale = 1.0
        /// Worker processes per drain.
        package var processes = 1
        /// Jobs that each process runs at once.
        package var concurrency = 2000
        /// Jobs per claim, and the reference's batch.
        package var batch = 500
        package init() {}

        /// Seconds of a measurement of fixed duration; whole seconds, as pgbench requires.
        var seconds: Int { max(1, Int(5 * scale)) }
    }

    /// The references in `Benchmarks/queue/reference`.
    package static let references = [
        "drain-batch", "drain-single", "enqueue-insert", "enqueue-copy", "held-snapshot", "pgqueuer",
    ]

    /// The parts that can be measured separately.
    package enum Part: String, CaseIterable, Sendable {
        case drain, unbatched, enqueue, idle, bulk, pickup, promotion, history, backlog, snapshot, workers,
            fairness, limits
    }

    let url: String
    let options: Options
    let tools: BenchmarkTools
    let report: @Sendable (BenchmarkLine) -> Void
    let progress: @Sendable (String) -> Void

    /// - Parameters:
    ///   - server: a URL of any database on the server; its role must be allowed to create databases.
    ///   - report: called with each line as soon as it is known.
    ///   - progress: called with what it is doing.
    package init(
        server url: String, options: Options, tools: BenchmarkTools,
        progress: @escaping @Sendable (String) -> Void, report: @escaping @Sendable (BenchmarkLine) -> Void
    ) {
        self.url = url
        self.options = options
        self.tools = tools
        self.report = report
        self.progress = progress
    }

    package func run(_ parts: [Part]) async throws {
        try await BenchmarkDatabase.with(server: url) { database in
            for part in parts {
                try Task.checkCancellation()
                switch part {
                case .drain: try await drain(database)
                case .unbatched: try await unbatched(database)
                case .enqueue: try await enqueue(database)
                case .idle: try await enqueueNextToIdle(database)
                case .bulk: try await bulk(database)
                case .pickup: try await pickup(database)
                case .promotion: try await promotion(database)
                case .history: try await history(database)
                case .backlog: try await backlog(database)
                case .snapshot: try await snapshot(database)
                case .workers: try await workers(database)
                case .fairness: try await fairness(database)
                case .limits: try await limits(database)
                }
            }
        }
    }

    /// Calls `measure` for each run and reports the progress.
    func repeated<T>(_ what: String, _ measure: (Int) async throws -> T) async throws -> [T] {
        var results: [T] = []
        for run in 1...options.runs {
            try Task.checkCancellation()
            progress("\(what), run \(run) of \(options.runs)")
            results.append(try await measure(run))
        }
        return results
    }

    /// Measures this and a reference one after the other in each run; without a script of references, only this.
    func compare(
        _ name: String, _ unit: String, goal: Double?, lowerIsBetter: Bool = false, note: String? = nil,
        with reference: String, _ database: BenchmarkDatabase, _ arguments: [String],
        _ measure: () async throws -> Double
    ) async throws {
        let pairs = try await repeated(name) { run -> (Double, Double?) in
            // Alternating the order keeps a drift of the machine's speed out of the ratio.
            if run.isMultiple(of: 2) {
                let theirs = try await tools.reference(reference, url: database.url, arguments)?.value
                let ours = try await measure()
                return (ours, theirs)
            }
            let ours = try await measure()
            let theirs = try await tools.reference(reference, url: database.url, arguments)?.value
            return (ours, theirs)
        }
        let complete = pairs.compactMap { pair in pair.1.map { (value: pair.0, reference: $0) } }
        if complete.count == pairs.count {
            report(
                BenchmarkLine(
                    name, unit, complete, against: reference, goal: goal, lowerIsBetter: lowerIsBetter,
                    note: note))
        } else {
            let note = [note, tools.absence(of: reference)].compactMap(\.self).joined(separator: "; ")
            report(BenchmarkLine(name, unit, pairs.map(\.0), lowerIsBetter: lowerIsBetter, note: note))
        }
    }
}
