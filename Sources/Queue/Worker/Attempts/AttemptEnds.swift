import JobQueue
import JobStore
import Postgres
import Telemetry

/// Writes, counts and logs the end of every attempt.
final class AttemptEnds: Sendable {
    private let store: JobStore
    private let policies: RetryPolicies
    private let completer: Completer
    private let running: RunningJobs
    private let shutdown: Shutdown
    private let breakers: Breakers
    private let wake: Wakeup
    private let metrics: AttemptMetrics
    private let log: Log

    init(
        store: JobStore, policies: RetryPolicies, completer: Completer, running: RunningJobs,
        shutdown: Shutdown, breakers: Breakers,
        wake: Wakeup, metrics: AttemptMetrics, log: Log
    ) {
        self.store = store
        self.policies = policies
        self.completer = completer
        self.running = running
        self.shutdown = shutdown
        self.breakers = breakers
        self.wake = wake
        self.metrics = metrics
        self.log = log
    }

    /// Writes the end of an attempt. The job counts as running until then.
    func settle(
        _ job: RunningJob, _ result: Result<Completion, any Error>, took: Duration
    ) async {
        metrics.countStages(job.trace)
        if let dependency = job.trace.match { breakers.noteMatch(of: job.job.id, at: dependency) }
        switch result {
        case .success(.endedByBatch):
            completer.add(Completer.Done(job: job, took: took))
            return
        case .success(.committed):
            breakers.noteSuccess(of: job.job.kind)
            metrics.count(.succeeded, of: job.job, took: took)
            logSuccess(job, took: took)
        case .failure(let error):
            let cause = job.cause
            if case .leaseLost = cause {
                noteLost(job)
            } else {
                let found = Self.failure(of: error, stoppedBy: cause, waitingFor: job.trace.dependency)
                let failure = await confirmed(found, from: error, of: job)
                let outcome = policies.policy(of: job.job.kind).outcome(
                    of: failure, on: job.job, jitter: .random(in: 0...1))
                // In a separate task: this one may have been cancelled with the job.
                await Task { await self.write(outcome, of: job, error: error, took: took) }.value
            }
        }
        running.remove([job])
        wake.signal()
    }

    /// Counts and logs what the completer has written.
    func note(_ batch: [Completer.Done], stale: Set<Lease>) {
        var written = batch
        if !stale.isEmpty {
            for done in batch where stale.contains(done.job.job.lease) { noteLost(done.job) }
            written.removeAll { stale.contains($0.job.job.lease) }
        }
        metrics.count(written)
        for kind in Set(written.lazy.map(\.job.job.kind)) { breakers.noteSuccess(of: kind) }
        if log.writes(.info) {
            for done in written { logSuccess(done.job, took: done.took) }
        }
        running.remove(batch.lazy.map(\.job))
        wake.signal()
    }

    /// Writes the end of an attempt, and retries however long the database is unreachable: while this worker lives, no other
    /// may take the job. If it gives up, the database takes the job back: the worker no longer says that it runs it.
    ///
    /// An end that the database refuses twice would be refused for ever. Then the attempt failed for a fault of ours, and that is
    /// written, with no text from elsewhere. If that is refused too, it gives up.
    private func write(
        _ found: Outcome, of job: RunningJob, error: any Error, took: Duration
    ) async {
        var outcome = found
        var cause = (error as? AttemptError).map { $0.underlying.map { "\($0)" } } ?? "\(error)"
        var trace: AttemptTrace? = job.trace
        var faults = 0
        var refusals = 0
        while true {
            do {
                try await withDeadline(.seconds(15)) { [store, outcome, cause, trace] in
                    try await store.end(job.job.lease, as: outcome, cause: cause, trace: trace)
                }
                metrics.count(outcome, of: job.job, took: took)
                logEnd(outcome, of: job, error: error, took: took)
                return
            } catch is QueueError {
                // The database says that the job is finished or has another lease. This also happens after a commit whose
                // reply was lost with the connection.
                noteLost(job)
                return
            } catch let error as PostgresError where error.isRefusal {
                log.error("job.end_refused", job.logFields + ["error": .init("\(error)")])
                refusals += 1
                // A partition that is being attached refuses rows once.
                if refusals == 1 { continue }
                guard refusals == 2 else { return noteLost(job) }
                outcome = policies.policy(of: job.job.kind).outcome(
                    of: .systemFault(
                        Reason(
                            code: "end_refused",
                            message: "The database refused to store how the attempt ended.")),
                    on: job.job, jitter: .random(in: 0...1))
                (cause, trace) = (nil, nil)
            } catch {
                faults += 1
                let pause = RetryPolicy.reconnecting.delay(afterFailure: faults, jitter: .random(in: 0...1))
                log.error(
                    "job.end_not_written",
                    job.logFields + ["error": .init("\(error)"), "retry_in_ms": .init(pause)])
                if job.cause == .leaseLost {
                    noteLost(job)
                    return
                }
                if shutdown.phase == .abandoning { return }
                try? await Task.sleep(for: pause)
            }
        }
    }

    private func logSuccess(_ job: RunningJob, took: Duration) {
        log.info("job.succeeded", job.logFields + ["took_ms": .init(took)])
    }

    private func noteLost(_ job: RunningJob) {
        metrics.countLostLease()
        log.warning("job.lease_lost", job.logFields)
    }

    private func logEnd(
        _ outcome: Outcome, of job: RunningJob, error: any Error, took: Duration
    ) {
        let level: Log.Level =
            switch outcome {
            case .succeeded, .rejected, .returned, .cancelled, .snoozed: .info
            case .retry, .crashed, .killed: .warning
            case .failed: .error
            }
        log.write(level, "job.\(outcome.name)") {
            job.logFields + [
                "reason": .init(outcome.reason?.code ?? ""), "message": .init(outcome.reason?.message ?? ""),
                "error": .init("\(error)"),
                "took_ms": .init(took),
            ]
        }
    }

    /// What only this job found away is a failure of this attempt. A renderer that dies with every photo is away, and so
    /// may be what it writes to.
    private func confirmed(
        _ failure: AttemptFailure, from error: any Error, of job: RunningJob
    ) async -> AttemptFailure {
        let found: Absence?
        let own: AttemptFailure
        switch failure {
        case .mismatched(let mismatch):
            guard let pause = await breakers.wait(for: mismatch, of: job.job, since: job.startedAt) else {
                return failure
            }
            return .notYet(mismatch.suspect.reason, delay: pause)
        case .away(let absence): (found, own) = (absence, .systemFault(absence.reason))
        case .rendererDied, .machineShort:
            (found, own) = (((error as? AttemptError)?.underlying as? any DependencyError)?.absence, failure)
        default: return failure
        }
        guard let found,
            let absence = await breakers.confirmed(found, by: job.job, since: job.startedAt)
        else { return own }
        // It waits longer each time, also while all others wait: its photo may be what makes the machine short.
        if case .machineShort = failure { return failure }
        return .away(absence)
    }

    /// The kind of failure that an error means for the attempt.
    ///
    /// - Parameter dependency: what the attempt waited for when it was stopped.
    static func failure(
        of error: any Error, stoppedBy cause: RunningJob.StopCause?, waitingFor dependency: Dependency? = nil
    ) -> AttemptFailure {
        switch cause {
        case .cancelled: return .cancelled
        case .deadline:
            guard let dependency else { return .deadline }
            return .notYet(
                Reason(
                    code: "too_slow",
                    message:
                        "The attempt reached its deadline while it waited for \(dependency): that is too slow, or too many wait for it."
                ), delay: .seconds(.random(in: 30.0...90.0)))
        case .shutdown: return .shutdown
        case .leaseLost, nil: break
        }
        let known = error as? AttemptError
        switch known?.failure {
        case .systemFault, nil:
            let fault = known?.underlying ?? error
            if let wait = fault.asWaitForDatabase { return wait }
            if let absence = (fault as? any DependencyError)?.absence { return .away(absence) }
        default: break
        }
        return known?.failure ?? .systemFault(Reason(code: "internal_error", message: "\(error)"))
    }
}

extension Error {
    /// What the database's own trouble means for an attempt: it waits, and no try is counted. Nil for other errors.
    fileprivate var asWaitForDatabase: AttemptFailure? {
        guard let error = self as? PostgresError else { return nil }
        if error.isOutage {
            return .notYet(
                Reason(code: "database_away", message: "The database was away or gave the connection up."),
                delay: .seconds(.random(in: 2.0...5.0)))
        }
        if error.isContention {
            return .notYet(
                Reason(code: "database_busy", message: "Another transaction was in the way."),
                delay: .seconds(.random(in: 0.5...2.0)))
        }
        if error.isSchemaMismatch {
            return .notYet(
                Reason(
                    code: "schema_differs",
                    message:
                        "The database has the schema of another release: run 'darkroom migrate', or replace this worker."
                ),
                delay: .seconds(.random(in: 20.0...40.0)))
        }
        return nil
    }
}
