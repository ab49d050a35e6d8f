package import JobQueue

/// What an operator does with many jobs.
package enum BulkAction: String, CaseIterable, Sendable {
    case replay, discard, cancel, release

    package struct Candidate: Sendable {
        package let id: JobID
        package let kind: JobKind
        package let state: JobState
        package let uploader: String
        package let reason: Reason?
    }

    package var participle: String {
        switch self {
        case .replay: "replayed"
        case .discard: "discarded"
        case .cancel: "cancelled"
        case .release: "released"
        }
    }

    /// The states of the jobs that it can change.
    package var states: [JobState] {
        switch self {
        case .replay: JobState.unsuccessful
        case .discard: [.rejected, .failed]
        case .cancel: JobState.allCases.filter { !$0.isFinished }
        case .release: [.running]
        }
    }

    /// Those of them that a filter without a state selects.
    package var usual: [JobState] { self == .replay ? [.rejected, .failed] : states }

    /// Whether it changes finished jobs, oldest first; else unfinished ones, newest first.
    private var isOfFinished: Bool { self == .replay || self == .discard }

    /// Jobs per page, and so per transaction.
    package static let pageSize = 500

    /// How many jobs match, by state and reason.
    package func count(
        _ filter: JobFilter, _ store: JobStore
    ) async throws -> [(state: JobState, reason: String?, jobs: Int)] {
        isOfFinished && filter.ids.isEmpty
            ? try await store.countUnsuccessful(filter) : try await store.count(filter)
    }

    /// A function that returns the next page of at most so many matching jobs, and an empty page at the end.
    package func pages(_ filter: JobFilter, _ store: JobStore) -> (Int) async throws -> [Candidate] {
        guard isOfFinished else {
            var cursor: JobID?
            return { limit in
                let page = try await store.jobs(filter, before: cursor, limit: limit)
                cursor = page.last?.id ?? cursor
                return page.map {
                    Candidate(
                        id: $0.id, kind: $0.kind, state: $0.state, uploader: $0.fairKey, reason: $0.reason)
                }
            }
        }
        var cursor: UnsuccessfulJob.Position?
        return { limit in
            let page = try await store.unsuccessful(filter, after: cursor, limit: limit)
            cursor = page.last?.position ?? cursor
            return page.map {
                Candidate(id: $0.id, kind: $0.kind, state: $0.state, uploader: $0.fairKey, reason: $0.reason)
            }
        }
    }

    /// Changes jobs, and returns those that it changed.
    package func apply(
        to ids: [JobID], by operatorName: String, why: String?, _ store: JobStore
    ) async throws -> [JobID] {
        switch self {
        case .replay: try await store.replay(ids, by: operatorName, why: why)
        case .discard: try await store.discard(ids, by: operatorName, why: why)
        case .cancel: try await store.cancel(ids)
        case .release: try await store.release(ids, by: operatorName, why: why)
        }
    }
}
