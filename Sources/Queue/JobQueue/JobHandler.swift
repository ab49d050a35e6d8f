/// Runs the jobs of one kind.
package protocol JobHandler: Sendable {
    /// Runs one attempt.
    ///
    /// - Parameter trace: records the stages of the attempt.
    /// - Returns: whether the handler has written the end of the attempt, or the worker must write it.
    /// - Throws: ``AttemptError`` if it knows the cause. Any other error counts as a fault of the system, and the job is
    ///   retried. A handler that throws must have written nothing.
    func run(_ job: ClaimedJob, trace: AttemptTrace) async throws -> Completion
}

/// Who writes the end of a successful attempt.
package enum Completion: Sendable {
    /// The handler did, in the transaction that wrote the job's result: both commit or neither.
    case committed
    /// The worker does, later, in a batch with others: the handler has no result to commit with the end.
    case endedByBatch
}
