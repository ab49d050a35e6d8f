import JobQueue
import Postgres
import Synchronization
import Telemetry

/// A circuit breaker for each dependency. Open while the dependency is away: then the worker claims no jobs that need it.
///
/// A job that finds a dependency away makes the probes look. If they find nothing, and other jobs find the same while none
/// succeeds, the jobs know better than the probes: a disk with a little room left takes the file of a probe and not that of
/// a photo. Such a breaker closes when a job succeeds. Probes and trials come at growing intervals with jitter, so that
/// many workers do not return to a disk or server at once.
final class Breakers: Sendable {
    struct Opening: Sendable {
        var reason: Reason
        let since: ContinuousClock.Instant
        /// When the log last told of it.
        fileprivate var saidAt: ContinuousClock.Instant
        /// Found by jobs and not by the probe: only jobs can show that the dependency is back.
        fileprivate var isShownByJobs: Bool
        /// Since when jobs may try whether it is back.
        fileprivate var trial: ContinuousClock.Instant?
    }

    private struct State {
        var openings: [Dependency: Opening] = [:]
        /// The jobs that found a dependency away, and not its probe, since a job that needs it last succeeded.
        var doubts: [Dependency: Set<JobID>] = [:]
        /// When each was last found to be back.
        var backSince: [Dependency: ContinuousClock.Instant] = [:]
        /// When the last probe began that has ended.
        var probedSince: [Dependency: ContinuousClock.Instant] = [:]
        /// Where a job has read what its owner had said.
        var matched: Set<Dependency> = []
        /// Jobs that have read something else, and how often.
        var mismatched: [JobID: (owner: String, looks: Int)] = [:]
    }

    private static let reminder = Duration.seconds(60)
    /// Jobs that the probe contradicts. One or two may have files of their own that are at fault.
    private static let persuasive = 3
    /// Owners who say something wrong before anybody said something right. It is no coincidence.
    private static let suspicious = 3
    /// Of jobs that wait until what they read is right, after which all are forgotten.
    private static let mostMismatched = 10_000
    /// Between two looks of such a job.
    private static let pausesOfMismatched = RetryPolicy(
        maximumFailures: 1, maximumCrashes: 1, base: .seconds(9), cap: .seconds(300))
    /// Longer than most photos take: a trial that no job has failed by then is over.
    private static let longestTrial = Duration.seconds(60)
    private let probes: [Probe]
    /// Between two probes of an open breaker.
    private let pauses: RetryPolicy
    private let needs: [JobKind: Set<Dependency>]
    private let state = Mutex(State())
    /// The probes that are under way, for everybody who asks meanwhile.
    private let looks = Mutex<[Dependency: Task<Void, Never>]>([:])
    /// Signalled when a breaker opens: its probe is due sooner.
    private let hurries: [Dependency: Wakeup]
    private let wake: Wakeup
    private let metrics: WorkerMetrics
    private let log: Log

    /// - Parameters:
    ///   - pauses: between two probes of a dependency that is away.
    ///   - needs: the dependencies of a kind's jobs. Those without a probe are never away.
    ///   - wake: signalled when jobs may be claimed again.
    init(
        probes: [Probe], pauses: RetryPolicy, needs: [JobKind: Set<Dependency>], wake: Wakeup,
        metrics: WorkerMetrics, log: Log
    ) {
        self.probes = probes
        self.pauses = pauses
        self.needs = needs
        self.wake = wake
        self.metrics = metrics
        self.log = log
        hurries = Dictionary(uniqueKeysWithValues: probes.map { ($0.dependency, Wakeup()) })
        for probe in probes { metrics.dependencyUp[probe.dependency.name].set(true) }
    }

    /// In the order of the probes.
    var all: [(dependency: Dependency, opening: Opening?)] {
        let openings = state.withLock(\.openings)
        return probes.map { ($0.dependency, openings[$0.dependency]) }
    }

    /// Each that is away, with the reason.
    var reports: [String] {
        all.compactMap { dependency, opening in opening.map { "\(dependency): \($0.reason)" } }
    }

    /// Those of `kinds` whose dependencies are all there, or on trial.
    func usable(_ kinds: [JobKind]) -> [JobKind] {
        let away = state.withLock { Set($0.openings.filter { $0.value.trial == nil }.keys) }
        return away.isEmpty ? kinds : kinds.filter { needs[$0]?.isDisjoint(with: away) ?? true }
    }

    // MARK: What jobs find

    /// What is away, if what a job found away is so for all. Then the job need not count a try.
    ///
    /// An error may name the one dependency where another is to blame, as a renderer that cannot write, so everything that
    /// the job needs is looked at.
    /// - Parameter start: of the attempt. What was away then, or since, may be back when its call to it ends.
    func confirmed(
        _ absence: Absence, by job: ClaimedJob, since start: ContinuousClock.Instant
    ) async -> Absence? {
        let needed = (needs[job.kind] ?? []).union([absence.dependency])
        let concerned = probes.filter { needed.contains($0.dependency) }
        guard concerned.contains(where: { $0.dependency == absence.dependency }) else { return nil }
        if let known = known(among: concerned) { return known }
        await withTaskGroup { group in
            for probe in concerned where !probe.isCostly || probe.dependency == absence.dependency {
                group.addTask { await self.look(probe, isNeeded: true) }
            }
        }
        if let found = known(among: concerned) { return found }
        // Also if it came back while another dependency was looked at.
        if absence.outweighsProbe,
            state.withLock({ $0.backSince[absence.dependency].map { $0 >= start } }) == true
        {
            return absence
        }
        let isPersuasive = state.withLock { state in
            state.doubts[absence.dependency, default: []].insert(job.id)
            return state.doubts[absence.dependency, default: []].count >= Self.persuasive
        }
        guard isPersuasive, absence.outweighsProbe else { return nil }
        open(absence, isShownByJobs: true)
        return absence
    }

    /// What is away already. If it was on trial, it has failed.
    private func known(among probes: [Probe]) -> Absence? {
        state.withLock { state in
            for probe in probes {
                guard let opening = state.openings[probe.dependency] else { continue }
                state.openings[probe.dependency]?.trial = nil
                return Absence(of: probe.dependency, opening.reason)
            }
            return nil
        }
    }

    /// After how long a job looks again, because nobody knows yet whether its owner said something wrong or the dependency gives
    /// something else than it was given. Nil if the owner is at fault.
    ///
    /// The probe tells: it reads what was right before. It must find it right before the job's last look and after it. Before
    /// anything was ever right, it knows nothing: then several owners who say something wrong are believed less than the
    /// dependency is suspected.
    ///
    /// - Parameter start: of the attempt that has looked.
    func wait(
        for mismatch: Mismatch, of job: ClaimedJob, since start: ContinuousClock.Instant
    ) async -> Duration? {
        let dependency = mismatch.suspect.dependency
        let now = ContinuousClock.now
        let looks = state.withLock { state in
            if state.mismatched.count >= Self.mostMismatched { state.mismatched.removeAll() }
            state.mismatched[job.id, default: (mismatch.owner, 0)].looks += 1
            return state.mismatched[job.id]?.looks ?? 1
        }
        for probe in probes where probe.dependency == dependency {
            // One that is under way has begun before.
            for _ in 0..<2 where state.withLock({ $0.probedSince[dependency].map { $0 < now } ?? true }) {
                await look(probe, isNeeded: true)
            }
        }
        let needed = (needs[job.kind] ?? []).union([dependency])
        let (isRight, isSuspect) = state.withLock { state in
            let isRight =
                needed.isDisjoint(with: state.openings.keys)
                && state.backSince[dependency].map { $0 < start } ?? true
            let owners = Set(state.mismatched.values.lazy.map(\.owner)).count
            return (isRight, !state.matched.contains(dependency) && owners >= Self.suspicious)
        }
        if isRight, isSuspect { open(mismatch.suspect, isShownByJobs: true) }
        guard isRight, !isSuspect, looks > 1 else {
            return Self.pausesOfMismatched.delay(afterFailure: looks, jitter: .random(in: 0...1))
        }
        state.withLock { $0.mismatched[job.id] = nil }
        return nil
    }

    /// A job read what its owner said is there.
    func noteMatch(of job: JobID, at dependency: Dependency) {
        let isFirst = state.withLock { state in
            if !state.mismatched.isEmpty { state.mismatched[job] = nil }
            return state.matched.insert(dependency).inserted
        }
        if isFirst, state.withLock({ $0.openings[dependency]?.isShownByJobs == true }) { close(dependency) }
    }

    /// A job of this kind had all that it needs.
    func noteSuccess(of kind: JobKind) {
        guard let needed = needs[kind], !needed.isEmpty else { return }
        let back = state.withLock { state in
            if !state.doubts.isEmpty { for dependency in needed { state.doubts[dependency] = nil } }
            return state.openings.filter { needed.contains($0.key) && $0.value.isShownByJobs }
        }
        for dependency in back.keys { close(dependency) }
    }

    // MARK: Opening and closing

    private func open(_ absence: Absence, isShownByJobs: Bool) {
        let dependency = absence.dependency
        guard let hurry = hurries[dependency] else { return }
        let now = ContinuousClock.now
        let (isNew, isDue) = state.withLock { state in
            let known = state.openings[dependency]
            let isDue =
                known.map { $0.reason.code != absence.reason.code || $0.saidAt + Self.reminder <= now }
                ?? true
            state.openings[dependency] = Opening(
                reason: absence.reason, since: known?.since ?? now,
                saidAt: isDue ? now : known?.saidAt ?? now,
                isShownByJobs: isShownByJobs || known?.isShownByJobs == true)
            return (known == nil, isDue)
        }
        if isNew {
            metrics.dependencyUp[dependency.name].set(false)
            metrics.dependencyFailures[dependency.name].increment()
            hurry.signal()
        }
        guard isDue else { return }
        log.error(
            "dependency.away",
            [
                "dependency": .init(dependency.name), "reason": .init(absence.reason.code),
                "message": .init(absence.reason.message),
            ])
    }

    private func close(_ dependency: Dependency) {
        let closed = state.withLock { state in
            let opening = state.openings.removeValue(forKey: dependency)
            if opening != nil { state.backSince[dependency] = .now }
            return opening
        }
        guard let opening = closed else { return }
        metrics.dependencyUp[dependency.name].set(true)
        log.info(
            "dependency.back",
            ["dependency": .init(dependency.name), "away_ms": .init(ContinuousClock.now - opening.since)])
        wake.signal()
    }

    /// The probe has found nothing wrong.
    private func pass(_ dependency: Dependency) {
        let now = ContinuousClock.now
        let isOver = state.withLock { state in
            guard let opening = state.openings[dependency] else { return false }
            guard opening.isShownByJobs else { return true }
            if let trial = opening.trial { return trial + Self.longestTrial <= now }
            state.openings[dependency]?.trial = now
            return false
        }
        if isOver { close(dependency) }
        wake.signal()
    }

    // MARK: Probes

    /// Probes every dependency, each in a task of its own, until the task is cancelled.
    func run() async {
        await withTaskGroup { group in
            for probe in probes {
                group.addTask { await self.watch(probe) }
            }
        }
    }

    private func watch(_ probe: Probe) async {
        let dependency = probe.dependency
        var failures = 0
        // The first look is at once: a worker should know before its first job.
        if probe.interval != nil { await look(probe, isNeeded: false) }
        while !Task.isCancelled {
            let isOpen = isOpen(dependency)
            // A dependency that was back only for a moment is not new: the pauses stay long.
            failures = isOpen ? failures + 1 : max(0, failures - 1)
            let pause =
                isOpen
                ? pauses.delay(afterFailure: failures, jitter: .random(in: 0...1))
                : (probe.interval ?? .seconds(3600)) * Double.random(in: 0.8...1.0)
            await hurries[dependency]?.wait(atMost: pause)
            guard !Task.isCancelled else { return }
            if !isOpen, self.isOpen(dependency) { continue }
            await look(probe, isNeeded: isOpen)
        }
    }

    private func isOpen(_ dependency: Dependency) -> Bool {
        state.withLock { $0.openings[dependency] != nil }
    }

    /// Probes a dependency, or waits for the probe that is under way.
    private func look(_ probe: Probe, isNeeded: Bool) async {
        let dependency = probe.dependency
        let look = looks.withLock { underWay in
            if let look = underWay[dependency] { return look }
            // Its own task: a job that is cancelled must not end the probe of others.
            let look = Task { [self] in
                await tryOnce(probe, isNeeded: isNeeded)
                looks.withLock { $0[dependency] = nil }
            }
            underWay[dependency] = look
            return look
        }
        await look.value
    }

    private func tryOnce(_ probe: Probe, isNeeded: Bool) async {
        let dependency = probe.dependency
        let start = ContinuousClock.now
        let end = start + probe.limit
        defer { state.withLock { $0.probedSince[dependency] = start } }
        do {
            try await withDeadline(probe.limit) { try await probe.body(isNeeded) }
        } catch {
            let absence = absence(of: probe, from: error, isLate: ContinuousClock.now >= end)
            open(absence, isShownByJobs: false)
            // What a probe needs may be away, and not what it is for.
            if absence.dependency == dependency { return }
        }
        pass(dependency)
    }

    private func absence(of probe: Probe, from error: any Error, isLate: Bool) -> Absence {
        let found = (error as? any DependencyError)?.absence
        // Calls that were given up say little of what they are for: of a frozen disk only reading may work.
        if let found, !isLate { return found }
        return Absence(
            of: probe.dependency,
            Reason(
                code: found?.reason.code ?? "\(probe.dependency)_unavailable",
                message: isLate ? "It did not respond within \(probe.limit)." : "\(error)"))
    }
}
