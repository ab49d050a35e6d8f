import Arguments
import CivilCalendar
import FoundationEssentials
import JobQueue
import JobStore

extension WorkerRecord {
    var json: JSON {
        .object([
            ("worker_id", .integer(id.rawValue)), ("host", .string(host)),
            ("pid", .integer(Int64(pid))), ("version", .string(version)),
            ("running", .integer(Int64(running))),
            ("concurrency", .integer(Int64(concurrency))),
            ("queues", .object(queues.map { ($0.name, .integer(Int64($0.concurrency))) })),
            ("started_at", .string(startedAt.stamp)),
            ("silence_s", .number(silence.seconds)), ("draining", .bool(isDraining)),
            ("state", .string(condition)), ("away", .array(away.map { .string($0) })),
        ])
    }
}
