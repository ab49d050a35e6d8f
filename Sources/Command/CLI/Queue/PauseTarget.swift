import Arguments
import Ingestion
import JobQueue
import JobStore

/// What is paused, resumed or drained: a queue, a kind, or a kind in a queue.
struct PauseTarget: CustomStringConvertible {
    let queue: String?
    let kind: JobKind?

    static let options: [Option] = [
        .value("queue", "NAME", "the queue"),
        .value(
            "kind", "KIND",
            "the kind of job, in --queue or in every queue: \(JobDefinition.kinds.map(\.rawValue).joined(separator: ", "))"
        ),
    ]

    init(queue: String?, kind: JobKind?) {
        self.queue = queue
        self.kind = kind
    }

    init(_ arguments: ParsedArguments) throws {
        queue = arguments.string("queue")
        kind = try arguments.choice("kind", among: JobDefinition.kinds)
        guard queue != nil || kind != nil else {
            throw UsageError("give --queue, --kind, or both for a kind in a queue")
        }
    }

    var description: String {
        switch (queue, kind) {
        case (let queue?, let kind?): "kind \(kind.rawValue) in queue \(queue)"
        case (let queue?, nil): "queue \(queue)"
        case (nil, let kind?): "kind \(kind.rawValue)"
        case (nil, nil): "nothing"
        }
    }

    func names(_ pause: PauseRecord) -> Bool { pause.queue == queue && pause.kind == kind }
}
