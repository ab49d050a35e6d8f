import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

extension RandomHistory {
    /// Something happens to the queue and to the model.
    mutating func step() async throws {
        let step = Self.steps.randomElement(using: &random)!
        steps.append(step.name)
        mayUnpark = false
        try await step.take(&self)
    }

    private struct Step: Sendable {
        let name: String
        let take: @Sendable (inout RandomHistory) async throws -> Void
    }

    /// Each as often as it is likely.
    private static let steps: [Step] = [
        (3, Step(name: "enqueue") { try await $0.enqueue() }),
        (1, Step(name: "enqueue once") { try await $0.enqueueOnce() }),
        (2, Step(name: "register") { try await $0.register() }),
        (4, Step(name: "claim") { try await $0.claim() }),
        (1, Step(name: "complete") { try await $0.complete() }),
        (4, Step(name: "end") { try await $0.end() }),
        (1, Step(name: "cancel") { try await $0.cancel() }),
        (1, Step(name: "replay") { try await $0.replay() }),
        (1, Step(name: "become due") { try await $0.becomeDue() }),
        (1, Step(name: "die") { try await $0.die() }),
        (1, Step(name: "write late") { try await $0.writeLate() }),
        (1, Step(name: "review in part") { try await $0.reviewPart() }),
        (1, Step(name: "review") { try await $0.reviewAll() }),
        (1, Step(name: "sign off") { try await $0.signOff() }),
        (1, Step(name: "release") { try await $0.release() }),
        (1, Step(name: "pause") { try await $0.pause() }),
        (1, Step(name: "drain") { try await $0.drain() }),
        (1, Step(name: "unpark") { try await $0.unpark() }),
    ].flatMap { (share: Int, step: Step) in Array(repeating: step, count: share) }

    private mutating func register() async throws {
        guard workers.count < 4 else { return }
        workers.append(try await database.worker(concurrency: 5))
    }

    private mutating func enqueue() async throws {
        let key = Self.keys.randomElement(using: &random)!
        let priority = Int.random(in: -1...1, using: &random)
        let isForLater = chance(0.2)
        let rows = try await database.pool.query(
            """
            select darkroom.enqueue_job('noop', 1, \(key), 'default', \(priority)::int,
                                        case when \(isForLater) then now() + interval '1 hour' end) as job
            """)
        add(
            JobID(rawValue: try rows[0].decode("job", as: Int64.self)),
            ModelJob(
                key: key, kind: .noop, priority: priority, state: isForLater ? .scheduled : .waiting,
                isForLater: isForLater))
    }

    private mutating func enqueueOnce() async throws {
        let dedupeKey = Int64.random(in: 0..<3, using: &random)
        let rows = try await database.pool.query(
            "select darkroom.enqueue_once('moderate', 1, 'ada', \(dedupeKey)) as job")
        let made = try rows[0].decode("job", as: Int64?.self).map(JobID.init(rawValue:))
        let isThere = jobs.values.contains { $0.dedupeKey == dedupeKey && !$0.state.isFinished }
        try #require((made == nil) == isThere, "at most one waits for its first claim")
        if let made {
            add(
                made,
                ModelJob(
                    key: "ada", kind: JobKind("moderate"), priority: 0, state: .waiting, dedupeKey: dedupeKey)
            )
        }
    }

    private mutating func claim() async throws {
        guard let worker = workers.randomElement(using: &random) else { return }
        let limit = Int.random(in: 1...5, using: &random)
        let takesSuspect = chance(0.7)
        let waiting = jobs.filter { $0.value.state == .waiting && !(isPaused && $0.value.kind != .noop) }
        let parked = jobs.filter { $0.value.parkedFor == "turn" }
        let claimed = try await store.claim(
            limit: limit, worker: worker, kinds: Self.kinds, takesSuspect: takesSuspect)
        for job in claimed {
            try #require(
                waiting[job.id] != nil || parked[job.id] != nil && !job.isSuspect,
                "job \(job.id) did not wait")
            if parked[job.id] != nil { try apply(.unpark, to: job.id) }
            try apply(.claim, to: job.id)
            jobs[job.id]?.lease = job.lease
            jobs[job.id]?.dedupeKey = nil
            let model = try #require(jobs[job.id])
            try #require(job.attempt == model.ends.count + 1)
            try #require(
                job.failures == model.failures && job.crashes == model.crashes && job.deaths == model.deaths)
        }
        try await adoptLimits(waiting)
        for job in claimed where job.fairKey == "capped" && !job.isSuspect {
            let isOvertaking = parked.contains { id, other in
                other.order < jobs[job.id]!.order && other.key == "capped" && other.kind == job.kind
                    && other.priority == jobs[job.id]!.priority && jobs[id]!.parkedFor == "turn"
            }
            try #require(!isOvertaking, "job \(job.id) started before an older one that waited for its turn")
        }
        let left = waiting.filter { jobs[$0.key]?.state == .waiting }
        let suspects = claimed.count(where: \.isSuspect)
        try #require(claimed.count <= limit && suspects <= (takesSuspect ? 1 : 0))
        if claimed.count < limit {
            try #require(left.values.allSatisfy { $0.deaths > 0 }, "a job was passed over")
            let isFree = left.values.contains { $0.key != "capped" && $0.key != "paced" }
            try #require(!isFree || !takesSuspect || suspects == 1, "no suspect was taken")
        }
        // What starts comes before what is left, by priority and slot.
        for (id, other) in left where other.deaths == 0 {
            for job in claimed where !job.isSuspect && jobs[job.id]!.kind == other.kind {
                let model = jobs[job.id]!
                try #require(
                    model.priority < other.priority
                        || model.priority == other.priority && places[job.id]!.slot <= places[id]!.slot,
                    "job \(job.id) started before job \(id)")
            }
        }
    }

    private mutating func complete() async throws {
        let running = jobs.filter { $0.value.state == .running }.keys.sorted().prefix(3)
        let leases = running.compactMap { jobs[$0]?.lease } + stale.suffix(1)
        guard !leases.isEmpty else { return }
        let missed = try await store.complete(leases)
        // The lease that finished a job is still accepted: a caller may repeat the call if it lost the reply.
        try #require(Set(missed).isSubset(of: stale.suffix(1)))
        for id in running { try apply(.succeed, to: id, end: "succeeded") }
    }

    private mutating func end() async throws {
        guard let id = pick(.running), let lease = jobs[id]?.lease else { return }
        let later = Duration.seconds(3600)
        let outcome =
            [
                .succeeded, .rejected(reason), .retry(reason, delay: later), .snoozed(reason, delay: later),
                .failed(reason), .cancelled(reason), .crashed(reason), .returned(reason),
            ].randomElement(using: &random)! as Outcome
        try await store.end(lease, as: outcome)
        if JobState.running.after(outcome.event)!.isFinished {
            try apply(outcome.event, to: id, end: outcome.name)
        } else {
            try giveBack(id, as: outcome.event, end: outcome.name)
        }
        switch outcome {
        case .retry, .failed: jobs[id]?.failures += 1
        case .crashed: jobs[id]?.crashes += 1
        default: break
        }
    }

    private mutating func cancel() async throws {
        guard let id = pick(.waiting, .scheduled, .parked, .running, .succeeded, .failed) else { return }
        let isOpen = !jobs[id]!.state.isFinished
        try #require(try await store.cancel(id) == isOpen)
        if jobs[id]!.state == .running {
            jobs[id]?.isCancelRequested = true
        } else if isOpen {
            try apply(.cancel, to: id)
            // It may have had the place for which others of its key wait; the upkeep sees it.
            try await unpark()
        }
    }

    private mutating func replay() async throws {
        guard let id = pick(.rejected, .failed, .cancelled, .succeeded) else { return }
        let canReplay = jobs[id]!.state.after(.replay) != nil
        try #require(try await store.replay([id], by: "model") == (canReplay ? [id] : []))
        guard canReplay else { return }
        try apply(.replay, to: id)
        var job = jobs[id]!
        (job.failures, job.crashes, job.deaths, job.isCancelRequested) = (0, 0, 0, false)
        (job.dedupeKey, job.isForLater) = (nil, false)
        add(id, job)
    }

    /// Also while the queue is drained: what was there before still runs.
    private mutating func becomeDue() async throws {
        try await database.pool.query(
            "update darkroom.jobs set run_at = now() - interval '1 second' where waits_for = 'time'")
        _ = try await store.promoteDue()
        for id in jobs.keys where jobs[id]?.state == .scheduled {
            try apply(.becomeDue, to: id)
            jobs[id]?.isForLater = false
        }
    }

    private mutating func die() async throws {
        guard let dead = workers.randomElement(using: &random) else { return }
        workers.removeAll { $0 == dead }
        let held = held(by: dead).map(\.job)
        let (rescued, quarantined) = try await database.bury(dead)
        try #require(Set(rescued + quarantined) == Set(held))
        for id in held {
            let isSuspect = jobs[id]!.deaths > 0
            let isLast = !jobs[id]!.isCancelRequested && jobs[id]!.deaths + 1 >= 8
            try #require(quarantined.contains(id) == isLast)
            if isLast {
                try apply(.fail, to: id, end: "failed")
            } else {
                try giveBack(id, as: .crash, end: "crashed")
                if isSuspect, jobs[id]!.state == .waiting { jobs[id]?.state = .scheduled }
            }
            jobs[id]?.deaths += 1
        }
    }

    private mutating func writeLate() async throws {
        guard let lease = stale.randomElement(using: &random) else { return }
        await #expect(throws: QueueError.self) { try await store.end(lease, as: .succeeded) }
        let statement = LeaseStatement(
            worker: lease.worker, upTo: ClaimToken(lease.worker, claim: 0), running: [(lease, "late")])
        try #require(try await store.review(statement).lost == [lease])
    }

    /// A worker has dropped some of its jobs, and a claim is still under way: only what it knows of is taken back.
    private mutating func reviewPart() async throws {
        guard let worker = workers.randomElement(using: &random) else { return }
        let held = held(by: worker)
        let upTo = held.map(\.token).randomElement(using: &random) ?? nextClaim(of: worker)
        var running: [Lease] = []
        for lease in held where chance(0.5) { running.append(lease) }
        let dropped = held.filter { $0.token <= upTo && !running.contains($0) }.map(\.job)
        let review = try await store.review(
            LeaseStatement(worker: worker, upTo: upTo, running: running.map { ($0, nil) }))
        try #require(Set(review.returned) == Set(dropped) && review.lost.isEmpty)
        try #require(Set(review.cancelled) == Set(running.filter { jobs[$0.job]!.isCancelRequested }))
        for id in dropped { try giveBack(id, as: .handBack, end: "returned") }
    }

    private mutating func signOff() async throws {
        guard let worker = workers.randomElement(using: &random) else { return }
        workers.removeAll { $0 == worker }
        let held = held(by: worker).map(\.job)
        try #require(try await store.signOff(worker) == held)
        try #require(try await store.claim(limit: 1, worker: worker, kinds: Self.kinds).isEmpty)
        for id in held { try giveBack(id, as: .handBack, end: "returned") }
    }

    private mutating func release() async throws {
        let chosen = [pick(.running), pick(.running, .waiting, .succeeded)].compactMap(\.self)
        let running = Set(chosen).filter { jobs[$0]!.state == .running }
        try #require(try await store.release(chosen, by: "model") == running.sorted())
        for id in running { try giveBack(id, as: .handBack, end: "returned") }
    }

    private mutating func pause() async throws {
        isPaused.toggle()
        if isPaused {
            try await store.pause(queue: nil, kind: JobKind("moderate"), by: "model")
        } else {
            try #require(try await store.resume(queue: nil, kind: JobKind("moderate")))
        }
    }

    private mutating func drain() async throws {
        isDrained.toggle()
        if isDrained {
            try await store.pause(queue: "default", kind: nil, drain: true, by: "model")
        } else {
            try #require(try await store.resume(queue: "default", kind: nil))
            for id in jobs.keys where jobs[id]?.parkedFor == "resume" {
                try apply(.unpark, to: id)
                if jobs[id]!.isForLater { jobs[id]?.state = .scheduled }
            }
        }
    }

    /// The upkeep, after a time in which the rate has made room.
    private mutating func unpark() async throws {
        mayUnpark = true
        try await database.pool.query(
            "update darkroom.fair_key_paces set next_at = now() - interval '1 minute'")
        _ = try await store.unparkAll()
    }

    /// Workers say truly what they run: nothing changes.
    private mutating func reviewAll() async throws {
        for worker in workers {
            try await database.heartbeat(of: worker)
            let review = try await store.review(
                LeaseStatement(
                    worker: worker, upTo: nextClaim(of: worker),
                    running: held(by: worker).map { ($0, nil) }))
            try #require(review.returned.isEmpty && review.lost.isEmpty)
        }
    }
}
