package import Digests
import Glibc
import ObjectStorage

extension S3MediaStore {
    // MARK: Renditions

    package func makeUnnamedRendition() async throws(MediaError) -> MediaFile {
        try await inStore { () async throws(MediaError) -> MediaFile in
            try await FileThreads.shared.run { () throws(MediaError) in try scratch.makeFile() }
        }
    }

    func makeFile(like file: MediaFile) throws(MediaError) -> MediaFile { try scratch.makeFile() }

    package func publishRendition(
        _ rendition: SealedRendition, fileExtension: String, ended: @escaping @Sendable () -> Void
    ) async throws(MediaError) -> StoredRendition {
        let key = try MediaKey.rendition(rendition, fileExtension: fileExtension)
        let name = try name(key)
        return try await inStore(changing: true) { () async throws(MediaError) -> StoredRendition in
            // A store that got the whole request may still carry it out if its reply is lost; a sweep finds the file.
            defer { ended() }
            try await request(key) {
                try await objects.put(
                    name, from: rendition.file.descriptor, size: rendition.byteCount, sha256: rendition.sha256
                )
            }
            return StoredRendition(key: key, sha256: rendition.sha256, byteCount: rendition.byteCount)
        }
    }

    // MARK: Any file

    package func find(_ key: MediaKey) async throws(MediaError) -> StoredFile? {
        let name = try name(key)
        do throws(MediaError) {
            return try await inStore { () async throws(MediaError) -> StoredFile in
                guard let facts = try await request(key, { try await objects.head(name) }) else {
                    throw .missing(key)
                }
                let age = try? timeSinceStored(key, facts.modified, facts.clock)
                return StoredFile(
                    key: key, byteCount: facts.size, age: age ?? .seconds(Int64.max), tag: facts.tag)
            }
        } catch {
            if error.code == .notFound { return nil }
            throw error
        }
    }

    package func countPresent(among keys: [MediaKey]) async throws(MediaError) -> Int {
        var count = 0
        for key in keys {
            let name = try name(key)
            if try await request(key, { try await objects.head(name) }) != nil { count += 1 }
        }
        return count
    }

    package func remove(
        _ key: MediaKey, storedBefore age: Duration
    ) async throws(MediaError) -> MediaRemoval {
        guard MediaTree.allCases.contains(where: { $0.contains(key) }) else { return .absent }
        let name = try name(key)
        do throws(MediaError) {
            return try await inStore(changing: true) { () async throws(MediaError) -> MediaRemoval in
                guard let facts = try await request(key, { try await objects.head(name) }) else {
                    throw .missing(key)
                }
                let left = age - (try timeSinceStored(key, facts.modified, facts.clock))
                if left > .zero { return .tooRecent(min(left, age)) }
                try await request(key) { try await objects.delete(name) }
                return .removed
            }
        } catch {
            guard error.code == .notFound else { throw error }
            return .absent
        }
    }

    /// The time since an object was last put, by the store's clock: at least, because a store drops parts of a second.
    func timeSinceStored(_ key: MediaKey, _ modified: Int?, _ clock: Int?) throws(MediaError) -> Duration {
        guard let modified, let clock else {
            throw MediaError(
                .io, path: key.path,
                message:
                    "the store does not tell when it was stored, so nothing is removed; use another store")
        }
        return max(.zero, .seconds(clock - modified - 1))
    }

    package func readBack(
        _ key: MediaKey
    ) async throws(MediaError) -> (byteCount: Int64, sha256: SHA256Digest) {
        let found = try await inStore { () async throws(MediaError) -> Contents in
            try await confirmed(key, into: nil, limit: .max, expectedBytes: nil)
        }
        guard let digest = found.sha256 else { throw .missing(key) }
        return (found.byteCount, digest)
    }
}
