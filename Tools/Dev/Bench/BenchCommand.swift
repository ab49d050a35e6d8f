import Arguments
import Benchmarking
import CommandSupport

enum BenchCommand {
    static let command = Command(
        "bench", "Measure how fast Darkroom is on this machine, compared with references.",
        subcommands: [
            BenchFeeds.command, BenchGazetteer.command, BenchHashes.command, BenchIngest.command,
            BenchQueue.command, BenchRender.command, BenchReplicas.command, BenchServe.command,
            BenchWorker.command,
        ])

    /// The share of its usual size that a benchmark has: a hundredth only shows that it works.
    static let scale = Option.value(
        "scale", "SHARE", "shrink the workload to this share of its usual size, 0 to 1", default: "1")

    static func scale(_ arguments: ParsedArguments) throws -> Double {
        try arguments.double("scale", in: 0.001...1) ?? 1
    }

    static func without(_ references: [String]) -> Option {
        .repeated("without", "REFERENCE", "skip this reference: \(references.joined(separator: ", "))")
    }

    /// The references of a benchmark to skip.
    static func leftOut(_ arguments: ParsedArguments, of references: [String]) throws -> Set<String> {
        let names = arguments.strings("without")
        if let unknown = names.first(where: { !references.contains($0) }) {
            throw UsageError("--without \(unknown): the references are \(references.joined(separator: ", "))")
        }
        return Set(names)
    }

    /// Prints a figure as text, or with `--json` as an object.
    static func report(_ arguments: ParsedArguments) -> @Sendable (BenchmarkLine) -> Void {
        let isJSON = arguments.flag("json")
        return { Output.line(isJSON ? $0.json.line : $0.text) }
    }
}
