import Digests
package import MediaStore
package import Postgres
import Posts

/// Copies the files of one media store into another one while both are in use.
///
/// Each file is copied in a transaction that shares the lock of its key. A removal takes this lock alone, so nothing that is
/// removed comes back through a copy.
package struct MediaCopy: Sendable {
    package enum Finding: Sendable, Hashable {
        /// A file that does not have the bytes that were stored. It is not copied; the text says what is wrong.
        case damaged(MediaKey, String)
        /// A directory or file that cannot be read or written.
        case fault(MediaError)
    }

    package struct Tally: Sendable, Equatable {
        /// Files that were found, copied or not.
        package var files = 0
        package var copied = 0
        package var bytes: Int64 = 0
        package var damaged = 0
        package var faults = 0

        package init() {}

        package mutating func add(_ other: Tally) {
            files += other.files
            copied += other.copied
            bytes += other.bytes
            damaged += other.damaged
            faults += other.faults
        }
    }

    /// What became of one file.
    package enum Outcome: Sendable {
        case copied(bytes: Int64)
        /// The next store has it.
        case present
        /// It was removed since it was found.
        case absent
        case damaged(String)
        /// The move was finished or cancelled meanwhile.
        case over
    }

    private let pool: PostgresPool
    private let source: any MediaStore
    private let target: any MediaStore
    private let identity: String
    private let filesAtOnce: Int

    /// - Parameters:
    ///   - source: and `target`: for use without asking the database for their identities.
    ///   - identity: of `target`; a move to it is under way.
    ///   - filesAtOnce: how many files are copied at the same time, each with a connection of the pool.
    package init(
        pool: PostgresPool, from source: any MediaStore, to target: any MediaStore, identity: String,
        filesAtOnce: Int = 4
    ) {
        self.pool = pool
        self.source = source
        self.target = target
        self.identity = identity
        self.filesAtOnce = filesAtOnce
    }

    /// Goes through all files once.
    ///
    /// - Parameters:
    ///   - position: where an earlier pass was; nil to begin.
    ///   - batch: about how many files there are in a part.
    ///   - visit: receives what was found in a part, what was done in it, and the position after it. Returns whether to go on.
    /// - Returns: whether it came to the end.
    /// - Throws: `MediaError` if one of the stores is away.
    package func run(
        after position: String?, batch: Int = 64,
        _ visit: ([Finding], Tally, String?) async throws -> Bool
    ) async throws -> Bool {
        var walk = source.walk(after: position)
        var isAtEnd = false
        var gathered: [MediaKey] = []
        while !isAtEnd {
            try Task.checkCancellation()
            var findings: [Finding] = []
            do throws(MediaError) {
                let files = try await walk.next()
                isAtEnd = files == nil
                gathered += files?.map(\.key) ?? []
            } catch {
                findings.append(try Self.fault(error))
            }
            guard isAtEnd || gathered.count >= batch || !findings.isEmpty else { continue }
            var total = Tally()
            total.faults = findings.count
            var rest = gathered[...]
            gathered = []
            // The position is known again after the last of them.
            while !rest.isEmpty {
                let part = Array(rest.prefix(batch))
                rest = rest.dropFirst(batch)
                guard let (found, tally) = try await copy(part) else { return false }
                findings += found
                total.add(tally)
                guard !rest.isEmpty else { break }
                guard try await visit(findings, total, nil) else { return false }
                findings = []
                total = Tally()
            }
            guard try await visit(findings, total, walk.position) else { return false }
        }
        return true
    }

    /// Nil if the move is over.
    private func copy(_ keys: [MediaKey]) async throws -> ([Finding], Tally)? {
        var findings: [Finding] = []
        var tally = Tally()
        for (key, result) in zip(keys, try await results(keys)) {
            tally.files += 1
            switch result {
            case .success(.copied(let bytes)):
                tally.copied += 1
                tally.bytes += bytes
            case .success(.damaged(let what)):
                tally.damaged += 1
                findings.append(.damaged(key, what))
            case .success(.present), .success(.absent): break
            case .success(.over): return nil
            case .failure(let error):
                tally.faults += 1
                findings.append(try Self.fault(error))
            }
        }
        return (findings, tally)
    }

    /// What became of the file with this number in a list. A tuple is mixed up by the optimizer of Swift 6.3.1.
    private struct Ended: Sendable {
        let number: Int
        let result: Result<Outcome, MediaError>
    }

    /// Copies several files at once.
    func results(
        _ keys: [MediaKey], isFinished: Bool = false
    ) async throws -> [Result<Outcome, MediaError>] {
        var results: [Result<Outcome, MediaError>?] = Array(repeating: nil, count: keys.count)
        try await withThrowingTaskGroup(of: Ended.self) { group in
            for (number, key) in keys.enumerated() {
                if number >= filesAtOnce, let ended = try await group.next() {
                    results[ended.number] = ended.result
                }
                group.addTask { Ended(number: number, result: try await result(key, isFinished: isFinished)) }
            }
            for try await ended in group { results[ended.number] = ended.result }
        }
        return results.map { $0! }
    }

    private func result(_ key: MediaKey, isFinished: Bool) async throws -> Result<Outcome, MediaError> {
        do {
            return .success(try await copy(key, isFinished: isFinished))
        } catch let error as MediaError {
            return .failure(error)
        }
    }

    private static func fault(_ error: MediaError) throws(MediaError) -> Finding {
        guard !error.concernsWholeStore else { throw error }
        return .fault(error)
    }

    /// Copies one file, unless the next store has it.
    ///
    /// - Parameter isFinished: whether files are removed from the next store alone by now. Then an original is copied only if an
    ///   upload refers to it.
    package func copy(_ key: MediaKey, isFinished: Bool = false) async throws -> Outcome {
        if try await target.countPresent(among: [key]) == 1 { return .present }
        return try await pool.withTransaction { transaction in
            guard try await MediaMigrationStore.hold(identity, isFinished: isFinished, in: transaction) else {
                return .over
            }
            try await MediaReferenceStore.protect([key.path], in: transaction)
            let uploaded = try await MediaMigrationStore.sha256(ofOriginal: key.path, in: transaction)
            if isFinished, uploaded == nil { return .absent }
            return try await copy(key, expecting: key.sha256?.hex ?? uploaded)
        }
    }

    private func copy(_ key: MediaKey, expecting expected: String?) async throws(MediaError) -> Outcome {
        let found: OpenedOriginal
        do throws(MediaError) {
            found = try await source.openFile(key)
        } catch {
            if error.code == .notFound { return .absent }
            // A disk that cannot read a file has lost it.
            if error.errorNumber == 5 { return .damaged(error.message) }
            throw error
        }
        guard let digest = found.sha256 else { return .damaged("it could not be read") }
        guard expected == nil || digest.hex == expected else {
            return .damaged("its \(found.byteCount) bytes do not match the SHA-256 \(expected ?? "")")
        }
        try await target.storeCopy(
            of: found.file, as: key, sha256: digest, byteCount: found.byteCount, ended: {})
        return .copied(bytes: found.byteCount)
    }
}
