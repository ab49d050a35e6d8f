import Digests
import Glibc
package import MediaStore
package import Postgres
package import Posts

/// Compares the media store with the rows that refer to its files, in both directions, and if told to, reads the files
/// to see whether they have the bytes that were stored.
///
/// It works in batches: one directory of files, or some rows, at a time. Recent files are spared because a running
/// job may have stored them without referring to them yet. Files that the media store refuses to show or delete are
/// counted and do not stop it; a store that is not there stops it.
package struct MediaSweep: Sendable {
    package enum Finding: Sendable, Hashable {
        /// A file that no row refers to.
        case unreferred(StoredFile, isDeleted: Bool)
        /// A row whose file is missing.
        case missing(ReferredFile)
        /// A row whose file does not have the bytes that were stored; the text says what is wrong.
        case damaged(ReferredFile, String)
        /// A directory or file that cannot be read, or a file that cannot be deleted.
        case fault(MediaError)
    }

    package struct Tally: Sendable, Equatable {
        package var files = 0
        package var rows = 0
        package var unreferred = 0
        package var unreferredBytes: Int64 = 0
        package var deleted = 0
        package var missing = 0
        package var damaged = 0
        /// How many bytes of files were read.
        package var bytesRead: Int64 = 0
        /// How often the media store refused to list, show or delete something.
        package var faults = 0

        package init() {}
    }

    private let pool: PostgresPool
    private let references: MediaReferenceStore
    private let media: any MediaStore
    private let age: Duration
    private let deletes: Bool
    private let unclaimed: Duration?
    private let verifies: Bool
    private let batch: Int
    /// Few, because the caller waits between batches so as not to take the disk from others.
    private static let filesReadAtOnce = 4

    /// - Parameters:
    ///   - age: files younger than this are skipped.
    ///   - deletes: whether to delete files that no row refers to.
    ///   - unclaimed: how long after it was last stored an original that no row refers to is deleted in any case; nil for never.
    ///   - verifies: whether to read each file that a row refers to.
    package init(
        pool: PostgresPool, media: any MediaStore, age: Duration, deletes: Bool, unclaimed: Duration? = nil,
        verifies: Bool = false, batch: Int = 1000
    ) {
        self.pool = pool
        references = MediaReferenceStore(pool: pool)
        self.media = media
        self.age = age
        self.deletes = deletes
        self.unclaimed = unclaimed
        self.verifies = verifies
        self.batch = batch
    }

    /// Goes through all files and rows once.
    ///
    /// - Parameter visit: receives the findings of a batch and the tally so far, and returns whether to go on.
    package func run(_ visit: ([Finding], Tally) async throws -> Bool) async throws -> Tally {
        var tally = Tally()
        var walk = media.walk()
        let grace = try await RetiredMediaStore(pool: pool).originalGrace()
        var gathered: [StoredFile] = []
        // Before the first photo there is no store to walk through.
        var isAtEnd = try await media.check() == nil
        while !isAtEnd {
            try Task.checkCancellation()
            var findings: [Finding] = []
            do throws(MediaError) {
                let files = try await walk.next()
                isAtEnd = files == nil
                tally.files += files?.count ?? 0
                gathered += files?.filter { $0.age >= leastAge(of: $0.key, grace) } ?? []
            } catch {
                findings.append(try count(error, &tally))
            }
            if gathered.count >= batch {
                findings += try await examine(gathered, grace, &tally)
                gathered = []
            }
            guard try await visit(findings, tally) else { return tally }
        }
        guard try await visit(try await examine(gathered, grace, &tally), tally) else { return tally }
        var position = ReferencePosition.start
        let limit = verifies ? min(batch, Self.filesReadAtOnce) : batch
        while let rows = try await references.referred(after: &position, limit: limit) {
            tally.rows += rows.count
            guard try await visit(try await examine(rows, &tally), tally) else { return tally }
        }
        return tally
    }

    /// An original is stored before its transaction begins, and a row refers to it within the grace period.
    private func leastAge(of key: MediaKey, _ grace: Duration) -> Duration {
        key.isOriginal ? max(min(age, unclaimed ?? age), grace) : age
    }

    private func count(_ error: MediaError, _ tally: inout Tally) throws(MediaError) -> Finding {
        guard !error.concernsWholeStore else { throw error }
        tally.faults += 1
        return .fault(error)
    }

    private func examine(
        _ files: [StoredFile], _ grace: Duration, _ tally: inout Tally
    ) async throws -> [Finding] {
        guard !files.isEmpty else { return [] }
        try Task.checkCancellation()
        let lost = try await references.unreferred(among: files.map(\.key.path))
        var findings: [Finding] = []
        for file in files where lost.contains(file.key.path) {
            var isDeleted = false
            let leastAge = leastAge(of: file.key, grace)
            if deletes || file.key.isOriginal && unclaimed.map({ file.age >= $0 }) == true {
                do {
                    guard
                        let removal = try await delete(
                            file, deletes ? leastAge : max(leastAge, unclaimed ?? leastAge))
                    else { continue }
                    isDeleted = removal == .removed
                } catch let error as MediaError {
                    findings.append(try count(error, &tally))
                }
            }
            tally.unreferred += 1
            tally.unreferredBytes += file.byteCount
            if isDeleted { tally.deleted += 1 }
            findings.append(.unreferred(file, isDeleted: isDeleted))
        }
        return findings
    }

    /// Checks again under the lock of the key. Returns nil if a row now refers to the file or it was stored again.
    private func delete(_ file: StoredFile, _ leastAge: Duration) async throws -> MediaRemoval? {
        try await pool.withTransaction { (transaction) async throws -> MediaRemoval? in
            guard try await MediaReferenceStore.take(file.key.path, in: transaction) else { return nil }
            let store = try await media.recorded(in: transaction)
            let removal = try await store.remove(file.key, storedBefore: leastAge)
            if case .tooRecent = removal { return nil }
            return removal
        }
    }

    /// What is wrong with the pictures of a post now.
    package func examine(post: Int64) async throws -> [Finding] {
        var tally = Tally()
        return try await examine(try await references.renditions(of: post), &tally)
    }

    private func examine(_ rows: [ReferredFile], _ tally: inout Tally) async throws -> [Finding] {
        try Task.checkCancellation()
        var lost: [(file: ReferredFile, finding: Finding)] = []
        var findings: [Finding] = []
        for row in rows {
            do throws(MediaError) {
                if let finding = try await look(at: row, &tally) { lost.append((row, finding)) }
            } catch {
                findings.append(try count(error, &tally))
            }
        }
        guard !lost.isEmpty else { return findings }
        // Some of the rows may have been erased since they were read.
        let referred = try await references.stillReferred(among: lost.map(\.file.mediaKey))
        for (file, finding) in lost where referred.contains(file.mediaKey) {
            if case .missing = finding { tally.missing += 1 } else { tally.damaged += 1 }
            findings.append(finding)
        }
        return findings
    }

    /// Nil if the file is there and, if it is read, has the right bytes.
    private func look(at file: ReferredFile, _ tally: inout Tally) async throws(MediaError) -> Finding? {
        guard let key = try? MediaKey(validating: file.mediaKey) else { return .missing(file) }
        do throws(MediaError) {
            guard verifies else { return try await media.contains(key) ? nil : .missing(file) }
            let (byteCount, digest) = try await media.readBack(key)
            tally.bytesRead += byteCount
            return digest.hex == file.sha256
                ? nil : .damaged(file, "its \(byteCount) bytes do not match the SHA-256 \(file.sha256)")
        } catch {
            if error.code == .notFound || error.code == .notARegularFile { return .missing(file) }
            if error.errorNumber == EIO { return .damaged(file, error.message) }
            throw error
        }
    }
}
