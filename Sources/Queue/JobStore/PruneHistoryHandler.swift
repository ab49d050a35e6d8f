package import JobQueue
import Postgres
package import Telemetry

extension JobKind {
    package static let pruneHistory = JobKind("prune_history")
}

/// Removes days of history and of events that are older than the settings say, one by one, and old records.
package struct PruneHistoryHandler: JobHandler {
    private let store: JobStore
    private let log: Log

    package init(store: JobStore, log: Log) {
        self.store = store
        self.log = log
    }

    package func run(_ job: ClaimedJob, trace: AttemptTrace) async throws -> Completion {
        trace.enter("prune")
        do {
            while let removed = try await store.pruneHistory() {
                log.info("history.pruned", job.logFields(trace) + ["removed": .init(removed)])
            }
        } catch let error as PostgresError where error.sqlState == .lockNotAvailable {
            // Workers that finish jobs have precedence over pruning.
            throw AttemptError(
                .notYet(
                    Reason(code: "history_in_use", message: "Workers were finishing jobs at the same time."),
                    delay: .seconds(30)), underlying: error)
        }
        trace.enter("prune_records")
        while let removed = try await store.pruneRecords() {
            log.info("records.pruned", job.logFields(trace) + ["removed": .init(removed)])
            try Task.checkCancellation()
        }
        return .endedByBatch
    }
}
