import CivilCalendar
import JobQueue
package import JobStore

/// Why an unfinished job does not run yet.
package enum JobObstacle {
    /// What `job` waits for, in words; nil if it runs or is finished.
    package static func of(_ job: JobRecord, _ store: JobStore) async throws -> String? {
        switch job.state {
        case .scheduled:
            let time = job.runAt.map { "\($0.shortStamp) UTC" } ?? "its time"
            return job.failures > 0 ? "\(time), after a failed try" : time
        case .parked where job.waitsFor == "resume":
            return try await pause(of: job, store) ?? "a worker's upkeep: its drain is over"
        case .parked:
            let limit = try await store.runningLimit(of: job.fairKey)
            return
                "its turn: \(limit.map { "at most \($0) jobs" } ?? "a limited number of jobs") of \(job.fairKey) run at once"
        case .waiting: return try await worker(for: job, store)
        case .running, .succeeded, .rejected, .failed, .cancelled: return nil
        }
    }

    private static func worker(for job: JobRecord, _ store: JobStore) async throws -> String {
        if let pause = try await pause(of: job, store) { return pause }
        let serving = try await store.workers().filter { worker in
            worker.isTaking && worker.queues.contains { $0.name == job.queue }
        }
        if serving.isEmpty {
            return
                "a worker of queue \(job.queue); there is none: start one with 'darkroom work --queue \(job.queue)=N'"
        }
        // A worker that misses one thing may still run jobs that do not need it.
        let needed = Set((JobDefinition.needs[job.kind] ?? []).map(\.name))
        let misses = serving.map { worker in
            worker.away.filter { needed.contains(String($0.prefix { $0 != ":" })) }
        }
        if misses.allSatisfy({ !$0.isEmpty }), let first = misses.first?.first {
            return "what its workers lack: \(first)"
        }
        return "a free slot in one of the \(serving.count) workers of queue \(job.queue)"
    }

    private static func pause(of job: JobRecord, _ store: JobStore) async throws -> String? {
        let pause = try await store.pauses().first { pause in
            (pause.queue ?? job.queue) == job.queue && (pause.kind ?? job.kind) == job.kind
                && (!pause.drains || job.waitsFor == "resume")
        }
        return pause.map { "the end of \($0.text)" }
    }
}
