import Arguments
import Benchmarking
import CommandSupport

enum BenchQueue {
    static let command = Command(
        "queue", "Measure the queue, compared with plain SQL and another queue on the same server.",
        discussion: """
            Uses a temporary database on the server of --database; the server should be idle otherwise. Every figure \
            is the median of several runs, and is compared with a reference that was measured alternately with it. The \
            references come from Benchmarks/queue/reference of a checkout.
            """,
        options: [
            .repeated(
                "only", "PART",
                "measure only these: \(QueueBenchmark.Part.allCases.map(\.rawValue).joined(separator: ", "))"),
            .value("runs", "N", "runs per figure", default: "5"),
            .value("jobs", "N", "jobs per drain (default: 200000 times --scale)"),
            BenchCommand.scale,
            .value("processes", "N", "worker processes per drain", default: "1"),
            .value("concurrency", "N", "jobs that each process runs at once", default: "2000"),
            .value("batch", "N", "jobs per claim, on both sides", default: "500"),
            .value("references", "FILE", "script of the references (default: found above the program)"),
            BenchCommand.without(QueueBenchmark.references), Settings.json, Settings.database,
        ],
        examples: [
            Example("darkroom-dev bench queue", "measures everything in about half an hour"),
            Example(
                "darkroom-dev bench queue --scale 0.01 --without pgqueuer",
                "checks in a minute that everything works"),
            Example("darkroom-dev bench queue --only drain --only pickup --runs 3", "measures two parts"),
        ]
    ) { arguments in
        var options = QueueBenchmark.Options()
        options.runs = try arguments.int("runs", in: 1...99) ?? 5
        options.scale = try BenchCommand.scale(arguments)
        options.jobs =
            try arguments.int("jobs", in: 1000...10_000_000) ?? max(1000, Int(200_000 * options.scale))
        options.processes = try arguments.int("processes", in: 1...64) ?? 1
        options.concurrency = try arguments.int("concurrency", in: 1...100_000) ?? 2000
        options.batch = try arguments.int("batch", in: 1...10_000) ?? 500
        let parts = try arguments.choices("only", of: QueueBenchmark.Part.self)
        let tools = BenchmarkTools(
            topic: "queue", references: arguments.string("references"),
            without: try BenchCommand.leftOut(arguments, of: QueueBenchmark.references))
        let url = try await Settings.databaseURL(arguments)
        let benchmark = QueueBenchmark(
            server: url, options: options, tools: tools, progress: { Output.note($0) },
            report: BenchCommand.report(arguments))
        try await interruptible {
            try await benchmark.run(parts.isEmpty ? QueueBenchmark.Part.allCases : parts)
        }
    }
}
