import Arguments
import CivilCalendar
import JobQueue
import JobStore

enum WorkersTable {
    /// What workers cannot reach, a line each.
    static func notes(_ workers: [WorkerRecord]) -> [String] {
        workers.flatMap { worker in
            worker.away.map { "Worker \(worker.id) on \(worker.host) waits for \($0)" }
        }
    }

    static func table(_ workers: [WorkerRecord]) -> TextTable {
        var table = TextTable(columns: [
            .init("WORKER", .right), .init("HOST"), .init("PID", .right), .init("VERSION"), .init("QUEUES"),
            .init("RUNNING", .right), .init("HEARTBEAT", .right), .init("UP SINCE (UTC)"), .init("STATE"),
        ])
        for worker in workers {
            table.add([
                worker.id.description, worker.host, String(worker.pid), worker.version,
                worker.queues.map { "\($0.name)=\($0.concurrency)" }.joined(separator: " "),
                "\(worker.running)/\(worker.concurrency)", worker.silence.short + " ago",
                worker.startedAt.shortStamp, worker.condition,
            ])
        }
        return table
    }
}
