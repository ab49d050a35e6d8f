extension ServedQueue {
    /// The queue of jobs for which no other is given.
    package static let defaultName = "default"
    /// The queue of periodic jobs that must run even while uploads fill every slot of the default queue.
    package static let upkeepName = "upkeep"

    /// The queues that a worker serves unless it is told otherwise.
    ///
    /// - Parameter concurrency: of the default queue.
    package static func usual(concurrency: Int) -> [ServedQueue] {
        [
            ServedQueue(name: defaultName, concurrency: concurrency),
            // With two slots, a job that takes an hour does not hold up the others.
            ServedQueue(name: upkeepName, concurrency: 2),
        ]
    }
}
