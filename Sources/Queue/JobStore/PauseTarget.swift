import CivilCalendar
package import JobQueue

/// What is paused, resumed or drained: a queue, a kind, or a kind in a queue.
package struct PauseTarget: Sendable, CustomStringConvertible {
    package let queue: String?
    package let kind: JobKind?

    package init(queue: String?, kind: JobKind?) {
        self.queue = queue
        self.kind = kind
    }

    package var description: String {
        switch (queue, kind) {
        case (let queue?, let kind?): "kind \(kind.rawValue) in queue \(queue)"
        case (let queue?, nil): "queue \(queue)"
        case (nil, let kind?): "kind \(kind.rawValue)"
        case (nil, nil): "nothing"
        }
    }

    package func names(_ pause: PauseRecord) -> Bool { pause.queue == queue && pause.kind == kind }
}

extension PauseRecord {
    /// `queue bulk`, `kind moderate`, or `kind moderate in queue bulk`.
    package var target: String { PauseTarget(queue: queue, kind: kind).description }

    /// `the pause of queue bulk by olga since 2026-05-01 12:00:07 UTC`.
    package var text: String {
        "the \(drains ? "drain" : "pause") of \(target) by \(by) since \(since.shortStamp) UTC"
    }
}
