import JobQueue
import Postgres
import Synchronization
import Telemetry

/// A circuit breaker for each dependency. Open while the dependency is away: then the worker claims no jobs that need it.
///
/// Only a probe opens it and only a probe closes it: of a job that found a dependency away, the probe says whether it is
/// away for all. Probes of an open breaker come at growing intervals with jitter, so that many workers do not return to a
/// disk or server at once.
final class Breakers: Sendable {
    struct Opening: Sendable {
        var reason: Reason
        let since: ContinuousClock.Instant
        /// When the log last told of it.
        fileprivate var saidAt: ContinuousClock.Instant
    }

    private static let reminder = Duration.seconds(60)
    /// The pauses between the probes of an open breaker.
    static let pauses = RetryPolicy(
        maximumFailures: .max, maximumCrashes: 1, base: .milliseconds(500), cap: .seconds(15))

    private let probes: [Probe]
    private let needs: [JobKind: Set<Dependency>]
    private let openings = Mutex<[Dependency: Opening]>([:])
    /// The probes that are under way, for everybody who asks meanwhile.
    private let looks = Mutex<[Dependency: Task<Bool, Never>]>([:])
    /// Signalled when a breaker opens: its probe is due sooner.
    private let hurries: [Dependency: Wakeup]
    private let wake: Wakeup
    private let metrics: WorkerMetrics
    private let log: Log

    /// - Parameters:
    ///   - needs: the dependencies of a kind's jobs. Those without a probe are never away.
    ///   - wake: signalled when a breaker closes.
    init(
        probes: [Probe], needs: [JobKind: Set<Dependency>], wake: Wakeup, metrics: WorkerMetrics, log: Log
    ) {
        self.probes = probes
        self.needs = needs
        self.wake = wake
        self.metrics = metrics
        self.log = log
        hurries = Dictionary(uniqueKeysWithValues: probes.map { ($0.dependency, Wakeup()) })
        for probe in probes { metrics.dependencyUp[probe.dependency.name].set(true) }
    }

    /// In the order of the probes.
    var all: [(dependency: Dependency, opening: Opening?)] {
        let openings = openings.withLock(\.self)
        return probes.map { ($0.dependency, openings[$0.dependency]) }
    }

    /// Each that is away, with the reason.
    var reports: [String] {
        all.compactMap { dependency, opening in opening.map { "\(dependency): \($0.reason)" } }
    }

    /// Those of `kinds` whose dependencies are all there.
    func usable(_ kinds: [JobKind]) -> [JobKind] {
        let away = openings.withLock { Set($0.keys) }
        return away.isEmpty ? kinds : kinds.filter { needs[$0]?.isDisjoint(with: away) ?? true }
    }

    /// Whether what a job found away is away for all. If so, the job need not count a try.
    func confirms(_ absence: Absence) async -> Bool {
        guard let probe = probes.first(where: { $0.dependency == absence.dependency }) else { return false }
        if openings.withLock({ $0[probe.dependency] != nil }) { return true }
        let before = openings.withLock { Set($0.keys) }
        // The probe may find something else that is away, on which this one depends.
        return await !look(probe, isNeeded: true) || !openings.withLock { Set($0.keys) }.isSubset(of: before)
    }

    private func open(_ absence: Absence) {
        let dependency = absence.dependency
        guard let hurry = hurries[dependency] else { return }
        let now = ContinuousClock.now
        let (isNew, isDue) = openings.withLock { openings in
            let known = openings[dependency]
            let isDue =
                known.map { $0.reason.code != absence.reason.code || $0.saidAt + Self.reminder <= now }
                ?? true
            openings[dependency] = Opening(
                reason: absence.reason, since: known?.since ?? now, saidAt: isDue ? now : known?.saidAt ?? now
            )
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
        guard let opening = openings.withLock({ $0.removeValue(forKey: dependency) }) else { return }
        metrics.dependencyUp[dependency.name].set(true)
        log.info(
            "dependency.back",
            ["dependency": .init(dependency.name), "away_ms": .init(ContinuousClock.now - opening.since)])
        wake.signal()
    }

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
        if probe.interval != nil { failures += await look(probe, isNeeded: false) ? 0 : 1 }
        while !Task.isCancelled {
            let isOpen = openings.withLock { $0[dependency] != nil }
            // A dependency that was back only for a moment is not new: the pauses stay long.
            let pause =
                isOpen
                ? Self.pauses.delay(afterFailure: failures + 1, jitter: .random(in: 0...1))
                : (probe.interval ?? .seconds(3600)) * Double.random(in: 0.8...1.0)
            await hurries[dependency]?.wait(atMost: pause)
            guard !Task.isCancelled else { return }
            if !isOpen, openings.withLock({ $0[dependency] != nil }) { continue }
            failures = await look(probe, isNeeded: isOpen) ? max(0, failures - 1) : failures + 1
        }
    }

    /// Probes a dependency, or waits for the probe that is under way.
    ///
    /// - Returns: whether the dependency is there.
    private func look(_ probe: Probe, isNeeded: Bool) async -> Bool {
        let dependency = probe.dependency
        let look = looks.withLock { underWay in
            if let look = underWay[dependency] { return look }
            // Its own task: a job that is cancelled must not end the probe of others.
            let look = Task { [self] in
                defer { looks.withLock { $0[dependency] = nil } }
                return await tryOnce(probe, isNeeded: isNeeded)
            }
            underWay[dependency] = look
            return look
        }
        return await look.value
    }

    private func tryOnce(_ probe: Probe, isNeeded: Bool) async -> Bool {
        let dependency = probe.dependency
        do {
            try await withDeadline(probe.limit) { try await probe.body(isNeeded) }
        } catch {
            let absence = absence(of: dependency, from: error, limit: probe.limit)
            open(absence)
            // What a probe needs may be away, and not what it is for.
            if absence.dependency == dependency { return false }
        }
        close(dependency)
        return true
    }

    private func absence(of dependency: Dependency, from error: any Error, limit: Duration) -> Absence {
        if let absence = (error as? any DependencyError)?.absence { return absence }
        let hasTimedOut = (error as? PostgresError)?.code == .timeout
        return Absence(
            of: dependency,
            Reason(
                code: "\(dependency)_unavailable",
                message: hasTimedOut ? "It did not respond within \(limit)." : "\(error)"))
    }
}
