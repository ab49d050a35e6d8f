package import Gazetteer
package import JobQueue
package import Postgres

extension JobKind {
    package static let relocate = JobKind("relocate")
}

/// Names the place of a post again whose location a stricter policy has made coarser: see `darkroom.coarsen_location`.
package struct RelocateHandler: JobHandler {
    private let pool: PostgresPool
    private let gazetteers: GazetteerHandle

    package init(pool: PostgresPool, gazetteers: GazetteerHandle) {
        self.pool = pool
        self.gazetteers = gazetteers
    }

    package func run(_ job: ClaimedJob, trace: AttemptTrace) async throws -> Completion {
        trace.enter("locate")
        var relocation = Relocation(pool: pool, gazetteer: gazetteers.current, post: job.subject)
        while try await relocation.next(atMost: 1) != nil {}
        return .endedByBatch
    }
}
