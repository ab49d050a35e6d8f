import JobQueue
package import MediaStore
package import Postgres
package import Posts

/// Deletes files that nothing refers to any more.
///
/// Each file gets its own transaction, which holds the lock of its key. A transaction that adds a reference to the
/// file either commits before, and the file stays, or comes after and finds the file gone. Deleting a missing file
/// does nothing, so the next run can finish a run that stopped anywhere.
package struct MediaEraser: Sendable {
    /// What became of the files.
    package struct Tally: Sendable, Equatable {
        package var removed = 0
        /// Already missing, for example after an interrupted run.
        package var absent = 0
        /// Kept because something refers to them again.
        package var kept = 0
        /// Stored too recently to be deleted.
        package var postponed = 0
        /// Files that the media store refused to delete. They are tried again.
        package var faults = 0
        package var firstFault: MediaError?

        package init() {}
    }

    private let pool: PostgresPool
    private let media: any MediaStore

    package init(pool: PostgresPool, media: any MediaStore) {
        self.pool = pool
        self.media = media
    }

    /// Deletes files one after the other. A file that cannot be deleted does not block the others.
    ///
    /// - Throws: ``AttemptError``, a system fault, if the whole store cannot be used.
    package func erase(_ which: RetiredFiles) async throws -> Tally {
        let grace = try await RetiredMediaStore(pool: pool).originalGrace()
        var tally = Tally()
        var last: String? = ""
        while let position = last {
            try Task.checkCancellation()
            let (key, fate) = try await next(which, after: position, grace: grace)
            last = key
            switch fate {
            case .removed?: tally.removed += 1
            case .absent?: tally.absent += 1
            case .kept?: tally.kept += 1
            case .postponed?: tally.postponed += 1
            case .fault(let error)?:
                tally.faults += 1
                tally.firstFault = tally.firstFault ?? error
            case nil: break
            }
        }
        return tally
    }

    private enum Fate: Sendable {
        case removed, absent, kept, postponed
        case fault(MediaError)
    }

    private func next(
        _ which: RetiredFiles, after position: String, grace: Duration
    ) async throws -> (key: String?, fate: Fate?) {
        try await pool.withTransaction { transaction in
            guard let file = try await RetiredMediaStore.next(which, after: position, in: transaction) else {
                return (nil, nil)
            }
            guard file.isFree else {
                try await RetiredMediaStore.forget(file.mediaKey, in: transaction)
                return (file.mediaKey, .kept)
            }
            switch try await remove(file.mediaKey, grace: grace, in: transaction) {
            case .success(.tooRecent(let left)):
                try await RetiredMediaStore.postpone(file.mediaKey, by: left, in: transaction)
                return (file.mediaKey, .postponed)
            case .success(let removal):
                try await RetiredMediaStore.forget(file.mediaKey, in: transaction)
                return (file.mediaKey, removal == .removed ? .removed : .absent)
            case .failure(let error):
                return (file.mediaKey, .fault(error))
            }
        }
    }

    private func remove(
        _ text: String, grace: Duration, in transaction: PostgresConnection
    ) async throws -> Result<MediaRemoval, MediaError> {
        // The upload API chose the key. An invalid one names no file of the store.
        guard let key = try? MediaKey(validating: text) else { return .success(.absent) }
        // The key's lock protects renditions. Originals are stored before any transaction, so their age protects them.
        let age = key.isOriginal ? grace : .zero
        do {
            let store = try await media.recorded(in: transaction)
            return .success(try await store.remove(key, storedBefore: age))
        } catch let error as MediaError {
            guard !error.concernsWholeStore else { throw AttemptError.storeFault(error) }
            return .failure(error)
        }
    }
}
