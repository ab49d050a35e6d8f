import Arguments
import Benchmarking
import CommandSupport

/// `darkroom-dev bench queue`.
enum BenchQueue {
    static let command = Command(
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
            .value("jobs", "N", "jobs of a drain (default: 200000, or the share of --scale)"),
            BenchCommand.scale,
            .value("processes", "N", "worker processes of a drain", default: "1"),
            .value("concurrency", "N", "jobs that each has at once", default: "2000"),
            .value("batch", "N", "jobs a claim, for both sides", default: "500"),
            .value("references", "FILE", "the script of references (default: found above the program)"),
            BenchCommand.without(QueueBenchmark.references), Settings.json, Settings.database,
        ],
        examples: [
            Example("darkroom-dev bench queue", "everything, in about half an hour"),
            Example(
                "darkroom-dev bench queue --scale 0.01 --without pgqueuer",
                "whether all of it works, in a minute"),
            Example("darkroom-dev bench queue --only drain --only pickup --runs 3", "two parts, quickly"),
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
        try await BenchCommand.interruptible {
            try await benchmark.run(parts.isEmpty ? QueueBenchmark.Part.allCases : parts)
        }
    }
}
