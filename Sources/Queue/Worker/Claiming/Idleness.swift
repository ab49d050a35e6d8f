import JobQueue

/// Whether a worker has announced that it waits for jobs, and how soon it looks for jobs that were enqueued before the
/// announcement.
struct Idleness {
    /// What the database should know of a worker.
    enum Announcement: Equatable {
        /// It waits to be told of jobs of these kinds.
        case waits(for: [JobKind])
        case isBusy
    }

    /// The registration that waits, and for what; nil if none does.
    private var announced: (worker: WorkerID, kinds: [JobKind])?
    private var announcedAt = ContinuousClock.now
    private var busySince: ContinuousClock.Instant?

    /// A worker that is busy for less time announces nothing, because every announcement is a write.
    private static let shortestBusyTime = Duration.milliseconds(250)
    /// Times to look again: a transaction that enqueued while the worker seemed busy sends no notification.
    private static let looks: [Duration] = [
        .milliseconds(2), .milliseconds(20), .milliseconds(100), .milliseconds(500),
    ]

    /// What to announce; nil for nothing.
    ///
    /// - Parameter kinds: what the worker would claim at once; nil if it is busy.
    mutating func change(
        waitingFor kinds: [JobKind]?, of worker: WorkerID, now: ContinuousClock.Instant
    ) -> Announcement? {
        if let kinds {
            busySince = nil
            guard announced?.worker != worker || announced?.kinds != kinds else { return nil }
            announced = (worker, kinds)
            announcedAt = now
            return .waits(for: kinds)
        }
        let since = busySince ?? now
        busySince = since
        guard announced?.worker == worker, now - since > Self.shortestBusyTime else { return nil }
        announced = nil
        return .isBusy
    }

    /// How soon to look again; nil to wait for the poll interval.
    func nextLook(now: ContinuousClock.Instant) -> Duration? {
        guard announced != nil else { return nil }
        return Self.looks.first { announcedAt + $0 > now }.map { announcedAt + $0 - now }
    }
}
