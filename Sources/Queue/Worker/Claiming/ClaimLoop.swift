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
    let gate: SchemaGate
    let breakers: Breakers
    let listener: Listener
    let shutdown: Shutdown
    let running: RunningJobs
    let wake: Wakeup
    let attempts: AttemptRunner
    let metrics: AttemptMetrics
    let log: Log
    let loop: LoopWatch
    /// Runs from the beginning of a claim until one succeeds.
    let unanswered: LoopWatch

    /// The result of one round of claims over all queues.
    private struct Round {
        var claimed = 0
        /// A claim ended before it had looked at every job that may run.
        var endedEarly = false
        /// Every queue with free slots was searched from its beginning and had nothing more.
        var isExhausted = true
        /// When a postponed search may run.
        var searchAgain: ContinuousClock.Instant?

        mutating func search(noLaterThan moment: ContinuousClock.Instant) {
            searchAgain = searchAgain.map { min($0, moment) } ?? moment
        }
    }

    /// How long jobs that were told to stop may take to end.
    private static let longestFarewell = Duration.seconds(10)
    /// How long a worker with many slots waits for more of them to become free, so that its claims stay large.
    private static let gathering = Duration.milliseconds(5)

    /// Claims and runs jobs until told to stop or, when draining, until nothing is left.
    ///
    /// It sleeps only when there is nothing to do. A notification, the end of a job, the time of the next scheduled job or
    /// the poll interval wakes it.
    func run() async {
        var cursors: [String: ClaimCursor] = [:]
        var idleness = Idleness()
        var faults = 0
        while shutdown.phase == .working, !Task.isCancelled {
            loop.turn()
            guard gate.isOpen else {
                unanswered.end()
                await wake.wait(atMost: configuration.pollInterval)
                continue
            }
            do {
                if unanswered.sinceLastTurn == nil { unanswered.turn() }
                guard let round = try await gate.ifOpen({ try await claimRound(&cursors) }) else { continue }
                faults = 0
                unanswered.end()
                if round.claimed == 0, try await isDrained() {
                    await noteWhatIsLeft()
                    break
                }
                if let worker = leases.standing.worker,
                    let news = idleness.change(
                        waitingFor: round.claimed == 0 && round.isExhausted ? breakers.usable(kinds) : nil,
                        of: worker, now: .now)
                {
                    loop.turn()
                    try await announce(news, of: worker)
                    // Jobs enqueued before the announcement sent no notification, so look again.
                    if news != .isBusy { continue }
                }
                if round.claimed > 0 || round.endedEarly, hasRoom { continue }
                loop.turn()
                await wake.wait(atMost: pause(after: round, idleness))
            } catch  where shutdown.phase != .working || Task.isCancelled {
                break
            } catch {
                faults += 1
                let pause = RetryPolicy.reconnecting.delay(afterFailure: faults, jitter: .random(in: 0...1))
                log.error(
                    "worker.claim_failed", ["error": .init("\(error)"), "retry_in_ms": .init(pause)])
                loop.turn()
                await wake.wait(atMost: pause)
            }
        }
        unanswered.end()
        await withTaskCancellationHandler {
            // In a separate task, because a cancelled one cannot wait.
            await Task { await waitForJobs() }.value
        } onCancel: {
            shutdown.abandon()
            wake.signal()
        }
        loop.end()
    }

    /// Jobs signal `wake` when they end. Those still running at the end of the budget are cancelled, and have a little time to
    /// end as well. The database may be away then; it takes back what the worker could not tell it.
    private func waitForJobs() async {
        var patience = Self.longestFarewell
        while running.count > 0, patience > .zero {
            loop.turn()
            let began = ContinuousClock.now
            await wake.wait(atMost: min(patience, .seconds(1)))
            if shutdown.phase == .abandoning { patience -= .now - began }
        }
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
            guard free > 0 else {
                round.isExhausted = false
                continue
            }
            var cursor = cursors[queue.name] ?? ClaimCursor()
            defer { cursors[queue.name] = cursor }
            if free < smallestClaim(of: queue), let gathered = cursor.lastEnded.map({ $0 + Self.gathering }),
                gathered > .now
            {
                round.isExhausted = false
                round.search(noLaterThan: gathered)
                continue
            }
            let sweepsFirst = cursor.isSweepDue(foundAll: true, now: .now)
            var got = 0
            if !sweepsFirst {
                got = try await claim(
                    free, of: queue.name, for: worker, startingAt: cursor.starts, &cursor, &round)
            }
            let began = ContinuousClock.now
            if sweepsFirst || got < free && cursor.isSweepDue(foundAll: false, now: began) {
                got += try await claim(
                    free - got, of: queue.name, for: worker, startingAt: [:], &cursor, &round)
                cursor.noteSweep(began: began, ended: .now)
            } else if got < free {
                if let again = cursor.nextSweep(foundAll: false) { round.search(noLaterThan: again) }
                round.isExhausted = false
            }
        }
        return round
    }

    private func claim(
        _ limit: Int, of queue: String, for worker: WorkerID, startingAt starts: [Lane: Int64],
        _ cursor: inout ClaimCursor, _ round: inout Round
    ) async throws -> Int {
        loop.turn()
        let began = ContinuousClock.now
        let token = running.beginClaim(for: worker)
        let claim: ClaimedJobs
        do {
            let takesSuspect = !running.hasSuspect
            let kinds = breakers.usable(kinds)
            claim = try await ask(within: .seconds(30)) { [store] in
                try await store.claim(
                    as: token, limit: limit, queue: queue, kinds: kinds, startingAt: starts,
                    takesSuspect: takesSuspect)
            }
        } catch {
            running.endClaim(token, with: nil)
            if !(error is CancellationError) { metrics.countFailedClaim() }
            throw error
        }
        attempts.start(claim.jobs, of: token, from: queue)
        metrics.countClaim(of: claim.jobs, took: .now - began)
        cursor.advance(past: claim.jobs)
        if claim.endedEarly {
            round.endedEarly = true
            round.isExhausted = false
        }
        round.claimed += claim.jobs.count
        return claim.jobs.count
    }

    /// A worker with many slots waits a little until several are free. One with few slots claims as soon as one is free.
    private func smallestClaim(of queue: ServedQueue) -> Int {
        queue.concurrency < 64 ? 1 : min(queue.concurrency / 4, configuration.largestClaim)
    }

    /// Asks the database something that a worker which takes no more jobs need not know.
    func ask<T: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable () async throws -> T
    ) async throws -> T {
        try await shutdown.untilStopped { try await withDeadline(limit, body) }
    }

    private var hasRoom: Bool {
        configuration.queues.contains {
            $0.concurrency > running.count(in: $0.name)
        }
    }

    private func isDrained() async throws -> Bool {
        guard configuration.drains, running.count == 0 else { return false }
        loop.turn()
        return try await ask(within: .seconds(30)) { [store, configuration, kinds] in
            // What its jobs have caused, as the events of posts, is part of the work.
            guard try await store.enqueueBacklogs() == 0 else { return false }
            return try await !store.hasWorkLeft(in: configuration.queues.map(\.name), kinds: kinds)
        }
    }

    private func announce(_ news: Idleness.Announcement, of worker: WorkerID) async throws {
        let kinds: [JobKind]? = if case .waits(let kinds) = news { kinds } else { nil }
        try await ask(within: .seconds(10)) { [store] in try await store.setAwaited(kinds, by: worker) }
    }

    private func pause(after round: Round, _ idleness: Idleness) -> Duration {
        // A worker that is not to listen belongs to a large fleet, which must not poll too often.
        var poll =
            listener.isListening || !leases.standing.share.listens
            ? configuration.pollInterval : configuration.deafPollInterval
        // A draining worker also waits for other workers' jobs, whose end sends no notification.
        if configuration.drains { poll = min(poll, .milliseconds(250)) }
        if let soon = idleness.nextLook(now: .now) { poll = min(poll, soon) }
        if let again = round.searchAgain { poll = min(poll, max(again - .now, .milliseconds(1))) }
        // Jitter keeps workers that started together from polling together.
        return poll * Double.random(in: 0.8...1.0)
    }
}
