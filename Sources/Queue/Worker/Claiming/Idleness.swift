/// Whether a worker has told others that it waits for jobs, and how soon it looks for those that were
/// enqueued while it had not.
struct Idleness {
    private(set) var isAnnounced = false
    private var announcedAt = ContinuousClock.now
    private var busySince: ContinuousClock.Instant?

    /// A worker that is busy for less says nothing: every word is a write.
    private static let shortestBusyTime = Duration.milliseconds(250)
    /// A transaction that enqueued while the worker seemed busy notifies nobody when it commits.
    private static let looks: [Duration] = [
        .milliseconds(2), .milliseconds(20), .milliseconds(100), .milliseconds(500),
    ]

    /// What is to be announced, nil for nothing.
    mutating func change(isIdle: Bool, now: ContinuousClock.Instant) -> Bool? {
        if isIdle {
            busySince = nil
            guard !isAnnounced else { return nil }
            isAnnounced = true
            announcedAt = now
            return true
        }
        let since = busySince ?? now
        busySince = since
        guard isAnnounced, now - since > Self.shortestBusyTime else { return nil }
        isAnnounced = false
        return false
    }

    /// How soon to look again, nil for as late as polling does.
    func nextLook(now: ContinuousClock.Instant) -> Duration? {
        guard isAnnounced else { return nil }
        return Self.looks.first { announcedAt + $0 > now }.map { announcedAt + $0 - now }
    }
}
