import JobQueue
import JobStore
import Postgres
import Telemetry

/// Claims and starts jobs while the worker runs.
struct ClaimLoop: Sendable {
    let store: JobStore
    let kinds: [JobKind]
    let configuration: Worker.Configuration
    let leases: LeaseKeeper
    let listener: Listener
    let shutdown: Shutdown
    let running: RunningJobs
    let wake: Wakeup
    let attempts: AttemptRunner
    let metrics: AttemptMetrics
    let log: Log
    let loop = LoopWatch()

    /// The result of one round of claims over all queues.
    private struct Round {
        var claimed = 0
        /// Every queue with free slots was searched from its beginning and had nothing more.
        var isExhausted = true
        /// When a postponed search may run.
        var searchAgain: ContinuousClock.Instant?
    }

    /// Claims and runs jobs until told to stop or, when draining, until nothing is left.
    ///
    /// It sleeps only when there is nothing to do. A notification, the end of a job, the time of the next scheduled job or
    /// the poll interval wakes it.
    func run() async {
        var cursors: [String: ClaimCursor] = [:]
        var idleness = Idleness()
        var faults = 0
        defer { loop.end() }
        while shutdown.phase == .working, !Task.isCancelled {
            loop.turn()
            do {
                let round = try await claimRound(&cursors)
                faults = 0
                if round.claimed == 0, try await isDrained() {
                    await noteWhatIsLeft()
                    break
                }
                if let isIdle = idleness.change(
                    isIdle: round.claimed == 0 && round.isExhausted, now: .now)
                {
                    try await announce(isIdle: isIdle)
                    // Jobs enqueued before the announcement sent no notification, so look again.
                    if isIdle { continue }
                }
                if round.claimed > 0, hasRoom { continue }
                loop.turn()
                await wake.wait(atMost: pause(after: round, idleness))
            } catch {
                faults += 1
                let pause = RetryPolicy.reconnecting.delay(afterFailure: faults, jitter: .random(in: 0...1))
                log.error(
                    "worker.claim_failed", ["error": .init("\(error)"), "retry_in_ms": .init(pause)])
                loop.turn()
                await wake.wait(atMost: pause)
                await returnStrays()
            }
        }
        if idleness.isAnnounced { try? await announce(isIdle: false) }
        // Jobs signal `wake` when they end. Those still running at the end of the budget are cancelled, and end as well.
        while running.count > 0, !Task.isCancelled {
            loop.turn()
            await wake.wait(atMost: .seconds(1))
        }
        loop.end()
        await leave()
    }

    /// If the worker itself was cancelled: returns the running jobs, without waiting for the database.
    private func leave() async {
        guard running.count > 0 else { return }
        let jobs = running.all
        shutdown.abandon()
        for job in jobs { await job.ended() }
    }

    private func claimRound(_ cursors: inout [String: ClaimCursor]) async throws -> Round {
        var round = Round()
        let standing = leases.standing
        guard let worker = standing.worker, !standing.isCutOff else {
            round.isExhausted = false
            return round
        }
        for queue in configuration.queues {
            let free = min(
                queue.concurrency - running.count(in: queue.name), configuration.largestClaim)
            guard free >= smallestClaim(of: queue) else {
                round.isExhausted = false
                continue
            }
            var cursor = cursors[queue.name] ?? ClaimCursor()
            let sweepsFirst = cursor.isSweepDue(foundAll: true, now: .now)
            var got = 0
            if !sweepsFirst {
                got = try await claim(free, of: queue.name, for: worker, startingAt: cursor.starts, &cursor)
            }
            let began = ContinuousClock.now
            if sweepsFirst || got < free && cursor.isSweepDue(foundAll: false, now: began) {
                got += try await claim(free - got, of: queue.name, for: worker, startingAt: [:], &cursor)
                cursor.noteSweep(began: began, ended: .now)
            } else if got < free {
                round.searchAgain = [round.searchAgain, cursor.nextSweep(foundAll: false)].compactMap(\.self)
                    .min()
                round.isExhausted = false
            }
            cursors[queue.name] = cursor
            round.claimed += got
        }
        return round
    }

    private func claim(
        _ limit: Int, of queue: String, for worker: WorkerID, startingAt starts: [Lane: Int64],
        _ cursor: inout ClaimCursor
    ) async throws -> Int {
        loop.turn()
        let began = ContinuousClock.now
        let jobs: [ClaimedJob]
        do {
            jobs = try await withDeadline(.seconds(30)) { [store, kinds] in
                try await store.claim(
                    limit: limit, worker: worker, queue: queue, kinds: kinds, startingAt: starts)
            }
        } catch {
            if !(error is CancellationError) { metrics.countFailedClaim() }
            throw error
        }
        metrics.countClaim(of: jobs, took: .now - began)
        cursor.advance(past: jobs)
        if !jobs.isEmpty { attempts.start(jobs, of: queue) }
        return jobs.count
    }

    /// A worker with many slots waits until several are free, so that its claims stay large. One with few slots claims
    /// as soon as one is free.
    private func smallestClaim(of queue: ServedQueue) -> Int {
        queue.concurrency < 64 ? 1 : min(queue.concurrency / 4, configuration.largestClaim)
    }

    private var hasRoom: Bool {
        configuration.queues.contains {
            $0.concurrency - running.count(in: $0.name) >= smallestClaim(of: $0)
        }
    }

    private func isDrained() async throws -> Bool {
        guard configuration.drains, running.count == 0 else { return false }
        loop.turn()
        return try await withDeadline(.seconds(30)) { [store, configuration, kinds] in
            try await !store.hasWorkLeft(in: configuration.queues.map(\.name), kinds: kinds)
        }
    }

    private func announce(isIdle: Bool) async throws {
        guard let worker = leases.standing.worker else { return }
        loop.turn()
        try await withDeadline(.seconds(10)) { [store] in try await store.setIdle(worker, isIdle) }
    }

    private func pause(after round: Round, _ idleness: Idleness) -> Duration {
        var poll = listener.isListening ? configuration.pollInterval : configuration.deafPollInterval
        // A draining worker also waits for other workers' jobs, whose end sends no notification.
        if configuration.drains { poll = min(poll, .milliseconds(250)) }
        if let soon = idleness.nextLook(now: .now) { poll = min(poll, soon) }
        if let again = round.searchAgain { poll = min(poll, max(again - .now, .milliseconds(1))) }
        // Jitter keeps workers that started together from polling together.
        return poll * Double.random(in: 0.8...1.0)
    }

    /// Returns jobs that nobody runs because the reply to their claim was lost.
    private func returnStrays() async {
        guard let worker = leases.standing.worker else { return }
        do {
            loop.turn()
            let known = running.all.map(\.job.lease)
            let strays = try await withDeadline(.seconds(30)) { [store] in
                try await store.strayLeases(of: worker, known: known)
            }
            for (lease, kind, attempt) in strays {
                loop.turn()
                let reason = Reason(code: "claim_lost", message: "The reply to the claim was lost.")
                try await withDeadline(.seconds(15)) { [store] in
                    try await store.end(lease, as: .returned(reason))
                }
                metrics.count(.returned(reason), of: kind)
                log.warning(
                    "job.stray_returned", ClaimedJob.logFields(lease, kind: kind, attempt: attempt))
            }
        } catch {
            log.warning("worker.stray_search_failed", ["error": .init("\(error)")])
        }
    }
}
