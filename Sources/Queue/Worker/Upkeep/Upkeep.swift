import JobQueue
import JobStore
import Postgres
import Synchronization
import Telemetry

/// What a worker does at intervals, for itself and for all.
struct Upkeep: Sendable {
    let store: JobStore
    let interval: Duration
    let gate: SchemaGate
    let leases: LeaseKeeper
    let policies: RetryPolicies
    let running: RunningJobs
    /// Makes due jobs ready at once.
    let promotion: Wakeup
    /// Makes the worker learn at once that one of its jobs was cancelled.
    let cancellation: Wakeup
    let wake: Wakeup
    let metrics: WorkerMetrics
    let log: Log

    /// So many workers, those that live longest, do what is done for all. The others only look now and then whether it is
    /// done.
    private static let caretakers = 3
    private static let restOfOthers = 15

    func run() async {
        await withTaskGroup { group in
            for duty in duties {
                group.addTask {
                    await duty.run(
                        // The deadlines of its own jobs need no database.
                        through: duty.name == "deadlines" ? nil : gate, metrics: metrics, log: log)
                }
            }
        }
    }

    private var duties: [Duty] {
        [
            Duty(name: "deadlines", interval: interval) {
                for entry in running.stopOverdue({ policies.policy(of: $0).attemptDeadline }) {
                    log.warning("job.overdue", entry.logFields)
                }
                return nil
            },
            reviewDuty,
            Duty(name: "policies", interval: interval * 5) {
                try await policies.load()
                return nil
            },
            // The jobs due until then are found in time: a job that is queued for sooner is announced.
            forAll("promote", hurriedBy: promotion) {
                // A little late rather than early, when it would have to be done again.
                try await store.promoteDue().map { $0 + .milliseconds(1) }
            },
            Duty(name: "rescue", interval: interval) {
                try await leases.rescue()
                return nil
            },
            forAll("orphans", every: 10) {
                try await leases.rescueOrphans()
                return nil
            },
            forAll("unpark") {
                let drained = try await store.unparkDrained()
                if try await store.unparkAll() + drained > 0 { wake.signal() }
                return nil
            },
            forAll("backlogs") {
                try await store.enqueueBacklogs()
                return nil
            },
            forAll("schedules") {
                try await runSchedules()
                return nil
            },
            forAll("clock", every: 10) {
                let jobs = try await store.planAgain()
                if jobs > 0 { log.warning("jobs.planned_again", ["jobs": .init(jobs)]) }
                return nil
            },
            forAll("history", every: 60) {
                // What somebody's long reading keeps from being made now is made days before it is needed.
                _ = try await store.createHistoryPartitions()
                return nil
            },
            forAll("paces", every: 60) {
                try await store.prunePaces()
                return nil
            },
        ]
    }

    /// - Parameter factor: how many intervals pass between two turns.
    private func forAll(
        _ name: String, every factor: Int = 1, hurriedBy hurry: Wakeup = Wakeup(),
        _ body: @escaping @Sendable () async throws -> Duration?
    ) -> Duty {
        let rest = Skips()
        return Duty(name: name, interval: interval * factor, hurry: hurry) {
            let isCaretaker = leases.standing.rank < Self.caretakers
            guard rest.isOver(after: isCaretaker ? 1 : Self.restOfOthers) else { return nil }
            return try await body()
        }
    }

    /// A worker that has had no job since the last review has nothing to say, but asks now and then all the same.
    private var reviewDuty: Duty {
        let rest = Skips()
        let reviewed = Mutex(-1)
        return Duty(name: "review", interval: interval, hurry: cancellation) {
            let takings = running.takings
            let isIdle = running.count == 0
            let isQuiet = isIdle && reviewed.withLock(\.self) == takings
            guard rest.isOver(after: isQuiet ? Self.restOfOthers : 1) else { return nil }
            // What it dropped since, or while it was cut off, is still to be said.
            if try await review(), isIdle { reviewed.withLock { $0 = takings } }
            return nil
        }
    }

    /// Says what the worker runs, and stops jobs that were cancelled or taken by others.
    ///
    /// - Returns: false if it could not, because the worker is cut off.
    private func review() async throws -> Bool {
        let standing = leases.standing
        guard let worker = standing.worker, !standing.isCutOff else { return false }
        let statement = running.statement(of: worker)
        let review = try await store.review(statement)
        if !review.returned.isEmpty {
            metrics.leasesReturned.increment(by: review.returned.count)
            log.warning(
                "worker.leases_returned", ["worker": .init(worker), "jobs": .init("\(review.returned)")])
            wake.signal()
        }
        running.stop(review.cancelled, .cancelled)
        // A job that ended meanwhile is not among those running.
        running.stop(review.lost, .leaseLost)
        return true
    }

    private func runSchedules() async throws {
        let (ran, faults) = try await store.runSchedules()
        for name in ran {
            metrics.scheduleRuns[name].increment()
            log.info("schedule.ran", ["schedule": .init(name)])
        }
        for fault in faults {
            log.error(
                "schedule.not_run",
                ["schedule": .init(fault.schedule), "error": .init("\(fault.underlying)")])
        }
        if !ran.isEmpty { wake.signal() }
    }
}
