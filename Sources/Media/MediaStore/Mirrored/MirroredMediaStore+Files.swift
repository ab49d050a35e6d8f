package import Digests
package import ObjectStorage

extension MirroredMediaStore {
    // MARK: Originals

    package func putOriginal(fromFile path: String) async throws(MediaError) -> StoredOriginal {
        try await put { (store) async throws(MediaError) in try await store.putOriginal(fromFile: path) }
    }

    package func putOriginal(bytes: [UInt8]) async throws(MediaError) -> StoredOriginal {
        try await put { (store) async throws(MediaError) in try await store.putOriginal(bytes: bytes) }
    }

    package func makeArrivingOriginal() async throws(MediaError) -> MediaFile {
        try await FileThreads.shared.run { () throws(MediaError) in try scratch.makeFile() }
    }

    package func publishOriginal(
        _ file: MediaFile, sha256: SHA256Digest, byteCount: Int64
    ) async throws(MediaError) -> StoredOriginal {
        let original = StoredOriginal(
            key: MediaKey(ofOriginal: sha256), sha256: sha256, byteCount: byteCount)
        return try await put { (store) async throws(MediaError) in
            // Makes the store if there is none yet.
            _ = try await store.makeArrivingOriginal()
            try await store.storeCopy(
                of: file, as: original.key, sha256: sha256, byteCount: byteCount, ended: {})
            return original
        }
    }

    package func openRendition(_ key: MediaKey) async throws(MediaError) -> MediaFile {
        try await find { (store) async throws(MediaError) in try await store.openRendition(key) }
    }

    /// No transaction of ours follows that could look whether the original is where it must be. So the database is asked again
    /// when it is stored: a move may have begun, or ended, meanwhile.
    private func put(
        _ body: (any MediaStore) async throws(MediaError) -> StoredOriginal
    ) async throws(MediaError) -> StoredOriginal {
        while true {
            let stores = try await ask()
            let stored = try await body(stores.recorded)
            if let mirror = stores.mirror {
                guard try await body(mirror) == stored else { throw .changed(stored.key) }
            }
            if try await ask().answer.isSame(as: stores.answer) { return stored }
        }
    }

    package func openOriginal(
        _ key: MediaKey, expectedBytes: Int64, expectedSHA256: SHA256Digest?
    ) async throws(MediaError) -> OpenedOriginal {
        try await find { (store) async throws(MediaError) in
            try await store.openOriginal(key, expectedBytes: expectedBytes, expectedSHA256: expectedSHA256)
        }
    }

    package func openFile(_ key: MediaKey) async throws(MediaError) -> OpenedOriginal {
        try await find { (store) async throws(MediaError) in try await store.openFile(key) }
    }

    /// Asks the recorded store, and the other one for what is missing there.
    private func find<Value: Sendable>(
        _ body: (any MediaStore) async throws(MediaError) -> Value
    ) async throws(MediaError) -> Value {
        try await withStores { (stores) async throws(MediaError) -> Value in
            do throws(MediaError) {
                return try await body(stores.recorded)
            } catch {
                guard error.code == .notFound, let other = stores.other else { throw error }
                do throws(MediaError) {
                    return try await body(other)
                } catch let late {
                    // After a move the old place may be gone.
                    throw stores.mirror == nil ? error : late
                }
            }
        }
    }

    // MARK: Renditions

    package func makeUnnamedRendition() async throws(MediaError) -> MediaFile {
        // As with one store, nothing is rendered for a store that is away.
        try await withStores { (stores) async throws(MediaError) in _ = try await stores.recorded.check() }
        return try await FileThreads.shared.run { () throws(MediaError) in try scratch.makeFile() }
    }

    func makeFile(like file: MediaFile) throws(MediaError) -> MediaFile { try scratch.makeFile() }

    package func publishRendition(
        _ rendition: SealedRendition, fileExtension: String, ended: @escaping @Sendable () -> Void
    ) async throws(MediaError) -> StoredRendition {
        let key = try MediaKey.rendition(rendition, fileExtension: fileExtension)
        try await storeCopy(
            of: rendition.file, as: key, sha256: rendition.sha256, byteCount: rendition.byteCount,
            ended: ended)
        return StoredRendition(key: key, sha256: rendition.sha256, byteCount: rendition.byteCount)
    }

    /// - Parameter ended: called once for each place.
    package func storeCopy(
        of file: MediaFile, as key: MediaKey, sha256: SHA256Digest, byteCount: Int64,
        ended: @escaping @Sendable () -> Void
    ) async throws(MediaError) {
        try await withStores { (stores) async throws(MediaError) in
            for store in stores.both {
                try await store.storeCopy(
                    of: file, as: key, sha256: sha256, byteCount: byteCount, ended: ended)
            }
        }
    }

    // MARK: Any file

    package func find(_ key: MediaKey) async throws(MediaError) -> StoredFile? {
        do throws(MediaError) {
            return try await find { (store) async throws(MediaError) -> StoredFile in
                guard let file = try await store.find(key) else { throw .missing(key) }
                return file
            }
        } catch {
            if error.code == .notFound { return nil }
            throw error
        }
    }

    package func isStored(_ key: MediaKey) async throws(MediaError) -> Bool {
        try await withStores { (stores) async throws(MediaError) in
            for store in stores.both {
                guard try await store.isStored(key) else { return false }
            }
            return true
        }
    }

    package func countPresent(among keys: [MediaKey]) async throws(MediaError) -> Int {
        try await first.countPresent(among: keys)
    }

    /// A file that is too recent in one of the two is kept in that one, and its removal is to be tried again.
    package func remove(
        _ key: MediaKey, storedBefore age: Duration
    ) async throws(MediaError) -> MediaRemoval {
        try await withStores { (stores) async throws(MediaError) in
            var result = MediaRemoval.absent
            for store in stores.both {
                switch try await store.remove(key, storedBefore: age) {
                case .tooRecent(let left): return .tooRecent(left)
                case .removed: result = .removed
                case .absent: break
                }
            }
            return result
        }
    }

    package func readBack(
        _ key: MediaKey
    ) async throws(MediaError) -> (byteCount: Int64, sha256: SHA256Digest) {
        try await find { (store) async throws(MediaError) in try await store.readBack(key) }
    }

    package func walk(after position: String?) -> any MediaWalk { MirroredMediaWalk(self) }

    // MARK: Requests of others

    /// Into the recorded store. A move copies what comes there.
    package func signUpload(
        sha256: SHA256Digest, byteCount: Int64, lifetime: Int
    ) async throws(MediaError) -> (original: StoredOriginal, request: PresignedRequest) {
        try await ask().recorded.signUpload(sha256: sha256, byteCount: byteCount, lifetime: lifetime)
    }

    package func signDownload(
        of key: MediaKey, lifetime: Int
    ) async throws(MediaError) -> PresignedRequest {
        try await withStores { (stores) async throws(MediaError) in
            guard let mirror = stores.mirror, try await stores.recorded.find(key) == nil else {
                return try await stores.recorded.signDownload(of: key, lifetime: lifetime)
            }
            return try await mirror.signDownload(of: key, lifetime: lifetime)
        }
    }
}

/// A walk through one place, and then through what only the other one has.
private struct MirroredMediaWalk: MediaWalk {
    private let store: MirroredMediaStore
    private var recorded: (any MediaWalk)?
    private var mirror: (any MediaWalk)?
    private var stores: Stores?

    init(_ store: MirroredMediaStore) { self.store = store }

    /// Two walks have no common position.
    var position: String? { nil }

    mutating func next() async throws(MediaError) -> [StoredFile]? {
        let stores = if let stores { stores } else { try await store.ask() }
        if self.stores == nil {
            self.stores = stores
            recorded = stores.recorded.walk()
            mirror = stores.mirror?.walk()
        }
        if let files = try await recorded?.next() { return files }
        recorded = nil
        guard let files = try await mirror?.next() else { return nil }
        var left: [StoredFile] = []
        for file in files where try await !stores.recorded.contains(file.key) { left.append(file) }
        return left
    }
}
