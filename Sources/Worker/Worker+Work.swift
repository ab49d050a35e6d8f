import JobQueue
import JobStore
import Synchronization
import Telemetry

extension Worker {
    /// Claims and runs jobs until told to stop or, when draining, until nothing is left.
    ///
    /// It sleeps only where there is nothing to do, and is woken by a notification, a job that ends,
    /// the next scheduled job's time or the poll interval.
    func work() async {
        await withDiscardingTaskGroup { group in
            var faults = 0
            while phase == .working {
                do {
                    let claimed = try await claim()
                    faults = 0
                    for job in claimed {
                        start(job, in: &group)
                    }
                    if claimed.isEmpty, try await isDrained() { break }
                    if running.count < configuration.concurrency, !claimed.isEmpty { continue }
                    await wake.wait(atMost: idleTime())
                } catch {
                    faults += 1
                    let pause = RetryPolicy(
                        maximumFailures: 1, maximumCrashes: 1, base: .milliseconds(200), cap: .seconds(5)
                    ).delay(afterFailure: faults, jitter: .random(in: 0...1))
                    log.error(
                        "worker.claim_failed", ["error": .init("\(error)"), "retry_in_ms": .init(pause)])
                    await wake.wait(atMost: pause)
                }
            }
        }
    }

    private func claim() async throws -> [ClaimedJob] {
        let (worker, isCutOff) = state.withLock { ($0.worker, $0.isCutOff) }
        let free = configuration.concurrency - running.count
        guard let worker, !isCutOff, free > 0 else { return [] }
        return try await store.claim(limit: free, worker: worker)
    }

    private func isDrained() async throws -> Bool {
        guard configuration.drains, running.count == 0 else { return false }
        return try await !store.hasWorkLeft()
    }

    private func idleTime() -> Duration {
        // A draining worker waits for other workers' jobs, whose end nobody announces.
        let poll = configuration.drains ? .milliseconds(250) : configuration.pollInterval
        // Jitter keeps a fleet that was started together from polling together.
        return poll * Double.random(in: 0.8...1.2)
    }

    private func start(_ job: ClaimedJob, in group: inout DiscardingTaskGroup) {
        let handler = handlers[job.kind]
        // A task of its own, so that it can be cancelled while this one still ends the attempt.
        let task = Task {
            guard let handler else { throw QueueError(.unknownKind(job.kind.rawValue)) }
            try await handler.run(job)
        }
        running.add(job.lease, task)
        log.debug("job.started", ["job": .init(job.id), "attempt": .init(job.attempt)])
        group.addTask {
            let started = ContinuousClock.now
            let result = await task.result
            await self.settle(job, result, took: ContinuousClock.now - started)
            self.wake.signal()
        }
    }

    private func settle(_ job: ClaimedJob, _ result: Result<Void, any Error>, took: Duration) async {
        // Still listed as running until the end is written, so that it is not handed back meanwhile.
        switch result {
        case .success:
            running.remove(job.lease)
            log.info(
                "job.succeeded",
                [
                    "job": .init(job.id), "kind": .init(job.kind.rawValue), "attempt": .init(job.attempt),
                    "took_ms": .init(took),
                ])
        case .failure(let error):
            let cause = running.cause(of: job.lease)
            if case .leaseLost = cause {
                log.warning("job.lease_lost", ["job": .init(job.id), "lease": .init(job.lease.token)])
            } else {
                let failure = Self.failure(of: error, stoppedBy: cause)
                let outcome = configuration.policy.outcome(
                    of: failure, on: job, jitter: .random(in: 0...1))
                await write(outcome, of: job, error: error, took: took)
            }
            running.remove(job.lease)
        }
    }

    /// Writes the end of an attempt, however long the database is away: as long as this worker lives,
    /// nobody else may take the job.
    private func write(_ outcome: Outcome, of job: ClaimedJob, error: any Error, took: Duration) async {
        var faults = 0
        while true {
            do {
                try await store.end(job.lease, as: outcome)
                logEnd(outcome, of: job, error: error, took: took)
                return
            } catch let lost as QueueError {
                // The database says that the job is finished or another's. A commit whose answer was
                // lost with the connection ends here as well.
                log.warning("job.lease_lost", ["job": .init(job.id), "error": .init(lost)])
                return
            } catch {
                faults += 1
                let pause = configuration.policy.delay(
                    afterFailure: min(faults, 3), jitter: .random(in: 0...1))
                log.error(
                    "job.end_not_written",
                    ["job": .init(job.id), "error": .init("\(error)"), "retry_in_ms": .init(pause)])
                if phase == .abandoning { return }
                try? await Task.sleep(for: pause)
            }
        }
    }

    private func logEnd(_ outcome: Outcome, of job: ClaimedJob, error: any Error, took: Duration) {
        let write: (String, KeyValuePairs<String, Log.Value>) -> Void =
            switch outcome {
            case .succeeded, .rejected, .returned, .cancelled, .snoozed: log.info
            case .retry, .crashed: log.warning
            case .failed: log.error
            }
        write(
            "job.\(outcome.name)",
            [
                "job": .init(job.id), "kind": .init(job.kind.rawValue), "attempt": .init(job.attempt),
                "reason": .init(outcome.reason?.code ?? ""), "message": .init(outcome.reason?.message ?? ""),
                "error": .init("\(error)"), "took_ms": .init(took),
            ])
    }

    /// What an error says of the attempt.
    static func failure(of error: any Error, stoppedBy cause: RunningJobs.StopCause?) -> AttemptFailure {
        switch cause {
        case .cancelled: return .cancelled
        case .shutdown: return .shutdown
        case .leaseLost, nil: break
        }
        if let known = error as? AttemptError { return known.failure }
        return .systemFault(Reason(code: "internal_error", message: "\(error)"))
    }
}
