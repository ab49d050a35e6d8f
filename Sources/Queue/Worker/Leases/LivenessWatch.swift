import JobQueue

/// Finds workers that died: their heartbeats stand still while this one watches.
///
/// It measures by its own clock, which only runs forward, and only while it can see: an outage of the server, a pause of
/// this process, or a clock that was set do not make others look dead.
struct LivenessWatch {
    private struct Watched {
        var heartbeats: Int64
        /// Since when this number is known to stand still.
        var since: ContinuousClock.Instant
    }

    /// A worker whose heartbeats stand still for this long is dead.
    let limit: Duration
    /// After a longer time without a look, watching begins again: whatever kept this worker may have kept the others.
    let longestBlink: Duration
    private var watched: [WorkerID: Watched] = [:]
    private var lastLook: ContinuousClock.Instant?
    /// Those that are dead according to the last look, with the heartbeats at which they stopped.
    private(set) var dead: [WorkerID: Int64] = [:]

    init(limit: Duration, longestBlink: Duration) {
        self.limit = limit
        self.longestBlink = longestBlink
    }

    /// - Parameters:
    ///   - heartbeats: those of all other workers.
    ///   - asked: when they were asked for.
    ///   - answered: when they were known.
    mutating func look(
        at heartbeats: [WorkerID: Int64], asked: ContinuousClock.Instant, answered: ContinuousClock.Instant
    ) {
        let isAwake = lastLook.map { answered - $0 <= longestBlink } ?? false
        lastLook = answered
        let before = isAwake ? watched : [:]
        watched = heartbeats.reduce(into: [:]) { watched, worker in
            let known = before[worker.key]
            watched[worker.key] =
                known?.heartbeats == worker.value ? known : Watched(heartbeats: worker.value, since: answered)
        }
        dead = watched.filter { asked - $0.value.since >= limit }.mapValues(\.heartbeats)
    }
}
