import JobQueue
import JobStore
import Postgres
import Synchronization
import Telemetry

/// The retry policies in force: operators may change them while the worker runs.
final class RetryPolicies: Sendable {
    private let known = Mutex<[JobKind: RetryPolicy]>([:])
    private let store: JobStore
    private let usual: [JobKind: RetryPolicy]
    private let standard: RetryPolicy
    private let log: Log

    /// - Parameters:
    ///   - usual: for kinds without a row in the database.
    ///   - standard: for kinds that are not in `usual` either.
    init(store: JobStore, usual: [JobKind: RetryPolicy], standard: RetryPolicy, log: Log) {
        self.store = store
        self.usual = usual
        self.standard = standard
        self.log = log
    }

    func policy(of kind: JobKind) -> RetryPolicy { known.withLock { $0[kind] } ?? usual[kind] ?? standard }

    func load() async {
        do {
            let policies = try await withDeadline(.seconds(15)) { [store] in try await store.policies() }
            known.withLock { $0 = policies }
        } catch {
            log.warning("worker.policies_not_read", ["error": .init("\(error)")])
        }
    }
}
