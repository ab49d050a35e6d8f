package import MediaStore
package import Postgres
package import Posts

/// Compares the media store with the rows that refer to its files, both ways.
///
/// In batches: a directory of files, or some rows, at a time. What a job in progress has stored and not yet referred to
/// is spared by its age.
package struct MediaSweep: Sendable {
    package enum Finding: Sendable, Hashable {
        /// A file that no row refers to.
        case unreferred(StoredFile, isDeleted: Bool)
        /// A row whose file is not there.
        case missing(ReferredFile)
    }

    package struct Tally: Sendable, Equatable {
        package var files = 0
        package var rows = 0
        package var unreferred = 0
        package var unreferredBytes: Int64 = 0
        package var deleted = 0
        package var missing = 0

        package init() {}
    }

    private let pool: PostgresPool
    private let posts: PostStore
    private let media: LocalMediaStore
    private let age: Duration
    private let deletes: Bool
    private let batch: Int

    /// - Parameters:
    ///   - age: files that were stored later than this ago are passed over.
    ///   - deletes: whether files that no row refers to are deleted.
    package init(
        pool: PostgresPool, media: LocalMediaStore, age: Duration, deletes: Bool, batch: Int = 1000
    ) {
        self.pool = pool
        posts = PostStore(pool: pool)
        self.media = media
        self.age = age
        self.deletes = deletes
        self.batch = batch
    }

    /// Goes through everything once.
    ///
    /// - Parameter visit: is given what was found in a batch, and the tally so far; answers whether to go on.
    package func run(_ visit: ([Finding], Tally) async throws -> Bool) async throws -> Tally {
        var tally = Tally()
        var walk = media.walk()
        var gathered: [StoredFile] = []
        while let files = try await walk.next() {
            tally.files += files.count
            gathered += files.filter { $0.age >= age }
            guard gathered.count >= batch else { continue }
            let findings = try await examine(gathered, &tally)
            gathered = []
            guard try await visit(findings, tally) else { return tally }
        }
        guard try await visit(try await examine(gathered, &tally), tally) else { return tally }
        var position = ReferencePosition.start
        while let rows = try await posts.referred(after: &position, limit: batch) {
            tally.rows += rows.count
            guard try await visit(try await examine(rows, &tally), tally) else { return tally }
        }
        return tally
    }

    private func examine(_ files: [StoredFile], _ tally: inout Tally) async throws -> [Finding] {
        guard !files.isEmpty else { return [] }
        try Task.checkCancellation()
        let lost = try await posts.unreferred(among: files.map(\.key.path))
        var findings: [Finding] = []
        for file in files where lost.contains(file.key.path) {
            let isDeleted = deletes ? try await delete(file) : false
            tally.unreferred += 1
            tally.unreferredBytes += file.byteCount
            if isDeleted { tally.deleted += 1 }
            findings.append(.unreferred(file, isDeleted: isDeleted))
        }
        return findings
    }

    /// Looks once more under the lock of the key, as somebody may have come to refer to the file.
    private func delete(_ file: StoredFile) async throws -> Bool {
        try await pool.withTransaction { (transaction) async throws -> Bool in
            guard try await PostStore.take(file.key.path, in: transaction) else { return false }
            return try await media.remove(file.key, storedBefore: age) == .removed
        }
    }

    private func examine(_ rows: [ReferredFile], _ tally: inout Tally) async throws -> [Finding] {
        try Task.checkCancellation()
        var absent: [ReferredFile] = []
        for row in rows where try await !isThere(row.mediaKey) { absent.append(row) }
        guard !absent.isEmpty else { return [] }
        // Some may have been erased since they were read.
        let referred = try await posts.stillReferred(among: absent.map(\.mediaKey))
        let missing = absent.filter { referred.contains($0.mediaKey) }
        tally.missing += missing.count
        return missing.map { .missing($0) }
    }

    private func isThere(_ text: String) async throws -> Bool {
        guard let key = try? MediaKey(validating: text) else { return false }
        do throws(MediaError) {
            return try await media.contains(key)
        } catch {
            if error.code == .notARegularFile || error.code == .keyEscapesStore { return false }
            throw error
        }
    }
}
