import JobQueue
import JobStore

/// Runs claimed jobs, each in its own task, with the handler of its kind.
final class AttemptRunner: Sendable {
    private let handlers: [JobKind: any JobHandler]
    private let running: RunningJobs
    private let ends: AttemptEnds

    init(handlers: [JobKind: any JobHandler], running: RunningJobs, ends: AttemptEnds) {
        self.handlers = handlers
        self.running = running
        self.ends = ends
    }

    func start(_ claimed: [ClaimedJob], of claim: ClaimToken, from queue: String) {
        let now = ContinuousClock.now
        let jobs = claimed.map { RunningJob($0, queue: queue, startedAt: now) }
        running.endClaim(claim, with: jobs)
        guard jobs.count > 16 else { return run(jobs) }
        // A long batch starts while the next claim is under way.
        Task { self.run(jobs) }
    }

    private func run(_ jobs: [RunningJob]) {
        for job in jobs { job.run(as: Task { await self.attempt(job) }) }
    }

    private func attempt(_ job: RunningJob) async {
        let result: Result<Completion, any Error>
        do {
            guard let handler = handlers[job.job.kind] else {
                throw QueueError(.unknownKind(job.job.kind.rawValue))
            }
            result = .success(try await handler.run(job.job, trace: job.trace))
        } catch {
            result = .failure(error)
        }
        await ends.settle(job, result, took: ContinuousClock.now - job.startedAt)
    }
}
