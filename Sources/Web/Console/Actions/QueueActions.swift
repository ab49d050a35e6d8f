import HTTPServer
import Ingestion
import JobQueue
import JobStore

/// Pausing, draining and resuming queues, running schedules, and draining workers.
struct QueueActions: Sendable {
    let site: ConsoleSite
    let visit: Visit

    func act(_ name: String) async throws -> HTTPResponse {
        switch name {
        case "hold": try await hold()
        case "resume": try await resume()
        case "run": try await run()
        case "drain-worker": try await drainWorker()
        default: throw ConsoleError.notFound("There is no such action.")
        }
        return HTTPResponse(redirectingTo: "/queues")
    }

    private func target() throws -> PauseTarget {
        let target = PauseTarget(
            queue: visit.form["queue"], kind: visit.form["kind"].flatMap(JobKind.init(rawValue:)))
        guard target.queue != nil || target.kind != nil else {
            throw ConsoleError.badRequest("Choose a queue, a kind, or both.")
        }
        return target
    }

    private func hold() async throws {
        let target = try target()
        let drains = visit.form["drains"] == "yes"
        try await site.actions.record(visit.action(drains ? "drain" : "pause", target: target.description)) {
            try await site.jobs.pause(
                queue: target.queue, kind: target.kind, drain: drains, by: visit.session.name)
        }
    }

    private func resume() async throws {
        let target = try target()
        _ = try await site.actions.record(
            visit.action("resume", target: target.description)
        ) {
            try await site.jobs.resume(queue: target.queue, kind: target.kind)
        }
    }

    private func run() async throws {
        let name = visit.form["schedule"] ?? ""
        let ran = try await site.actions.record(
            visit.action("run schedule", target: "schedule \(name)")
        ) {
            try await site.jobs.runNow(name)
        }
        guard ran else {
            throw ConsoleError.badRequest("The schedule \(name) does not exist, or is disabled.")
        }
    }

    private func drainWorker() async throws {
        guard let number = visit.form.number("worker") else {
            throw ConsoleError.badRequest("Choose a worker.")
        }
        let found = try await site.actions.record(
            visit.action("drain worker", target: "worker \(number)")
        ) {
            try await site.jobs.drain(WorkerID(rawValue: number))
        }
        guard found else { throw ConsoleError.notFound("There is no worker \(number) any more.") }
    }
}
