extension JobKind {
    package static let noop = JobKind("noop")
}

/// Does nothing; used to measure the queue.
package struct NoopHandler: JobHandler {
    package init() {}

    package func run(_: ClaimedJob, trace: AttemptTrace) async throws -> Completion { .endedByBatch }
}
