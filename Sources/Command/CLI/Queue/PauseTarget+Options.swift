import Arguments
import Ingestion
import JobQueue
import JobStore

extension PauseTarget {
    static let options: [Option] = [
        .value("queue", "NAME", "the queue"),
        .value(
            "kind", "KIND",
            "the kind of job, in --queue or in every queue: \(JobDefinition.kinds.map(\.rawValue).joined(separator: ", "))"
        ),
    ]

    init(_ arguments: ParsedArguments) throws {
        self.init(
            queue: try arguments.selection("queue"),
            kind: try arguments.choice("kind", among: JobDefinition.kinds))
        guard queue != nil || kind != nil else {
            throw UsageError("give --queue, --kind, or both for a kind in a queue")
        }
    }
}
