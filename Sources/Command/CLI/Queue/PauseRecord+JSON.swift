import Arguments
import CivilCalendar
import FoundationEssentials
import JobQueue
import JobStore

extension PauseRecord {
    var json: JSON {
        .object([
            ("queue", JSON.optional(queue) { .string($0) }),
            ("kind", JSON.optional(kind) { .string($0.rawValue) }),
            ("state", .string(drains ? "draining" : "paused")), ("by", .string(by)),
            ("since", .string(since.stamp)),
        ])
    }
}
