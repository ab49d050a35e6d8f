package import Digests
import Glibc
import ObjectStorage

extension S3MediaStore {
    package func putOriginal(fromFile path: String) async throws(MediaError) -> StoredOriginal {
        let source = try await FileThreads.shared.run { () throws(MediaError) in
            try MediaFile(opening: path)
        }
        let (byteCount, digest) = try await FileThreads.shared.run { () throws(MediaError) in
            (try source.byteCount(), try source.digest())
        }
        let key = MediaKey(ofOriginal: digest)
        let name = try name(key)
        return try await inStore(storing: true, changing: true) {
            () async throws(MediaError) -> StoredOriginal in
            // If the file changes meanwhile nothing is stored.
            try await request(key) {
                try await objects.put(name, from: source.descriptor, size: byteCount, sha256: digest)
            }
            return StoredOriginal(key: key, sha256: digest, byteCount: byteCount)
        }
    }

    package func putOriginal(bytes: [UInt8]) async throws(MediaError) -> StoredOriginal {
        let digest = SHA256Digest(hashing: bytes)
        let key = MediaKey(ofOriginal: digest)
        let name = try name(key)
        return try await inStore(storing: true, changing: true) {
            () async throws(MediaError) -> StoredOriginal in
            try await request(key) { try await objects.put(name, bytes: bytes) }
            return StoredOriginal(key: key, sha256: digest, byteCount: Int64(bytes.count))
        }
    }

    package func makeArrivingOriginal() async throws(MediaError) -> MediaFile {
        try await FileThreads.shared.run { () throws(MediaError) in try scratch.makeFile() }
    }

    package func publishOriginal(
        _ file: MediaFile, sha256: SHA256Digest, byteCount: Int64
    ) async throws(MediaError) -> StoredOriginal {
        let key = MediaKey(ofOriginal: sha256)
        let name = try name(key)
        return try await inStore(storing: true, changing: true) {
            () async throws(MediaError) -> StoredOriginal in
            try await request(key) {
                try await objects.put(name, from: file.descriptor, size: byteCount, sha256: sha256)
            }
            return StoredOriginal(key: key, sha256: sha256, byteCount: byteCount)
        }
    }

    package func openRendition(_ key: MediaKey) async throws(MediaError) -> MediaFile {
        guard !key.isOriginal else { throw .missing(key) }
        return try await inStore { () async throws(MediaError) -> MediaFile in
            let file = try await FileThreads.shared.run { () throws(MediaError) in try scratch.makeFile() }
            _ = try await confirmed(
                key, into: file, limit: .max, expectedBytes: nil, expectedSHA256: key.sha256)
            try await FileThreads.shared.run { () throws(MediaError) in _ = try seal(file) }
            return file
        }
    }

    package func openOriginal(
        _ key: MediaKey, expectedBytes: Int64, expectedSHA256: SHA256Digest?
    ) async throws(MediaError) -> OpenedOriginal {
        guard key.isOriginal else {
            throw MediaError(
                .notFound, path: key.path, message: "no such file: keys of originals start with originals/")
        }
        return try await inStore { () async throws(MediaError) -> OpenedOriginal in
            let file = try await FileThreads.shared.run { () throws(MediaError) in try scratch.makeFile() }
            let found = try await confirmed(
                key, into: file, limit: max(0, expectedBytes), expectedBytes: expectedBytes,
                expectedSHA256: expectedSHA256)
            // Nobody writes to it any more.
            try await FileThreads.shared.run { () throws(MediaError) in _ = try seal(file) }
            return OpenedOriginal(
                file: file, byteCount: found.byteCount,
                sha256: found.byteCount == expectedBytes ? found.sha256 : nil)
        }
    }

    /// What a file of the store has.
    struct Contents: Sendable, Hashable {
        let byteCount: Int64
        /// Nil if it is larger than allowed, and was not read.
        let sha256: SHA256Digest?
    }

    /// Reads an object. A proxy or a dying connection may cut, change or miss it, so an object that is not as expected is read
    /// again over other connections, and is only believed if it is the same twice in a row and as large as the store says.
    ///
    /// - Parameters:
    ///   - file: nil to hash it only.
    ///   - limit: in bytes; of a larger object only the size is asked.
    ///   - expectedBytes: nil if any size will do.
    ///   - expectedSHA256: nil for what its writer told the store, if it did.
    func confirmed(
        _ key: MediaKey, into file: MediaFile?, limit: Int64, expectedBytes: Int64?,
        expectedSHA256: SHA256Digest? = nil
    ) async throws(MediaError) -> Contents {
        var before: ObjectContents?
        do throws(MediaError) {
            before = try await read(key, into: file, limit: limit)
        } catch {
            guard error.code == .notFound else { throw error }
        }
        func isExpected(_ found: ObjectContents?) -> Bool {
            guard let found else { return false }
            return (expectedBytes ?? found.size) == found.size
                && (expectedSHA256 ?? found.told ?? found.sha256) == found.sha256
        }
        if let before, isExpected(before) { return Contents(byteCount: before.size, sha256: before.sha256) }
        try await requireSameMarker()
        let name = try name(key)
        guard let facts = try await request(key, { try await objects.head(name, isFresh: true) }) else {
            throw .missing(key)
        }
        for _ in 0..<2 {
            let found = try await read(key, into: file, limit: limit, isFresh: true)
            let isSame = found?.size == before?.size && found?.sha256 == before?.sha256
            let isWhole = found.map { $0.size == facts.size } ?? (facts.size > limit)
            // The store says that it has what was expected, and other bytes came: then the photo is not at fault.
            let isDamaged =
                found.map { expectedSHA256 == $0.told && $0.told != nil && $0.sha256 != $0.told } ?? false
            if isExpected(found) || isSame && isWhole && !isDamaged {
                return Contents(byteCount: facts.size, sha256: found?.sha256)
            }
            before = found
        }
        throw MediaError(
            .io, path: key.path,
            message: "the store gives other bytes each time: look at what is between it and here")
    }

    /// Nil for an object that is too large.
    private func read(
        _ key: MediaKey, into file: MediaFile?, limit: Int64, isFresh: Bool = false
    ) async throws(MediaError) -> ObjectContents? {
        let name = try name(key)
        return try await request(key) {
            do {
                return try await objects.read(name, into: file?.descriptor, limit: limit, isFresh: isFresh)
            } catch let error as ObjectStoreError where error.code == .tooLarge {
                return nil
            }
        }
    }
}

extension MediaError {
    static func missing(_ key: MediaKey) -> MediaError {
        MediaError(
            .notFound, path: key.path, message: "is not in the store; check that it was stored and not erased"
        )
    }
}
