import Arguments
import FoundationEssentials
import JobQueue
import JobStore

extension PauseRecord {
    /// `queue bulk`, `kind moderate`, or `kind moderate in queue bulk`.
    var target: String { PauseTarget(queue: queue, kind: kind).description }

    /// `the pause of queue bulk by olga since 2026-05-01 12:00:07 UTC`.
    var text: String {
        "the \(drains ? "drain" : "pause") of \(target) by \(by) since \(since.shortStamp) UTC"
    }

    var json: JSON {
        .object([
            ("queue", JSON.optional(queue) { .string($0) }),
            ("kind", JSON.optional(kind) { .string($0.rawValue) }),
            ("state", .string(drains ? "draining" : "paused")), ("by", .string(by)),
            ("since", .string(since.stamp)),
        ])
    }
}
