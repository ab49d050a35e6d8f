import JobQueue

/// Whether a worker has announced that it waits for jobs, and how soon it looks for jobs that were enqueued before the
/// announcement.
struct Idleness {
    /// The registration that the announcement was about; nil if there is none.
    private(set) var announced: WorkerID?
    private var announcedAt = ContinuousClock.now
    private var busySince: ContinuousClock.Instant?

    /// A worker that is busy for less time announces nothing, because every announcement is a write.
    private static let shortestBusyTime = Duration.milliseconds(250)
    /// Times to look again: a transaction that enqueued while the worker seemed busy sends no notification.
    private static let looks: [Duration] = [
        .milliseconds(2), .milliseconds(20), .milliseconds(100), .milliseconds(500),
    ]

    /// What to announce; nil for nothing.
    mutating func change(isIdle: Bool, of worker: WorkerID, now: ContinuousClock.Instant) -> Bool? {
        if isIdle {
            busySince = nil
            guard announced != worker else { return nil }
            announced = worker
            announcedAt = now
            return true
        }
        let since = busySince ?? now
        busySince = since
        guard announced == worker, now - since > Self.shortestBusyTime else { return nil }
        announced = nil
        return false
    }

    /// How soon to look again; nil to wait for the poll interval.
    func nextLook(now: ContinuousClock.Instant) -> Duration? {
        guard announced != nil else { return nil }
        return Self.looks.first { announcedAt + $0 > now }.map { announcedAt + $0 - now }
    }
}
