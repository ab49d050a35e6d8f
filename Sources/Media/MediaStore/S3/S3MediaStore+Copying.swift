package import Digests
import ObjectStorage

extension S3MediaStore {
    package func openFile(_ key: MediaKey) async throws(MediaError) -> OpenedOriginal {
        _ = try key.requireTree()
        return try await inStore { () async throws(MediaError) -> OpenedOriginal in
            let file = try await FileThreads.shared.run { () throws(MediaError) in try scratch.makeFile() }
            let found = try await confirmed(
                key, into: file, limit: .max, expectedBytes: nil, expectedSHA256: key.sha256)
            try await FileThreads.shared.run { () throws(MediaError) in _ = try seal(file) }
            return OpenedOriginal(file: file, byteCount: found.byteCount, sha256: found.sha256)
        }
    }

    package func storeCopy(
        of file: MediaFile, as key: MediaKey, sha256: SHA256Digest, byteCount: Int64,
        ended: @escaping @Sendable () -> Void
    ) async throws(MediaError) {
        _ = try key.requireTree()
        let name = try name(key)
        try await inStore(changing: true) { () async throws(MediaError) in
            defer { ended() }
            try await request(key) {
                try await objects.put(name, from: file.descriptor, size: byteCount, sha256: sha256)
            }
        }
    }
}
