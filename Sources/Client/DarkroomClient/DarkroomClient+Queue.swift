import Postgres

/// How busy a queue is, for an autoscaler. Both look at a bounded number of jobs, however many there are.
extension DarkroomClient {
    /// How many jobs of a queue, or of all queues, run or could run now: 0 to 10,000, where counting stops.
    public func queueDepth(of queue: String? = nil) async throws -> Int {
        try await value("select darkroom.queue_depth(\(queue)) as value")
    }

    /// For how long the job of a queue, or of all queues, that could run and has waited longest has been ready; zero if none
    /// waits.
    ///
    /// It may be too short while more than 1,000 uploaders wait.
    public func oldestWaiting(in queue: String? = nil) async throws -> Duration {
        .seconds(try await value("select darkroom.oldest_waiting_s(\(queue)) as value", as: Double.self))
    }
}
