/// Does the jobs of one kind.
///
/// A handler that returns has itself ended the attempt as succeeded, in the transaction that wrote
/// the job's result: result and completion commit together or not at all. One that throws has
/// written nothing.
package protocol JobHandler: Sendable {
    /// - Throws: ``AttemptError`` where it knows what is at fault. Any other error is taken as the
    ///   system's fault, and the job is retried.
    func run(_ job: ClaimedJob) async throws
}
