import CivilCalendar
import HTTPServer
import Ingestion
import JobQueue
import JobStore
import Pages

/// Queues with their pauses, schedules, and workers.
struct QueuesPage: Sendable {
    let site: ConsoleSite
    let visit: Visit

    func response() async throws -> HTTPResponse {
        let store = site.jobs
        let queues = try await store.queues()
        let pauses = try await store.pauses()
        let schedules = try await store.schedules()
        let workers = try await store.workers()
        return visit.page("Queues, schedules and workers") {
            """
            <h2>Pauses and drains</h2>
            \(table(pauses))
            \(hold(queues))
            <h2>Queues</h2>
            \(.table(
                "Queues", ["Queue", "Kinds", "Workers", "Jobs at once"],
                queues.map {
                    [
                        .link($0.name, "/jobs?queue=\(Form.encoded($0.name))"),
                        "\($0.kinds.map(\.rawValue).joined(separator: ", "))", "\($0.workers)", "\($0.concurrency)",
                    ]
                }, empty: "There is no queue."))
            <h2>Schedules</h2>
            \(table(schedules))
            <h2>Workers</h2>
            \(WorkerRows.table(workers, actions: { worker in
                worker.isDraining
                    ? "drains" : visit.button("Drain", "/queues/drain-worker", fields: [("worker", worker.id.description)])
            }))
            """
        }
    }

    private func table(_ pauses: [PauseRecord]) -> HTML {
        .table(
            "Pauses and drains", ["What", "How", "By", "Since", "Jobs"],
            pauses.map { pause in
                let target = [("queue", pause.queue ?? ""), ("kind", pause.kind?.rawValue ?? "")]
                return [
                    "\(pause.target)", .badge(pause.drains ? "draining" : "paused"), .said(pause.by),
                    .time(pause.since), visit.button("Resume", "/queues/resume", fields: target),
                ]
            }, empty: "Nothing is paused.")
    }

    private func hold(_ queues: [QueueRecord]) -> HTML {
        visit.form(
            "/queues/hold",
            """
            \(.choice("queue", "Queue", queues.map(\.name), chosen: []))
            \(.choice("kind", "Kind", JobDefinition.kinds.map(\.rawValue), chosen: []))
            <button name="drains" value="no">Pause</button>
            <button name="drains" value="yes">Drain</button>
            <p class="quiet">A pause holds back all jobs that wait. A drain finishes those that are there, and holds back new ones.</p>
            """)
    }

    private func table(_ schedules: [ScheduleRecord]) -> HTML {
        .table(
            "Schedules", ["Schedule", "When", "Kind", "Queue", "Last run", "Next run", "Run"],
            schedules.map { schedule in
                let next: HTML = schedule.isEnabled ? .time(schedule.nextRunAt) : "disabled"
                return [
                    "\(schedule.name)", "<code>\(schedule.cron)</code> \(schedule.timeZone)",
                    "\(schedule.kind)",
                    "\(schedule.queue)",
                    "\(.time(schedule.lastRunAt)) \(schedule.lastJob.map { .link("job \($0)", "/jobs/\($0)") } ?? .empty)",
                    next,
                    schedule.isEnabled
                        ? visit.button("Run now", "/queues/run", fields: [("schedule", schedule.name)])
                        : .empty,
                ]
            }, empty: "There is no schedule.")
    }
}
