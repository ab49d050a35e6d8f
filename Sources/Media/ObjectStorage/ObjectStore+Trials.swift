import Digests

// What stores of other makers do differently, found out by trying.
extension ObjectStore {
    /// Whether the store refuses bytes that do not have the SHA-256 that their request names. One that does not check may
    /// store the object `key`.
    package func refusesWrongDigest(_ key: ObjectKey) async throws -> Bool {
        var request = StoreRequest(method: .put, key: key, sha256: SHA256Digest(hashing: [0]))
        request.body = .bytes([1])
        do {
            _ = try await send(request)
            return false
        } catch let error as ObjectStoreError where error.code == .digestMismatch {
            return true
        }
    }

    /// Begins an upload in parts and removes it again.
    package func tryParts(_ key: ObjectKey) async throws {
        let upload = try await begin(key, sha256: SHA256Digest(hashing: []))
        try await abortUpload(key, id: upload)
    }
}
