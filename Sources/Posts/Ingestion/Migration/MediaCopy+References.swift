import MediaStore
package import Posts

extension MediaCopy {
    /// What is wrong with a file that a row refers to.
    package enum Loss: Sendable, Hashable {
        /// The previous store has it no longer either.
        case missing(ReferredFile)
        case damaged(ReferredFile, String)
    }

    /// Makes sure that the next store has every file that the database refers to, and copies what is missing.
    ///
    /// - Parameters:
    ///   - position: is moved to the last row.
    ///   - isFinished: whether the next store has become the store already.
    ///   - visit: receives how many rows were compared. Returns whether to go on.
    /// - Returns: what the next store cannot have; nil if it did not come to the end.
    package func compare(
        _ references: MediaReferenceStore, after position: inout ReferencePosition, isFinished: Bool = false,
        _ visit: (_ rows: Int) async throws -> Bool
    ) async throws -> [Loss]? {
        var losses: [Loss] = []
        while let rows = try await references.referred(after: &position, limit: 100) {
            var lost: [Loss] = []
            // What is no key names no file of any store.
            let keyed = rows.map { (row: $0, key: try? MediaKey(validating: $0.mediaKey)) }
            lost += keyed.filter { $0.key == nil }.map { .missing($0.row) }
            let known = keyed.compactMap { pair in pair.key.map { (pair.row, $0) } }
            let results = try await results(known.map(\.1), isFinished: isFinished)
            for ((row, _), result) in zip(known, results) {
                switch try result.get() {
                case .copied, .present: break
                case .absent: lost.append(.missing(row))
                case .damaged(let what): lost.append(.damaged(row, what))
                case .over: return nil
                }
            }
            // Some of the rows may have been erased since they were read.
            let referred = try await references.stillReferred(among: lost.map(\.file.mediaKey))
            losses += lost.filter { referred.contains($0.file.mediaKey) }
            guard try await visit(rows.count) else { return nil }
        }
        return losses
    }
}

extension MediaCopy.Loss {
    package var file: ReferredFile {
        switch self {
        case .missing(let file), .damaged(let file, _): file
        }
    }
}
