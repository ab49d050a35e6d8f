package import JobQueue
import Postgres
package import Telemetry

extension JobKind {
    package static let pruneHistory = JobKind("prune_history")
}

/// Removes the days of history that are older than the settings say, one after the other, and events likewise.
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
            // Those who finish jobs go first.
            throw AttemptError(
                .notYet(
                    Reason(code: "history_in_use", message: "Jobs were being finished meanwhile."),
                    delay: .seconds(30)), underlying: error)
        }
        trace.enter("prune_events")
        let events = try await store.pruneEvents()
        if events > 0 { log.info("events.pruned", job.logFields(trace) + ["removed": .init(events)]) }
        return .endedByBatch
    }
}
