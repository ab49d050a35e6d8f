/// Does the jobs of one kind.
package protocol JobHandler: Sendable {
    /// Runs one attempt.
    ///
    /// - Parameter trace: takes note of the stages that the attempt goes through.
    /// - Returns: who writes the end of the attempt.
    /// - Throws: ``AttemptError`` where it knows what is at fault. Any other error is taken as the
    ///   system's fault, and the job is retried. A handler that throws has written nothing.
    func run(_ job: ClaimedJob, trace: AttemptTrace) async throws -> Completion
}

/// How an attempt that succeeded is ended.
package enum Completion: Sendable {
    /// The handler ended it in the transaction that wrote the job's result: both commit or neither.
    case committed
    /// The handler has no result to write with the end: the worker ends the job later, in a batch with others.
    case endedByBatch
}
