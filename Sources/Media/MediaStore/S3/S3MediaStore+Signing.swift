package import Digests
package import ObjectStorage

extension S3MediaStore {
    package func signUpload(
        sha256: SHA256Digest, byteCount: Int64, lifetime: Int
    ) async throws(MediaError) -> (original: StoredOriginal, request: PresignedRequest) {
        let key = MediaKey(ofOriginal: sha256)
        let name = try name(key)
        // The first upload makes the store, as if this process stored the photo itself.
        return try await inStore(storing: true, changing: true) {
            () async throws(MediaError) -> (original: StoredOriginal, request: PresignedRequest) in
            let signed = try await request(key) {
                try await objects.presignedPut(name, size: byteCount, sha256: sha256, lifetime: lifetime)
            }
            return (StoredOriginal(key: key, sha256: sha256, byteCount: byteCount), signed)
        }
    }

    package func signDownload(
        of key: MediaKey, lifetime: Int
    ) async throws(MediaError) -> PresignedRequest {
        guard key.isOriginal else {
            throw MediaError(
                .notFound, path: key.path, message: "no such file: keys of originals start with originals/")
        }
        let name = try name(key)
        return try await inStore { () async throws(MediaError) -> PresignedRequest in
            try await request(key) { try await objects.presignedGet(name, lifetime: lifetime) }
        }
    }
}
