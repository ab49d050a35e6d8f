import JobQueue
import JobStore
import Synchronization

/// The retry policies in force: operators may change them while the worker runs.
final class RetryPolicies: Sendable {
    private let known = Mutex<[JobKind: RetryPolicy]>([:])
    private let store: JobStore
    private let usual: [JobKind: RetryPolicy]
    private let standard: RetryPolicy

    /// - Parameters:
    ///   - usual: for kinds without a row in the database.
    ///   - standard: for kinds that are not in `usual` either.
    init(store: JobStore, usual: [JobKind: RetryPolicy], standard: RetryPolicy) {
        self.store = store
        self.usual = usual
        self.standard = standard
    }

    func policy(of kind: JobKind) -> RetryPolicy { known.withLock { $0[kind] } ?? usual[kind] ?? standard }

    func load() async throws {
        let policies = try await store.policies()
        known.withLock { $0 = policies }
    }
}
