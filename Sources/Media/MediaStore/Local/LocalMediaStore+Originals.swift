package import Digests

extension LocalMediaStore {
    package func putOriginal(fromFile path: String) async throws(MediaError) -> StoredOriginal {
        try await inStore(storing: true) { (root) throws(MediaError) in
            let source = try MediaFile(opening: path)
            return try storeOriginal(in: root) { (write) throws(MediaError) in try source.forEachChunk(write)
            }
        }
    }

    package func putOriginal(bytes: [UInt8]) async throws(MediaError) -> StoredOriginal {
        try await inStore(storing: true) { (root) throws(MediaError) in
            try storeOriginal(bytes, in: root)
        }
    }

    package func makeArrivingOriginal() async throws(MediaError) -> MediaFile {
        try await inStore(storing: true) { (root) throws(MediaError) in
            try makeUnfinishedFile(in: root.tree(.originals))
        }
    }

    package func publishOriginal(
        _ file: MediaFile, sha256: SHA256Digest, byteCount: Int64
    ) async throws(MediaError) -> StoredOriginal {
        try await inStore(storing: true) { (root) throws(MediaError) in
            let key = try publish(file, in: .originals, of: root, digest: sha256, suffix: "")
            return StoredOriginal(key: key, sha256: sha256, byteCount: byteCount)
        }
    }

    /// Blocks.
    func storeOriginal(_ bytes: [UInt8], in root: DirectoryHandle) throws(MediaError) -> StoredOriginal {
        try storeOriginal(in: root) { (write) throws(MediaError) in
            let result: Result<Void, MediaError> = bytes.withUnsafeBytes { all in
                Result { () throws(MediaError) in try write(all) }
            }
            try result.get()
        }
    }

    package func openRendition(_ key: MediaKey) async throws(MediaError) -> MediaFile {
        try await open(key, in: .renditions)
    }

    /// Opens the original with `key` for reading.
    ///
    /// Throws `notFound` if no original has the key, `leadsElsewhere` if a symbolic link lies on the way, and
    /// `notARegularFile`.
    package func openOriginal(_ key: MediaKey) async throws(MediaError) -> MediaFile {
        try await open(key, in: .originals)
    }

    package func openOriginal(
        _ key: MediaKey, expectedBytes: Int64, expectedSHA256: SHA256Digest?
    ) async throws(MediaError) -> OpenedOriginal {
        let file = try await openOriginal(key)
        let byteCount = try file.byteCount()
        let digest = byteCount == expectedBytes ? try await file.sha256() : nil
        return OpenedOriginal(file: file, byteCount: byteCount, sha256: digest)
    }

    private func storeOriginal(
        in root: DirectoryHandle,
        _ writeAll: ((UnsafeRawBufferPointer) throws(MediaError) -> Void) throws(MediaError) -> Void
    ) throws(MediaError) -> StoredOriginal {
        let file = try makeUnfinishedFile(in: root.tree(.originals))
        let hasher = SHA256Hasher()
        var byteCount: Int64 = 0
        try writeAll { (chunk) throws(MediaError) in
            hasher.update(chunk)
            try file.append(chunk)
            byteCount += Int64(chunk.count)
        }
        let digest = hasher.finish()
        let key = try publish(file, in: .originals, of: root, digest: digest, suffix: "")
        return StoredOriginal(key: key, sha256: digest, byteCount: byteCount)
    }
}
