import CivilCalendar
import JobQueue
import JobStore
import Pages

enum WorkerRows {
    /// - Parameter actions: what can be done with a worker, if anything.
    static func table(_ workers: [WorkerRecord], actions: ((WorkerRecord) -> HTML)? = nil) -> HTML {
        var heads: [HTML] = [
            "Worker", "Host", "State", "Queues", "Running", "Heartbeat", "Started", "Cannot reach",
        ]
        if actions != nil { heads.append("<span class=\"hidden\">Actions</span>") }
        return .table(
            "Workers", heads,
            workers.map { worker in
                let queues = worker.queues.map { "\($0.name)=\($0.concurrency)" }.joined(separator: ", ")
                let row: [HTML] = [
                    .link(worker.id.description, "/jobs?worker=\(worker.id)"),
                    "\(worker.host) (pid \(worker.pid), \(worker.version))", .badge(worker.condition),
                    "\(queues)",
                    "\(worker.running) of \(worker.concurrency)", "\(worker.silence.short) ago",
                    .time(worker.startedAt),
                    "\(worker.away.isEmpty ? "–" : worker.away.joined(separator: "; "))",
                ]
                return row + (actions.map { [$0(worker)] } ?? [])
            }, empty: "No worker runs. Start one with “darkroom work”.")
    }
}
