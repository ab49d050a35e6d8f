import JobQueue

/// Where a worker's next claim begins in each lane, and when a claim must start from the beginning again.
///
/// A claim that begins near the end of the last one skips the index entries of finished jobs, which PostgreSQL cannot
/// remove while any session holds an older snapshot. It begins two claims further back: a new job's slot is the virtual
/// time that its transaction read, and a claim or two may pass before it commits. A job can still be behind the cursor,
/// if its enqueueing transaction stayed open longer, or if a claim took it and rolled back. So a worker sweeps from the
/// beginning when it finds too little, and now and then otherwise. Sweeps take at most a twentieth of its time, but
/// the pause between two of them is limited: one slow sweep must not hide a job for a minute.
struct ClaimCursor {
    /// Sweeps may take one part in this many of the time.
    static let sweepShare = 20
    /// How often a worker sweeps while its claims from the cursor find enough jobs.
    static let busyInterval = Duration.milliseconds(250)
    /// The longest time between two sweeps, for a worker that finds too little and for one that finds enough.
    static let longestRest = (idle: Duration.seconds(5), busy: Duration.seconds(30))

    /// Where the next claim begins.
    private(set) var starts: [Lane: Int64] = [:]
    /// When the last claim that found jobs ended.
    private(set) var lastEnded: ContinuousClock.Instant?
    /// Where the claim before the last one ended, and where the last one ended.
    private var before: [Lane: Int64] = [:]
    private var reached: [Lane: Int64] = [:]
    private var sweptAt: ContinuousClock.Instant?
    private var sweepCost = Duration.zero

    mutating func advance(past jobs: [ClaimedJob], now: ContinuousClock.Instant = .now) {
        guard !jobs.isEmpty else { return }
        lastEnded = now
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

    /// When the next sweep may begin; nil for at once.
    func nextSweep(foundAll: Bool) -> ContinuousClock.Instant? {
        guard let sweptAt else { return nil }
        let rest = sweepCost * Self.sweepShare
        return sweptAt
            + (foundAll
                ? min(max(rest, Self.busyInterval), Self.longestRest.busy) : min(rest, Self.longestRest.idle))
    }
}
