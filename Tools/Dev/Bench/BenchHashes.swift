import Arguments
import Benchmarking
import CommandSupport

enum BenchHashes {
    static let command = Command(
        "hashes", "Measure look-ups in lists of known photos, compared with a scan of all hashes.",
        discussion: """
            Makes a list of a million PDQ hashes in a temporary database on the server of --database, and drops it at the \
            end. Times are those of single look-ups on one connection, by the wall clock. The reference compares the hash \
            with every one of the list, alternating with ours; both must find the same.
            """,
        options: [
            BenchCommand.scale,
            .value("hashes", "N", "hashes of the list (default: 1000000 times --scale, but at least 1000)"),
            .value("runs", "N", "runs per figure", default: "3"), Settings.json, Settings.database,
        ],
        examples: [Example("darkroom-dev bench hashes", "takes some minutes")]
    ) { arguments in
        var options = HashBenchmark.Options(scale: try BenchCommand.scale(arguments))
        options.hashes = try arguments.int("hashes", in: 1000...100_000_000) ?? options.hashes
        options.runs = try arguments.int("runs", in: 1...99) ?? options.runs
        let benchmark = HashBenchmark(
            server: try await Settings.databaseURL(arguments), options: options,
            progress: { Output.note($0) }, report: BenchCommand.report(arguments))
        try await interruptible { try await benchmark.run() }
    }
}
