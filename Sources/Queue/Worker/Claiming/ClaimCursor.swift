import JobQueue

/// Where a worker's next claim begins in each lane, and when it has to look behind that place.
///
/// Beginning near where the last claim ended spares a claim the index entries of jobs already done, which
/// PostgreSQL cannot remove while any session holds an older snapshot. It begins two claims further back,
/// because a newcomer's slot is the virtual time that its transaction read, and a claim or two may
/// pass before it commits. A job may still come to lie behind: one whose enqueueing transaction stayed
/// open for longer, or one that a claim took and rolled back. So a worker sweeps from the beginning when it finds nothing more,
/// and now and then while it does. It spends no more than a twentieth of its time on that, but never
/// leaves more than some seconds between two sweeps: one slow sweep must not hide a job for a minute.
struct ClaimCursor {
    /// The part of the time that sweeps may take is 1 to this.
    static let sweepShare = 20
    /// How often a worker that finds enough before its cursor looks behind it.
    static let busyInterval = Duration.milliseconds(250)
    /// The longest time between two sweeps of a worker that finds too little, and of one that finds enough.
    static let longestRest = (idle: Duration.seconds(5), busy: Duration.seconds(30))

    /// Where the next claim begins.
    private(set) var starts: [Lane: Int64] = [:]
    /// Where the claim before the last one ended, and the last one.
    private var before: [Lane: Int64] = [:]
    private var reached: [Lane: Int64] = [:]
    private var sweptAt: ContinuousClock.Instant?
    private var sweepCost = Duration.zero

    mutating func advance(past jobs: [ClaimedJob]) {
        guard !jobs.isEmpty else { return }
        (starts, before) = (before, reached)
        for job in jobs { reached[job.lane] = max(reached[job.lane] ?? .min, job.slot) }
    }

    mutating func noteSweep(began: ContinuousClock.Instant, ended: ContinuousClock.Instant) {
        sweptAt = ended
        sweepCost = ended - began
    }

    /// - Parameter foundAll: the claim got as many jobs as it asked for.
    func isSweepDue(foundAll: Bool, now: ContinuousClock.Instant) -> Bool {
        nextSweep(foundAll: foundAll).map { $0 <= now } ?? true
    }

    /// When the next sweep may begin, nil for at once.
    func nextSweep(foundAll: Bool) -> ContinuousClock.Instant? {
        guard let sweptAt else { return nil }
        let rest = sweepCost * Self.sweepShare
        return sweptAt
            + (foundAll
                ? min(max(rest, Self.busyInterval), Self.longestRest.busy) : min(rest, Self.longestRest.idle))
    }
}
